//! The clock: the one place where time comes in.

use std::time::{SystemTime, UNIX_EPOCH};

use manila::Moment;
use tokio::time::Instant;

/// Returns the current time of the monotonic clock.
#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
#[must_use]
pub fn now() -> Instant {
    std::time::Instant::now().into()
}

/// Returns the time of day.
#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
#[must_use]
pub fn moment() -> Moment {
    // A clock that stands before 1970 is not set at all.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
