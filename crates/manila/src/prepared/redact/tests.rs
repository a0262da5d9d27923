use std::time::Duration;

use super::{Redaction, redact};
use crate::catalogue::Code;
use crate::context::Context;
use crate::contract::{Contract, render};
use crate::outcome::{
    Call, Ended, Failure, Fidelity, IdSource, NonEmpty, Notes, Outcome, Payload, Provenance,
    Receipt, Reduction, Run, Tier, Truncation, Unwrapped, UpgradeHint, Verbatim, Warning,
};
use crate::prepared::attest::{Attestation, attest};
use crate::prepared::fit::{Budget, fit};
use crate::raw_json::{JsonObject, RawJson};

const SECRET: &str = "AKIAIOSFODNN7REDACTE";

fn secret_text() -> String {
    format!("it is {SECRET}.")
}

fn object() -> JsonObject {
    JsonObject::build(|object| {
        object.member("fact", &secret_text());
        object.member(SECRET, &1u64);
        object.member("nested", &[secret_text()][..]);
    })
}

/// Returns an outcome with a secret in every field that can hold text, except the caller's id.
fn outcome_with_secrets(ended: Ended) -> Outcome {
    Outcome {
        call: Call {
            tool_id: Some(secret_text()),
            tool_version: Some(secret_text()),
            request_id: Some("req_1".to_owned()),
            tier: Tier::Pro,
            duration: Some(Duration::from_millis(1)),
            deterministic: Some(false),
            capabilities: Some(vec![secret_text()]),
            id_source: IdSource::Caller,
        },
        ended,
        run: Some(Run {
            command: Some(format!("tool --key {SECRET}")),
            exit: Some(1),
            stdout: secret_text(),
            stderr: format!("error: {SECRET}\n"),
            truncation: Truncation::Truncated,
        }),
        blocks: vec![
            RawJson::of(&serde_json::json!({"type": "resource", "text": secret_text()})).unwrap(),
        ],
        notes: Notes {
            warnings: vec![Warning::with_code(secret_text(), secret_text()).context(object())],
            pagination: Some(object()),
            rate_limit: Some(object()),
            telemetry: Some(object()),
            upgrade_hints: vec![UpgradeHint {
                feature: secret_text(),
                tier: secret_text(),
                reason: secret_text(),
            }],
            metadata: vec![
                (SECRET.to_owned(), secret_text()),
                ("password".to_owned(), "hunter2x".to_owned()),
            ],
            meta: object(),
            fidelity: Fidelity::Reduced {
                level: Reduction::Partial,
                dropped: vec![secret_text()],
                archives: vec![(SECRET.to_owned(), secret_text())],
            },
        },
        receipt: Receipt::default(),
        provenance: Provenance::Record(object()),
        source_contract: Some(Contract::ResponseV2),
        verbatim: Some(Verbatim {
            contract: Contract::ResponseV2,
            envelope: object().into(),
            request_id: Some(secret_text()),
        }),
        unread: Vec::new(),
        unwrapped: Some(Box::new(Unwrapped {
            ended: Ended::Failed {
                failures: NonEmpty::one(failure()),
                partial: Payload::Json(object().into()),
            },
            unread: Vec::new(),
        })),
    }
}

fn failure() -> Failure {
    let mut failure = Failure::new(Code::ToolFailed, secret_text());
    failure.origin_code = Some(secret_text());
    failure.hint = Some(secret_text().into());
    failure.explanation = Some(secret_text().into());
    failure.link = Some(format!("https://x.test/?k={SECRET}").into());
    failure.fixes = vec![secret_text().into()];
    failure.alternatives = vec![secret_text()];
    failure.details = object();
    failure.data = object();
    failure.evidence = vec![object().into()];
    failure.line = Some(secret_text());
    failure
}

fn all_endings() -> Vec<Ended> {
    let json = || Payload::Json(object().into());
    vec![
        Ended::Done(json()),
        Ended::Done(Payload::Text(secret_text())),
        Ended::Done(Payload::Absent),
        Ended::Failed {
            failures: NonEmpty::from_vec(vec![failure(), failure()]).unwrap(),
            partial: json(),
        },
        Ended::Failed { failures: NonEmpty::one(failure()), partial: Payload::Text(secret_text()) },
    ]
}

#[test]
fn a_secret_in_any_field_is_in_no_envelope() {
    for ended in all_endings() {
        let redacted = redact(Box::new(outcome_with_secrets(ended)), Redaction::Standard, None);
        // Fields that no contract writes are redacted as well.
        let model = format!("{:?}", redacted.outcome());
        assert!(!model.contains(SECRET), "{model}");
        assert!(!model.contains("hunter2x"), "{model}");
        let attested = attest(fit(redacted, Budget::Unlimited), Attestation::NotRequested);
        for contract in Contract::ALL {
            let reply = render(&attested, contract, &Context::new([0; 16]));
            let text = format!("{}{:?}", reply.envelope, reply.blocks);
            assert!(!text.contains(SECRET), "{contract}: {text}");
            assert!(text.contains("[REDACTED]"), "{contract}: {text}");
        }
    }
}

#[test]
fn a_payload_without_secrets_keeps_its_bytes() {
    let json = RawJson::parse(r#"{ "b": [1.0, "\u0041"], "a": null }"#).unwrap();
    let outcome = Outcome {
        blocks: Vec::new(),
        notes: Notes::default(),
        run: None,
        provenance: Provenance::NotRequested,
        ..outcome_with_secrets(Ended::Done(Payload::Json(json.clone())))
    };
    let outcome = Outcome { call: Call::default(), verbatim: None, unwrapped: None, ..outcome };
    let redacted = redact(Box::new(outcome.clone()), Redaction::Standard, None);
    assert_eq!(*redacted.outcome(), outcome);
    let Ended::Done(Payload::Json(after)) = &redacted.outcome().ended else { panic!("still JSON") };
    assert_eq!(after.as_bytes().as_ptr(), json.as_bytes().as_ptr(), "not even copied");
}

#[test]
fn redaction_that_is_off_changes_nothing() {
    let outcome = outcome_with_secrets(Ended::Done(Payload::Text(secret_text())));
    assert_eq!(*redact(Box::new(outcome.clone()), Redaction::Off, None).outcome(), outcome);
}
