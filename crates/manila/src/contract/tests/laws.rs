//! The laws of reading: a written envelope can be read, and is then written unchanged.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::attest_outcome;
use super::given::{observation, sparse_observation};
use crate::check::{Checker, Grade};
use crate::context::Context;
use crate::contract::{Contract, read, recognise, render};
use crate::diagnostics;
use crate::document_kind::DocumentKind;
use crate::observed::Observation;
use crate::outcome::{Ended, IdSource, Outcome, Payload};
use crate::pipeline::{Settings, convert, prepare};
use crate::prepared::redact::Redaction;
use crate::raw_json::{JsonObject, RawJson};

const CONTEXT: [u8; 16] = [0xAB; 16];

fn plain() -> Settings<'static> {
    Settings { redaction: Redaction::Off, ..Settings::default() }
}

/// Returns a configuration with a fixed seed, unless the environment sets another one.
fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        rng_seed: match ProptestConfig::default().rng_seed {
            RngSeed::Random => RngSeed::Fixed(5),
            fixed @ RngSeed::Fixed(_) => fixed,
        },
        ..ProptestConfig::default()
    }
}

/// Returns an equivalent outcome in its normal form.
fn normalize(outcome: &Outcome) -> Outcome {
    let mut outcome = outcome.clone();
    outcome.source_contract = None;
    outcome.verbatim = None;
    outcome.blocks.clear();
    // A preference for the envelope, not a fact about the result.
    outcome.call.deterministic = None;
    outcome.call.id_source = IdSource::Caller;
    for text in
        [&mut outcome.call.tool_id, &mut outcome.call.tool_version, &mut outcome.call.request_id]
    {
        *text = text.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    }
    for object in
        [&mut outcome.notes.pagination, &mut outcome.notes.rate_limit, &mut outcome.notes.telemetry]
    {
        *object = object.take().filter(|object| !object.is_empty());
    }
    for warning in &mut outcome.notes.warnings {
        if warning.has_details() {
            warning.severity = Some(warning.effective_severity());
        }
    }
    match &mut outcome.ended {
        Ended::Done(payload) => normalize_payload(payload),
        Ended::Failed { failures, partial } => {
            normalize_payload(partial);
            for failure in failures.iter_mut() {
                let remedy = failure.code.entry().remedy;
                failure.hint =
                    failure.hint.take().filter(|hint| hint != remedy && !hint.trim().is_empty());
                let parsed =
                    failure.origin_code.as_deref().filter(|own| diagnostics::is_diagnostic(own));
                failure.category = failure.category.or(parsed.map(diagnostics::category));
                failure.line = failure.line.take().filter(|line| !line.is_empty());
                if failure.origin_code.as_deref().is_some_and(|own| {
                    crate::contract::code_from_spelling(own) == Some(failure.code)
                }) {
                    failure.origin_code = None;
                }
            }
        }
    }
    outcome
}

fn normalize_payload(payload: &mut Payload) {
    match payload {
        Payload::Json(json) if json.is_null() => *payload = Payload::Absent,
        Payload::Text(text) => {
            let object = JsonObject::build(|object| object.member("text", text));
            *payload = Payload::Json(object.get("text").unwrap());
        }
        Payload::Absent | Payload::Json(_) => {}
    }
}

fn without_verbatim(mut outcome: Outcome) -> Outcome {
    outcome.verbatim = None;
    outcome
}

fn any_observation() -> impl Strategy<Value = serde_json::Value> {
    prop_oneof![observation(), sparse_observation()]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn reading_preserves_an_envelope(given in any_observation(), redacts in any::<bool>()) {
        let observation = Observation::from_json(given.to_string()).unwrap();
        let settings = if redacts { Settings::default() } else { plain() };
        let context = Context::new(CONTEXT);
        let redacted = prepare(observation, &settings, &context);
        // An envelope of another author has its own order, and keeps it while it is unchanged.
        prop_assume!(redacted.outcome().verbatim.is_none());
        for contract in Contract::ALL {
            let reply = render(&redacted, contract, &context);
            let reading = read(contract, &reply.envelope);
            let reading = reading.unwrap_or_else(|findings| {
                panic!("{contract}: {findings:?} in {}", reply.envelope)
            });
            let unchanged = attest_outcome(reading.outcome.clone(), Redaction::Off);
            let again = render(&unchanged, contract, &Context::new([0; 16]));
            prop_assert_eq!(&again.envelope, &reply.envelope, "{} verbatim", contract);
            let reread = without_verbatim(reading.outcome.clone());
            let read_again = attest_outcome(reread, Redaction::Off);
            let again = render(&read_again, contract, &Context::new(CONTEXT));
            let (first, second) = (reply.envelope.to_string(), again.envelope.to_string());
            prop_assert_eq!(second, first, "{}: {:?}", contract, reading.outcome);
            prop_assert_eq!(again.is_error, reply.is_error);
            prop_assert!(reading.losses.is_empty(), "{}: {:?}", contract, reading.losses);
            if reply.losses.is_empty() && reply.blocks.is_empty() {
                let (read, written) = (normalize(&reading.outcome), normalize(redacted.outcome()));
                prop_assert_eq!(read, written, "{}: {}", contract, reply.envelope);
            }
        }
    }

    #[test]
    fn a_sealed_envelope_is_valid(given in any_observation()) {
        let observation = Observation::from_json(given.to_string()).unwrap();
        let context = Context::new(CONTEXT);
        let redacted = prepare(observation, &Settings::default(), &context);
        for contract in Contract::ALL {
            let envelope = render(&redacted, contract, &context).envelope;
            let recognised = recognise(&envelope);
            let expected = (contract != Contract::MachineReadableV1).then_some(contract);
            prop_assert_eq!(recognised, expected, "{}", envelope);
            let checker = Checker::new(DocumentKind::Envelope(contract));
            let verdict = checker.check(&envelope.to_bytes());
            let bad: Vec<_> =
                verdict.findings.iter().filter(|it| it.grade == Grade::Violation).collect();
            prop_assert!(bad.is_empty(), "{}: {:?} in {}", contract, bad, envelope);
        }
    }

    #[test]
    fn a_broken_rule_is_reported_with_its_clause(
        given in any_observation(),
        which in any::<prop::sample::Index>(),
    ) {
        let observation = Observation::from_json(given.to_string()).unwrap();
        let context = Context::new(CONTEXT);
        let redacted = prepare(observation, &Settings::default(), &context);
        for contract in Contract::ALL {
            let envelope = render(&redacted, contract, &context).envelope;
            let edits = breaking_edits(contract);
            let (name, value, clause) = edits[which.index(edits.len())];
            let rest = JsonObject::new(envelope).unwrap().without(name);
            let broken = JsonObject::build(|object| {
                for member in rest.members() {
                    object.token_member(member.key_token(), &member.value());
                }
                if !value.is_empty() {
                    object.member(name, &RawJson::parse(value).unwrap());
                }
            });
            let document = broken.to_string().into();
            let verdict = Checker::new(DocumentKind::Envelope(contract)).check(&document);
            let is_reported = verdict.findings.iter().any(|it| {
                it.grade == Grade::Violation
                    && it.clause == Some(clause)
                    && it.pointer.starts_with(&format!("/{name}"))
            });
            prop_assert!(is_reported, "{} {}: {:?}", contract, name, verdict.findings);
        }
    }

    #[test]
    fn a_conversion_without_losses_is_reversible(given in any_observation()) {
        let observation = Observation::from_json(given.to_string()).unwrap();
        let context = Context::new(CONTEXT);
        let redacted = prepare(observation, &plain(), &context);
        prop_assume!(redacted.outcome().verbatim.is_none());
        for from in Contract::ALL {
            let envelope = render(&redacted, from, &context).envelope;
            for to in Contract::ALL {
                let first = envelope.to_bytes();
                let there = convert(&first, Some(from), to, &plain(), &context).unwrap();
                if !there.reply.losses.is_empty() {
                    continue;
                }
                let second = there.reply.envelope.to_bytes();
                let back = convert(&second, Some(to), from, &plain(), &context);
                let back = back.unwrap();
                if !back.reply.losses.is_empty() {
                    continue;
                }
                prop_assert_eq!(
                    back.reply.envelope.to_string(), envelope.to_string(),
                    "{} by {} of {}", from, to, there.reply.envelope
                );
            }
        }
    }
}

/// Returns members, their replacements (empty to remove a member), and the clause that this breaks.
fn breaking_edits(contract: Contract) -> &'static [(&'static str, &'static str, &'static str)] {
    match contract {
        Contract::ResponseV2 => &[
            ("success", "", "R1"),
            ("version", "2", "R1"),
            ("data", "[]", "R2"),
            ("error", "{}", "R3"),
            ("meta", r#"{"version":"response-v1"}"#, "R4"),
            ("meta", r#"{"version":"response-v2","warnings":"w"}"#, "R5"),
            ("meta", r#"{"version":"response-v2","content_fidelity":"summary"}"#, "R6"),
        ],
        Contract::EnvelopeV1 => &[
            ("tool_id", "", "E1"),
            ("tier", r#""gold""#, "E2"),
            ("request_id", "7", "E3"),
            ("capabilities", "{}", "E4"),
            ("duration_ms", "-1", "E5"),
            ("error", r#"{"error":"x","error_code":"not_found"}"#, "E6"),
            ("error", r#"{"error":"x","error_code":"lost","error_details":null}"#, "E7"),
            ("upgrade_hints", "[{}]", "E9"),
        ],
        Contract::MachineReadableV1 => {
            &[("success", "1", "M1"), ("metadata", r#"{"a":1}"#, "M1"), ("success", "", "M1")]
        }
        Contract::McpEnvelopeV01 => &[
            ("schema_version", r#""mcp.envelope.v1""#, "P1"),
            ("result", "", "P1"),
            ("result", r#"{"schema_version":"mcp.envelope.v0.1","result":1}"#, "P3"),
            ("errors", r#"[{"code":"A"}]"#, "P4"),
            ("meta", r#"{"duration_ms":-1}"#, "P6"),
        ],
    }
}

#[test]
fn reading_a_truncated_or_invalid_envelope_never_panics() {
    let envelope = concat!(
        r#"{"success":false,"data":{"error_code":"X","details":{"partial":1}},"error":"e","#,
        r#""meta":{"version":"response-v2","warnings":["w"],"#,
        r#""warning_details":[{"message":"w","code":"c"}]}}"#,
    );
    for end in 0..envelope.len() {
        let Some(part) = envelope.get(..end) else { continue };
        let _ = Checker::auto().check(&part.as_bytes().to_vec().into());
    }
    for contract in Contract::ALL {
        for value in ["{}", "[]", "1", "null", r#"{"success":null}"#, r#"{"errors":1}"#] {
            let value = RawJson::parse(value).unwrap();
            assert!(read(contract, &value).is_err());
        }
    }
}

/// Returns copies of a document, each with another string or key replaced by `text`.
fn plant_text(document: &str, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(start) = document[at..].find('"').map(|found| at + found) {
        let end = start + 2 + document[start + 1..].find('"').unwrap();
        all.push(format!("{}\"{text}\"{}", &document[..start], &document[end..]));
        at = end;
    }
    all
}

#[test]
fn redacts_secrets_anywhere_in_an_envelope() {
    const SECRET: &str = "ghp_aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5";
    let envelopes = [
        r#"{"success":true,"data":{"a":["b"]},"error":null,"meta":{"version":"response-v2","request_id":"r","warnings":["w"],"warning_details":[{"code":"C","severity":"info","message":"w","context":{"k":"v"}},{"code":"CONTENT_REDACTED","severity":"info","message":"1 secret was hidden","context":{"count":1,"rules":{"jwt":1}}}],"telemetry":{"x":"y"},"metadata":{"m":"n"},"run":{"command":"c","stderr":"e"},"extra":"x"}}"#,
        r#"{"success":false,"data":{"error_code":"A_B","error_type":"t","remediation":"r","details":{"d":"e","partial":"p"},"own":"o"},"error":"no","meta":{"version":"response-v2","request_id":"r"}}"#,
        r#"{"tier":"pro","tool_version":"1","tool_id":"t","request_id":"r","capabilities":["c"],"duration_ms":1,"error":{"error":"no","error_code":"not_found","error_details":{"origin_code":"o","remediation":"h"},"more":"m"},"upgrade_hints":[{"feature":"f","tier":"t","reason":"r"}],"data":{"x":"y"}}"#,
        r#"{"success":false,"errors":[{"code":"EXIT_2","message":"m","category":"Unknown","hint":"h","explanation":"e","documentationUrl":"u","suggestedFixes":["f"],"alternatives":["a"],"rawOutput":"r","data":{"command":"c","exitCode":2,"stderr":"s","additionalData":{"k":"v"}}}],"exitCode":2,"metadata":{"m":"n","redacted":"jwt 1"}}"#,
        r#"{"schema_version":"mcp.envelope.v0.1","result":{"a":"b"},"errors":[{"code":"A.B","message":"m","details":{"k":"v"},"evidence":[{"schema_version":"evidence.v0.1","field":"f","source":"s","note":"n"}]}],"warnings":[{"code":"W","message":"m","details":{"k":"v"}},{"code":"ADAPTER.REDACTED","message":"1 secret was hidden","details":{"count":1,"rules":"jwt 1"}}],"meta":{"adapter":"a","request_id":"r","schema_hints":{"h":"i"}},"provenance":null}"#,
    ];
    let context = Context::new(CONTEXT);
    let mut n_converted = 0;
    for (document, from) in envelopes.iter().flat_map(|envelope| {
        let from = Contract::ALL.into_iter();
        let from = from.filter(|from| read(*from, &RawJson::parse(*envelope).unwrap()).is_ok());
        let from: Vec<Contract> = from.collect();
        assert!(!from.is_empty(), "{envelope}");
        plant_text(envelope, SECRET).into_iter().map(move |document| (document, from[0]))
    }) {
        for to in Contract::ALL {
            let document = document.clone().into();
            match convert(&document, Some(from), to, &Settings::default(), &context) {
                Ok(converted) => {
                    n_converted += 1;
                    let envelope = converted.reply.envelope.to_string();
                    assert!(!envelope.contains("aB3dE5gH7j"), "{from} to {to}: {envelope}");
                }
                Err(error) => assert!(!format!("{error:?}").contains("aB3dE5gH7j"), "{error:?}"),
            }
        }
        // The same result through the pipeline, valid or not.
        let answered = format!(r#"{{"observed":{{"answered":{document}}}}}"#);
        let observation = Observation::from_json(answered).unwrap();
        for to in Contract::ALL {
            let envelope = observation.clone().seal(to, &context).envelope.to_string();
            assert!(!envelope.contains("aB3dE5gH7j"), "{from} to {to}: {envelope}");
        }
    }
    assert!(n_converted > 200, "{n_converted}");
}

#[test]
fn an_envelope_as_partial_result_is_not_mistaken_for_the_outer_one() {
    let inner = r#"{"schema_version":"mcp.envelope.v0.1","result":1}"#;
    for observed in [
        format!(r#"{{"failed":{{"code":"TIMEOUT","message":"m","partial":{inner}}}}}"#),
        format!(r#"{{"mcp":{{"isError":true,"content":[],"structuredContent":{inner}}}}}"#),
        r#"{"answered":{"schema_version":"mcp.envelope.v0.1","result":1,"x":2}}"#.to_owned(),
    ] {
        let observation = Observation::from_json(format!(r#"{{"observed":{observed}}}"#)).unwrap();
        for contract in Contract::ALL {
            let envelope = observation.clone().seal(contract, &Context::new(CONTEXT)).envelope;
            let verdict =
                Checker::new(DocumentKind::Envelope(contract)).check(&envelope.to_bytes());
            assert!(verdict.is_valid(), "{envelope}: {verdict:?}");
        }
    }
}
