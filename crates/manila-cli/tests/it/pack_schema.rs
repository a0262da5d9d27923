//! The document, the schema and the parser of packs agree.

use std::collections::BTreeSet;
use std::fmt::Write;

use manila_files::{Key, Kind};
use manila_pack::{BUILT_IN, KEYS, Pack};
use serde_json::Value;

use crate::program::{check_generated, manila, read, root};

/// The document's table between these marks is generated.
const KEYS_BEGIN: &str = "<!-- the keys: generated, UPDATE=1 cargo test -->";
const KEYS_END: &str = "<!-- the end of the keys -->";

#[test]
fn the_document_lists_the_keys() {
    let path = root().join("docs/packs.md");
    let page = read(&path);
    let mut table = "| key | description |\n|---|---|\n".to_owned();
    for Key { path, description, .. } in KEYS {
        writeln!(table, "| `{path}` | {description} |").unwrap();
    }
    let (before, rest) = page.split_once(KEYS_BEGIN).unwrap();
    let (_, after) = rest.split_once(KEYS_END).unwrap();
    let expected = format!("{before}{KEYS_BEGIN}\n\n{table}\n{KEYS_END}{after}");
    check_generated(&path, &expected);
}

#[test]
fn valid_packs_match_the_schema() {
    let ran = manila(&["schema", "pack"], b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    check_generated(&root().join("docs/pack.schema.json"), &ran.stdout);
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let built_in = BUILT_IN.map(|(_, text)| text.to_owned());
    for text in built_in.into_iter().chain([read(&root().join("examples/packs/git.toml"))]) {
        let pack: Value = toml::from_str(&text).unwrap();
        let errors: Vec<String> = validator.iter_errors(&pack).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        // Both the schema and the parser refuse an unknown key.
        let wrong = format!("no_such_key = 1\n{text}");
        assert!(!validator.is_valid(&toml::from_str::<Value>(&wrong).unwrap()));
        assert!(Pack::from_toml(&wrong).is_err());
    }
}

/// The parser's error for an unknown key lists the keys that it knows.
#[test]
fn the_parser_knows_the_same_keys_as_the_schema() {
    let above = |path: &str| path.rsplit_once('.').map_or("", |(above, _)| above).to_owned();
    let tables: BTreeSet<String> = KEYS.iter().map(|key| above(key.path)).collect();
    assert_eq!(tables.len(), 11);
    for table in tables {
        let mut text = String::new();
        let mut path = String::new();
        for name in table.split('.').filter(|name| !name.is_empty()) {
            path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            let key = KEYS.iter().find(|key| key.path == path).unwrap();
            let is_list = matches!(key.kind, Kind::TablesWith(_));
            let (open, close) = if is_list { ("[[", "]]") } else { ("[", "]") };
            writeln!(text, "{open}{path}{close}").unwrap();
        }
        let error = Pack::from_toml(&format!("{text}no-such-key = 1\n")).unwrap_err().message;
        let (found, expected) =
            error.split_once(", expected ").unwrap_or_else(|| panic!("{error}"));
        assert_eq!(found, "unknown key `no-such-key`", "{table}");
        let known: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
        let keys = KEYS.iter().filter(|key| above(key.path) == table);
        let names: BTreeSet<&str> = keys.map(|key| key.path.rsplit('.').next().unwrap()).collect();
        assert_eq!(names, known, "{table:?}");
    }
}
