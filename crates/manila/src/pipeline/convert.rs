//! An envelope of one contract, written in another.

use bytes::Bytes;

use super::{Settings, Stage, finish};
use crate::check;
use crate::context::Context;
use crate::contract::{Reading, Reply, read_in, recognise_opened, render};
use crate::outcome::Loss;
use crate::raw_json::{Opened, ReadError};
use crate::report::Finding;
use crate::stage::unwrap_nested::unwrap_nested;
use crate::subject::Contract;

/// An envelope in another contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// The contract that it had.
    pub from: Contract,
    /// The envelope in the other contract, and what was lost on the way.
    pub reply: Reply,
}

/// Why an envelope could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotConverted {
    /// It is not JSON.
    #[error(transparent)]
    NotJson(#[from] ReadError),
    /// No contract's mark is there, or none of an envelope; and why it is not recognised.
    #[error("it {0}")]
    Unrecognised(String),
    /// It breaks the contract that it should keep.
    #[error("it breaks {contract}")]
    Broken {
        /// The contract.
        contract: Contract,
        /// What is wrong.
        findings: Vec<Finding>,
    },
}

/// Reads an envelope and writes it in the contract `to`. Without `from` its marks decide.
pub fn convert(
    document: &Bytes,
    from: Option<Contract>,
    to: Contract,
    settings: &Settings<'_>,
    context: &Context,
) -> Result<Converted, NotConverted> {
    let envelope = Opened::read(document)?;
    let from = from
        .or_else(|| recognise_opened(&envelope))
        .ok_or_else(|| NotConverted::Unrecognised(check::unrecognised(&envelope)))?;
    let Reading { mut outcome, losses } = read_in(document, from, envelope)
        .map_err(|findings| NotConverted::Broken { contract: from, findings })?;
    outcome.unread = losses;
    outcome.verbatim = outcome.verbatim.filter(|_| from == to);
    let outcome = settings.run(Stage::UnwrapNested, || unwrap_nested(Box::new(outcome)));
    let attested = finish(outcome, settings);
    let mut reply = render(&attested, to, context);
    let redacted = attested.redacted();
    if !redacted.hidden().is_empty() && !redacted.is_shown() {
        reply.losses.push(Loss { what: "secrets", why: "they are hidden" });
    }
    Ok(Converted { from, reply })
}
