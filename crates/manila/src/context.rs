//! The context of a call: facts that a pure library cannot obtain by itself.

use std::time::Duration;

/// Facts that a pure library cannot obtain by itself.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Context {
    /// The bytes of a fresh UUID, from which each contract derives its ids. For deterministic
    /// responses, the bytes of [`deterministic_id`](crate::deterministic_id).
    pub fresh: [u8; 16],
    /// The duration of the call, for observations that do not have one.
    pub elapsed: Option<Duration>,
}

impl Context {
    /// Creates a context with this fresh UUID and nothing else.
    #[must_use]
    pub fn new(fresh: [u8; 16]) -> Context {
        Context { fresh, elapsed: None }
    }

    /// Sets the duration of the call.
    #[must_use]
    pub fn with_elapsed(mut self, elapsed: Duration) -> Context {
        self.elapsed = Some(elapsed);
        self
    }

    /// Returns the fresh UUID as 32 lower-case hex digits.
    pub(crate) fn fresh_hex(&self) -> String {
        crate::ids::hex(&self.fresh)
    }
}
