//! R9: how long to wait after too many calls, told by everybody in the same way.

use std::time::Duration;

use crate::catalogue::Code;
use crate::outcome::{Failure, Notes, seconds};
use crate::raw_json::{JsonObject, RawJson};

/// Whoever knows the delay of a rate limit tells the others.
pub(super) fn settle(failure: &mut Failure, notes: &mut Notes) {
    if failure.code != Code::RateLimited {
        return;
    }
    let in_data = || read(failure.data.get("retry_after_seconds").as_ref());
    let in_limits = || read(notes.rate_limit.as_ref()?.get("retry_after").as_ref());
    failure.retry_after = failure.retry_after.or_else(in_data).or_else(in_limits);
    let Some(delay) = failure.retry_after else { return };
    let limits = notes.rate_limit.take().unwrap_or_default();
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

/// A number of seconds.
pub(super) fn read(value: Option<&RawJson>) -> Option<Duration> {
    Duration::try_from_secs_f64(value?.as_str().parse().ok()?).ok()
}
