//! The JSON Schema of a TOML file, for editors. It follows from the file's keys.

use manila::json::ObjectWriter;
use manila::{Contract, JsonObject};

use crate::keys::{Key, Kind};
use crate::values;

/// The JSON Schema of a TOML file with these keys, of which `required` stand at its top.
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

/// The word for results that are passed through, where a contract could stand.
const PASSTHROUGH: &str = "none";

/// The part of a path that stands for a name which the operator gives.
const NAME: &str = "NAME";

/// The keys of a file.
struct Keys(&'static [Key]);

impl Keys {
    /// A table with the keys below a path, and no others.
    fn table(&self, object: &mut ObjectWriter<'_>, path: &str) {
        object.member("type", "object");
        let named = below(path, NAME);
        let Some(of_each) = self.key(&named) else {
            let properties = JsonObject::build(|object| {
                for name in self.names_below(path) {
                    object.member(name, &self.value(&below(path, name)));
                }
            });
            object.member("properties", &properties);
            object.member("additionalProperties", &false);
            return;
        };
        if matches!(of_each.kind, Kind::Server | Kind::Pack) {
            let servers = JsonObject::build(|object| {
                object.member(&values::server_name_pattern(), &self.value(&named));
            });
            object.member("patternProperties", &servers);
            object.member("additionalProperties", &false);
        } else {
            object.member("additionalProperties", &self.value(&named));
        }
    }

    fn key(&self, path: &str) -> Option<&'static Key> {
        self.0.iter().find(|key| key.path == path)
    }

    /// What stands directly below a path, in the order of the keys.
    fn names_below(&self, path: &str) -> Vec<&'static str> {
        let mut names = Vec::new();
        for Key { path: whole, .. } in self.0 {
            let rest = if path.is_empty() {
                Some(*whole)
            } else {
                whole.strip_prefix(path).and_then(|rest| rest.strip_prefix('.'))
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

    /// A list of tables with the keys below a path, of which these must be there.
    fn tables(&self, object: &mut ObjectWriter<'_>, path: &str, required: &[&str]) {
        object.member("type", "array");
        let one = JsonObject::build(|object| {
            self.table(object, path);
            object.member("required", &(!required.is_empty()).then_some(required));
        });
        object.member("items", &one);
    }

    /// What may be written at a path.
    fn value(&self, path: &str) -> JsonObject {
        let key = self.key(path);
        JsonObject::build(|object| {
            object.member("description", &key.map(|key| key.what));
            match key.map(|key| key.kind) {
                None | Some(Kind::Table | Kind::Pack) => self.table(object, path),
                Some(Kind::TableWith(required)) => {
                    self.table(object, path);
                    object.member("required", required);
                }
                Some(Kind::Server) => {
                    self.table(object, path);
                    object.member("oneOf", &[of_command(), of_url()][..]);
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

/// What may be written at a key that has no keys below it.
fn leaf(object: &mut ObjectWriter<'_>, kind: Kind) {
    match kind {
        Kind::Table
        | Kind::Pack
        | Kind::Server
        | Kind::Tables
        | Kind::TableWith(_)
        | Kind::TablesWith(_)
        | Kind::Any => {}
        Kind::Words(words) => one_of(object, words),
        Kind::Contract => one_of(object, &Contract::ALL.map(Contract::id)),
        Kind::Shape => one_of(object, &contract_ids_and(PASSTHROUGH)),
        Kind::Rules => {
            let rules = manila_redact::rules().iter().map(manila_redact::Rule::name);
            let rules: Vec<&str> = rules.collect();
            object.member("type", "array");
            object.member("items", &JsonObject::build(|object| one_of(object, &rules)));
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
        Kind::Text => object.member("type", "string"),
        Kind::Texts => texts(object),
        Kind::NamedTexts => {
            object.member("type", "object");
            object.member("additionalProperties", &text());
        }
        Kind::Count => number(object, 0),
        Kind::Several => number(object, 1),
        Kind::Number => object.member("type", "integer"),
        Kind::Numbers => {
            object.member("type", "array");
            let number = JsonObject::build(|number| number.member("type", "integer"));
            object.member("items", &number);
        }
        Kind::Groups => {
            object.member("type", "array");
            object.member("items", &JsonObject::build(texts));
        }
        Kind::Flag => object.member("type", "boolean"),
    }
}

/// The ids of all contracts, and one word more.
fn contract_ids_and(word: &'static str) -> Vec<&'static str> {
    Contract::ALL.into_iter().map(Contract::id).chain([word]).collect()
}

fn number(object: &mut ObjectWriter<'_>, least: u64) {
    object.member("type", "integer");
    object.member("minimum", &least);
}

fn text() -> JsonObject {
    JsonObject::build(|object| object.member("type", "string"))
}

fn texts(object: &mut ObjectWriter<'_>) {
    object.member("type", "array");
    object.member("items", &text());
}

fn one_of(object: &mut ObjectWriter<'_>, words: &[&str]) {
    object.member("type", "string");
    object.member("enum", words);
}

fn text_like(object: &mut ObjectWriter<'_>, pattern: &str) {
    object.member("type", "string");
    object.member("pattern", pattern);
}

/// A server that is started: nothing that belongs to a URL.
fn of_command() -> JsonObject {
    JsonObject::build(|object| {
        object.member("required", &["command"][..]);
        object.member("not", &with_any_of(&["url"]));
        let empty = JsonObject::build(|object| object.member("maxProperties", &0u64));
        object.member("properties", &JsonObject::build(|object| object.member("headers", &empty)));
    })
}

/// A server that runs already: nothing that belongs to a program.
fn of_url() -> JsonObject {
    JsonObject::build(|object| {
        object.member("required", &["url"][..]);
        object.member("not", &with_any_of(&["command", "cwd"]));
        let empty = JsonObject::build(|object| object.member("maxProperties", &0u64));
        let none = JsonObject::build(|object| object.member("maxItems", &0u64));
        let properties = JsonObject::build(|object| {
            object.member("env", &empty);
            object.member("pass_env", &none);
        });
        object.member("properties", &properties);
    })
}

/// A table that has one of these keys, or several.
fn with_any_of(names: &[&str]) -> JsonObject {
    let required =
        |name: &&str| JsonObject::build(|object| object.member("required", &[*name][..]));
    let alternatives: Vec<JsonObject> = names.iter().map(required).collect();
    JsonObject::build(|object| object.member("anyOf", &alternatives))
}
