//! Unwrap nested: classify the payload of an envelope again, for other contracts.
//!
//! In its own contract, an envelope keeps the outcome that it reports. For any other contract its
//! payload is classified again. A nested envelope is opened, and a payload that reports a failure
//! is a failure, even in an envelope that reports success. This happens before redaction, so that a
//! contract only chooses between the two readings.

use crate::contract::{Reading, read, recognise, wrap_if_marked};
use crate::document_kind::Contract;
use crate::outcome::{Ended, Losses, Outcome, Payload, Unwrapped};
use crate::raw_json::RawJson;
use crate::stage::classify::classify_answer;

/// The maximum number of nested envelopes to open.
const LEVELS_MAX: usize = 4;

/// Stores the second reading of `outcome`, for contracts other than its own, if it differs.
#[must_use]
pub fn unwrap_nested(mut outcome: Box<Outcome>) -> Box<Outcome> {
    if outcome.source_contract.is_none() {
        return outcome;
    }
    let mut losses = Losses::default();
    if let Some(ended) = unwrap(&outcome.ended, LEVELS_MAX, &mut losses) {
        let unread = Losses::from(outcome.unread.clone()).and(losses).into_vec();
        outcome.unwrapped = Some(Box::new(Unwrapped { ended, unread }));
    }
    outcome
}

/// Returns the end of the call as other contracts see it; `None` if it does not differ.
fn unwrap(ended: &Ended, n_levels: usize, losses: &mut Losses) -> Option<Ended> {
    let (Ended::Done(payload) | Ended::Failed { partial: payload, .. }) = ended;
    let Payload::Json(json) = payload else { return None };
    let inner = recognise(json);
    match ended {
        Ended::Failed { failures, .. } => {
            inner?;
            losses.add("payload", "an envelope in the partial result is nested one level deeper");
            let partial = Payload::Json(wrap_if_marked(json.clone()));
            Some(Ended::Failed { failures: failures.clone(), partial })
        }
        Ended::Done(_) => match inner {
            None if json.reports_failure() => {
                losses.add("success", "the payload reports a failure, which takes precedence");
                Some(classify_answer(json.clone()))
            }
            None => None,
            Some(inner) => Some(open(json, inner, n_levels, losses)),
        },
    }
}

/// Opens a nested envelope, and returns the end of the call that it reports. One that cannot be
/// read is wrapped.
fn open(json: &RawJson, contract: Contract, n_levels: usize, losses: &mut Losses) -> Ended {
    let n_left = n_levels.checked_sub(1);
    if let (Some(n_left), Ok(Reading { outcome, .. })) = (n_left, read(contract, json)) {
        losses.add("envelope", "only the result of a nested envelope is kept");
        return unwrap(&outcome.ended, n_left, losses).unwrap_or(outcome.ended);
    }
    losses.add("payload", "an envelope that cannot be read is nested one level deeper");
    Ended::Done(Payload::Json(wrap_if_marked(json.clone())))
}

#[cfg(test)]
mod tests;
