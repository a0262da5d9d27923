//! What an envelope said, on its way into another contract.
//!
//! An envelope is believed as far as its own contract goes. In another one its payload is looked at
//! again: there it must not be an envelope in an envelope, and a payload that says that it failed
//! has failed, whatever was put around it.

use std::borrow::Cow;

use super::{Contract, Losses, Reading, read, recognise};
use crate::outcome::{Ended, Outcome, Payload};
use crate::raw_json::{JsonObject, RawJson};
use crate::stage::classify::answered;

/// How many envelopes around each other are opened.
const LEVELS_MAX: usize = 4;

/// The outcome as `contract` has to tell it. It is the same, unless it came in another one.
pub(super) fn settled(outcome: &Outcome, contract: Contract) -> Cow<'_, Outcome> {
    if outcome.came_in.is_none_or(|own| own == contract) {
        return Cow::Borrowed(outcome);
    }
    let mut losses = Losses::from(outcome.unread.clone());
    match ended(&outcome.ended, LEVELS_MAX, &mut losses) {
        None => Cow::Borrowed(outcome),
        Some(ended) => {
            let unread = losses.into_vec();
            Cow::Owned(Outcome { ended, unread, ..outcome.clone() })
        }
    }
}

/// How it ended; `None` if that is as it was told.
fn ended(told: &Ended, n_levels: usize, losses: &mut Losses) -> Option<Ended> {
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
            Some(inner) => Some(opened(json, inner, n_levels, losses)),
        },
    }
}

/// How a call ended whose envelope held this one: as the inner one says.
fn opened(json: &RawJson, contract: Contract, n_levels: usize, losses: &mut Losses) -> Ended {
    let n_more = n_levels.checked_sub(1);
    if let (Some(n_more), Ok(Reading { outcome, .. })) = (n_more, read(contract, json)) {
        losses.add("envelope", "of the one inside another one only how it ended is told");
        return ended(&outcome.ended, n_more, losses).unwrap_or(outcome.ended);
    }
    losses.add("payload", "an envelope that cannot be read stands one level deeper");
    Ended::Done(Payload::Json(unmarked(json.clone())))
}

/// A value that must not be taken for an envelope stands one level deeper, as the answer that it
/// was.
pub(crate) fn unmarked(json: RawJson) -> RawJson {
    match recognise(&json) {
        Some(_) => JsonObject::build(|object| object.member("answer", &json)).into(),
        None => json,
    }
}
