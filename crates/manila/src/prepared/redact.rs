//! Redact: hide secrets before anything can write them.
//!
//! This stage is the only way from an [`Outcome`] to a [`Redacted`], and everything that
//! writes takes a `Redacted`. So nothing can be written that did not come through here. What
//! holds no secret goes on as the same bytes.

use manila_redact::Redactor;

use crate::outcome::Outcome;
use crate::subject::Contract;

mod hide;

use hide::Hider;

/// How secrets are hidden.
#[derive(Debug, Clone, Copy, Default)]
pub enum Redaction<'a> {
    /// With all rules of the table.
    #[default]
    Standard,
    /// As an operator wants it.
    By(&'a Redactor),
    /// Not at all. Whoever chooses this says so in the log.
    Off,
}

impl Redaction<'_> {
    /// What finds the secrets, unless nothing does.
    #[must_use]
    pub fn redactor(&self) -> Option<&Redactor> {
        match self {
            Redaction::Standard => Some(Redactor::standard()),
            Redaction::By(redactor) => Some(redactor),
            Redaction::Off => None,
        }
    }
}

/// An outcome that has been through [`redact`].
#[derive(Debug, Clone, PartialEq)]
pub struct Redacted {
    outcome: Box<Outcome>,
    hidden: Vec<(String, u64)>,
}

impl Redacted {
    /// The outcome. Outside of the stages there is no way to change it and keep the mark.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The outcome, for a stage that adds or takes away what holds no secret.
    pub(super) fn outcome_mut(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    /// What was hidden here: rules, and how often each one struck. The outcome's receipt may
    /// also tell what somebody else hid before.
    #[must_use]
    pub fn hidden(&self) -> &[(String, u64)] {
        &self.hidden
    }

    /// Whether an envelope goes out as it came although there are secrets in it.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        !self.hidden.is_empty() && self.outcome.verbatim.is_some()
    }
}

/// Hides the secrets of `outcome`, and notes in its receipt what was hidden.
///
/// An envelope that came in the contract `passthrough` goes out in it unchanged, secrets and
/// all. In every other contract the same answer is redacted.
#[must_use]
pub fn redact(
    mut outcome: Box<Outcome>,
    redaction: Redaction<'_>,
    passthrough: Option<Contract>,
) -> Redacted {
    let Some(redactor) = redaction.redactor() else {
        return Redacted { outcome, hidden: Vec::new() };
    };
    let passed = outcome.verbatim.clone().filter(|own| Some(own.contract) == passthrough);
    let mut hider = Hider::new(redactor);
    hider.outcome(&mut outcome);
    let hidden = hider.into_findings();
    if !hidden.is_empty() {
        outcome.receipt.add(hidden.clone());
        outcome.verbatim = None;
    }
    // P3: the operator wants such an envelope as it came; all else is redacted all the same.
    outcome.verbatim = outcome.verbatim.or(passed);
    Redacted { outcome, hidden }
}

#[cfg(test)]
mod tests;
