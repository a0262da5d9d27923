use super::{IdPurpose, deterministic_id};
use crate::raw_json::RawJson;

fn id(purpose: IdPurpose, method: &str, payload: &str) -> String {
    let payload = RawJson::parse(payload.to_owned()).unwrap();
    uuid::Uuid::from_bytes(deterministic_id(purpose, method, &payload)).to_string()
}

/// Q7, computed by another program.
#[test]
fn matches_known_ids() {
    let payload = r#"{"name": "echo", "arguments": {"b": 1, "a": [true, null]}}"#;
    for (purpose, expected) in [
        (IdPurpose::Request, "bfd44265-8bfd-5f8a-83b9-a4b4d1189368"),
        (IdPurpose::Trace, "c98cff7e-4b2c-522d-957a-6b52047525a9"),
        (IdPurpose::Span, "1775c937-f263-5bc6-b93f-6f0e9460cf8e"),
    ] {
        assert_eq!(id(purpose, "tools/call", payload), expected);
    }
}

#[test]
fn an_id_depends_only_on_the_request() {
    let one = id(IdPurpose::Request, "m", r#"{"a": 1, "b": {"c": 2, "d": 3}}"#);
    assert_eq!(one, id(IdPurpose::Request, "m", r#"{"b":{"d":3,"c":2},"a":1}"#));
    assert_ne!(one, id(IdPurpose::Request, "m", r#"{"b":{"d":3,"c":2},"a":2}"#));
    assert_ne!(one, id(IdPurpose::Request, "n", r#"{"b":{"d":3,"c":2},"a":1}"#));
    assert_ne!(one, id(IdPurpose::Trace, "m", r#"{"b":{"d":3,"c":2},"a":1}"#));
}
