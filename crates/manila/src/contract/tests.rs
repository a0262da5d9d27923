use super::*;
use crate::catalogue::Code;
use crate::outcome::{Failure, NonEmpty, Payload, Provenance, Verbatim};
use crate::prepared::attest::{Attestation, attest};
use crate::prepared::fit::{Budget, fit};
use crate::prepared::redact::{Redaction, redact};

#[path = "../../tests/given/observations.rs"]
mod given;
mod laws;

/// Prepares an outcome for a contract, as the pipeline does.
fn attest_outcome(outcome: Outcome, redaction: Redaction<'_>) -> Attested {
    let redacted = redact(Box::new(outcome), redaction, None);
    attest(fit(redacted, Budget::Unlimited), Attestation::NotRequested)
}

fn attest_redacted(outcome: Outcome) -> Attested {
    attest_outcome(outcome, Redaction::Standard)
}

fn outcome(ended: Ended) -> Outcome {
    Outcome::new(ended)
}

fn json(text: &'static str) -> RawJson {
    RawJson::parse(text).unwrap()
}

#[test]
fn an_envelope_stays_unchanged_in_its_own_contract() {
    let envelope = json(r#"{"schema_version": "mcp.envelope.v0.1", "result": 1.0}"#);
    let mut seen = outcome(Ended::Done(Payload::Json(json("1.0"))));
    seen.verbatim = Some(Verbatim {
        contract: Contract::McpEnvelopeV01,
        envelope: envelope.clone(),
        request_id: None,
    });
    let seen = attest_redacted(seen);
    let context = Context::new([0; 16]);
    assert_eq!(
        render(&seen, Contract::McpEnvelopeV01, &context).envelope.as_bytes(),
        envelope.as_bytes()
    );
    let other = render(&seen, Contract::ResponseV2, &context).envelope;
    assert_eq!(other.get("data").unwrap().to_string(), r#"{"result":1.0}"#);
}

#[test]
fn provenance_is_a_record_null_or_absent() {
    let written = |provenance| {
        let mut seen = outcome(Ended::Done(Payload::Absent));
        seen.provenance = provenance;
        let reply =
            render(&attest_redacted(seen), Contract::McpEnvelopeV01, &Context::new([0; 16]));
        reply.envelope.get("provenance").map(|it| it.to_string())
    };
    assert_eq!(written(Provenance::NotRequested), None);
    assert_eq!(written(Provenance::Unavailable).as_deref(), Some("null"));
    let record = crate::raw_json::JsonObject::default();
    assert_eq!(written(Provenance::Record(record)).as_deref(), Some("{}"));
}

#[test]
fn the_redaction_receipt_is_written_or_listed_as_lost() {
    let mut seen = outcome(Ended::Done(Payload::Absent));
    seen.receipt.findings.push(("jwt".into(), 2));
    let seen = attest_redacted(seen);
    for (contract, expected) in [
        (
            Contract::ResponseV2,
            concat!(
                r#""warning_details":[{"code":"CONTENT_REDACTED","severity":"info","#,
                r#""message":"2 secrets were hidden","context":{"count":2,"rules":{"jwt":2}}}]"#,
            ),
        ),
        (Contract::MachineReadableV1, r#""metadata":{"redacted":"jwt 2"}"#),
        (
            Contract::McpEnvelopeV01,
            concat!(
                r#""warnings":[{"code":"ADAPTER.REDACTED","message":"2 secrets were hidden","#,
                r#""details":{"count":2,"rules":"jwt 2"}}]"#,
            ),
        ),
    ] {
        let reply = render(&seen, contract, &Context::new([0; 16]));
        assert!(reply.envelope.to_string().contains(expected), "{}", reply.envelope);
        assert!(reply.losses.iter().all(|loss| loss.what != "receipt"), "{contract}");
    }
    let losses = render(&seen, Contract::EnvelopeV1, &Context::new([0; 16])).losses;
    assert!(losses.iter().any(|loss| loss.what == "receipt"), "envelope-v1 has no place for it");
}

#[test]
fn every_spelling_is_read_as_a_code() {
    for spelling in spellings() {
        let read = code_from_spelling(spelling.word);
        assert!(read.is_some(), "{} of {} is not read as a code", spelling.word, spelling.contract);
    }
    for (word, code) in [
        ("not_found", Code::NotFound),
        ("resource_exhausted", Code::RateLimited),
        ("MISSING_REQUIRED", Code::InvalidToolInput),
        ("TASK_NOT_FOUND", Code::NotFound),
        ("DUPLICATE_ENTRY", Code::Conflict),
        ("UNAVAILABLE", Code::UpstreamUnavailable),
        ("CAPABILITY_NOT_AVAILABLE", Code::CapabilityNotAvailable),
        ("ADAPTER.EXECUTION.FAILED", Code::CommandFailed),
        ("upgrade_required", Code::UpgradeRequired),
    ] {
        assert_eq!(code_from_spelling(word), Some(code), "{word}");
    }
    assert_eq!(code_from_spelling("E_CUSTOM"), None);
}

#[test]
fn all_failures_are_written() {
    let failure = |code, message: &'static str| Failure::new(code, message);
    let all = vec![failure(Code::NotFound, "one"), failure(Code::Timeout, "two")];
    let failures = NonEmpty::from_vec(all).unwrap();
    let seen = attest_redacted(outcome(Ended::Failed { failures, partial: Payload::Absent }));
    for contract in Contract::ALL {
        let envelope = render(&seen, contract, &Context::new([0; 16])).envelope.to_string();
        assert!(envelope.contains("one") && envelope.contains("two"), "{contract}: {envelope}");
    }
}
