//! The stages in order.
//!
//! `classify` may name failures, `check_output` may refuse, `redact` may hide, `fit` may drop,
//! `attest` may add provenance, and a contract may lay out members. No stage returns an error: a
//! failed tool is a valid outcome.

use std::any::Any;
use std::fmt;

use crate::context::Context;
use crate::contract::{Contract, Reply, render};
use crate::observed::Observation;
use crate::outcome::Outcome;
use crate::prepared::attest::{Attestation, Attested, attest};
pub use crate::prepared::check_output::{MismatchCause, OutputCheck, Verdict};
use crate::prepared::check_output::{check_output, check_redacted};
use crate::prepared::fit::{Budget, fit};
pub use crate::prepared::redact::Redaction;
use crate::prepared::redact::redact;
use crate::stage::classify::{Media, classify};
use crate::stage::unwrap_nested::unwrap_nested;

mod convert;
mod unsealed;

pub use convert::{ConvertError, Converted, convert};
pub use unsealed::check_unsealed;

/// The settings of all stages for one call.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Settings<'a> {
    /// Whether media blocks are beside the envelope or inside it.
    pub media: Media,
    /// The contract in which the tool is known to respond, for contracts that have no mark.
    pub speaks: Option<Contract>,
    /// The contract in which a tool's envelope is passed through unchanged, including its secrets.
    /// In every other contract the same result is redacted.
    pub passthrough: Option<Contract>,
    /// The check of the payload against the tool's output schema.
    pub output_check: Option<OutputCheck<'a>>,
    /// The method of redaction.
    pub redaction: Redaction<'a>,
    /// The maximum size of the response.
    pub budget: Budget,
    /// The requested provenance.
    pub attestation: Attestation,
    /// A hook that is called around each stage.
    pub stage_hook: Option<StageHook<'a>>,
}

impl Settings<'_> {
    /// Runs a stage within the hook, if there is one.
    fn run<T>(&self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let _guard = self.stage_hook.map(|StageHook(enter)| enter(stage));
        work()
    }
}

/// Turns an observation into an envelope.
///
/// ```
/// use manila::{Context, Contract, Observation, pipeline};
///
/// let observation = Observation::from_json(r#"{"observed": {"answered": {"n": 1.0}}}"#)?;
/// let (settings, context) = (pipeline::Settings::default(), Context::new([0; 16]));
/// let reply = pipeline::seal(observation, Contract::McpEnvelopeV01, &settings, &context);
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

/// Runs every stage except the contract's, for callers that render one call in several contracts.
#[must_use]
pub fn prepare(observation: Observation, settings: &Settings<'_>, context: &Context) -> Attested {
    let Settings { media, speaks, output_check, .. } = *settings;
    let outcome = settings.run(Stage::Classify, || classify(observation, media, speaks, context));
    let outcome = settings.run(Stage::UnwrapNested, || unwrap_nested(outcome));
    let outcome = settings.run(Stage::CheckOutput, || check_output(outcome, output_check));
    finish(outcome, settings)
}

/// Runs the stages from `redact` on, which a converted envelope passes as well.
fn finish(outcome: Box<Outcome>, settings: &Settings<'_>) -> Attested {
    let Settings {
        media: _,
        speaks: _,
        passthrough,
        output_check,
        redaction,
        budget,
        attestation,
        stage_hook: _,
    } = *settings;
    let redacted = settings.run(Stage::Redact, || redact(outcome, redaction, passthrough));
    let redacted = settings.run(Stage::CheckOutput, || check_redacted(redacted, output_check));
    let fitted = settings.run(Stage::Fit, || fit(redacted, budget));
    settings.run(Stage::Attest, || attest(fitted, attestation))
}

/// A stage for which a [`StageHook`] is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Classifies the observation.
    Classify,
    /// Reads an envelope that is nested in the payload.
    UnwrapNested,
    /// Checks the payload. It runs twice: before `redact` and after it.
    CheckOutput,
    /// Redacts secrets.
    Redact,
    /// Drops content that exceeds the budget.
    Fit,
    /// Adds provenance.
    Attest,
}

impl Stage {
    /// Returns the name of the stage's function, e.g. `check_output`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Classify => "classify",
            Stage::UnwrapNested => "unwrap_nested",
            Stage::CheckOutput => "check_output",
            Stage::Redact => "redact",
            Stage::Fit => "fit",
            Stage::Attest => "attest",
        }
    }
}

/// Calls a function at the start of each stage, and drops the returned guard at the stage's end.
///
/// The stages are pure and open no spans. A gateway that needs a span around each stage enters it
/// in the hook and returns its guard. Writing an envelope with [`render`] is a separate call and
/// needs no hook.
///
/// ```
/// use std::any::Any;
///
/// use manila::pipeline::{self, Stage, StageHook};
/// use manila::{Context, Contract, Observation};
///
/// let enter = |stage: Stage| -> Box<dyn Any> {
///     println!("{}", stage.name());
///     Box::new(()) // the guard of a span
/// };
/// let mut settings = pipeline::Settings::default();
/// settings.stage_hook = Some(StageHook::new(&enter));
/// let observation = Observation::from_json(r#"{"observed": {"said": "hello"}}"#)?;
/// let context = Context::new([0; 16]);
/// let reply = pipeline::seal(observation, Contract::ResponseV2, &settings, &context);
/// assert!(!reply.is_error);
/// # Ok::<(), manila::ReadError>(())
/// ```
#[derive(Clone, Copy)]
pub struct StageHook<'a>(&'a dyn Fn(Stage) -> Box<dyn Any>);

impl<'a> StageHook<'a> {
    /// Creates a hook that calls `enter` and holds the returned guard until the stage ends.
    pub fn new(enter: &'a dyn Fn(Stage) -> Box<dyn Any>) -> StageHook<'a> {
        StageHook(enter)
    }
}

impl fmt::Debug for StageHook<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StageHook").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
