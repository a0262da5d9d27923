//! Check output: warn about a payload that does not match its tool's output schema, or refuse it.
//!
//! This stage runs twice: before redaction, to check the tool, and after it, because redaction may
//! replace a value that the schema requires. It is the only stage after `validate` that may refuse.

use std::fmt;

use crate::catalogue::Code;
use crate::outcome::{Ended, Failure, NonEmpty, Outcome, Payload, Provenance, Severity, Warning};
use crate::prepared::redact::Redacted;
use crate::raw_json::{JsonObject, RawJson};
use crate::violation::Violation;

/// A check of payloads against the tool's output schema.
#[derive(Clone, Copy)]
pub struct OutputCheck<'a> {
    check: &'a dyn Fn(&RawJson) -> Vec<Violation>,
    on_mismatch: OnMismatch,
}

/// The reaction to a payload that does not match the schema.
#[derive(Debug, Clone, Copy)]
enum OnMismatch {
    Warn,
    Refuse,
}

impl<'a> OutputCheck<'a> {
    /// Creates a check from a function that returns the rules that a payload breaks.
    ///
    /// A payload that breaks a rule gets the warning `OUTPUT_SCHEMA_MISMATCH`, because the caller
    /// may still be able to use it.
    pub fn new(check: &'a dyn Fn(&RawJson) -> Vec<Violation>) -> OutputCheck<'a> {
        OutputCheck { check, on_mismatch: OnMismatch::Warn }
    }

    /// Like `new`, but a payload that breaks a rule is replaced by the failure
    /// `INVALID_TOOL_OUTPUT`.
    pub fn strict(check: &'a dyn Fn(&RawJson) -> Vec<Violation>) -> OutputCheck<'a> {
        OutputCheck { check, on_mismatch: OnMismatch::Refuse }
    }

    /// Returns the same check, but one that only warns.
    fn lenient(self) -> OutputCheck<'a> {
        OutputCheck { on_mismatch: OnMismatch::Warn, ..self }
    }

    fn violations(self, payload: &Payload) -> Vec<Violation> {
        let violations = match payload {
            Payload::Json(json) => (self.check)(json),
            Payload::Text(text) => {
                RawJson::of(text).map(|json| (self.check)(&json)).unwrap_or_default()
            }
            Payload::Absent => vec![Violation::new("", "required", "the tool returned nothing")],
        };
        violations.into_iter().map(Violation::without_secrets).collect()
    }
}

impl fmt::Debug for OutputCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutputCheck { check: _, on_mismatch } = self;
        f.debug_struct("OutputCheck").field("on_mismatch", on_mismatch).finish_non_exhaustive()
    }
}

/// The code of the warning about a payload that does not match its tool's output schema.
const MISMATCH: &str = "OUTPUT_SCHEMA_MISMATCH";

/// Checks the payload of a successful call against its tool's output schema.
#[must_use]
pub fn check_output(mut outcome: Box<Outcome>, check: Option<OutputCheck<'_>>) -> Box<Outcome> {
    if let Some(check) = check {
        check_payload(&mut outcome, check, Cause::Tool);
    }
    outcome
}

/// Checks the payload again if secrets were redacted.
///
/// A warning that [`check_output`] added is not repeated. If a tool puts the same warning into its
/// own envelope, a strict check still refuses the payload.
#[must_use]
pub fn check_redacted(mut redacted: Redacted, check: Option<OutputCheck<'_>>) -> Redacted {
    let Some(check) = check.filter(|_| !redacted.findings().is_empty()) else { return redacted };
    let outcome = redacted.outcome_mut();
    // An envelope that is sent unchanged still has its original values, so it is never refused.
    let verbatim = outcome.verbatim.take();
    let check = if verbatim.is_some() { check.lenient() } else { check };
    match check.on_mismatch {
        OnMismatch::Warn if has_mismatch_warning(outcome) => {}
        OnMismatch::Warn | OnMismatch::Refuse => check_payload(outcome, check, Cause::Redaction),
    }
    outcome.verbatim = verbatim;
    redacted
}

/// The cause of a mismatch.
#[derive(Clone, Copy)]
enum Cause {
    Tool,
    Redaction,
}

/// Checks the payload of a successful call, and warns about a mismatch or refuses it.
fn check_payload(outcome: &mut Outcome, check: OutputCheck<'_>, cause: Cause) {
    let Ended::Done(payload) = &outcome.ended else { return };
    let violations = check.violations(payload);
    let Some(first) = violations.first() else { return };
    let (result, hint) = match cause {
        Cause::Tool => ("The result", None),
        Cause::Redaction => (
            "With its secrets redacted, the result",
            Some("Ask the operator: redaction replaces a value that the output schema restricts"),
        ),
    };
    let message = format!("{result} does not match the tool's output schema: {first}");
    let details = JsonObject::build(|object| object.member("violations", &violations));
    match check.on_mismatch {
        OnMismatch::Warn => add_mismatch_warning(outcome, message, details),
        OnMismatch::Refuse => {
            let mut failure = Failure::new(Code::InvalidToolOutput, message);
            failure.details = details;
            failure.hint = hint.map(Into::into);
            refuse(outcome, failure);
        }
    }
}

fn has_mismatch_warning(outcome: &Outcome) -> bool {
    outcome.notes.warnings.iter().any(|warning| warning.code.as_deref() == Some(MISMATCH))
}

fn add_mismatch_warning(outcome: &mut Outcome, message: String, context: JsonObject) {
    let warning =
        Warning::with_code(MISMATCH, message).context(context).severity(Severity::Warning);
    outcome.notes.warnings.push(warning);
    // If the contract's schema requires this warning beside such a payload, its envelope cannot be
    // sent unchanged.
    let verbatim = outcome.verbatim.take();
    outcome.verbatim =
        verbatim.filter(|verbatim| !verbatim.contract.info().requires_mismatch_warning);
}

/// Replaces the result by a failure.
///
/// The payload is dropped: it is not a partial result (R11), but a complete one that no caller may
/// rely on. The notes stay, because limits and warnings are about the call.
fn refuse(outcome: &mut Outcome, failure: Failure) {
    outcome.ended = Ended::Failed { failures: NonEmpty::one(failure), partial: Payload::Absent };
    outcome.run = None;
    outcome.blocks.clear();
    outcome.provenance = Provenance::NotRequested;
    outcome.verbatim = None;
    outcome.unwrapped = None;
}

#[cfg(test)]
mod tests;
