//! Attest: add the provenance that the caller requested.
//!
//! The only stage that may add facts. A contract writes only an [`Attested`], so everything that is
//! written has been redacted, fitted and attested.
//!
//! Not implemented yet: no provenance can be requested, and nothing is added.

use crate::outcome::Outcome;
use crate::prepared::fit::Fitted;
use crate::prepared::redact::Redacted;
use crate::raw_json::JsonObject;

/// The provenance that a caller requested (P5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attestation {
    /// No provenance.
    #[default]
    NotRequested,
}

/// An outcome that has passed every stage, and its provenance record.
#[derive(Debug, Clone, PartialEq)]
pub struct Attested {
    fitted: Fitted,
    record: Option<JsonObject>,
}

impl Attested {
    /// Returns the outcome and the content that was dropped from it.
    #[must_use]
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    /// Returns the redacted outcome.
    #[must_use]
    pub fn redacted(&self) -> &Redacted {
        self.fitted.redacted()
    }

    /// Returns the outcome that a contract writes.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        self.redacted().outcome()
    }

    /// Returns the provenance record to store, if one was made.
    #[must_use]
    pub fn record(&self) -> Option<&JsonObject> {
        self.record.as_ref()
    }
}

/// Adds the provenance record that the caller requested.
#[must_use]
pub fn attest(fitted: Fitted, attestation: Attestation) -> Attested {
    match attestation {
        Attestation::NotRequested => Attested { fitted, record: None },
    }
}
