//! Answers that already are envelopes: they are read, and never wrapped again (P3).

use super::{Seen, failed};
use crate::catalogue::Code;
use crate::contract::{Reading, read, recognise, unmarked};
use crate::outcome::{
    Call, Ended, Failure, IdSource, Loss, Notes, Outcome, Payload, Provenance, Receipt, Verbatim,
};
use crate::raw_json::{JsonObject, Kind, RawJson};
use crate::report::{Finding, Grade};
use crate::subject::Contract;

/// How many broken rules of an envelope are told.
const FINDINGS_MAX: usize = 10;

/// What an answer says that is an envelope: by its mark, or because its tool is known to answer
/// in this contract. `None` if it is something else.
pub(super) fn seen(json: &RawJson, speaks: Option<Contract>) -> Option<Seen> {
    let spoken = || speaks.filter(|_| json.kind() == Kind::Object);
    let contract = recognise(json).or_else(spoken)?;
    Some(match read(contract, json) {
        Ok(Reading { mut outcome, losses, .. }) => {
            outcome.unread = losses;
            let run = outcome.run.take();
            let ended = std::mem::replace(&mut outcome.ended, Ended::Done(Payload::Absent));
            Seen { run, envelope: Some(Box::new(outcome)), ..Seen::ended(ended) }
        }
        Err(findings) => {
            // What a failed call left must not look like an envelope in the next one.
            let left = Payload::Json(unmarked(json.clone()));
            Seen::ended(failed(broken(contract, &findings), left))
        }
    })
}

/// P3: an envelope that breaks its contract is no valid output.
fn broken(contract: Contract, findings: &[Finding]) -> Failure {
    let violations = findings.iter().filter(|it| it.grade == Grade::Violation);
    let violations: Vec<&Finding> = violations.take(FINDINGS_MAX).collect();
    // Whole, because whatever is cut here could not be redacted any more.
    let first = violations.first().map(|first| {
        let clause = first.clause.unwrap_or("JSON");
        format!(": {clause} {} {} ({})", first.pointer, first.message, first.rule)
    });
    let first = first.unwrap_or_default();
    let message = format!("The tool's answer breaks {contract}{first}");
    let mut failure = Failure::new(Code::InvalidToolOutput, message);
    failure.details = JsonObject::build(|object| {
        object.member("contract", contract.id());
        object.member("violations", &violations);
    });
    failure
}

/// What an envelope says beside how the call ended.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) receipt: Receipt,
    pub(super) provenance: Provenance,
    pub(super) came_in: Option<Contract>,
    pub(super) verbatim: Option<Verbatim>,
    pub(super) unread: Vec<Loss>,
}

/// What the envelope knows about the call, and what is known around it. The caller's own id
/// counts most; else the tool knows best. What must be told beside the envelope's own words
/// cannot be told in an envelope that stays as it is.
pub(super) fn merge(own: Outcome, call: &mut Call, notes: &mut Notes) -> Merged {
    let Outcome {
        call: told,
        ended: _,
        run: _,
        blocks: _,
        notes: mut told_notes,
        receipt,
        provenance,
        came_in,
        verbatim,
        unread,
        unwrapped: _,
    } = own;
    let has_tier = came_in == Some(Contract::EnvelopeV1);
    let has_callers_id = call.request_id.is_some();
    *call = Call {
        tool_id: told.tool_id.or(call.tool_id.take()),
        tool_version: told.tool_version.or(call.tool_version.take()),
        request_id: call.request_id.take().or(told.request_id),
        tier: if has_tier { told.tier } else { call.tier },
        duration: told.duration.or(call.duration),
        deterministic: call.deterministic.or(told.deterministic),
        capabilities: told.capabilities.or(call.capabilities.take()),
        id_source: if has_callers_id { IdSource::Caller } else { IdSource::Tool },
    };
    let says_more = !notes.warnings.is_empty()
        || !notes.upgrade_hints.is_empty()
        || !notes.metadata.is_empty()
        || !notes.meta.is_empty();
    told_notes.warnings.append(&mut notes.warnings);
    told_notes.pagination = told_notes.pagination.or(notes.pagination.take());
    told_notes.rate_limit = told_notes.rate_limit.or(notes.rate_limit.take());
    told_notes.telemetry = told_notes.telemetry.or(notes.telemetry.take());
    told_notes.upgrade_hints.append(&mut notes.upgrade_hints);
    let is_free = |name: &str| told_notes.metadata.iter().all(|(told, _)| told != name);
    let more: Vec<_> = notes.metadata.drain(..).filter(|(name, _)| is_free(name)).collect();
    told_notes.metadata.extend(more);
    told_notes.meta = told_notes.meta.with_defaults(&notes.meta);
    *notes = told_notes;
    let verbatim = verbatim.filter(|_| !says_more);
    Merged { receipt, provenance, came_in, verbatim, unread }
}
