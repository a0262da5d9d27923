//! What a pure library cannot know by itself.

use std::time::Duration;

/// What a pure library cannot know by itself.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Context {
    /// The bytes of a fresh UUID, from which each contract spells ids in its own way.
    /// For deterministic answers, the bytes of [`deterministic_id`](crate::deterministic_id).
    pub fresh: [u8; 16],
    /// How long the call took, for observations that do not say it themselves.
    pub elapsed: Option<Duration>,
}

impl Context {
    /// A context with this fresh UUID and nothing else.
    #[must_use]
    pub fn new(fresh: [u8; 16]) -> Context {
        Context { fresh, elapsed: None }
    }

    /// With the time that the call took.
    #[must_use]
    pub fn elapsed(mut self, elapsed: Duration) -> Context {
        self.elapsed = Some(elapsed);
        self
    }

    /// The fresh UUID as 32 lower-case hex digits.
    pub(crate) fn fresh_hex(&self) -> String {
        crate::ids::hex(&self.fresh)
    }
}
