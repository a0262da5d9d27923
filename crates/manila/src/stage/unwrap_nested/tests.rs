use crate::context::Context;
use crate::contract::{Contract, render};
use crate::observed::{Observation, Observed};
use crate::pipeline::{Settings, prepare};
use crate::prepared::attest::Attested;
use crate::raw_json::RawJson;

fn prepared(answer: &str) -> Attested {
    let answer = RawJson::parse(answer.to_owned()).unwrap();
    let seen = Observation::new(Observed::Answered(answer));
    prepare(seen, &Settings::default(), &Context::new([0; 16]))
}

/// An `mcp.envelope.v0.1` around a payload.
fn around(payload: &str) -> String {
    format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{payload}}}"#)
}

/// A `response-v2` envelope around an object.
fn response(data: &str) -> String {
    format!(r#"{{"success":true,"data":{data},"error":null,"meta":{{"version":"response-v2"}}}}"#)
}

/// Compares what `response-v2` makes of an envelope, and what is listed as lost, with `expected`.
#[track_caller]
fn check(envelope: &str, data: &str, expected: &str) {
    let attested = prepared(envelope);
    let context = Context::new([0; 16]);
    let own = render(&attested, Contract::McpEnvelopeV01, &context);
    assert_eq!(own.envelope.to_string(), envelope, "its own contract believes it");
    let reply = render(&attested, Contract::ResponseV2, &context);
    assert_eq!(reply.envelope.get("data").unwrap().to_string(), data);
    let code = reply.code.map_or("ok", |code| code.name());
    let made = ["request_id"];
    let losses = reply.losses.iter().map(|loss| loss.what).filter(|what| !made.contains(what));
    assert_eq!(format!("{code}: {}", losses.collect::<Vec<_>>().join(" ")), expected);
}

#[test]
fn a_payload_is_read_again_in_another_contract() {
    check(&around(r#"{"n":1}"#), r#"{"n":1}"#, "ok: ");
    check(&around(&response(r#"{"n":1}"#)), r#"{"n":1}"#, "ok: envelope");
    let failed = r#"{"success":false,"error":"no such file","error_code":"E_GONE"}"#;
    let data = concat!(
        r#"{"error_code":"E_GONE","error_type":"not_found","#,
        r#""remediation":"Check the name or path, and that it exists","#,
        r#""success":false,"error":"no such file"}"#,
    );
    check(&around(failed), data, "NOT_FOUND: success partial");
}

#[test]
fn an_envelope_that_cannot_be_read_stands_one_level_deeper() {
    let broken = r#"{"success":true,"meta":{"version":"response-v2"}}"#;
    check(&around(broken), &format!(r#"{{"answer":{broken}}}"#), "ok: payload");
}

#[test]
fn an_envelope_that_is_a_part_of_the_payload_is_left_alone() {
    let part = format!(r#"{{"tool":{}}}"#, response(r#"{"n":1}"#));
    check(&around(&part), &part, "ok: ");
}

#[test]
fn envelopes_around_each_other_are_opened() {
    check(&around(&response(&around(r#"{"n":1}"#))), r#"{"n":1}"#, "ok: envelope");
    // The fifth one inside is left as it is.
    let deep = (0..5).fold(r#"{"n":1}"#.to_owned(), |inner, n| {
        if n % 2 == 0 { response(&inner) } else { around(&inner) }
    });
    let innermost = response(r#"{"n":1}"#);
    check(&around(&deep), &format!(r#"{{"answer":{innermost}}}"#), "ok: envelope payload");
}

#[test]
fn secrets_are_hidden_in_both_readings_and_counted_once() {
    let secret = "AKIAIOSFODNN7REDACTE";
    let failed = format!(r#"{{"success":false,"error":"it is {secret}"}}"#);
    let attested = prepared(&around(&failed));
    assert!(attested.outcome().unwrapped.is_some());
    for contract in Contract::ALL {
        let reply = render(&attested, contract, &Context::new([0; 16]));
        let text = reply.envelope.to_string();
        assert!(!text.contains(secret) && text.contains("it is [REDACTED]"), "{text}");
    }
    let count: u64 = attested.redacted().hidden().iter().map(|(_, n)| n).sum();
    assert_eq!(count, 1);
}
