use super::{OutputCheck, check_output};
use crate::catalogue::Code;
use crate::context::Context;
use crate::contract::{Contract, Reply, render};
use crate::observed::{McpResult, Observation, Observed};
use crate::outcome::{Ended, Outcome, Payload};
use crate::pipeline::{Settings, prepare};
use crate::raw_json::RawJson;
use crate::stage::classify::{Media, classify};
use crate::violation::{CheckStopped, Violation};

/// Stands in for a schema: requires an integer `n`, and rejects redacted values.
#[expect(clippy::unnecessary_wraps, reason = "a check may stop, but this one does not")]
fn schema_violations(payload: &RawJson) -> Result<Vec<Violation>, CheckStopped> {
    let mut broken = Vec::new();
    if payload.get("n").is_none_or(|n| n.as_str().parse::<i64>().is_err()) {
        broken.push(Violation::new("/n", "type", "must be of type integer"));
    }
    let names = payload.members().map(|member| member.key().into_owned());
    for name in names.filter(|name| name.contains("://")) {
        let pointer = format!("/{}", name.replace('/', "~1"));
        broken.push(Violation::new(pointer, "additionalProperties", "is not a known member"));
    }
    if payload.as_str().contains("[REDACTED]") {
        broken.push(Violation::new("/key", "pattern", "must match the pattern ^AKIA"));
    }
    Ok(broken)
}

fn strict() -> Settings<'static> {
    Settings { output_check: Some(OutputCheck::strict(&schema_violations)), ..Settings::default() }
}

fn lenient() -> Settings<'static> {
    Settings { output_check: Some(OutputCheck::new(&schema_violations)), ..Settings::default() }
}

fn answer_observation(json: &str) -> Observation {
    Observation::new(Observed::Answered(RawJson::parse(json.to_owned()).unwrap()))
}

fn seal_observation(
    observation: Observation,
    contract: Contract,
    settings: &Settings<'_>,
) -> Reply {
    let context = Context::new([0; 16]);
    render(&prepare(observation, settings, &context), contract, &context)
}

fn classify_and_check(observation: Observation, settings: &Settings<'_>) -> Box<Outcome> {
    let Settings { media, speaks, output_check, .. } = *settings;
    let outcome = classify(observation, media, speaks, &Context::new([0; 16]));
    check_output(outcome, output_check)
}

#[track_caller]
fn failure_of(outcome: &Outcome) -> (&'static str, String) {
    let Ended::Failed { failures, partial } = &outcome.ended else { panic!("{outcome:?}") };
    assert_eq!(*partial, Payload::Absent);
    let failure = failures.first();
    (failure.code.name(), failure.message.clone().into_owned())
}

#[test]
fn a_matching_payload_is_unchanged() {
    for settings in [strict(), lenient(), Settings::default()] {
        let outcome = classify_and_check(answer_observation(r#"{"n": 7}"#), &settings);
        assert!(matches!(outcome.ended, Ended::Done(Payload::Json(_))));
        assert!(outcome.notes.warnings.is_empty());
    }
}

#[test]
fn a_strict_check_replaces_a_mismatch_by_a_failure_without_payload() {
    let observation = || answer_observation(r#"{"n": "seven-leagues"}"#);
    let outcome = classify_and_check(observation(), &strict());
    let (code, message) = failure_of(&outcome);
    assert_eq!(code, "INVALID_TOOL_OUTPUT");
    let expected = "The result does not match the tool's output schema: /n must be of type integer";
    assert_eq!(message, expected);
    assert!(outcome.notes.warnings.is_empty(), "a failure needs no additional warning");
    for contract in Contract::ALL {
        let reply = seal_observation(observation(), contract, &strict());
        assert_eq!((reply.code, reply.is_error), (Some(Code::InvalidToolOutput), true));
        let text = reply.envelope.to_string();
        assert!(!text.contains("seven-leagues"), "{contract}: {text}");
        assert!(text.contains("must be of type integer"), "{contract}: {text}");
    }
    let reply = seal_observation(observation(), Contract::ResponseV2, &strict());
    let details = reply.envelope.get("data").and_then(|data| data.get("details")).unwrap();
    let violation = r#"{"pointer":"/n","rule":"type","message":"must be of type integer"}"#;
    assert_eq!(details.to_string(), format!(r#"{{"violations":[{violation}]}}"#));
}

#[test]
fn a_lenient_check_adds_a_warning() {
    let reply =
        seal_observation(answer_observation(r#"{"n": "seven"}"#), Contract::ResponseV2, &lenient());
    let text = reply.envelope.to_string();
    assert!(!reply.is_error && text.contains("seven"), "{text}");
    assert!(text.contains("OUTPUT_SCHEMA_MISMATCH"), "{text}");
    let reply = seal_observation(
        answer_observation(r#"{"n": "seven"}"#),
        Contract::ResponseV2,
        &Settings::default(),
    );
    assert!(!reply.envelope.to_string().contains("OUTPUT_SCHEMA_MISMATCH"));
}

#[test]
fn absent_text_and_media_payloads_are_refused_like_json() {
    let settings = Settings { media: Media::Beside, ..strict() };
    let image = r#"{"type": "image", "data": "AAAA", "mimeType": "image/png"}"#;
    for (content, expected) in [
        (String::new(), "the tool returned nothing"),
        (r#"{"type": "text", "text": "seven"}"#.to_owned(), "must be of type integer"),
        (image.to_owned(), "must be of type integer"),
    ] {
        let result = McpResult::from_json(format!(r#"{{"content": [{content}]}}"#)).unwrap();
        let observation = Observation::new(Observed::Mcp(result));
        let outcome = classify_and_check(observation, &settings);
        assert!(failure_of(&outcome).1.contains(expected), "{content}");
        assert!(outcome.blocks.is_empty(), "an image is part of the result");
    }
}

#[test]
fn a_failure_is_not_checked() {
    let observation = answer_observation(r#"{"success": false, "error": "file not found"}"#);
    let reply = seal_observation(observation, Contract::ResponseV2, &strict());
    assert_eq!(reply.code, Some(Code::NotFound));
}

#[test]
fn an_envelope_is_refused_in_every_contract() {
    let envelope = r#"{"schema_version": "mcp.envelope.v0.1", "result": {"n": "seven"},
        "warnings": [{"code": "STALE", "message": "old"}]}"#;
    for contract in Contract::ALL {
        let reply = seal_observation(answer_observation(envelope), contract, &strict());
        assert_eq!(reply.code, Some(Code::InvalidToolOutput), "{contract}");
        assert!(!reply.envelope.to_string().contains("seven"), "{contract}");
    }
}

#[test]
fn violations_hold_no_secrets() {
    let observation = || answer_observation(r#"{"n": 1, "postgres://me:hunter2secret@host/x": 1}"#);
    for settings in [strict(), lenient()] {
        for contract in Contract::ALL {
            let text = seal_observation(observation(), contract, &settings).envelope.to_string();
            assert!(!text.contains("hunter2secret"), "{contract}: {text}");
        }
    }
    let reply = seal_observation(observation(), Contract::ResponseV2, &strict());
    assert!(reply.envelope.to_string().contains("/postgres:~1~1me:"), "{}", reply.envelope);
}

const WITH_SECRET: &str = r#"{"n":1,"key":"AKIAIOSFODNN7REDACTE"}"#;

#[test]
fn a_mismatch_caused_by_redaction_is_refused() {
    let reply = seal_observation(answer_observation(WITH_SECRET), Contract::ResponseV2, &strict());
    assert_eq!(reply.code, Some(Code::InvalidToolOutput));
    let text = reply.envelope.to_string();
    assert!(text.contains("With its secrets redacted, the result does not match"), "{text}");
    assert!(text.contains("Ask the operator"), "{text}");
    let reply = seal_observation(answer_observation(WITH_SECRET), Contract::ResponseV2, &lenient());
    assert_eq!(reply.code, None);
    assert!(reply.envelope.to_string().contains("OUTPUT_SCHEMA_MISMATCH"));
    // The tool's own warning does not prevent the refusal.
    let envelope = format!(
        r#"{{"schema_version": "mcp.envelope.v0.1", "result": {WITH_SECRET},
        "warnings": [{{"code": "OUTPUT_SCHEMA_MISMATCH", "message": "sorry"}}]}}"#
    );
    let reply =
        seal_observation(answer_observation(&envelope), Contract::McpEnvelopeV01, &strict());
    assert_eq!(reply.code, Some(Code::InvalidToolOutput), "{}", reply.envelope);
}

#[test]
fn a_passed_through_envelope_is_not_refused_for_unredacted_secrets() {
    let envelope = format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{WITH_SECRET}}}"#);
    let settings = Settings { passthrough: Some(Contract::McpEnvelopeV01), ..strict() };
    let reply =
        seal_observation(answer_observation(&envelope), Contract::McpEnvelopeV01, &settings);
    assert_eq!((reply.code, reply.envelope.to_string()), (None, envelope));
}
