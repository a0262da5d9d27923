//! The JSON Schema of a TOML file, for editors, generated from the file's keys.

use manila::json::ObjectWriter;
use manila::{Contract, JsonObject};

use crate::keys::{Key, Kind};
use crate::values;

/// Returns the JSON Schema of a TOML file with these keys. `required` lists the top-level keys that
/// must be present.
#[must_use]
pub fn schema_of_keys(
    keys: &'static [Key],
    title: &str,
    description: &str,
    required: &[&str],
) -> JsonObject {
    JsonObject::build(|object| {
        object.member("$schema", "http://json-schema.org/draft-07/schema#");
        object.member("title", title);
        object.member("description", description);
        Keys(keys).table(object, "");
        object.member("required", &(!required.is_empty()).then_some(required));
    })
}

/// The value that selects passthrough instead of a contract.
const PASSTHROUGH: &str = "none";

/// The path segment that stands for a name that the operator chooses.
const NAME: &str = "NAME";

/// The keys of a file.
struct Keys(&'static [Key]);

impl Keys {
    /// Writes the schema of a table with the keys below a path, and no others.
    fn table(&self, object: &mut ObjectWriter<'_>, path: &str) {
        object.member("type", "object");
        let placeholder_path = below(path, NAME);
        let Some(entry_key) = self.key(&placeholder_path) else {
            let properties = JsonObject::build(|object| {
                for name in self.names_below(path) {
                    object.member(name, &self.value(&below(path, name)));
                }
            });
            object.member("properties", &properties);
            object.member("additionalProperties", &false);
            return;
        };
        if matches!(entry_key.kind, Kind::Server | Kind::Pack) {
            let servers = JsonObject::build(|object| {
                object.member(&values::server_name_pattern(), &self.value(&placeholder_path));
            });
            object.member("patternProperties", &servers);
            object.member("additionalProperties", &false);
        } else {
            object.member("additionalProperties", &self.value(&placeholder_path));
        }
    }

    fn key(&self, path: &str) -> Option<&'static Key> {
        self.0.iter().find(|key| key.path == path)
    }

    /// Returns the names directly below a path, in the order of the keys.
    fn names_below(&self, path: &str) -> Vec<&'static str> {
        let mut names = Vec::new();
        for Key { path: key_path, .. } in self.0 {
            let rest = if path.is_empty() {
                Some(*key_path)
            } else {
                key_path.strip_prefix(path).and_then(|rest| rest.strip_prefix('.'))
            };
            let name = rest.map(|rest| rest.split_once('.').map_or(rest, |(name, _)| name));
            if let Some(name) = name
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// Writes the schema of a list of tables with the keys below a path, of which these are
    /// required.
    fn tables(&self, object: &mut ObjectWriter<'_>, path: &str, required: &[&str]) {
        object.member("type", "array");
        let item = JsonObject::build(|object| {
            self.table(object, path);
            object.member("required", &(!required.is_empty()).then_some(required));
        });
        object.member("items", &item);
    }

    /// Returns the schema of the value at a path.
    fn value(&self, path: &str) -> JsonObject {
        let key = self.key(path);
        JsonObject::build(|object| {
            object.member("description", &key.map(|key| key.description));
            match key.map(|key| key.kind) {
                None | Some(Kind::Table | Kind::Pack) => self.table(object, path),
                Some(Kind::TableWith(required)) => {
                    self.table(object, path);
                    object.member("required", required);
                }
                Some(Kind::Server) => {
                    self.table(object, path);
                    object.member("oneOf", &[command_server(), url_server()][..]);
                }
                Some(Kind::Tables) => self.tables(object, path, &self.names_below(path)),
                Some(Kind::TablesWith(required)) => self.tables(object, path, required),
                Some(kind) => leaf(object, kind),
            }
        })
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Writes the schema of a key that has no keys below it.
fn leaf(object: &mut ObjectWriter<'_>, kind: Kind) {
    match kind {
        Kind::Table
        | Kind::Pack
        | Kind::Server
        | Kind::Tables
        | Kind::TableWith(_)
        | Kind::TablesWith(_)
        | Kind::Any => {}
        Kind::Enum(names) => string_enum(object, names),
        Kind::Contract => string_enum(object, &Contract::ALL.map(Contract::id)),
        Kind::ContractOrNone => string_enum(object, &contract_ids_and(PASSTHROUGH)),
        Kind::Rules => {
            let rules = manila_redact::rules().iter().map(manila_redact::Rule::name);
            let rules: Vec<&str> = rules.collect();
            object.member("type", "array");
            object.member("items", &JsonObject::build(|object| string_enum(object, &rules)));
        }
        Kind::RuleName => text_like(object, values::RULE_NAME_PATTERN),
        Kind::Time => text_like(object, &values::duration_pattern()),
        Kind::Size => text_like(object, &values::bytes_pattern()),
        Kind::Address => text_like(object, values::ADDRESS_PATTERN),
        Kind::Url => text_like(object, values::URL_PATTERN),
        Kind::Command => {
            texts(object);
            object.member("minItems", &1u64);
        }
        Kind::String => object.member("type", "string"),
        Kind::Strings => texts(object),
        Kind::StringTable => {
            object.member("type", "object");
            object.member("additionalProperties", &text());
        }
        Kind::Count => number(object, 0),
        Kind::PositiveCount => number(object, 1),
        Kind::Number => object.member("type", "integer"),
        Kind::Numbers => {
            object.member("type", "array");
            let number = JsonObject::build(|number| number.member("type", "integer"));
            object.member("items", &number);
        }
        Kind::StringLists => {
            object.member("type", "array");
            object.member("items", &JsonObject::build(texts));
        }
        Kind::Flag => object.member("type", "boolean"),
    }
}

/// Returns the ids of all contracts, and one more value.
fn contract_ids_and(value: &'static str) -> Vec<&'static str> {
    Contract::ALL.into_iter().map(Contract::id).chain([value]).collect()
}

fn number(object: &mut ObjectWriter<'_>, minimum: u64) {
    object.member("type", "integer");
    object.member("minimum", &minimum);
}

fn text() -> JsonObject {
    JsonObject::build(|object| object.member("type", "string"))
}

fn texts(object: &mut ObjectWriter<'_>) {
    object.member("type", "array");
    object.member("items", &text());
}

fn string_enum(object: &mut ObjectWriter<'_>, values: &[&str]) {
    object.member("type", "string");
    object.member("enum", values);
}

fn text_like(object: &mut ObjectWriter<'_>, pattern: &str) {
    object.member("type", "string");
    object.member("pattern", pattern);
}

/// Returns the schema of a server that the gateway starts, without the keys of a URL.
fn command_server() -> JsonObject {
    JsonObject::build(|object| {
        object.member("required", &["command"][..]);
        object.member("not", &with_any_of(&["url"]));
        let empty_table = JsonObject::build(|object| object.member("maxProperties", &0u64));
        let properties = JsonObject::build(|object| object.member("headers", &empty_table));
        object.member("properties", &properties);
    })
}

/// Returns the schema of a server that is already running, which has no keys for starting a
/// program.
fn url_server() -> JsonObject {
    JsonObject::build(|object| {
        object.member("required", &["url"][..]);
        object.member("not", &with_any_of(&["command", "cwd"]));
        let empty_table = JsonObject::build(|object| object.member("maxProperties", &0u64));
        let empty_list = JsonObject::build(|object| object.member("maxItems", &0u64));
        let properties = JsonObject::build(|object| {
            object.member("env", &empty_table);
            object.member("pass_env", &empty_list);
        });
        object.member("properties", &properties);
    })
}

/// Returns a schema that matches tables with at least one of these keys.
fn with_any_of(names: &[&str]) -> JsonObject {
    let required =
        |name: &&str| JsonObject::build(|object| object.member("required", &[*name][..]));
    let alternatives: Vec<JsonObject> = names.iter().map(required).collect();
    JsonObject::build(|object| object.member("anyOf", &alternatives))
}
