//! Fit: drop content until the outcome is within the caller's budget.
//!
//! The only stage that may drop content. It runs after redaction, so a cut can never leave half a
//! secret behind. It returns the dropped content, so that the caller can archive it.
//!
//! Not implemented yet: the only budget is [`Budget::Unlimited`], and nothing is dropped.

use crate::outcome::Payload;
use crate::prepared::redact::Redacted;

/// The maximum size of a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// No limit.
    #[default]
    Unlimited,
}

/// An outcome that has passed [`fit`], and the content that was dropped from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    redacted: Redacted,
    dropped: Vec<Dropped>,
}

/// A piece of content that was dropped.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Dropped {
    /// The id by which the response refers to it (R6).
    pub id: String,
    /// The content, redacted.
    pub payload: Payload,
}

impl Fitted {
    /// Returns the outcome without the dropped content.
    #[must_use]
    pub fn redacted(&self) -> &Redacted {
        &self.redacted
    }

    /// Returns the dropped content, in the order of the response.
    #[must_use]
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// Wraps an outcome from which nothing was dropped.
    fn complete(redacted: Redacted) -> Fitted {
        Fitted { redacted, dropped: Vec::new() }
    }
}

/// Drops content from `redacted` until the rest is within `budget`.
#[must_use]
pub fn fit(redacted: Redacted, budget: Budget) -> Fitted {
    match budget {
        Budget::Unlimited => Fitted::complete(redacted),
    }
}
