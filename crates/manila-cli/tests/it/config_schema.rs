//! Checks that the JSON Schema of `manila.toml`, which editors use, agrees with its reader.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::Validator;
use manila_files::{Key, Kind};
use manila_gateway::Config;
use manila_gateway::config::{KEYS, schema};
use serde_json::Value;

use crate::docs::blocks;
use crate::program::{files, read, root};

fn tree() -> Value {
    serde_json::from_str(&schema().to_string()).unwrap()
}

fn validator() -> Validator {
    let tree = tree();
    assert!(jsonschema::meta::is_valid(&tree));
    jsonschema::validator_for(&tree).unwrap()
}

/// Returns the schema's first error for a configuration.
fn schema_error(validator: &Validator, text: &str) -> Option<String> {
    let Ok(config) = toml::from_str::<Value>(text) else { return Some("not TOML".to_owned()) };
    validator.iter_errors(&config).next().map(|error| error.to_string())
}

/// Returns the reader's error for a configuration.
fn reader_error(text: &str) -> Option<String> {
    let variable = |name: &str| {
        Some(match name {
            "PACKS" => root().join("examples/packs").display().to_string(),
            name if name.ends_with("URL") => "http://127.0.0.1:9000".to_owned(),
            _ => "9000".to_owned(),
        })
    };
    Config::for_serving(text, variable).err().map(|error| error.to_string())
}

/// Collects the schema of every key by its path. A table without a description is not a key.
fn collect_described(schema: &Value, path: &str, found: &mut BTreeMap<String, Value>) {
    if schema.get("description").is_some() && !path.is_empty() {
        found.insert(path.to_owned(), schema.clone());
    }
    for (name, child) in child_schemas(schema, path) {
        collect_described(child, &name, found);
    }
}

/// Returns the schemas directly below a schema, with their paths.
fn child_schemas<'a>(schema: &'a Value, path: &str) -> Vec<(String, &'a Value)> {
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let is_map = |it: &&Value| it.is_object() && it.get("properties").is_some();
    let items = schema.get("items").filter(is_map);
    let table = items.unwrap_or(schema);
    let fixed = table.get("properties").and_then(Value::as_object);
    let fixed = fixed.into_iter().flatten().map(|(name, it)| (at(name), it));
    let patterns = table.get("patternProperties").and_then(Value::as_object);
    let named = patterns.into_iter().flatten().map(|(_, it)| it);
    let named = named.chain(table.get("additionalProperties").filter(is_map));
    fixed.chain(named.map(|it| (at("NAME"), it))).collect()
}

#[test]
fn the_schema_has_every_key_and_no_other() {
    let mut found = BTreeMap::new();
    collect_described(&tree(), "", &mut found);
    let paths: BTreeSet<&str> = KEYS.iter().map(|key| key.path).collect();
    assert_eq!(paths.len(), KEYS.len(), "each key is listed once");
    assert_eq!(found.keys().map(String::as_str).collect::<BTreeSet<_>>(), paths);
    for Key { path, description, .. } in KEYS {
        assert_eq!(found[path]["description"], description);
    }
}

/// Each table of the schema has the keys that the reader lists in its error for an unknown key.
#[test]
fn the_reader_has_every_key_and_no_other() {
    fn check(schema: &Value, path: &str, n_tables: &mut usize) {
        let children = child_schemas(schema, path);
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let is_named = children.iter().any(|(name, _)| last(name) == "NAME");
        if !children.is_empty() && !is_named {
            *n_tables += 1;
            let head = match (path, schema["type"] == "array") {
                ("", _) => String::new(),
                (path, true) => format!("[[{path}]]\n"),
                (path, false) => format!("[{path}]\n"),
            };
            let text = head.replace("NAME", "x") + "no-such-key = 1\n";
            let error = Config::from_toml(&text).unwrap_err().message;
            let (found, expected) = error.split_once(", expected ").unwrap();
            assert_eq!(found, "unknown key `no-such-key`");
            let known: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
            let keys: BTreeSet<String> = children.iter().map(|(name, _)| last(name)).collect();
            assert_eq!(keys.iter().map(String::as_str).collect::<BTreeSet<_>>(), known, "{path:?}");
        }
        for (name, child) in children {
            check(child, &name, n_tables);
        }
    }
    let mut n_tables = 0;
    check(&tree(), "", &mut n_tables);
    assert_eq!(n_tables, 9);
}

/// TOML values of every kind, and some that no key accepts.
const VALUES: [&str; 47] = [
    "7",
    "-1",
    "1.5",
    "true",
    "false",
    "[]",
    "[1]",
    "{}",
    "{ a = 1 }",
    r#""""#,
    r#"" ""#,
    r#""x""#,
    r#""7""#,
    r#""0""#,
    r#""-7""#,
    r#""30s""#,
    r#""500ms""#,
    r#""5 m""#,
    r#""24h""#,
    r#""0s""#,
    r#""1d""#,
    r#""64MiB""#,
    r#""1000000""#,
    r#""2 kB""#,
    r#""64mib""#,
    r#""127.0.0.1:7300""#,
    r#""localhost:1""#,
    r#"":7300""#,
    r#""[::1]:80""#,
    r#""http://127.0.0.1:7300/""#,
    r#""http://x/mcp""#,
    r#""https://x""#,
    r#""ftp://x""#,
    r#""http://x:${PORT}""#,
    r#""none""#,
    r#""response-v2""#,
    r#""response-v3""#,
    r#""text""#,
    r#""off""#,
    r#""lazy""#,
    r#""verbatim""#,
    r#"["jwt"]"#,
    r#"["a", "b"]"#,
    r#"["a", 1]"#,
    r#"{ A = "b" }"#,
    r#"[{ name = "x", pattern = "y" }]"#,
    r#"[{ name = "x" }]"#,
];

/// Returns a configuration with this key and the other keys that it requires.
fn config_with(key: &Key, value: &str) -> String {
    let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
    // Manila includes a pack of this name.
    let known = if table.starts_with("pack") { "cargo" } else { "x" };
    let table = table.replace("NAME", known);
    let required = match (key.path, key.kind) {
        (_, Kind::Command | Kind::Url) => "",
        ("upstream.NAME.headers", _) => "url = \"http://x\"\n",
        (path, _) if path.starts_with("upstream.") => "command = [\"x\"]\n",
        ("redact.extra.name", _) => "pattern = \"x\"\n",
        ("redact.extra.pattern", _) => "name = \"x\"\n",
        _ => "",
    };
    match (table.as_str(), name) {
        ("", name) => format!("{name} = {value}\n"),
        ("redact.extra", name) => format!("[[redact.extra]]\n{required}{name} = {value}\n"),
        ("upstream" | "tool" | "pack", _) => format!("[{table}]\n{known} = {value}\n"),
        (table, name) => format!("[{table}]\n{required}{name} = {value}\n"),
    }
}

/// Returns whether only the reader can judge a value. The schema contains neither the limits of
/// times and sizes nor the rules for regular expressions.
fn is_judged_only_by_reader(key: &Key, value: &str) -> bool {
    match (key.path, key.kind) {
        (_, Kind::Time) => value == r#""1000000""#,
        (_, Kind::Size) => value == r#""7""#,
        // The schema cannot know whether the file, folder or tool exists.
        ("pack.NAME.file", _) => value.starts_with('"'),
        ("pack.NAME.roots" | "pack.NAME.allow" | "pack.NAME.deny", _) => value.starts_with("[\""),
        ("redact.extra.pattern", _) => [r#""""#, r#""http://x:${PORT}""#].contains(&value),
        _ => false,
    }
}

#[test]
fn schema_and_reader_accept_the_same_values() {
    let validator = validator();
    let mut n_good = 0;
    for key in &KEYS {
        for value in VALUES {
            let text = config_with(key, value);
            let (schema, reader) = (schema_error(&validator, &text), reader_error(&text));
            if is_judged_only_by_reader(key, value) {
                assert!(schema.is_none() || reader.is_some(), "{text}");
                continue;
            }
            // The reader also accepts a table as a list of its values, in the order of the keys.
            if matches!(key.kind, Kind::Table | Kind::Pack) && value.starts_with('[') {
                assert_ne!(schema, None, "{text}");
                continue;
            }
            assert_eq!(schema.is_none(), reader.is_none(), "{text}{schema:?}\n{reader:?}");
            n_good += usize::from(schema.is_none());
        }
    }
    assert!(n_good > 200, "only {n_good} values were valid");
}

#[test]
fn schema_and_reader_accept_every_enum_value() {
    let validator = validator();
    let mut found = BTreeMap::new();
    collect_described(&tree(), "", &mut found);
    let mut n_values = 0;
    for key in &KEYS {
        let schema = &found[key.path];
        let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let in_list = schema["items"].get("enum").and_then(Value::as_array).into_iter().flatten();
        let in_list = in_list.map(|value| format!("[{value}]"));
        for value in values.map(Value::to_string).chain(in_list) {
            let text = config_with(key, &value);
            assert_eq!(
                (schema_error(&validator, &text), reader_error(&text)),
                (None, None),
                "{text}"
            );
            n_values += 1;
        }
    }
    assert!(n_values > 400, "only {n_values} values");
}

#[test]
fn schema_and_reader_accept_valid_configurations() {
    let validator = validator();
    let mut all: Vec<String> = Vec::new();
    for page in files("docs").into_iter().chain([root().join("README.md")]) {
        all.extend(blocks(&read(&page), "toml"));
    }
    assert!(all.len() >= 3, "the documentation has no examples");
    let imported = files("crates/manila-cli/tests/it/import");
    all.extend(imported.iter().map(|case| read(&case.join("manila.toml"))));
    all.extend(GOOD.map(str::to_owned));
    for text in all {
        assert_eq!(schema_error(&validator, &text), None, "{text}");
        assert_eq!(reader_error(&text), None, "{text}");
    }
}

const GOOD: [&str; 6] = [
    "",
    "#:schema docs/manila.schema.json\n",
    "contract = \"none\"\n[listen]\nhttp = \"7300\"\nstdio = true\n",
    "[upstream.everything]\n\
     command = [\"npx\", \"-y\", \"@modelcontextprotocol/server-everything\"]\nstart = \"lazy\"\n",
    "[upstream.A-1]\nurl = \"https://example.com:${PORT}/mcp\"\nenv = {}\npass_env = []\n\
     [upstream.b]\ncommand = [\"x\", \"\"]\nheaders = {}\n",
    "[tool.\"any name at all\"]\noutput_check = \"strict\"\n[redact]\nextra = []\n",
];

#[test]
fn schema_and_reader_refuse_invalid_configurations() {
    let validator = validator();
    for text in BAD {
        assert!(toml::from_str::<Value>(text).is_ok(), "not TOML: {text}");
        assert_ne!(schema_error(&validator, text), None, "{text}");
        assert_ne!(reader_error(text), None, "{text}");
    }
}

const BAD: [&str; 22] = [
    "contrat = \"response-v2\"",
    "contract = \"respons-v2\"",
    "contract = [\"response-v2\"]",
    "speaks = \"none\"",
    "placement = \"structure\"",
    "output_check = \"loud\"",
    "timeout = 30",
    "timeout = \"soon\"",
    "[listen]\nhttp = 7300",
    "[listen]\nstdio = \"yes\"",
    "[limits]\nin_flight_max = \"many\"",
    "[limits]\nmessage_bytes_max = \"64 megabytes\"",
    "[upstream.a]\ncommand = [\"x\"]\nurl = \"http://x\"",
    "[upstream.a]\ncommand = [\"x\"]\nurl = \"http://x\"\nheaders = { A = \"b\" }",
    "[upstream.a]\n",
    "[upstream.a]\ncommand = []",
    "[upstream.a]\ncommand = [\"x\"]\nheaders = { A = \"b\" }",
    "[upstream.a]\nurl = \"http://x\"\nenv = { A = \"b\" }",
    "[upstream.a]\nurl = \"http://x\"\ncwd = \"/\"",
    "[upstream.a_b]\ncommand = [\"x\"]",
    "[upstream.a-name-that-is-far-too-long-for-it]\ncommand = [\"x\"]",
    "[redact]\noff = [\"pasword\"]",
];
