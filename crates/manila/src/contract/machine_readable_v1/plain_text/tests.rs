use super::render_plain_text;
use crate::observed::Observation;
use crate::{Context, pipeline};

#[track_caller]
fn check(observed: &str, expected: &str) {
    let json = format!(r#"{{"observed": {observed}}}"#);
    let observation = Observation::from_json(json).unwrap();
    let settings = pipeline::Settings::default();
    let attested = pipeline::prepare(observation, &settings, &Context::new([0; 16]));
    assert_eq!(render_plain_text(&attested), expected);
}

#[test]
fn formats_programs_payloads_and_failures() {
    check(r#"{"said": "two\nlines"}"#, "two\nlines");
    check(r#"{"answered": {"a": 1.0}}"#, r#"{"a":1.0}"#);
    check(r#"{"answered": null}"#, "");
    check(r#"{"exited": {"code": 0, "stdout": "out\n", "stderr": ""}}"#, "out\nExit Code: 0");
    check(
        r#"{"exited": {"code": 2, "stdout": "out", "stderr": "oh no\n"}}"#,
        "out\nErrors:\noh no\nExit Code: 2",
    );
    check(r#"{"invalid": {"message": "a is required"}}"#, "Error: a is required");
    check(r#"{"said": "token ghp_0123456789abcdefghijABCDEFGHIJ012345"}"#, "token [REDACTED]");
}
