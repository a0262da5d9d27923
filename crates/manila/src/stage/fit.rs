//! Fit: drop content until the outcome is within the caller's budget, and say so.
//!
//! This is the only stage that may lose content. It comes after redaction, so that no cut
//! leaves half a secret behind. Budgets other than [`Budget::Unlimited`] come with the
//! archive, which keeps what is dropped.

use crate::stage::redact::Redacted;

/// How much an answer may weigh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// As much as it weighs.
    #[default]
    Unlimited,
}

/// Drops content from `outcome` until the rest is within `budget`.
#[must_use]
pub fn fit(outcome: Redacted, budget: Budget) -> Redacted {
    match budget {
        Budget::Unlimited => outcome,
    }
}
