use super::format_request_id;
use crate::context::Context;
use crate::contract::{Contract, Reply};
use crate::observed::{Observation, Observed};
use crate::pipeline::{Settings, seal};
use crate::raw_json::RawJson;

const FRESH: [u8; 16] = [0x5A; 16];

fn seal_answer(json: &str, contract: Contract, given: Option<&str>) -> Reply {
    let json = RawJson::parse(json.to_owned()).unwrap();
    let mut seen = Observation::new(Observed::Answered(json));
    seen.call.request_id = given.map(str::to_owned);
    seal(seen, contract, &Settings::default(), &Context::new(FRESH))
}

/// Returns the id in an envelope.
fn envelope_request_id(contract: Contract, envelope: &RawJson) -> Option<String> {
    let holder = match contract {
        Contract::EnvelopeV1 => Some(envelope.clone()),
        Contract::ResponseV2 | Contract::McpEnvelopeV01 => envelope.get("meta"),
        Contract::MachineReadableV1 => None,
    };
    let id = holder?.get("request_id")?;
    id.as_text().map(std::borrow::Cow::into_owned)
}

#[track_caller]
fn check(contract: Contract, given: Option<&str>, expected: &str) {
    assert_eq!(format_request_id(contract, given, &Context::new(FRESH)), expected, "{contract}");
}

#[test]
fn writes_a_callers_id_or_generates_one() {
    for contract in Contract::ALL {
        check(contract, Some(" call-7 "), "call-7");
    }
    let digest = "req_c8687a08aa5d";
    for (contract, fresh, spaced) in [
        (Contract::ResponseV2, "req_5a5a5a5a5a5a", digest),
        (Contract::EnvelopeV1, "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", "a b"),
        (Contract::MachineReadableV1, "req_5a5a5a5a5a5a", digest),
        (Contract::McpEnvelopeV01, "req_5a5a5a5a5a5a", "a b"),
    ] {
        check(contract, None, fresh);
        check(contract, Some(" "), fresh);
        check(contract, Some("a b"), spaced);
    }
}

/// P1: an id has at most 200 characters.
#[test]
fn replaces_an_id_that_is_too_long_by_its_digest() {
    let long = "x".repeat(201);
    let spelled = format_request_id(Contract::McpEnvelopeV01, Some(&long), &Context::new(FRESH));
    assert!(spelled.starts_with("req_") && spelled.len() == 16, "{spelled}");
    assert_eq!(seal_answer("1", Contract::McpEnvelopeV01, Some(&long)).request_id, None);
}

#[test]
fn agrees_with_the_envelope() {
    let long = "x".repeat(201);
    for given in [None, Some("call-7"), Some("a b"), Some(" "), Some("é"), Some(long.as_str())] {
        for contract in Contract::ALL {
            let reply = seal_answer("1", contract, given);
            assert_eq!(
                reply.request_id,
                envelope_request_id(contract, &reply.envelope),
                "{contract}"
            );
            let spelled = format_request_id(contract, given, &Context::new(FRESH));
            assert!(reply.request_id.is_none_or(|id| id == spelled), "{contract} {given:?}");
            // An id that already has the contract's form is written unchanged.
            let again = seal_answer("1", contract, Some(&spelled)).request_id;
            let is_written = contract != Contract::MachineReadableV1;
            assert_eq!(again, is_written.then_some(spelled), "{contract} {given:?}");
        }
    }
}

#[test]
fn an_unchanged_envelope_keeps_its_own_id() {
    for (contract, envelope, own) in [
        (
            Contract::ResponseV2,
            concat!(
                r#"{"success":true,"data":{},"error":null,"#,
                r#""meta":{"version":"response-v2","request_id":"own"}}"#,
            ),
            Some("own"),
        ),
        (Contract::McpEnvelopeV01, r#"{"schema_version":"mcp.envelope.v0.1","result":1}"#, None),
    ] {
        for given in [None, Some("call-7")] {
            let reply = seal_answer(envelope, contract, given);
            assert_eq!(reply.envelope.to_string(), envelope);
            assert_eq!(reply.request_id.as_deref(), own);
        }
    }
}
