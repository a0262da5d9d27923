//! `manila schema`: what it prints is true of what the other commands write.

use jsonschema::Validator;
use manila::{Contract, Subject};
use serde_json::{Value, json};

use crate::program::manila;

#[test]
fn every_subject_has_a_schema() {
    for subject in Subject::ALL {
        let ran = manila(&["schema", subject.id()], b"");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{subject}");
        let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(schema["title"], subject.id());
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(jsonschema::meta::is_valid(&schema), "{subject}");
    }
}

fn around(contract: Contract, own: &Value) -> Validator {
    let ran = manila(&["schema", contract.id(), "--around", "-"], own.to_string().as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{contract}: {own}");
    let whole: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(whole["type"], "object");
    assert!(jsonschema::meta::is_valid(&whole), "{contract}: {own}");
    jsonschema::validator_for(&whole).unwrap()
}

fn sealed(contract: Contract, observed: &Value) -> Value {
    let observation = json!({"observed": observed, "tool": {"id": "t", "version": "1"}});
    let ran = manila(&["seal", "-c", contract.id()], observation.to_string().as_bytes());
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Checks that the schema around `own` accepts envelopes of the good payload and of failures,
/// and none of the bad one.
#[track_caller]
fn check(own: &Value, good: &Value, bad: &Value) {
    for contract in [Contract::ResponseV2, Contract::McpEnvelopeV01, Contract::EnvelopeV1] {
        let whole = around(contract, own);
        let fits = |observed: Value| whole.is_valid(&sealed(contract, &observed));
        assert!(fits(json!({"answered": good})), "{contract}: {good}");
        assert!(fits(json!({"failed": {"code": "NOT_FOUND", "message": "no"}})), "{contract}");
        assert!(fits(json!({"timed_out": {"after_ms": 1, "stdout": "half"}})), "{contract}");
        // That contract has no mark of a payload that was changed.
        let is_bound = contract != Contract::EnvelopeV1;
        assert_eq!(!fits(json!({"answered": bad})), is_bound, "{contract}: {bad}");
        assert!(!whole.is_valid(good), "{contract}: a payload is no envelope");
    }
}

#[test]
fn a_schema_around_a_payload_is_true_of_its_envelopes() {
    let draft_7 = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"name": {"$ref": "#/definitions/name"}, "children": {"type": "array",
            "items": {"$ref": "#"}}},
        "required": ["name"],
        "definitions": {"name": {"$ref": "#/definitions/word", "type": "null"},
            "word": {"type": "string"}}});
    let good = json!({"name": "a", "children": [{"name": "b"}]});
    let bad = json!({"name": "a", "children": [{"name": 7}]});
    check(&draft_7, &good, &bad);
    let draft_2020 = json!({"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/$defs/Node", "$defs": {
            "Node": {"type": "object", "properties": {"name": {"$ref": "#word"},
                "children": {"items": {"$ref": "#"}}}, "required": ["name"]},
            "Word": {"$anchor": "word", "type": "string"}}});
    check(&draft_2020, &good, &bad);
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": draft_7});
    check(&tool, &good, &bad);
    let list = json!({"type": "array", "items": {"$ref": "#/definitions/n"},
        "definitions": {"n": {"type": "integer"}}});
    check(&list, &json!([1, 2]), &json!([1, "2"]));
}

#[test]
fn a_file_is_read_by_its_name() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/payload_schema.json");
    std::fs::write(path, r#"{"type": "object", "required": ["n"]}"#).unwrap();
    let ran = manila(&["schema", "response-v2", "--around", path], b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.lines().count() > 100, "it is indented");
}

#[test]
fn a_contract_that_cannot_bind_a_payload_says_so() {
    for (contract, own, expected) in [
        ("machine-readable-v1", r#"{"type": "object"}"#, "carries a payload as text"),
        ("response-v2", r#"{"anyOf": [{"type": "object"}, {"type": "null"}]}"#, "by `type`"),
        ("response-v2", "true", "by `type`"),
    ] {
        let ran = manila(&["schema", contract, "--around", "-"], own.as_bytes());
        assert_eq!(ran.code, 0, "{own}: {}", ran.stderr);
        assert_eq!(ran.stdout, manila(&["schema", contract], b"").stdout, "{own}");
        let said = ran.stderr.starts_with("note: standard input is left out: ");
        assert!(said && ran.stderr.contains(expected), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1);
    }
}

#[test]
fn schemas_that_cannot_be_used_are_refused_in_every_contract() {
    let bomb: Vec<String> = (0..30)
        .map(|n| {
            let next = format!(r##"{{"$ref": "#/$defs/a{}"}}"##, n + 1);
            format!(r#""a{n}": {{"anyOf": [{next}, {next}]}}"#)
        })
        .collect();
    let bomb = format!(
        r##"{{"type": "object", "$ref": "#/$defs/a0", "$defs": {{{}, "a30": {{}}}}}}"##,
        bomb.join(", ")
    );
    for (own, expected) in [
        ("", "the input is empty"),
        ("{", "the input ends"),
        ("7", "but it is a number"),
        (r#"[{"type": "object"}]"#, "but it is an array"),
        (r#"{"type": "strange"}"#, "/type must fit"),
        (r#"{"type": "object", "$ref": "https://example.com/a.json"}"#, "only references by `#`"),
        (r#"{"type": "object", "$ref": "other.json#/a"}"#, "only references by `#`"),
        (r##"{"$ref": "#"}"##, "refers to itself without end"),
        (r##"{"$ref": "#/components/a", "components": {"a": {}}}"##, "below `$defs`"),
        (r##"{"$ref": "#/$defs/a"}"##, "it refers to `#/$defs/a`"),
        (r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#, "draft-07, 2019-09 or"),
        (r#"{"$schema": "http://json-schema.org/draft-06/schema#"}"#, "draft-06"),
        (r#"{"$schema": "https://example.com/dialect"}"#, "names `https://example.com/dialect`"),
        (r#"{"name": "t", "inputSchema": {}}"#, "a tool without an `outputSchema`"),
        (bomb.as_str(), "references multiply it"),
    ] {
        for contract in Contract::ALL {
            check_refused(&["schema", contract.id(), "--around", "-"], own, expected);
        }
    }
    check_refused(&["schema", "response-v2", "--around", "nowhere.json"], "", "no such file");
    check_refused(&["schema", "tool-io", "--around", "-"], "{}", "takes one of: response-v2");
    check_refused(&["schema", "config", "--around", "-"], "{}", "config is no envelope");
    check_refused(&["schema", "prov.record.v0.2"], "", "did you mean `prov.record.v0.1`?");
}

#[track_caller]
fn check_refused(args: &[&str], stdin: &str, expected: &str) {
    let ran = manila(args, stdin.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{stdin}: {}", ran.stderr);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(matches!(lines[..], [error, hint]
        if error.starts_with("error: ") && hint.starts_with("hint: ")));
    assert!(ran.stderr.contains(expected), "{expected:?} is not said in {:?}", ran.stderr);
}
