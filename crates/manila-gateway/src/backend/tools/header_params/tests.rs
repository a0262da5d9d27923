use manila::RawJson;

use super::HeaderMapping;

fn mapping(schema: &str) -> Result<HeaderMapping, String> {
    HeaderMapping::of(Some(&RawJson::parse(schema.to_owned()).unwrap()))
}

#[track_caller]
fn check(schema: &str, arguments: &str, expected: &[(&str, &str)]) {
    let arguments = RawJson::parse(arguments.to_owned()).unwrap();
    let mapping = mapping(schema).unwrap();
    let params = mapping.params(&arguments).0;
    let params: Vec<(&str, &str)> = params.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(params, expected);
    let given = |name: &str| {
        let suffix = name.strip_prefix("mcp-param-").unwrap();
        let found = expected.iter().find(|(header, _)| header.eq_ignore_ascii_case(suffix));
        found.map(|(_, value)| value.as_bytes())
    };
    assert_eq!(mapping.find_mismatch(|| Some(arguments.clone()), given), None);
    if let Some((header, _)) = expected.first() {
        let name = format!("mcp-param-{}", header.to_ascii_lowercase());
        assert_eq!(mapping.find_mismatch(|| Some(arguments.clone()), |_| None), Some(name));
    }
}

const SCHEMA: &str = r#"{"properties": {
    "region": {"type": "string", "x-mcp-header": "Region"},
    "n": {"type": "integer", "x-mcp-header": "N"},
    "deep": {"type": "object", "properties": {"is": {"type": "boolean", "x-mcp-header": "Is"}}},
    "query": {"type": "string"}}}"#;

#[test]
fn maps_marked_arguments_to_headers() {
    check(SCHEMA, "{}", &[]);
    check(SCHEMA, r#"{"region": null, "query": "x"}"#, &[]);
    check(SCHEMA, r#"{"region": "eu", "n": 42.0}"#, &[("Region", "eu"), ("N", "42")]);
    check(SCHEMA, r#"{"deep": {"is": true}}"#, &[("Is", "true")]);
}

#[test]
fn refuses_invalid_marks() {
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
        assert!(mapping(schema).is_err(), "{schema}");
    }
}
