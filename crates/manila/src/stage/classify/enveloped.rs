//! Answers that already are envelopes: they are read, and never wrapped again (P3).

use super::{Seen, failed};
use crate::catalogue::Code;
use crate::check::{Finding, Grade};
use crate::contract::{Contract, read, recognise};
use crate::outcome::{Call, Failure, Notes, Outcome, Payload, Provenance, Receipt};
use crate::raw_json::{JsonObject, Kind, RawJson};

/// How many broken rules of an envelope are told.
const FINDINGS_MAX: usize = 10;

/// What an answer says that is an envelope: by its mark, or because its tool is known to answer
/// in this contract. `None` if it is something else.
pub(super) fn seen(json: &RawJson, speaks: Option<Contract>) -> Option<Seen> {
    let spoken = || speaks.filter(|_| json.kind() == Kind::Object);
    let contract = recognise(json).or_else(spoken)?;
    Some(match read(contract, json) {
        Ok(reading) => {
            let mut outcome = reading.outcome;
            let (run, blocks) = (outcome.run.take(), Vec::new());
            let empty = super::Ended::Done(Payload::Absent);
            let ended = std::mem::replace(&mut outcome.ended, empty);
            Seen { ended, run, blocks, envelope: Some(Box::new(outcome)) }
        }
        Err(findings) => Seen::ended(failed(
            broken(contract, &findings),
            // As text: what breaks its contract must not look as if it kept it.
            Payload::Text(json.to_string()),
        )),
    })
}

/// P3: an envelope that breaks its contract is no valid output.
fn broken(contract: Contract, findings: &[Finding]) -> Failure {
    let violations = findings.iter().filter(|it| it.grade == Grade::Violation);
    let violations: Vec<&Finding> = violations.take(FINDINGS_MAX).collect();
    let first = violations.first().map(|first| format!(": {first}")).unwrap_or_default();
    let message = format!("The tool's answer breaks {contract}{first}");
    let mut failure = Failure::new(Code::InvalidToolOutput, message);
    failure.details = JsonObject::build(|object| {
        object.member("contract", contract.id());
        object.member("violations", &violations);
    });
    failure
}

/// What the envelope knows about the call, and what is known around it. The caller's own id
/// counts most; else the tool knows best.
pub(super) fn merge(
    own: Outcome,
    call: &mut Call,
    notes: &mut Notes,
) -> (Receipt, Provenance, Option<(Contract, RawJson)>) {
    let Outcome {
        call: told,
        ended: _,
        run: _,
        blocks: _,
        notes: mut told_notes,
        receipt,
        provenance,
        verbatim,
    } = own;
    let has_tier = matches!(verbatim, Some((Contract::EnvelopeV1, _)));
    *call = Call {
        tool_id: told.tool_id.or(call.tool_id.take()),
        tool_version: told.tool_version.or(call.tool_version.take()),
        request_id: call.request_id.take().or(told.request_id),
        tier: if has_tier { told.tier } else { call.tier },
        duration: told.duration.or(call.duration),
        deterministic: call.deterministic.or(told.deterministic),
        capabilities: told.capabilities.or(call.capabilities.take()),
    };
    told_notes.warnings.append(&mut notes.warnings);
    told_notes.pagination = told_notes.pagination.or(notes.pagination.take());
    told_notes.rate_limit = told_notes.rate_limit.or(notes.rate_limit.take());
    told_notes.telemetry = told_notes.telemetry.or(notes.telemetry.take());
    told_notes.upgrade_hints.append(&mut notes.upgrade_hints);
    let are_free = |name: &str| told_notes.metadata.iter().all(|(told, _)| told != name);
    let more: Vec<_> = notes.metadata.drain(..).filter(|(name, _)| are_free(name)).collect();
    told_notes.metadata.extend(more);
    told_notes.meta = told_notes.meta.with_defaults(&notes.meta);
    *notes = told_notes;
    (receipt, provenance, verbatim)
}
