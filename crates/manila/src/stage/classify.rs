//! Classify: give what was seen its name.
//!
//! This is the only stage that may name. It is total: whatever was seen becomes an
//! outcome, and nothing after it can fail.

use std::collections::BTreeSet;

use crate::context::Context;
use crate::observed::{Observation, Observed};
use crate::outcome::{Call, Ended, Failure, NonEmpty, Notes, Outcome, Payload, Run, said};
use crate::raw_json::RawJson;
use crate::subject::Contract;

mod answer;
mod command;
mod delay;
mod enveloped;
mod mcp;
mod naming;
mod refusal;

pub(crate) use answer::answered;
use enveloped::Merged;
pub use naming::code_from_text;

/// Where the media blocks of an MCP result go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Media {
    /// Off MCP: the block itself stands in the payload.
    #[default]
    Inline,
    /// On MCP: it stands beside the envelope, and the payload names it.
    Beside,
}

/// Names what was seen.
///
/// `speaks` is the contract that the tool is known to answer in. Only a contract without a mark
/// of its own needs it; the others are recognised.
#[must_use]
pub fn classify(
    observation: Observation,
    media: Media,
    speaks: Option<Contract>,
    context: &Context,
) -> Box<Outcome> {
    let Observation { mut call, observed, mut notes } = observation;
    call.duration = call.duration.or(context.elapsed);
    settle_request_id(&mut call, &mut notes);
    let mut seen = match observed {
        Observed::Answered(json) => {
            enveloped::seen(&json, speaks).unwrap_or_else(|| Seen::ended(answered(json)))
        }
        Observed::Said(text) => Seen::ended(Ended::Done(text.into_payload())),
        Observed::Mcp(result) => mcp::result(result, media, speaks),
        Observed::Exited(exited) => command::exited(exited, &mut notes),
        Observed::Failed(failed) => refusal::failed(*failed),
        Observed::Invalid(invalid) => refusal::invalid(invalid, call.tool_id.as_deref()),
        Observed::Unavailable(missing) => refusal::unavailable(missing),
        Observed::Conflict(conflict) => refusal::conflict(&conflict),
        Observed::Cancelled(cancelled) => command::cancelled(cancelled),
        Observed::TimedOut(timed_out) => command::timed_out(timed_out),
        Observed::RateLimited(limited) => refusal::rate_limited(&limited, &mut notes),
        Observed::TierRequired(required) => refusal::tier_required(required, &mut notes),
        Observed::FeatureDisabled { feature } => refusal::feature_disabled(&feature),
    };
    let envelope = seen.envelope.take().map(|own| enveloped::merge(*own, &mut call, &mut notes));
    let Merged { receipt, provenance, came_in, verbatim, unread } = envelope.unwrap_or_default();
    if let Ended::Failed { failures, .. } = &mut seen.ended
        && verbatim.is_none()
    {
        delay::settle(failures.first_mut(), &mut notes);
    }
    // E9: one hint for every feature.
    let mut features = BTreeSet::new();
    notes.upgrade_hints.retain(|hint| features.insert(hint.feature.clone()));
    let Seen { ended, run, blocks, envelope: _ } = seen;
    // The stages hand it on: a move of the box is cheap, one of the outcome is not.
    Box::new(Outcome {
        call,
        ended,
        run,
        blocks,
        notes,
        receipt,
        provenance,
        came_in,
        verbatim,
        unread,
        unwrapped: None,
    })
}

/// R5: the caller's own id wins over a `request_id` among the extra keys.
fn settle_request_id(call: &mut Call, notes: &mut Notes) {
    call.request_id = said(call.request_id.as_deref()).map(str::to_owned);
    if call.request_id.is_some() {
        return;
    }
    let extra = notes.meta.get("request_id");
    if let Some(id) = extra.as_ref().and_then(RawJson::as_exact_text) {
        call.request_id = said(Some(&id)).map(str::to_owned);
        notes.meta = notes.meta.without("request_id");
    }
}

/// What a kind of observation contributes to the outcome.
struct Seen {
    ended: Ended,
    run: Option<Run>,
    blocks: Vec<RawJson>,
    /// What else an answer said that already was an envelope.
    envelope: Option<Box<Outcome>>,
}

impl Seen {
    fn ended(ended: Ended) -> Seen {
        Seen { ended, run: None, blocks: Vec::new(), envelope: None }
    }

    fn failed(failure: Failure) -> Seen {
        Seen::ended(failed(failure, Payload::Absent))
    }

    fn with_run(self, run: Run) -> Seen {
        Seen { run: Some(run), ..self }
    }
}

fn failed(failure: Failure, partial: Payload) -> Ended {
    Ended::Failed { failures: NonEmpty::one(failure), partial }
}
