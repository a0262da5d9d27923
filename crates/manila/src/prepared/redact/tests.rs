use std::time::Duration;

use super::{Redaction, redact};
use crate::catalogue::Code;
use crate::context::Context;
use crate::contract::{Contract, render};
use crate::outcome::{
    Call, Cut, Ended, Failure, Fidelity, IdSource, NonEmpty, Notes, Outcome, Payload, Provenance,
    Receipt, Reduction, Run, Tier, Unwrapped, UpgradeHint, Verbatim, Warning,
};
use crate::prepared::attest::{Attestation, attest};
use crate::prepared::fit::{Budget, fit};
use crate::raw_json::{JsonObject, RawJson};

const SECRET: &str = "AKIAIOSFODNN7REDACTE";

fn said() -> String {
    format!("it is {SECRET}.")
}

fn object() -> JsonObject {
    JsonObject::build(|object| {
        object.member("fact", &said());
        object.member(SECRET, &1u64);
        object.member("nested", &[said()][..]);
    })
}

/// An outcome with a secret in every place that can hold text, but for the caller's own id.
fn full_of_secrets(ended: Ended) -> Outcome {
    Outcome {
        call: Call {
            tool_id: Some(said()),
            tool_version: Some(said()),
            request_id: Some("req_1".to_owned()),
            tier: Tier::Pro,
            duration: Some(Duration::from_millis(1)),
            deterministic: Some(false),
            capabilities: Some(vec![said()]),
            id_source: IdSource::Caller,
        },
        ended,
        run: Some(Run {
            command: Some(format!("tool --key {SECRET}")),
            exit: Some(1),
            stdout: said(),
            stderr: format!("error: {SECRET}\n"),
            cut: Cut::Truncated,
        }),
        blocks: vec![
            RawJson::of(&serde_json::json!({"type": "resource", "text": said()})).unwrap(),
        ],
        notes: Notes {
            warnings: vec![Warning::coded(said(), said()).context(object())],
            pagination: Some(object()),
            rate_limit: Some(object()),
            telemetry: Some(object()),
            upgrade_hints: vec![UpgradeHint { feature: said(), tier: said(), reason: said() }],
            metadata: vec![
                (SECRET.to_owned(), said()),
                ("password".to_owned(), "hunter2x".to_owned()),
            ],
            meta: object(),
            fidelity: Fidelity::Reduced {
                level: Reduction::Partial,
                dropped: vec![said()],
                archives: vec![(SECRET.to_owned(), said())],
            },
        },
        receipt: Receipt::default(),
        provenance: Provenance::Record(object()),
        came_in: Some(Contract::ResponseV2),
        verbatim: Some(Verbatim {
            contract: Contract::ResponseV2,
            envelope: object().into(),
            request_id: Some(said()),
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
    let mut failure = Failure::new(Code::ToolFailed, said());
    failure.origin_code = Some(said());
    failure.hint = Some(said().into());
    failure.explanation = Some(said().into());
    failure.link = Some(format!("https://x.test/?k={SECRET}").into());
    failure.fixes = vec![said().into()];
    failure.alternatives = vec![said()];
    failure.details = object();
    failure.data = object();
    failure.evidence = vec![object().into()];
    failure.line = Some(said());
    failure
}

fn all_endings() -> Vec<Ended> {
    let json = || Payload::Json(object().into());
    vec![
        Ended::Done(json()),
        Ended::Done(Payload::Text(said())),
        Ended::Done(Payload::Absent),
        Ended::Failed {
            failures: NonEmpty::from_vec(vec![failure(), failure()]).unwrap(),
            partial: json(),
        },
        Ended::Failed { failures: NonEmpty::one(failure()), partial: Payload::Text(said()) },
    ]
}

#[test]
fn a_secret_in_any_place_is_in_no_envelope() {
    for ended in all_endings() {
        let redacted = redact(Box::new(full_of_secrets(ended)), Redaction::Standard, None);
        // Not even where no contract looks.
        let model = format!("{:?}", redacted.outcome());
        assert!(!model.contains(SECRET), "{model}");
        assert!(!model.contains("hunter2x"), "{model}");
        let attested = attest(fit(redacted, Budget::Unlimited), Attestation::NotAsked);
        for contract in Contract::ALL {
            let reply = render(&attested, contract, &Context::new([0; 16]));
            let text = format!("{}{:?}", reply.envelope, reply.blocks);
            assert!(!text.contains(SECRET), "{contract}: {text}");
            assert!(text.contains("[REDACTED]"), "{contract}: {text}");
        }
    }
}

#[test]
fn what_holds_no_secret_is_the_same_bytes() {
    let json = RawJson::parse(r#"{ "b": [1.0, "\u0041"], "a": null }"#).unwrap();
    let outcome = Outcome {
        blocks: Vec::new(),
        notes: Notes::default(),
        run: None,
        provenance: Provenance::NotAsked,
        ..full_of_secrets(Ended::Done(Payload::Json(json.clone())))
    };
    let outcome = Outcome { call: Call::default(), verbatim: None, unwrapped: None, ..outcome };
    let redacted = redact(Box::new(outcome.clone()), Redaction::Standard, None);
    assert_eq!(*redacted.outcome(), outcome);
    let Ended::Done(Payload::Json(after)) = &redacted.outcome().ended else { panic!("still JSON") };
    assert_eq!(after.as_bytes().as_ptr(), json.as_bytes().as_ptr(), "not even copied");
}

#[test]
fn switched_off_it_changes_nothing() {
    let outcome = full_of_secrets(Ended::Done(Payload::Text(said())));
    assert_eq!(*redact(Box::new(outcome.clone()), Redaction::Off, None).outcome(), outcome);
}
