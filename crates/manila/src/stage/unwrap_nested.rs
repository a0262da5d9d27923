//! Unwrap nested: how an answer that came as an envelope reads in another contract.
//!
//! An envelope is believed as far as its own contract goes. In another contract its payload is
//! classified again: an envelope inside it is opened, and a payload that says that it failed has
//! failed, whatever was put around it. This happens before redaction, so that a contract only
//! chooses between the two readings.

use crate::contract::{Reading, read, recognise, unmarked};
use crate::outcome::{Ended, Losses, Outcome, Payload, Unwrapped};
use crate::raw_json::RawJson;
use crate::stage::classify::answered;
use crate::subject::Contract;

/// How many envelopes around each other are opened.
const LEVELS_MAX: usize = 4;

/// Notes how `outcome` reads in another contract than the one it came in, if that differs.
#[must_use]
pub fn unwrap_nested(mut outcome: Box<Outcome>) -> Box<Outcome> {
    if outcome.came_in.is_none() {
        return outcome;
    }
    let mut losses = Losses::default();
    if let Some(ended) = unwrap(&outcome.ended, LEVELS_MAX, &mut losses) {
        let unread = Losses::from(outcome.unread.clone()).and(losses).into_vec();
        outcome.unwrapped = Some(Box::new(Unwrapped { ended, unread }));
    }
    outcome
}

/// How the call ended; `None` if that is what the envelope says.
fn unwrap(told: &Ended, n_levels: usize, losses: &mut Losses) -> Option<Ended> {
    let (Ended::Done(payload) | Ended::Failed { partial: payload, .. }) = told;
    let Payload::Json(json) = payload else { return None };
    let inner = recognise(json);
    match told {
        Ended::Failed { failures, .. } => {
            inner?;
            losses.add("payload", "an envelope that was left stands one level deeper");
            let partial = Payload::Json(unmarked(json.clone()));
            Some(Ended::Failed { failures: failures.clone(), partial })
        }
        Ended::Done(_) => match inner {
            None if json.says_failed() => {
                losses.add("success", "the payload says that it failed, and counts more");
                Some(answered(json.clone()))
            }
            None => None,
            Some(inner) => Some(open(json, inner, n_levels, losses)),
        },
    }
}

/// How a call ended whose envelope held this one: as the inner one says.
fn open(json: &RawJson, contract: Contract, n_levels: usize, losses: &mut Losses) -> Ended {
    let n_more = n_levels.checked_sub(1);
    if let (Some(n_more), Ok(Reading { outcome, .. })) = (n_more, read(contract, json)) {
        losses.add("envelope", "of the one inside another one only how it ended is told");
        return unwrap(&outcome.ended, n_more, losses).unwrap_or(outcome.ended);
    }
    losses.add("payload", "an envelope that cannot be read stands one level deeper");
    Ended::Done(Payload::Json(unmarked(json.clone())))
}

#[cfg(test)]
mod tests;
