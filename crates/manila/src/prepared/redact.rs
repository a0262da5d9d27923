//! Redact: hide secrets before anything can write them.
//!
//! This stage is the only way from an [`Outcome`] to a [`Redacted`], and contracts accept only what
//! is made from a `Redacted`. So no envelope is written unless this stage ran; only a caller that
//! passes [`Redaction::Off`] or a contract to pass through keeps secrets. A value without secrets
//! keeps its bytes.

use manila_redact::Redactor;

use crate::document_kind::Contract;
use crate::outcome::Outcome;

mod fields;

use fields::FieldRedactor;

/// The method of redaction.
#[derive(Debug, Clone, Copy, Default)]
pub enum Redaction<'a> {
    /// All built-in rules.
    #[default]
    Standard,
    /// The operator's rules.
    Custom(&'a Redactor),
    /// No redaction. A caller that chooses this logs it.
    Off,
}

impl Redaction<'_> {
    /// Returns the redactor, or `None` if redaction is off.
    #[must_use]
    pub fn redactor(&self) -> Option<&Redactor> {
        match self {
            Redaction::Standard => Some(Redactor::standard()),
            Redaction::Custom(redactor) => Some(redactor),
            Redaction::Off => None,
        }
    }
}

/// An outcome that has passed [`redact`].
#[derive(Debug, Clone, PartialEq)]
pub struct Redacted {
    outcome: Box<Outcome>,
    findings: Vec<(String, u64)>,
}

impl Redacted {
    /// Returns the outcome. Only stages can change it without losing the proof of redaction.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns the outcome for a stage that removes facts or adds facts without secrets.
    pub(super) fn outcome_mut(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    /// Returns the rules that matched here, each with its number of matches. The outcome's receipt
    /// may also list earlier redactions, for example by the tool.
    #[must_use]
    pub fn findings(&self) -> &[(String, u64)] {
        &self.findings
    }

    /// Returns whether an envelope is sent unchanged although it contains secrets.
    #[must_use]
    pub fn has_unredacted_envelope(&self) -> bool {
        !self.findings.is_empty() && self.outcome.verbatim.is_some()
    }
}

/// Redacts the secrets of `outcome`, and adds the matches to its receipt.
///
/// If the tool returned an envelope in the contract `passthrough`, it is written unchanged in that
/// contract, including its secrets. In every other contract the same result is redacted.
#[must_use]
pub fn redact(
    mut outcome: Box<Outcome>,
    redaction: Redaction<'_>,
    passthrough: Option<Contract>,
) -> Redacted {
    let Some(redactor) = redaction.redactor() else {
        return Redacted { outcome, findings: Vec::new() };
    };
    let original = outcome.verbatim.clone().filter(|it| Some(it.contract) == passthrough);
    let mut field_redactor = FieldRedactor::new(redactor);
    field_redactor.redact_outcome(&mut outcome);
    let findings = field_redactor.into_findings();
    if !findings.is_empty() {
        outcome.receipt.add(findings.clone());
        outcome.verbatim = None;
    }
    // P3: with `passthrough`, the operator wants the original envelope; the rest is redacted.
    outcome.verbatim = outcome.verbatim.or(original);
    Redacted { outcome, findings }
}

#[cfg(test)]
mod tests;
