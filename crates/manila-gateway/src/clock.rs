//! The clock and the lot: the one place where time and chance come in.

use tokio::time::Instant;

#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
pub(crate) fn now() -> Instant {
    std::time::Instant::now().into()
}

/// The bytes of a fresh random id.
pub(crate) fn fresh() -> [u8; 16] {
    uuid::Uuid::new_v4().into_bytes()
}
