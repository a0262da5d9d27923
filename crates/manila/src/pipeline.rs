//! The stages in their order.
//!
//! `classify` may name, `check_output` may refuse, `redact` may hide, `fit` may drop, `attest`
//! may add, a contract may shape. Nothing fails after `classify`: a tool that failed is a good
//! answer.

use crate::context::Context;
use crate::contract::{Contract, Reply, render};
use crate::observed::Observation;
use crate::prepared::attest::{Attestation, Attested, attest};
pub use crate::prepared::check_output::OutputCheck;
use crate::prepared::check_output::{check_output, check_redacted};
use crate::prepared::fit::{Budget, fit};
pub use crate::prepared::redact::Redaction;
use crate::prepared::redact::redact;
use crate::stage::classify::{Media, classify};
use crate::stage::unwrap_nested::unwrap_nested;

mod convert;

pub use convert::{Converted, NotConverted, convert};

/// What the stages may do for this call.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Settings<'a> {
    /// Whether media blocks stand beside the envelope or inside it.
    pub media: Media,
    /// The contract that the tool is known to answer in, for those that have no mark.
    pub speaks: Option<Contract>,
    /// The contract whose envelopes go out untouched, secrets and all, where a tool answers in
    /// it. In every other contract the same answer is redacted.
    pub passthrough: Option<Contract>,
    /// What the tool promised about its payload.
    pub output_check: Option<OutputCheck<'a>>,
    /// How secrets are hidden.
    pub redaction: Redaction<'a>,
    /// How much the answer may weigh.
    pub budget: Budget,
    /// What provenance was asked for.
    pub attestation: Attestation,
}

/// Turns what was seen of a call into an envelope.
///
/// ```
/// use manila::{Context, Contract, Observation, pipeline};
///
/// let seen = Observation::from_json(r#"{"observed": {"answered": {"n": 1.0}}}"#)?;
/// let settings = pipeline::Settings::default();
/// let reply = pipeline::seal(seen, Contract::McpEnvelopeV01, &settings, &Context::new([0; 16]));
/// assert_eq!(
///     reply.envelope.to_string(),
///     r#"{"schema_version":"mcp.envelope.v0.1","result":{"n":1.0}}"#,
/// );
/// # Ok::<(), manila::ReadError>(())
/// ```
#[must_use]
pub fn seal(
    observation: Observation,
    contract: Contract,
    settings: &Settings<'_>,
    context: &Context,
) -> Reply {
    render(&prepare(observation, settings, context), contract, context)
}

/// Everything but the shaping, for those who want several contracts of one call.
#[must_use]
pub fn prepare(observation: Observation, settings: &Settings<'_>, context: &Context) -> Attested {
    let Settings { media, speaks, passthrough, output_check, redaction, budget, attestation } =
        *settings;
    let outcome = classify(observation, media, speaks, context);
    let outcome = check_output(unwrap_nested(outcome), output_check);
    let redacted = redact(outcome, redaction, passthrough);
    let redacted = check_redacted(redacted, output_check);
    let fitted = fit(redacted, budget);
    attest(fitted, attestation)
}
