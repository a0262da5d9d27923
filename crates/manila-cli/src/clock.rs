//! The clock: the one place that reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use manila::Moment;

#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
pub(crate) fn moment() -> Moment {
    // A clock that stands before 1970 is not set at all.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
