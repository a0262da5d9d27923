//! Results that already are envelopes: they are read, and never wrapped again (P3).

use super::{Classified, fail};
use crate::catalogue::Code;
use crate::contract::{Reading, read, recognise, wrap_if_marked};
use crate::document_kind::Contract;
use crate::outcome::{
    Call, Ended, Failure, IdSource, Loss, Notes, Outcome, Payload, Provenance, Receipt, Verbatim,
};
use crate::raw_json::{JsonObject, Kind, RawJson};
use crate::report::{Finding, Grade};

/// The maximum number of violations to report for an envelope.
const FINDINGS_MAX: usize = 10;

/// Classifies a result that is an envelope, by its mark or because its tool is known to respond in
/// the contract `speaks`. Returns `None` if it is not an envelope.
pub(super) fn classify_envelope(json: &RawJson, speaks: Option<Contract>) -> Option<Classified> {
    let known = || speaks.filter(|_| json.kind() == Kind::Object);
    let contract = recognise(json).or_else(known)?;
    Some(match read(contract, json) {
        Ok(Reading { mut outcome, losses, .. }) => {
            outcome.unread = losses;
            let run = outcome.run.take();
            let ended = std::mem::replace(&mut outcome.ended, Ended::Done(Payload::Absent));
            Classified { run, envelope: Some(Box::new(outcome)), ..Classified::from_ended(ended) }
        }
        Err(findings) => {
            // The partial result must not look like an envelope inside the next envelope.
            let partial = Payload::Json(wrap_if_marked(json.clone()));
            Classified::from_ended(fail(broken_envelope(contract, &findings), partial))
        }
    })
}

/// P3: returns the failure for an envelope that breaks its contract, which is invalid output.
fn broken_envelope(contract: Contract, findings: &[Finding]) -> Failure {
    let violations = findings.iter().filter(|it| it.grade == Grade::Violation);
    let violations: Vec<&Finding> = violations.take(FINDINGS_MAX).collect();
    // Not truncated, because a rule may not recognise a secret that was cut.
    let first = violations.first().map(|first| {
        let clause = first.clause.unwrap_or("JSON");
        format!(": {clause} {} {} ({})", first.pointer, first.message, first.rule)
    });
    let first = first.unwrap_or_default();
    let message = format!("The tool's result does not conform to {contract}{first}");
    let mut failure = Failure::new(Code::InvalidToolOutput, message);
    failure.details = JsonObject::build(|object| {
        object.member("contract", contract.id());
        object.member("violations", &violations);
    });
    failure
}

/// The facts of an envelope, except the end of the call.
#[derive(Default)]
pub(super) struct EnvelopeFacts {
    pub(super) receipt: Receipt,
    pub(super) provenance: Provenance,
    pub(super) source_contract: Option<Contract>,
    pub(super) verbatim: Option<Verbatim>,
    pub(super) unread: Vec<Loss>,
}

/// Merges the envelope's facts into those that are known about the call.
///
/// The caller's request id and `deterministic` take precedence; otherwise the envelope's facts do.
/// With further warnings, hints, metadata or extra keys, the envelope cannot be sent unchanged.
pub(super) fn merge(envelope: Outcome, call: &mut Call, notes: &mut Notes) -> EnvelopeFacts {
    let Outcome {
        call: envelope_call,
        ended: _,
        run: _,
        blocks: _,
        notes: mut merged,
        receipt,
        provenance,
        source_contract,
        verbatim,
        unread,
        unwrapped: _,
    } = envelope;
    let has_tier = source_contract == Some(Contract::EnvelopeV1);
    let has_callers_id = call.request_id.is_some();
    *call = Call {
        tool_id: envelope_call.tool_id.or(call.tool_id.take()),
        tool_version: envelope_call.tool_version.or(call.tool_version.take()),
        request_id: call.request_id.take().or(envelope_call.request_id),
        tier: if has_tier { envelope_call.tier } else { call.tier },
        duration: envelope_call.duration.or(call.duration),
        deterministic: call.deterministic.or(envelope_call.deterministic),
        capabilities: envelope_call.capabilities.or(call.capabilities.take()),
        id_source: if has_callers_id { IdSource::Caller } else { IdSource::Tool },
    };
    let has_more_facts = !notes.warnings.is_empty()
        || !notes.upgrade_hints.is_empty()
        || !notes.metadata.is_empty()
        || !notes.meta.is_empty();
    merged.warnings.append(&mut notes.warnings);
    merged.pagination = merged.pagination.or(notes.pagination.take());
    merged.rate_limit = merged.rate_limit.or(notes.rate_limit.take());
    merged.telemetry = merged.telemetry.or(notes.telemetry.take());
    merged.upgrade_hints.append(&mut notes.upgrade_hints);
    let is_free = |name: &str| merged.metadata.iter().all(|(used, _)| used != name);
    let more: Vec<_> = notes.metadata.drain(..).filter(|(name, _)| is_free(name)).collect();
    merged.metadata.extend(more);
    merged.meta = merged.meta.with_defaults(&notes.meta);
    *notes = merged;
    let verbatim = verbatim.filter(|_| !has_more_facts);
    EnvelopeFacts { receipt, provenance, source_contract, verbatim, unread }
}
