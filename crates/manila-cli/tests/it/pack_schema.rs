//! The page and the schema of packs, and the reader of packs: they agree.

use std::collections::BTreeSet;
use std::fmt::Write;

use manila_files::{Key, Kind};
use manila_pack::{BUILT_IN, KEYS, Pack};
use serde_json::Value;

use crate::program::{check_generated, manila, read, root};

/// Between these the page's table is generated.
const KEYS_BEGIN: &str = "<!-- the keys: generated, UPDATE=1 cargo test -->";
const KEYS_END: &str = "<!-- the end of the keys -->";

#[test]
fn the_page_follows_from_the_keys() {
    let path = root().join("docs/packs.md");
    let page = read(&path);
    let mut table = "| key | what it does |\n|---|---|\n".to_owned();
    for Key { path, what, .. } in KEYS {
        writeln!(table, "| `{path}` | {what} |").unwrap();
    }
    let (before, rest) = page.split_once(KEYS_BEGIN).unwrap();
    let (_, after) = rest.split_once(KEYS_END).unwrap();
    let whole = format!("{before}{KEYS_BEGIN}\n\n{table}\n{KEYS_END}{after}");
    check_generated(&path, &whole);
}

#[test]
fn packs_that_are_good_fit_the_schema() {
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
        // And one with a key that there is not fits neither.
        let wrong = format!("no_such_key = 1\n{text}");
        assert!(!validator.is_valid(&toml::from_str::<Value>(&wrong).unwrap()));
        assert!(Pack::from_toml(&wrong).is_err());
    }
}

/// The reader tells the keys that it knows to whoever writes another one: they are those of the
/// schema.
#[test]
fn the_reader_has_every_key_and_no_other() {
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
        assert_eq!(found, "unknown field `no-such-key`", "{table}");
        let known: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
        let own = KEYS.iter().filter(|key| above(key.path) == table);
        let own: BTreeSet<&str> = own.map(|key| key.path.rsplit('.').next().unwrap()).collect();
        assert_eq!(own, known, "{table:?}");
    }
}
