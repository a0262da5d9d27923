//! Check output: warn of a payload that is not what its tool promised, or refuse it.
//!
//! This stage runs twice: on the outcome before redaction, which judges the tool, and on the
//! redacted one, because what redaction hides may be what the schema asks for. It is the only
//! stage behind `validate` that may refuse.

use std::fmt;

use crate::catalogue::Code;
use crate::outcome::{Ended, Failure, NonEmpty, Outcome, Payload, Provenance, Severity, Warning};
use crate::prepared::redact::Redacted;
use crate::raw_json::{JsonObject, RawJson};
use crate::violation::Violation;

/// Checks a payload against the tool's own output schema.
#[derive(Clone, Copy)]
pub struct OutputCheck<'a> {
    check: &'a dyn Fn(&RawJson) -> Vec<Violation>,
    mismatch: Mismatch,
}

/// What an answer becomes that is not what its tool promised.
#[derive(Debug, Clone, Copy)]
enum Mismatch {
    Told,
    Refused,
}

impl<'a> OutputCheck<'a> {
    /// A check that tells the rules which a payload breaks. Such an answer goes on with the
    /// warning `OUTPUT_SCHEMA_MISMATCH`: the caller may well be able to use it.
    pub fn new(check: &'a dyn Fn(&RawJson) -> Vec<Violation>) -> OutputCheck<'a> {
        OutputCheck { check, mismatch: Mismatch::Told }
    }

    /// As `new`, but such an answer has failed with `INVALID_TOOL_OUTPUT`, and does not go on.
    pub fn strict(check: &'a dyn Fn(&RawJson) -> Vec<Violation>) -> OutputCheck<'a> {
        OutputCheck { check, mismatch: Mismatch::Refused }
    }

    /// The same, but nothing is refused.
    fn lenient(self) -> OutputCheck<'a> {
        OutputCheck { mismatch: Mismatch::Told, ..self }
    }

    fn violations(self, payload: &Payload) -> Vec<Violation> {
        let violations = match payload {
            Payload::Json(json) => (self.check)(json),
            Payload::Text(text) => {
                RawJson::of(text).map(|json| (self.check)(&json)).unwrap_or_default()
            }
            Payload::Absent => vec![Violation::new("", "required", "the tool answered nothing")],
        };
        violations.into_iter().map(Violation::without_secrets).collect()
    }
}

impl fmt::Debug for OutputCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutputCheck { check: _, mismatch } = self;
        f.debug_struct("OutputCheck").field("mismatch", mismatch).finish_non_exhaustive()
    }
}

/// The code of the warning about a payload that is not what its tool promised.
const MISMATCH: &str = "OUTPUT_SCHEMA_MISMATCH";

/// Checks the payload of a call that is done against what its tool promised.
#[must_use]
pub fn check_output(mut outcome: Box<Outcome>, check: Option<OutputCheck<'_>>) -> Box<Outcome> {
    if let Some(check) = check {
        judge(&mut outcome, check, Blame::Tool);
    }
    outcome
}

/// Checks the payload again if secrets were hidden.
///
/// A warning that [`check_output`] added is not repeated. A tool that puts the same warning into
/// its own envelope is still refused by a strict check.
#[must_use]
pub fn check_redacted(mut redacted: Redacted, check: Option<OutputCheck<'_>>) -> Redacted {
    let Some(check) = check.filter(|_| !redacted.hidden().is_empty()) else { return redacted };
    let outcome = redacted.outcome_mut();
    // An envelope that goes out unchanged is as good as it was: it is kept, and never refused.
    let shown = outcome.verbatim.take();
    let check = if shown.is_some() { check.lenient() } else { check };
    match check.mismatch {
        Mismatch::Told if is_told(outcome) => {}
        Mismatch::Told | Mismatch::Refused => judge(outcome, check, Blame::Redaction),
    }
    outcome.verbatim = shown;
    redacted
}

/// Who made a payload into what it should not be.
#[derive(Clone, Copy)]
enum Blame {
    Tool,
    Redaction,
}

fn judge(outcome: &mut Outcome, check: OutputCheck<'_>, blame: Blame) {
    let Ended::Done(payload) = &outcome.ended else { return };
    let violations = check.violations(payload);
    let Some(first) = violations.first() else { return };
    let (answer, hint) = match blame {
        Blame::Tool => ("The answer", None),
        Blame::Redaction => (
            "With its secrets hidden, the answer",
            Some("Ask the operator: what redaction hides is what the tool has promised"),
        ),
    };
    let message = format!("{answer} does not fit the tool's own output schema: {first}");
    let details = JsonObject::build(|object| object.member("violations", &violations));
    match check.mismatch {
        Mismatch::Told => tell(outcome, message, details),
        Mismatch::Refused => {
            let mut failure = Failure::new(Code::InvalidToolOutput, message);
            failure.details = details;
            failure.hint = hint.map(Into::into);
            refuse(outcome, failure);
        }
    }
}

fn is_told(outcome: &Outcome) -> bool {
    outcome.notes.warnings.iter().any(|warning| warning.code.as_deref() == Some(MISMATCH))
}

fn tell(outcome: &mut Outcome, message: String, context: JsonObject) {
    let warning = Warning::coded(MISMATCH, message).context(context).severity(Severity::Warning);
    outcome.notes.warnings.push(warning);
    // What is told of an answer must be true of it, even if it was told in an envelope.
    outcome.verbatim = outcome.verbatim.take().filter(|own| !own.contract.info().binds_payload);
}

/// Nothing of the answer goes on: it is no part of a result (R11), but a whole one that nobody
/// may rely on. What was said beside it stays: limits and warnings are about the call.
fn refuse(outcome: &mut Outcome, failure: Failure) {
    outcome.ended = Ended::Failed { failures: NonEmpty::one(failure), partial: Payload::Absent };
    outcome.run = None;
    outcome.blocks.clear();
    outcome.provenance = Provenance::NotAsked;
    outcome.verbatim = None;
    outcome.unwrapped = None;
}

#[cfg(test)]
mod tests;
