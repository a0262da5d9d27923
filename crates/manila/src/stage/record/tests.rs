use std::time::Duration;

use super::{Record, RecordedFailure, Transport};
use crate::catalogue::Code;
use crate::prepared::redact::Redaction;
use crate::raw_json::{JsonObject, RawJson};
use crate::timestamp::Timestamp;

/// 2026-01-02T03:04:05.678Z
const AT: i64 = 1_767_323_045_678;

fn call() -> Record<'static> {
    Record {
        agent_id: Some("agent-7"),
        task_id: Some("task-1"),
        step_id: Some("step-2"),
        transport: Some(Transport::Stdio),
        route: Some("tools/call"),
        request_id: Some("bfd44265-8bfd-5f8a-83b9-a4b4d1189368"),
        rpc_id: Some("7"),
        trace_id: Some("c98cff7e-4b2c-522d-957a-6b52047525a9"),
        span_id: Some("1775c937-f263-5bc6-b93f-6f0e9460cf8e"),
        duration: Some(Duration::from_nanos(12_345_678)),
        input_bytes: Some(120),
        output_bytes: Some(4096),
        schema_version: Some("response-v2"),
        deterministic: true,
        tool_id: Some("echo"),
        ..Record::new(Timestamp::from_unix_ms(AT), Some("tools/call"))
    }
}

#[track_caller]
fn line(record: &Record<'_>) -> String {
    let line = String::from_utf8(record.line(Redaction::Standard)).unwrap();
    assert!(RawJson::parse(line.clone()).is_ok() && !line.contains('\n'), "{line}");
    line
}

#[test]
fn q6_line_of_a_successful_request() {
    let expected = concat!(
        r#"{"ts":"2026-01-02T03:04:05.678Z","agentId":"agent-7","taskId":"task-1","#,
        r#""stepId":"step-2","transport":"stdio","route":"tools/call","method":"tools/call","#,
        r#""requestId":"bfd44265-8bfd-5f8a-83b9-a4b4d1189368","rpcId":"7","#,
        r#""traceId":"c98cff7e-4b2c-522d-957a-6b52047525a9","#,
        r#""spanId":"1775c937-f263-5bc6-b93f-6f0e9460cf8e","status":"ok","#,
        r#""durationMs":12.345,"attempt":1,"inputBytes":120,"outputBytes":4096,"error":null,"#,
        r#""metadata":{"schemaVersion":"response-v2","deterministic":true,"toolId":"echo","#,
        r#""promptId":null}}"#,
    );
    assert_eq!(line(&call()), expected);
}

#[test]
fn q6_line_of_a_failed_request() {
    let details = JsonObject::build(|object| object.member("limitMs", &30_000_u64));
    let message = "no answer within 30 s";
    let failure = RecordedFailure { code: Code::Timeout, message, details: Some(&details) };
    let record = Record {
        transport: Some(Transport::Http),
        failure: Some(failure),
        ..Record::new(Timestamp::from_unix_ms(AT), None)
    };
    let expected = concat!(
        r#"{"ts":"2026-01-02T03:04:05.678Z","agentId":null,"taskId":null,"stepId":null,"#,
        r#""transport":"http","route":null,"method":null,"requestId":null,"rpcId":null,"#,
        r#""traceId":null,"spanId":null,"status":"timeout","durationMs":null,"attempt":1,"#,
        r#""inputBytes":null,"#,
        r#""outputBytes":null,"error":{"code":"TIMEOUT","message":"no answer within 30 s","#,
        r#""details":{"limitMs":30000}},"metadata":{"schemaVersion":null,"#,
        r#""deterministic":false,"toolId":null,"promptId":null}}"#,
    );
    assert_eq!(line(&record), expected);
}

fn failed_line(code: Code, message: &str, details: Option<&JsonObject>) -> String {
    let failure = Some(RecordedFailure { code, message, details });
    line(&Record { failure, ..Record::new(Timestamp::from_unix_ms(AT), None) })
}

#[test]
fn q6_every_code_is_a_status_and_four_have_fixed_messages() {
    let mut n_fixed = 0;
    for code in Code::ALL {
        let line = failed_line(*code, "custom message", None);
        let status = code.name().to_ascii_lowercase();
        assert!(line.contains(&format!(r#""status":"{status}""#)), "{line}");
        assert!(line.contains(&format!(r#""code":"{code}""#)), "{line}");
        n_fixed += usize::from(!line.contains("custom message"));
    }
    assert_eq!(n_fixed, 4);
    assert!(failed_line(Code::ToolNotFound, "x", None).contains(r#""message":"Unknown tool""#));
}

#[test]
fn secrets_are_redacted_in_every_field() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let details = JsonObject::build(|object| object.member("password", "hunter2-hunter2"));
    let failed = failed_line(Code::ToolFailed, &format!("bad token {secret}"), Some(&details));
    assert!(!failed.contains(secret) && !failed.contains("hunter2"), "{failed}");
    let mut record = call();
    record.method = Some(secret);
    assert!(!line(&record).contains(secret));
    let unredacted = String::from_utf8(record.line(Redaction::Off)).unwrap();
    assert!(unredacted.contains(secret));
}

/// Half of the secret would remain before the cut, and no rule would recognise it.
#[test]
fn texts_are_redacted_before_they_are_cut() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let long = format!("{}{secret} and more{}", "é ".repeat(240), "!".repeat(1000));
    let line = failed_line(Code::ToolFailed, &long, None);
    assert!(!line.contains("ghp_") && line.contains("[REDACTED]") && line.contains("..."));
}

#[test]
fn a_line_has_a_limited_length() {
    let huge: &str = &"\u{1}".repeat(1 << 20);
    let details = JsonObject::build(|object| object.member("text", huge));
    let mut record = call();
    (record.method, record.request_id, record.tool_id) = (Some(huge), Some(huge), Some(huge));
    let (code, message) = (Code::ToolFailed, huge);
    record.failure = Some(RecordedFailure { code, message, details: Some(&details) });
    let line = line(&record);
    assert!(line.len() < 64 * 1024, "{}", line.len());
    assert!(line.contains(r#""details":{"leftOutBytes":"#));
}
