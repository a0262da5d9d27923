//! The clock and the lot: the one place where time and chance come in.

use std::time::{SystemTime, UNIX_EPOCH};

use manila::Moment;
use tokio::time::Instant;

#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
pub(crate) fn now() -> Instant {
    std::time::Instant::now().into()
}

/// What the clock on the wall shows.
#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
pub(crate) fn moment() -> Moment {
    // A clock that stands before 1970 is not set at all.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The bytes of a fresh random id.
pub(crate) fn fresh() -> [u8; 16] {
    uuid::Uuid::new_v4().into_bytes()
}

/// The bytes of a fresh id that comes after all that this process drew before.
pub(crate) fn fresh_in_order() -> [u8; 16] {
    uuid::Uuid::now_v7().into_bytes()
}
