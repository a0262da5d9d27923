use crate::context::Context;
use crate::contract::{Contract, render};
use crate::observed::{Observation, Observed};
use crate::pipeline::{Settings, prepare};
use crate::prepared::attest::Attested;
use crate::raw_json::RawJson;

fn prepare_json(json: &str) -> Attested {
    let json = RawJson::parse(json.to_owned()).unwrap();
    let observation = Observation::new(Observed::Answered(json));
    prepare(observation, &Settings::default(), &Context::new([0; 16]))
}

/// Returns an `mcp.envelope.v0.1` with this payload.
fn wrap_in_envelope(payload: &str) -> String {
    format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{payload}}}"#)
}

/// Returns a `response-v2` envelope with this object.
fn response(data: &str) -> String {
    format!(r#"{{"success":true,"data":{data},"error":null,"meta":{{"version":"response-v2"}}}}"#)
}

/// Compares an envelope in `response-v2` with `data`, and its code and losses with `expected`.
#[track_caller]
fn check(envelope: &str, data: &str, expected: &str) {
    let attested = prepare_json(envelope);
    let context = Context::new([0; 16]);
    let own = render(&attested, Contract::McpEnvelopeV01, &context);
    assert_eq!(own.envelope.to_string(), envelope, "unchanged in its own contract");
    let reply = render(&attested, Contract::ResponseV2, &context);
    assert_eq!(reply.envelope.get("data").unwrap().to_string(), data);
    let code = reply.code.map_or("ok", |code| code.name());
    let generated = ["request_id"];
    let losses = reply.losses.iter().map(|loss| loss.what);
    let losses = losses.filter(|what| !generated.contains(what));
    assert_eq!(format!("{code}: {}", losses.collect::<Vec<_>>().join(" ")), expected);
}

#[test]
fn another_contract_classifies_the_payload_again() {
    check(&wrap_in_envelope(r#"{"n":1}"#), r#"{"n":1}"#, "ok: ");
    check(&wrap_in_envelope(&response(r#"{"n":1}"#)), r#"{"n":1}"#, "ok: envelope");
    let failed = r#"{"success":false,"error":"no such file","error_code":"E_GONE"}"#;
    let data = concat!(
        r#"{"error_code":"E_GONE","error_type":"not_found","#,
        r#""remediation":"Check the name or path, and that it exists","#,
        r#""success":false,"error":"no such file"}"#,
    );
    check(&wrap_in_envelope(failed), data, "NOT_FOUND: success partial");
}

#[test]
fn an_invalid_nested_envelope_is_wrapped() {
    let broken = r#"{"success":true,"meta":{"version":"response-v2"}}"#;
    check(&wrap_in_envelope(broken), &format!(r#"{{"answer":{broken}}}"#), "ok: payload");
}

#[test]
fn an_envelope_inside_the_payload_is_not_opened() {
    let part = format!(r#"{{"tool":{}}}"#, response(r#"{"n":1}"#));
    check(&wrap_in_envelope(&part), &part, "ok: ");
}

#[test]
fn nested_envelopes_are_opened() {
    check(
        &wrap_in_envelope(&response(&wrap_in_envelope(r#"{"n":1}"#))),
        r#"{"n":1}"#,
        "ok: envelope",
    );
    // The fifth level is not opened.
    let deep = (0..5).fold(r#"{"n":1}"#.to_owned(), |inner, n| {
        if n % 2 == 0 { response(&inner) } else { wrap_in_envelope(&inner) }
    });
    let innermost = response(r#"{"n":1}"#);
    check(
        &wrap_in_envelope(&deep),
        &format!(r#"{{"answer":{innermost}}}"#),
        "ok: envelope payload",
    );
}

#[test]
fn secrets_are_redacted_in_both_readings_and_counted_once() {
    let secret = "AKIAIOSFODNN7REDACTE";
    let failed = format!(r#"{{"success":false,"error":"it is {secret}"}}"#);
    let attested = prepare_json(&wrap_in_envelope(&failed));
    assert!(attested.outcome().unwrapped.is_some());
    for contract in Contract::ALL {
        let reply = render(&attested, contract, &Context::new([0; 16]));
        let text = reply.envelope.to_string();
        assert!(!text.contains(secret) && text.contains("it is [REDACTED]"), "{text}");
    }
    let count: u64 = attested.redacted().findings().iter().map(|(_, n)| n).sum();
    assert_eq!(count, 1);
}
