use std::sync::Arc;

use super::Schema;
use crate::raw_json::RawJson;
use crate::schema::Registry;

#[track_caller]
fn check(schema: &str, value: &str, expected: &str) {
    let schema = Schema::compile(&RawJson::parse(schema.to_owned()).unwrap()).unwrap();
    let found = schema.check(&RawJson::parse(value.to_owned()).unwrap());
    let found: Vec<String> = found.iter().map(|it| format!("{} ({})", it, it.rule)).collect();
    assert_eq!(found.join("; "), expected, "{value}");
}

#[test]
fn violations_name_place_and_rule_but_no_value() {
    let schema = r#"{"type": "object", "properties": {
        "n": {"type": "integer", "maximum": 3}, "s": {"type": ["string", "null"], "maxLength": 2},
        "e": {"enum": ["a", "b"]}}, "required": ["n"], "additionalProperties": false}"#;
    check(schema, r#"{"n": 1}"#, "");
    check(schema, "{}", "/n is required (required)");
    check(schema, r#"{"n": "hunter2"}"#, "/n must be of type integer (type)");
    check(
        schema,
        r#"{"n": 4, "x/y": 1}"#,
        "/n must be at most 3 (maximum); /x~1y is not known here (additionalProperties)",
    );
    check(schema, r#"{"n": 1, "s": "hunter2"}"#, "/s must have at most 2 characters (maxLength)");
    check(schema, r#"{"n": 1, "e": "c"}"#, r#"/e must be one of ["a","b"] (enum)"#);
    check(schema, "7", "must be of type object (type)");
}

#[test]
fn what_no_tree_can_hold_is_checked_all_the_same() {
    check(r#"{"type": "object"}"#, r#"{"n": 1e999, "s": "\ud800"}"#, "");
    check(
        r#"{"properties": {"s": {"type": "integer"}}}"#,
        r#"{"n": 1e999, "s": "\ud800"}"#,
        "/s must be of type integer (type)",
    );
}

#[track_caller]
fn check_unusable(schema: &str, expected: &str) {
    let error = Schema::compile(&RawJson::parse(schema.to_owned()).unwrap()).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn schemas_are_bounded_and_never_fetched() {
    check_unusable(r#"{"$ref": "http://example.com/schema.json"}"#, "example.com");
    check_unusable(r#"{"type": "strange"}"#, "cannot be used");
    check_unusable(&format!(r#"{{"description": "{}"}}"#, "x".repeat(300_000)), "at most 262144");
    let mut bomb = String::from(r##"{"$ref": "#/$defs/a0", "$defs": {"a30": {"type": "null"}"##);
    for n in 0..30 {
        let next = format!(r##"{{"$ref": "#/$defs/a{}"}}"##, n + 1);
        bomb += &format!(r#", "a{n}": {{"anyOf": [{next}, {next}]}}"#);
    }
    check_unusable(&(bomb + "}}"), "references multiply it");
    check(
        r##"{"properties": {"a": {"$ref": "#"}}, "type": "object"}"##,
        r#"{"a": {"a": 7}}"#,
        "/a/a must be of type object (type)",
    );
}

#[test]
fn the_same_schema_is_the_same_object() {
    let mut registry = Registry::default();
    let mut get = |text: &str| registry.schema(&RawJson::parse(text.to_owned()).unwrap()).unwrap();
    let first = get(r#"{"type": "object", "required": ["a"]}"#);
    assert!(Arc::ptr_eq(&first, &get(r#"{ "required":["a"], "type":"object" }"#)));
    assert!(!Arc::ptr_eq(&first, &get(r#"{"type": "object", "required": ["b"]}"#)));
}
