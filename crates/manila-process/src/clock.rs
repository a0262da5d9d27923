//! The clock: the only module that reads the time.

use std::time::{SystemTime, UNIX_EPOCH};

use manila::Timestamp;
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
pub fn timestamp() -> Timestamp {
    // A clock before 1970 is not set.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
