//! Attest: add the provenance that the caller asked for.
//!
//! This is the only stage that may add facts. Records come with the provenance commands;
//! until then nothing can be asked for.

use crate::stage::redact::Redacted;

/// What provenance a caller asked for (P5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attestation {
    /// None.
    #[default]
    NotAsked,
}

/// Adds the provenance record that was asked for.
#[must_use]
pub fn attest(outcome: Redacted, attestation: Attestation) -> Redacted {
    match attestation {
        Attestation::NotAsked => outcome,
    }
}
