//! R9: gives the failure and the limits of a rate-limited call the same retry delay.

use std::time::Duration;

use crate::catalogue::Code;
use crate::outcome::{Failure, Notes, parse_seconds, seconds};
use crate::raw_json::JsonObject;

/// Copies the retry delay, if it is known, to the failure and `rate_limit`, and to a new hint if
/// the failure has none.
pub(super) fn resolve_delay(failure: &mut Failure, notes: &mut Notes) {
    if failure.code != Code::RateLimited {
        return;
    }
    let in_data = || {
        let names = ["retry_after_seconds", "retry_after"].into_iter();
        names.filter_map(|name| failure.data.get(name)).find_map(|value| parse_seconds(&value))
    };
    let in_limits = || parse_seconds(&notes.rate_limit.as_ref()?.get("retry_after")?);
    failure.retry_after = failure.retry_after.or_else(in_data).or_else(in_limits);
    let Some(delay) = failure.retry_after else { return };
    let limits = notes.rate_limit.take().unwrap_or_default();
    let is_same =
        limits.get("retry_after").is_some_and(|known| parse_seconds(&known) == Some(delay));
    let limits = if is_same { limits } else { limits.without("retry_after") };
    notes.rate_limit = Some(limits.with_defaults(&JsonObject::build(|object| {
        object.member("retry_after", &seconds(delay));
    })));
    if failure.hint.is_none() {
        let seconds = seconds(delay);
        let unit = if delay == Duration::from_secs(1) { "second" } else { "seconds" };
        let hint = format!("Wait {seconds} {unit} before the next call, and make fewer of them");
        failure.hint = Some(hint.into());
    }
}
