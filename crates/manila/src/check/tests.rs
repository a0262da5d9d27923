use super::*;
use crate::document_kind::Contract;

const GOOD: &str =
    r#"{"success":true,"data":{},"error":null,"meta":{"version":"response-v2","request_id":"r"}}"#;

/// Formats each finding as `line:column clause pointer rule`.
fn render_findings(checker: &Checker, document: &str) -> Vec<String> {
    let verdict = checker.check(&document.to_owned().into());
    let format_finding = |it: &Finding| {
        let (line, column, clause) = (it.line, it.column, it.clause.unwrap_or("-"));
        format!("{line}:{column} {clause} {} {}", it.pointer, it.rule)
    };
    verdict.findings.iter().map(format_finding).collect()
}

#[track_caller]
fn check(document: &str, expected: &[&str]) {
    assert_eq!(render_findings(&Checker::auto(), document), expected, "{document}");
}

#[test]
fn a_valid_document_has_no_findings() {
    check(GOOD, &[]);
    check(&format!("\n\t {GOOD}\r\n"), &[]);
}

#[test]
fn findings_have_positions_and_are_in_order() {
    let document = "\n{\"success\": true,\n \"data\": [],\n \"é\": 1, \"error\": 7,\n \
                    \"meta\": {\n  \"version\": \"response-v2\",\n  \
                    \"pagination\": {\"has_more\": \"no\"}}}";
    check(
        document,
        &[
            "3:10 R2 /data type",
            "4:7 R1 /é additionalProperties",
            "4:19 R3 /error null-on-success",
            "5:10 R5 /meta/request_id recommended",
            "7:30 R5 /meta/pagination/has_more type",
        ],
    );
}

#[test]
fn redacts_secrets_in_member_names() {
    for (name, expected) in [
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "/[REDACTED]"),
        ("postgres://me:hunter2secret@host/x", "/postgres:~1~1me:[REDACTED]@host~1x"),
        ("a~b/c", "/a~0b~1c"),
    ] {
        let document = GOOD.replace("\"error\"", &format!("\"{name}\":1,\"error\""));
        check(&document, &[&format!("1:{} R1 {expected} additionalProperties", 30 + name.len())]);
    }
}

#[test]
fn reports_the_position_of_invalid_json() {
    check("", &["1:1 -  json"]);
    check("{\"success\": true,\n \"data\"", &["2:8 -  json"]);
    check(&format!("{GOOD}{GOOD}"), &["1:90 -  json"]);
    check(&"[".repeat(200), &["1:129 -  json"]);
    check("\u{feff}{}", &["1:1 -  json"]);
}

#[test]
fn reports_both_positions_of_a_duplicate_name() {
    let document =
        GOOD.replace("\"data\":{}", "\"data\":{\"a\":{\"n\":1,\"m\":2,\n\"\\u006e\":3}}");
    let verdict = Checker::auto().check(&document.clone().into());
    let [finding] = &verdict.findings[..] else { panic!("{verdict:?}") };
    assert_eq!((finding.line, finding.column, finding.pointer.as_str()), (2, 1, "/data/a/n"));
    assert_eq!((finding.message.as_str(), finding.first), ("is given twice", Some((1, 30))));
    check(&GOOD.replace("\"error\"", "\"success\":true,\"error\""), &["1:27 - /success unique"]);
    let many: Vec<String> = (0..40).map(|n| format!("\"k{n}\":1")).collect();
    let many = format!("{{{},\"k7\":2}}", many.join(","));
    check(&GOOD.replace("\"data\":{}", &format!("\"data\":{many}")), &["1:335 - /data/k7 unique"]);
}

#[test]
fn names_in_different_unicode_forms_are_different() {
    // A precomposed letter, and the same letter with a combining mark.
    check(&GOOD.replace("\"data\":{}", "\"data\":{\"\u{e9}\":1,\"e\u{301}\":2}"), &[]);
}

#[test]
fn rejects_values_that_json_readers_interpret_differently() {
    check(
        &GOOD.replace("\"data\":{}", "\"data\":{\"a\":\"\\ud800\"}"),
        &["1:29 - /data/a surrogate"],
    );
    check(
        &GOOD.replace("\"data\":{}", "\"data\":{\"a\":[1,-1e999]}"),
        &["1:32 - /data/a/1 number"],
    );
    check(&GOOD.replace("\"data\":{}", "\"data\":{\"a\":\"\\ud83d\\ude00\",\"b\":1e-999}"), &[]);
}

#[test]
fn rejects_an_envelope_in_an_envelope_at_any_depth() {
    let mut document = r#"{"schema_version":"mcp.envelope.v0.1","result":1}"#.to_owned();
    for _ in 0..5 {
        document = format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{document}}}"#);
    }
    check(&document, &["1:48 P3 /result double-wrapped"]);
    let inside = GOOD.replace("\"data\":{}", &format!("\"data\":{GOOD}"));
    check(&inside, &["1:24 R2 /data double-wrapped"]);
    let other = format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{GOOD}}}"#);
    let verdict = Checker::auto().check(&other.into());
    assert!(verdict.is_valid() && verdict.findings[0].grade == Grade::Advice);
}

#[test]
fn recognises_documents_by_their_marks() {
    let recognised = |document: &str| {
        let verdict = Checker::auto().check(&document.to_owned().into());
        verdict.kind.map(DocumentKind::id)
    };
    assert_eq!(recognised(GOOD), Some("response-v2"));
    assert_eq!(recognised(r#"{"schema_version":"prov.record.v0.1"}"#), Some("prov.record.v0.1"));
    assert_eq!(recognised(r#"{"schema_version":"mcp.request.v0.1"}"#), Some("mcp.request.v0.1"));
    assert_eq!(recognised(r#"{"jsonrpc":"2.0","method":"m"}"#), Some("request-envelope"));
    assert_eq!(recognised(r#"{"success":true,"output":"","exitCode":0}"#), None);
    assert_eq!(recognised(r#"{"success":true,"data":{},"error":null,"meta":{}}"#), None);
    check("{}", &["1:1 -  unrecognised"]);
}

#[test]
fn findings_never_contain_values() {
    let secret = "correct-horse-battery-staple";
    let document = GOOD
        .replace("true", &format!("\"{secret}\""))
        .replace("null", &format!("\"{secret}\""))
        .replace("response-v2", secret);
    let checker = Checker::new(DocumentKind::Envelope(Contract::ResponseV2));
    let verdict = checker.check(&document.into());
    assert!(!verdict.is_valid());
    for finding in &verdict.findings {
        assert!(!finding.to_string().contains(secret), "{finding}");
    }
}

#[test]
fn limits_the_number_of_findings() {
    let extra: Vec<String> = (0..5000).map(|n| format!("\"x{n}\":{n}")).collect();
    let document = GOOD.replace("\"success\"", &format!("{},\"success\"", extra.join(",")));
    let verdict = Checker::auto().check(&document.into());
    assert_eq!(verdict.findings.len(), 100);
}
