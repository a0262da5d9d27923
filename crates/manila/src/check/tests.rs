use super::*;
use crate::subject::Contract;

const GOOD: &str =
    r#"{"success":true,"data":{},"error":null,"meta":{"version":"response-v2","request_id":"r"}}"#;

/// What is found, as `line:column clause pointer rule`.
fn told(checker: &Checker, document: &str) -> Vec<String> {
    let verdict = checker.check(&document.to_owned().into());
    let told = |it: &Finding| {
        let (line, column, clause) = (it.line, it.column, it.clause.unwrap_or("-"));
        format!("{line}:{column} {clause} {} {}", it.pointer, it.rule)
    };
    verdict.findings.iter().map(told).collect()
}

#[track_caller]
fn check(document: &str, expected: &[&str]) {
    assert_eq!(told(&Checker::auto(), document), expected, "{document}");
}

#[test]
fn a_good_document_has_no_findings() {
    check(GOOD, &[]);
    check(&format!("\n\t {GOOD}\r\n"), &[]);
}

#[test]
fn findings_have_lines_and_stand_in_their_order() {
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
fn a_name_that_is_a_secret_is_hidden() {
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
fn what_is_no_json_is_told_with_its_place() {
    check("", &["1:1 -  json"]);
    check("{\"success\": true,\n \"data\"", &["2:8 -  json"]);
    check(&format!("{GOOD}{GOOD}"), &["1:90 -  json"]);
    check(&"[".repeat(200), &["1:129 -  json"]);
    check("\u{feff}{}", &["1:1 -  json"]);
}

#[test]
fn names_that_stand_twice_are_refused_with_both_places() {
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
fn names_that_only_look_alike_are_two_names() {
    // One letter with a mark of its own, and a letter with a mark after it.
    check(&GOOD.replace("\"data\":{}", "\"data\":{\"\u{e9}\":1,\"e\u{301}\":2}"), &[]);
}

#[test]
fn what_readers_of_json_take_for_different_things_is_refused() {
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
fn an_envelope_in_an_envelope_is_refused_however_deep() {
    let mut document = r#"{"schema_version":"mcp.envelope.v0.1","result":1}"#.to_owned();
    for _ in 0..5 {
        document = format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{document}}}"#);
    }
    check(&document, &["1:48 P3 /result double-wrapped"]);
    let inside = GOOD.replace("\"data\":{}", &format!("\"data\":{GOOD}"));
    check(&inside, &["1:24 R2 /data double-wrapped"]);
    let other = format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{GOOD}}}"#);
    let verdict = Checker::auto().check(&other.into());
    assert!(verdict.is_kept() && verdict.findings[0].grade == Grade::Advice);
}

#[test]
fn marks_decide_what_a_document_is() {
    let told = |document: &str| {
        let verdict = Checker::auto().check(&document.to_owned().into());
        verdict.subject.map(Subject::id)
    };
    assert_eq!(told(GOOD), Some("response-v2"));
    assert_eq!(told(r#"{"schema_version":"prov.record.v0.1"}"#), Some("prov.record.v0.1"));
    assert_eq!(told(r#"{"schema_version":"mcp.request.v0.1"}"#), Some("mcp.request.v0.1"));
    assert_eq!(told(r#"{"jsonrpc":"2.0","method":"m"}"#), Some("request-envelope"));
    assert_eq!(told(r#"{"success":true,"output":"","exitCode":0}"#), None);
    assert_eq!(told(r#"{"success":true,"data":{},"error":null,"meta":{}}"#), None);
    check("{}", &["1:1 -  unrecognised"]);
}

#[test]
fn a_finding_never_shows_a_value() {
    let secret = "correct-horse-battery-staple";
    let document = GOOD
        .replace("true", &format!("\"{secret}\""))
        .replace("null", &format!("\"{secret}\""))
        .replace("response-v2", secret);
    let checker = Checker::new(Subject::Envelope(Contract::ResponseV2));
    let verdict = checker.check(&document.into());
    assert!(!verdict.is_kept());
    for finding in &verdict.findings {
        assert!(!finding.to_string().contains(secret), "{finding}");
    }
}

#[test]
fn a_flood_of_faults_is_told_in_part() {
    let extra: Vec<String> = (0..5000).map(|n| format!("\"x{n}\":{n}")).collect();
    let document = GOOD.replace("\"success\"", &format!("{},\"success\"", extra.join(",")));
    let verdict = Checker::auto().check(&document.into());
    assert_eq!(verdict.findings.len(), 100);
}
