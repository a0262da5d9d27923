use manila::RawJson;

use super::Mirror;

fn mirror(schema: &str) -> Result<Mirror, String> {
    Mirror::of(Some(&RawJson::parse(schema.to_owned()).unwrap()))
}

#[track_caller]
fn check(schema: &str, arguments: &str, expected: &[(&str, &str)]) {
    let arguments = RawJson::parse(arguments.to_owned()).unwrap();
    let mirror = mirror(schema).unwrap();
    let shown = mirror.shown(&arguments).0;
    let shown: Vec<(&str, &str)> = shown.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(shown, expected);
    let given = |name: &str| {
        let end = name.strip_prefix("mcp-param-").unwrap();
        let found = expected.iter().find(|(header, _)| header.eq_ignore_ascii_case(end));
        found.map(|(_, value)| value.as_bytes())
    };
    assert_eq!(mirror.mismatch(|| Some(arguments.clone()), given), None);
    if let Some((header, _)) = expected.first() {
        let name = format!("mcp-param-{}", header.to_ascii_lowercase());
        assert_eq!(mirror.mismatch(|| Some(arguments.clone()), |_| None), Some(name));
    }
}

const SCHEMA: &str = r#"{"properties": {
    "region": {"type": "string", "x-mcp-header": "Region"},
    "n": {"type": "integer", "x-mcp-header": "N"},
    "deep": {"type": "object", "properties": {"is": {"type": "boolean", "x-mcp-header": "Is"}}},
    "query": {"type": "string"}}}"#;

#[test]
fn marked_arguments_are_told() {
    check(SCHEMA, "{}", &[]);
    check(SCHEMA, r#"{"region": null, "query": "x"}"#, &[]);
    check(SCHEMA, r#"{"region": "eu", "n": 42.0}"#, &[("Region", "eu"), ("N", "42")]);
    check(SCHEMA, r#"{"deep": {"is": true}}"#, &[("Is", "true")]);
}

#[test]
fn marks_that_break_the_rules_are_refused() {
    for schema in [
        r#"{"properties": {"a": {"type": "string", "x-mcp-header": ""}}}"#,
        r#"{"properties": {"a": {"type": "string", "x-mcp-header": "a b"}}}"#,
        r#"{"properties": {"a": {"type": "string", "x-mcp-header": 7}}}"#,
        r#"{"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}"#,
        r#"{"properties": {"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}}"#,
        r#"{"oneOf": [{"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}]}"#,
        r#"{"properties": {"a": {"type": "string", "x-mcp-header": "A"},
            "b": {"type": "string", "x-mcp-header": "a"}}}"#,
    ] {
        assert!(mirror(schema).is_err(), "{schema}");
    }
}
