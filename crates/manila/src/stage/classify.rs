//! Classify: give an observation its code.
//!
//! This is the only stage that may name failures. It is total: every observation becomes an
//! outcome, and no later stage can fail.

use std::collections::BTreeSet;

use crate::context::Context;
use crate::document_kind::Contract;
use crate::observed::{Observation, Observed};
use crate::outcome::{Call, Ended, Failure, NonEmpty, Notes, Outcome, Payload, Run, non_blank};
use crate::raw_json::RawJson;

mod answer;
mod command;
mod delay;
mod envelope;
mod mcp;
mod naming;
mod refusal;

pub(crate) use answer::classify_answer;
use envelope::EnvelopeFacts;
pub(crate) use mcp::payload_of;
pub use naming::code_from_text;

/// The place of an MCP result's media blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Media {
    /// In the payload, for responses outside of MCP.
    #[default]
    Inline,
    /// Beside the envelope, for MCP responses. The payload refers to the block.
    Beside,
}

/// Classifies an observation.
///
/// `speaks` is the contract in which the tool is known to respond. Only a contract without a mark
/// needs it; the others are recognised.
#[must_use]
pub fn classify(
    observation: Observation,
    media: Media,
    speaks: Option<Contract>,
    context: &Context,
) -> Box<Outcome> {
    let Observation { mut call, observed, mut notes } = observation;
    call.duration = call.duration.or(context.elapsed);
    resolve_request_id(&mut call, &mut notes);
    let mut classified = match observed {
        Observed::Answered(json) => envelope::classify_envelope(&json, speaks)
            .unwrap_or_else(|| Classified::from_ended(classify_answer(json))),
        Observed::Said(text) => Classified::from_ended(Ended::Done(text.into_payload())),
        Observed::Mcp(result) => mcp::classify_result(result, media, speaks),
        Observed::Exited(exited) => command::classify_exited(exited, &mut notes),
        Observed::Failed(failed) => refusal::classify_failed(*failed),
        Observed::Invalid(invalid) => refusal::classify_invalid(invalid, call.tool_id.as_deref()),
        Observed::Unavailable(missing) => refusal::classify_unavailable(missing),
        Observed::Conflict(conflict) => refusal::classify_conflict(&conflict),
        Observed::Cancelled(cancelled) => command::classify_cancelled(cancelled),
        Observed::TimedOut(timed_out) => command::classify_timed_out(timed_out),
        Observed::RateLimited(limited) => refusal::classify_rate_limited(&limited, &mut notes),
        Observed::TierRequired(required) => refusal::classify_tier_required(required, &mut notes),
        Observed::FeatureDisabled { feature } => refusal::classify_feature_disabled(&feature),
    };
    let envelope = classified.envelope.take();
    let envelope = envelope.map(|envelope| envelope::merge(*envelope, &mut call, &mut notes));
    let EnvelopeFacts { receipt, provenance, source_contract, verbatim, unread } =
        envelope.unwrap_or_default();
    if let Ended::Failed { failures, .. } = &mut classified.ended
        && verbatim.is_none()
    {
        delay::resolve_delay(failures.first_mut(), &mut notes);
    }
    // E9: one hint per feature.
    let mut features = BTreeSet::new();
    notes.upgrade_hints.retain(|hint| features.insert(hint.feature.clone()));
    let Classified { ended, run, blocks, envelope: _ } = classified;
    // Boxed, because every stage moves the outcome, and moving a box is cheap.
    Box::new(Outcome {
        call,
        ended,
        run,
        blocks,
        notes,
        receipt,
        provenance,
        source_contract,
        verbatim,
        unread,
        unwrapped: None,
    })
}

/// R5: the caller's id takes precedence over a `request_id` among the extra keys.
fn resolve_request_id(call: &mut Call, notes: &mut Notes) {
    call.request_id = non_blank(call.request_id.as_deref()).map(str::to_owned);
    if call.request_id.is_some() {
        return;
    }
    let extra = notes.meta.get("request_id");
    if let Some(id) = extra.as_ref().and_then(RawJson::as_exact_text) {
        call.request_id = non_blank(Some(&id)).map(str::to_owned);
        notes.meta = notes.meta.without("request_id");
    }
}

/// The part of an outcome that depends on the kind of observation.
struct Classified {
    ended: Ended,
    run: Option<Run>,
    blocks: Vec<RawJson>,
    /// The other facts of a result that already was an envelope.
    envelope: Option<Box<Outcome>>,
}

impl Classified {
    fn from_ended(ended: Ended) -> Classified {
        Classified { ended, run: None, blocks: Vec::new(), envelope: None }
    }

    fn from_failure(failure: Failure) -> Classified {
        Classified::from_ended(fail(failure, Payload::Absent))
    }

    fn with_run(self, run: Run) -> Classified {
        Classified { run: Some(run), ..self }
    }
}

fn fail(failure: Failure, partial: Payload) -> Ended {
    Ended::Failed { failures: NonEmpty::one(failure), partial }
}
