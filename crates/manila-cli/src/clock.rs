//! The system clock; no other module reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use manila::Timestamp;

/// Returns the current time.
#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
pub(crate) fn timestamp() -> Timestamp {
    // A clock before 1970 is unset.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
