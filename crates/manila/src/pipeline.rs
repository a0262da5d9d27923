//! The stages in their order.
//!
//! `classify` may name, `check_output` may refuse, `redact` may hide, `fit` may drop, `attest`
//! may add, a contract may shape. Nothing fails after `classify`: a tool that failed is a good
//! answer.

use std::any::Any;
use std::fmt;

use crate::context::Context;
use crate::contract::{Contract, Reply, render};
use crate::observed::Observation;
use crate::outcome::Outcome;
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
    /// What is called around each stage.
    pub stage_hook: Option<StageHook<'a>>,
}

impl Settings<'_> {
    /// Runs a stage within the hook, if there is one.
    fn run<T>(&self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let _guard = self.stage_hook.map(|StageHook(enter)| enter(stage));
        work()
    }
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
    let Settings { media, speaks, output_check, .. } = *settings;
    let outcome = settings.run(Stage::Classify, || classify(observation, media, speaks, context));
    let outcome = settings.run(Stage::UnwrapNested, || unwrap_nested(outcome));
    let outcome = settings.run(Stage::CheckOutput, || check_output(outcome, output_check));
    finish(outcome, settings)
}

/// The stages from `redact` on, which an envelope that is converted goes through as well.
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

/// A stage that a [`StageHook`] is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Names what was seen.
    Classify,
    /// Reads an envelope that is nested in the payload.
    UnwrapNested,
    /// Checks the payload. It runs twice: before `redact` and after it.
    CheckOutput,
    /// Hides secrets.
    Redact,
    /// Drops what is beyond the budget.
    Fit,
    /// Adds provenance.
    Attest,
}

impl Stage {
    /// The name of the stage's function, e.g. `check_output`.
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

/// Calls a function at the start of each stage, and drops what it returns at the stage's end.
///
/// The stages are pure and open no spans. A gateway that wants a span around each stage enters
/// it in the hook and returns its guard. Writing an envelope with [`render`] is a call of its own
/// and needs no hook.
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
/// let seen = Observation::from_json(r#"{"observed": {"said": "hello"}}"#)?;
/// let reply = pipeline::seal(seen, Contract::ResponseV2, &settings, &Context::new([0; 16]));
/// assert!(!reply.is_error);
/// # Ok::<(), manila::ReadError>(())
/// ```
#[derive(Clone, Copy)]
pub struct StageHook<'a>(&'a dyn Fn(Stage) -> Box<dyn Any>);

impl<'a> StageHook<'a> {
    /// A hook that calls `enter` and keeps the guard that it returns until the stage is done.
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
