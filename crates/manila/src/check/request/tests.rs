use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::check::table::{Table, check_agreement, mutations, render_findings, schema_of};
use crate::check::{Checker, Grade};
use crate::document_kind::DocumentKind;
use crate::request_envelope::{Message, Profile, Request};

/// Checks the findings in a message in both profiles.
#[track_caller]
fn check(json: &str, strict: &str, mcp: &str) {
    for (profile, expected) in [(Profile::Strict, strict), (Profile::Mcp, mcp)] {
        let checker = Checker::new(DocumentKind::RequestEnvelope).profile(profile);
        let verdict = checker.check(&json.to_owned().into());
        assert_eq!(render_findings(&verdict), expected, "{profile:?} {json}");
    }
}

#[test]
fn profiles_have_different_rules() {
    check(r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{},"more":1}"#, "", "");
    check(r#"{"jsonrpc":"2\u002e0","id":"a","method":"m","params":{}}"#, "", "");
    check(r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{},"result":1}"#, "", "");
    check(r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{}}"#, "/id type Q1", "");
    check(r#"{"jsonrpc":"2.0","id":"a","method":"m"}"#, "/params required Q1", "");
    let null = r#"{"jsonrpc":"2.0","id":"a","method":"m","params":null}"#;
    check(null, "/params type Q1", "/params null-params Q2 advice");
    check(r#"{"jsonrpc":"2.0","method":"m"}"#, "/params required Q1; /id required Q1", "");
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        "/method required Q1; /params required Q1; /id type Q1",
        "",
    );
}

#[test]
fn both_profiles_reject_invalid_messages() {
    let both = |json: &str, expected: &str| check(json, expected, expected);
    both("[]", " batch Q1");
    both("7", " type Q1");
    both("nonsense", " json -");
    both(r#"{"id":"a","method":"m","params":{}}"#, "/jsonrpc required Q1");
    both(r#"{"jsonrpc":2.0,"id":"a","method":"m","params":{}}"#, "/jsonrpc const Q1");
    both(r#"{"jsonrpc":"2.0","id":"a","params":{}}"#, "/method required Q1");
    both(r#"{"jsonrpc":"2.0","id":"a","method":7,"params":{}}"#, "/method type Q1");
    both(r#"{"jsonrpc":"2.0","id":"a","method":"","params":{}}"#, "/method minLength Q1");
    both(r#"{"jsonrpc":"2.0","id":"a","method":"m","params":[]}"#, "/params type Q1");
    both(r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{},"params":{}}"#, "/params unique -");
    for (id, rule) in [("null", "type"), ("1.5", "type"), ("[]", "type"), ("\"\"", "minLength")] {
        let json = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m","params":{{}}}}"#);
        check(&json, &format!("/id {rule} Q1"), &format!("/id {rule} Q2"));
    }
}

#[test]
fn checks_responses_on_mcp() {
    let mcp = |json: &str, expected: &str| {
        let checker = Checker::new(DocumentKind::RequestEnvelope).profile(Profile::Mcp);
        assert_eq!(render_findings(&checker.check(&json.to_owned().into())), expected, "{json}");
    };
    mcp(r#"{"jsonrpc":"2.0","id":"a","result":1}"#, "");
    mcp(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#, "");
    mcp(r#"{"jsonrpc":"2.0","error":{}}"#, "");
    mcp(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":2}"#, "/error oneOf Q2");
    mcp(r#"{"jsonrpc":"1.0","id":{},"result":1}"#, "/jsonrpc const Q1; /id type Q2");
}

fn message() -> Value {
    json!({"jsonrpc": "2.0", "id": "a", "method": "m", "params": {"x": 1}, "result": 1, "error": 2})
}

fn table(profile: Profile) -> Table {
    let checker = Checker::new(DocumentKind::RequestEnvelope).profile(profile);
    Table { checker, good: message() }
}

static SCHEMA: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| schema_of(DocumentKind::RequestEnvelope));

proptest! {
    /// The check agrees with the gateway.
    #[test]
    fn reading_a_message_agrees_with_the_check(document in mutations(&message())) {
        let text = document.to_string();
        let mcp = Message::from_json(text.clone()).map(drop);
        let strict = Request::from_json_strict(text).map(drop);
        for (profile, read) in [(Profile::Mcp, mcp), (Profile::Strict, strict)] {
            let verdict = table(profile).verdict(&document);
            let mut broken = verdict.findings.iter().filter(|it| it.grade == Grade::Violation);
            match read {
                Ok(()) => {
                    let found = render_findings(&verdict);
                    prop_assert!(broken.next().is_none(), "{found}: {document}");
                }
                Err(refused) => prop_assert!(
                    broken.any(|it| (&it.pointer, it.rule, &it.message) == (
                        &refused.violation.pointer,
                        refused.violation.rule.as_str(),
                        &refused.violation.message,
                    )),
                    "{}: {:?}: {document}", render_findings(&verdict), refused
                ),
            }
        }
    }

    /// Q1 also has a schema.
    #[test]
    fn the_strict_verdict_agrees_with_the_schema(document in mutations(&message())) {
        check_agreement(&table(Profile::Strict), &SCHEMA, &document)?;
    }
}
