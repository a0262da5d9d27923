//! `manila schema`: the printed schemas match the output of the other commands.

use jsonschema::Validator;
use manila::{Contract, DocumentKind};
use serde_json::{Value, json};

use crate::program::manila;

#[test]
fn every_subject_has_a_schema() {
    for kind in DocumentKind::ALL {
        let ran = manila(&["schema", kind.id()], b"");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{kind}");
        let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(schema["title"], kind.id());
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(jsonschema::meta::is_valid(&schema), "{kind}");
    }
}

/// Returns a validator for envelopes whose payload has this schema.
fn bound_validator(contract: Contract, payload_schema: &Value) -> Validator {
    let stdin = payload_schema.to_string();
    let ran = manila(&["schema", contract.id(), "--around", "-"], stdin.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{contract}: {payload_schema}");
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(schema["type"], "object");
    assert!(jsonschema::meta::is_valid(&schema), "{contract}: {payload_schema}");
    jsonschema::validator_for(&schema).unwrap()
}

fn seal(contract: Contract, observed: &Value) -> Value {
    let observation = json!({"observed": observed, "tool": {"id": "t", "version": "1"}});
    let ran = manila(&["seal", "-c", contract.id()], observation.to_string().as_bytes());
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Checks that the schema around `payload_schema` accepts envelopes of the good payload and of
/// failures, and refuses those of the bad payload.
#[track_caller]
fn check(payload_schema: &Value, good: &Value, bad: &Value) {
    for contract in [Contract::ResponseV2, Contract::McpEnvelopeV01, Contract::EnvelopeV1] {
        let validator = bound_validator(contract, payload_schema);
        let fits = |observed: Value| validator.is_valid(&seal(contract, &observed));
        assert!(fits(json!({"answered": good})), "{contract}: {good}");
        assert!(fits(json!({"failed": {"code": "NOT_FOUND", "message": "no"}})), "{contract}");
        assert!(fits(json!({"timed_out": {"after_ms": 1, "stdout": "half"}})), "{contract}");
        // `envelope-v1` does not mark a changed payload.
        let is_bound = contract != Contract::EnvelopeV1;
        assert_eq!(!fits(json!({"answered": bad})), is_bound, "{contract}: {bad}");
        assert!(!validator.is_valid(good), "{contract}: a payload is not an envelope");
    }
}

#[test]
fn a_schema_around_a_payload_matches_its_envelopes() {
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
fn reads_the_payload_schema_from_a_file() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/payload_schema.json");
    std::fs::write(path, r#"{"type": "object", "required": ["n"]}"#).unwrap();
    let ran = manila(&["schema", "response-v2", "--around", path], b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.lines().count() > 100, "the schema is not indented");
}

#[test]
fn notes_that_a_contract_cannot_bind_a_payload() {
    for (contract, payload_schema, expected) in [
        ("machine-readable-v1", r#"{"type": "object"}"#, "carries a payload as text"),
        (
            "response-v2",
            r#"{"anyOf": [{"type": "object"}, {"type": "null"}]}"#,
            "must have a `type`",
        ),
        ("response-v2", "true", "must have a `type`"),
    ] {
        let ran = manila(&["schema", contract, "--around", "-"], payload_schema.as_bytes());
        assert_eq!(ran.code, 0, "{payload_schema}: {}", ran.stderr);
        let unbound = manila(&["schema", contract], b"").stdout;
        assert_eq!(ran.stdout, unbound, "{payload_schema}");
        let is_noted = ran.stderr.starts_with("note: stdin is left out: ");
        assert!(is_noted && ran.stderr.contains(expected), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1);
    }
}

#[test]
fn every_contract_refuses_unusable_schemas() {
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
    for (payload_schema, expected) in [
        ("", "the input is empty"),
        ("{", "the input ends"),
        ("7", "but it is a number"),
        (r#"[{"type": "object"}]"#, "but it is an array"),
        (r#"{"type": "strange"}"#, "/type must be array"),
        (r#"{"type": "object", "$ref": "https://example.com/a.json"}"#, "only references by `#`"),
        (r#"{"type": "object", "$ref": "other.json#/a"}"#, "only references by `#`"),
        (r##"{"$ref": "#"}"##, "refers to itself endlessly"),
        (r##"{"$ref": "#/components/a", "components": {"a": {}}}"##, "move the target to `$defs`"),
        (r##"{"$ref": "#/$defs/a"}"##, "it refers to `#/$defs/a`"),
        (r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#, "draft-07, 2019-09 or"),
        (r#"{"$schema": "http://json-schema.org/draft-06/schema#"}"#, "draft-06"),
        (r#"{"$schema": "https://example.com/dialect"}"#, "names `https://example.com/dialect`"),
        (r#"{"name": "t", "inputSchema": {}}"#, "a tool without an `outputSchema`"),
        (bomb.as_str(), "references expand it"),
    ] {
        for contract in Contract::ALL {
            let args = ["schema", contract.id(), "--around", "-"];
            check_refused(&args, payload_schema, expected);
        }
    }
    check_refused(&["schema", "response-v2", "--around", "nowhere.json"], "", "no such file");
    check_refused(&["schema", "tool-io", "--around", "-"], "{}", "with one of: response-v2");
    check_refused(&["schema", "config", "--around", "-"], "{}", "config is not an envelope");
    check_refused(&["schema", "prov.record.v0.2"], "", "did you mean `prov.record.v0.1`?");
}

#[track_caller]
fn check_refused(args: &[&str], stdin: &str, expected: &str) {
    let ran = manila(args, stdin.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{stdin}: {}", ran.stderr);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(matches!(lines[..], [error, hint]
        if error.starts_with("error: ") && hint.starts_with("hint: ")));
    assert!(ran.stderr.contains(expected), "{expected:?} is missing from {:?}", ran.stderr);
}
