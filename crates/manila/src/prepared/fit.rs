//! Fit: drop content until the outcome is within the caller's budget.
//!
//! The only stage that may lose content. It runs after redaction, so a cut can never leave half a
//! secret behind, and it returns what it dropped, so that the caller can archive it. Budgets other
//! than [`Budget::Unlimited`] come with the archive.

use crate::outcome::Payload;
use crate::prepared::redact::Redacted;

/// How much an answer may weigh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// As much as it weighs.
    #[default]
    Unlimited,
}

/// An outcome that has been through [`fit`], and what was dropped from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    redacted: Redacted,
    dropped: Vec<Dropped>,
}

/// A piece of content that was dropped.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Dropped {
    /// The id under which the answer names it (R6).
    pub id: String,
    /// The content, redacted.
    pub payload: Payload,
}

impl Fitted {
    /// The outcome without what was dropped.
    #[must_use]
    pub fn redacted(&self) -> &Redacted {
        &self.redacted
    }

    /// What was dropped, in the order of the answer.
    #[must_use]
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// An outcome from which nothing was dropped.
    fn whole(redacted: Redacted) -> Fitted {
        Fitted { redacted, dropped: Vec::new() }
    }
}

/// Drops content from `redacted` until the rest is within `budget`.
#[must_use]
pub fn fit(redacted: Redacted, budget: Budget) -> Fitted {
    match budget {
        Budget::Unlimited => Fitted::whole(redacted),
    }
}
