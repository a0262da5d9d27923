//! Converts an envelope of one contract to another.

use bytes::Bytes;

use super::{Settings, Stage, finish};
use crate::check;
use crate::context::Context;
use crate::contract::{Reading, Reply, read_in, recognise_top_level, render};
use crate::document_kind::Contract;
use crate::outcome::Loss;
use crate::raw_json::{ReadError, TopLevel};
use crate::report::Finding;
use crate::stage::unwrap_nested::unwrap_nested;

/// An envelope in another contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// The contract of the original envelope.
    pub from: Contract,
    /// The envelope in the other contract, and the facts that were lost.
    pub reply: Reply,
}

/// The reason why an envelope could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// It is not JSON.
    #[error(transparent)]
    NotJson(#[from] ReadError),
    /// It is not recognised as an envelope of any contract, for this reason.
    #[error("it {0}")]
    Unrecognised(String),
    /// It breaks its contract.
    #[error("it breaks {contract}")]
    Broken {
        /// The contract.
        contract: Contract,
        /// The rules that it breaks.
        findings: Vec<Finding>,
    },
}

/// Reads an envelope and writes it in the contract `to`. Without `from`, its mark decides which
/// contract it is in.
pub fn convert(
    document: &Bytes,
    from: Option<Contract>,
    to: Contract,
    settings: &Settings<'_>,
    context: &Context,
) -> Result<Converted, ConvertError> {
    let envelope = TopLevel::read(document)?;
    let from = from
        .or_else(|| recognise_top_level(&envelope))
        .ok_or_else(|| ConvertError::Unrecognised(check::explain_unrecognised(&envelope)))?;
    let Reading { mut outcome, losses } = read_in(document, from, envelope)
        .map_err(|findings| ConvertError::Broken { contract: from, findings })?;
    outcome.unread = losses;
    outcome.verbatim = outcome.verbatim.filter(|_| from == to);
    let outcome = settings.run(Stage::UnwrapNested, || unwrap_nested(Box::new(outcome)));
    let attested = finish(outcome, settings);
    let mut reply = render(&attested, to, context);
    let redacted = attested.redacted();
    if !redacted.findings().is_empty() && !redacted.has_unredacted_envelope() {
        reply.losses.push(Loss { what: "secrets", why: "they were redacted" });
    }
    Ok(Converted { from, reply })
}
