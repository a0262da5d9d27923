use super::describes_envelope;
use crate::raw_json::RawJson;

#[track_caller]
fn check(schema: &str, expected: bool) {
    let schema = RawJson::parse(schema.to_owned()).unwrap();
    assert_eq!(describes_envelope(&schema), expected, "{schema}");
}

#[test]
fn finds_marks_and_members_below_references_and_alternatives() {
    let marked = r#"{"properties": {"schema_version": {"enum": ["mcp.envelope.v0.1"]}}}"#;
    check(marked, true);
    check(r#"{"properties": {"schema_version": {"enum": ["mcp.envelope.v0.1", "x"]}}}"#, false);
    check(r#"{"properties": {"schema_version": {"type": "string"}, "result": {}}}"#, false);
    check(&format!(r##"{{"$ref": "#/$defs/a~1b", "$defs": {{"a/b": {marked}}}}}"##), true);
    check(&format!(r#"{{"oneOf": [{{"type": "object"}}, {{"allOf": [{marked}]}}]}}"#), true);
    check(r##"{"$ref": "#"}"##, false);
    check(r##"{"anyOf": [{"$ref": "#/anyOf/1"}, {"$ref": "#/anyOf/0"}]}"##, false);
    // The number of parts is limited.
    let many = vec![r##"{"$ref": "#/$defs/a"}"##; 300].join(",");
    check(&format!(r#"{{"$defs": {{"a": {{"anyOf": [{many}]}}}}, "anyOf": [{many}]}}"#), false);
    check(r##"{"$ref": "#/nowhere", "anyOf": 7}"##, false);
    check(
        r#"{"properties": {"tier": {}, "tool_version": {}, "tool_id": {}, "request_id": {},
        "capabilities": {}, "error": {}, "upgrade_hints": {}, "data": {}}}"#,
        true,
    );
    check(r#"{"properties": {"success": {}, "data": {}, "error": {}}}"#, false);
}
