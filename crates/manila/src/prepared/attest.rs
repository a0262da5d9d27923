//! Attest: add the provenance that the caller asked for.
//!
//! The only stage that may add facts. An [`Attested`] is what a contract writes, so everything
//! that is written has been redacted, fitted and attested. Records come with the provenance
//! commands; until then nothing can be asked for.

use crate::outcome::Outcome;
use crate::prepared::fit::Fitted;
use crate::prepared::redact::Redacted;
use crate::raw_json::JsonObject;

/// What provenance a caller asked for (P5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attestation {
    /// None.
    #[default]
    NotAsked,
}

/// An outcome that has been through every stage, and the record that was made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Attested {
    fitted: Fitted,
    record: Option<JsonObject>,
}

impl Attested {
    /// The outcome and what was dropped from it.
    #[must_use]
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    /// The outcome without its secrets.
    #[must_use]
    pub fn redacted(&self) -> &Redacted {
        self.fitted.redacted()
    }

    /// The outcome that a contract writes.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        self.redacted().outcome()
    }

    /// The provenance record to keep, if one was made.
    #[must_use]
    pub fn record(&self) -> Option<&JsonObject> {
        self.record.as_ref()
    }
}

/// Adds the provenance record that was asked for.
#[must_use]
pub fn attest(fitted: Fitted, attestation: Attestation) -> Attested {
    match attestation {
        Attestation::NotAsked => Attested { fitted, record: None },
    }
}
