//! Check output: warn about a payload that does not match its tool's output schema, or refuse it.
//!
//! A check that takes too many steps is stopped, and the payload gets a warning.
//!
//! This stage runs twice: before redaction, to check the tool, and after it, because redaction may
//! replace a value that the schema requires. It is the only stage after `validate` that may refuse.

use std::fmt;

use crate::catalogue::Code;
use crate::outcome::{Ended, Failure, NonEmpty, Outcome, Payload, Provenance, Severity, Warning};
use crate::prepared::redact::Redacted;
use crate::raw_json::{JsonObject, RawJson};
use crate::violation::{CheckStopped, Violation};

/// Returns the rules that a payload breaks, unless the check takes too many steps.
pub type Check<'a> = dyn Fn(&RawJson) -> Result<Vec<Violation>, CheckStopped> + 'a;

/// A check of payloads against the tool's output schema.
#[derive(Clone, Copy)]
pub struct OutputCheck<'a> {
    check: &'a Check<'a>,
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
    /// may still be able to use it. A payload whose check is stopped gets the warning
    /// `OUTPUT_SCHEMA_UNCHECKED`.
    pub fn new(check: &'a Check<'a>) -> OutputCheck<'a> {
        OutputCheck { check, on_mismatch: OnMismatch::Warn }
    }

    /// Like `new`, but a payload that breaks a rule is replaced by the failure
    /// `INVALID_TOOL_OUTPUT`.
    pub fn strict(check: &'a Check<'a>) -> OutputCheck<'a> {
        OutputCheck { check, on_mismatch: OnMismatch::Refuse }
    }

    /// Returns the same check, but one that only warns.
    fn lenient(self) -> OutputCheck<'a> {
        OutputCheck { on_mismatch: OnMismatch::Warn, ..self }
    }

    fn violations(self, payload: &Payload) -> Result<Vec<Violation>, CheckStopped> {
        let violations = match payload {
            Payload::Json(json) => (self.check)(json)?,
            Payload::Text(text) => match RawJson::of(text) {
                Ok(json) => (self.check)(&json)?,
                Err(_) => Vec::new(),
            },
            Payload::Absent => vec![Violation::new("", "required", "the tool returned nothing")],
        };
        Ok(violations.into_iter().map(Violation::without_secrets).collect())
    }
}

impl fmt::Debug for OutputCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutputCheck { check: _, on_mismatch } = self;
        f.debug_struct("OutputCheck").field("on_mismatch", on_mismatch).finish_non_exhaustive()
    }
}

/// The codes of the warnings about a payload that does not match its tool's output schema, or that
/// was not checked.
const MISMATCH: &str = "OUTPUT_SCHEMA_MISMATCH";
const UNCHECKED: &str = "OUTPUT_SCHEMA_UNCHECKED";

/// Checks the payload of a successful call against its tool's output schema.
#[must_use]
pub fn check_output(mut outcome: Box<Outcome>, check: Option<OutputCheck<'_>>) -> Box<Outcome> {
    if let Some(check) = check {
        check_payload(&mut outcome, check, MismatchCause::Tool);
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
        OnMismatch::Warn if has_schema_warning(outcome) => {}
        OnMismatch::Warn | OnMismatch::Refuse => {
            check_payload(outcome, check, MismatchCause::Redaction);
        }
    }
    outcome.verbatim = verbatim;
    redacted
}

/// The cause of a mismatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MismatchCause {
    /// The tool: its own result does not match.
    Tool,
    /// Redaction: the result matched before its secrets were redacted.
    Redaction,
}

/// The verdict about a payload.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It matches the schema.
    Match,
    /// It gets this warning.
    Warning(Warning),
    /// It is replaced by this failure.
    Failure(Box<Failure>),
}

/// Checks the payload of a successful call, and warns about a mismatch or refuses it.
fn check_payload(outcome: &mut Outcome, check: OutputCheck<'_>, cause: MismatchCause) {
    let Ended::Done(payload) = &outcome.ended else { return };
    match judge(payload, check, cause) {
        Verdict::Match => {}
        Verdict::Warning(warning) => add_schema_warning(outcome, warning),
        Verdict::Failure(failure) => refuse(outcome, *failure),
    }
}

/// Returns the verdict about a payload.
pub(crate) fn judge(payload: &Payload, check: OutputCheck<'_>, cause: MismatchCause) -> Verdict {
    let warning = |code: &str, message: String, context: JsonObject| {
        let warning = Warning::with_code(code, message).context(context);
        Verdict::Warning(warning.severity(Severity::Warning))
    };
    let violations = match check.violations(payload) {
        Ok(violations) => violations,
        Err(stopped) => {
            let message =
                format!("The result was not checked against the tool's output schema: {stopped}");
            return warning(UNCHECKED, message, JsonObject::default());
        }
    };
    let Some(first) = violations.first() else { return Verdict::Match };
    let (result, hint) = match cause {
        MismatchCause::Tool => ("The result", None),
        MismatchCause::Redaction => (
            "With its secrets redacted, the result",
            Some("Ask the operator: redaction replaces a value that the output schema restricts"),
        ),
    };
    let message = format!("{result} does not match the tool's output schema: {first}");
    let details = JsonObject::build(|object| object.member("violations", &violations));
    match check.on_mismatch {
        OnMismatch::Warn => warning(MISMATCH, message, details),
        OnMismatch::Refuse => {
            let mut failure = Failure::new(Code::InvalidToolOutput, message);
            failure.details = details;
            failure.hint = hint.map(Into::into);
            Verdict::Failure(Box::new(failure))
        }
    }
}

fn has_schema_warning(outcome: &Outcome) -> bool {
    let mut codes = outcome.notes.warnings.iter().filter_map(|warning| warning.code.as_deref());
    codes.any(|code| code == MISMATCH || code == UNCHECKED)
}

fn add_schema_warning(outcome: &mut Outcome, warning: Warning) {
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
