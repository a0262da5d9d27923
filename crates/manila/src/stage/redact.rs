//! Redact: hide secrets before anything can write them.
//!
//! This stage is the only way from an [`Outcome`] to a [`Redacted`], and everything that
//! writes takes a `Redacted`. So nothing can be written that did not come through here.
//! The rules come with the crate `manila-redact`; until then no text is changed.

use crate::outcome::Outcome;

/// An outcome that has been through [`redact`].
#[derive(Debug, Clone, PartialEq)]
pub struct Redacted(Outcome);

impl Redacted {
    /// The outcome, to look at. There is no way to change it and keep the mark.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.0
    }
}

/// Marks `outcome` as redacted. **It hides nothing yet**: the rules come with `manila-redact`.
#[must_use]
pub fn redact(outcome: Outcome) -> Redacted {
    Redacted(outcome)
}
