//! Whether a payload is what its tool promised.

use std::fmt;

use crate::outcome::{Payload, Severity, Warning};
use crate::raw_json::{JsonObject, RawJson};
use crate::violation::Violation;

/// Checks a payload against the tool's own output schema.
#[derive(Clone, Copy)]
pub struct OutputCheck<'a>(&'a dyn Fn(&RawJson) -> Vec<Violation>);

impl<'a> OutputCheck<'a> {
    /// A check that tells the rules which a payload breaks.
    pub fn new(check: &'a dyn Fn(&RawJson) -> Vec<Violation>) -> OutputCheck<'a> {
        OutputCheck(check)
    }
}

impl fmt::Debug for OutputCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OutputCheck")
    }
}

/// The code of the warning about a payload that is not what its tool promised.
pub(crate) const MISMATCH: &str = "OUTPUT_SCHEMA_MISMATCH";

/// The warning about a payload that is not what its tool promised. The answer is not withheld:
/// the caller may well be able to use it.
pub(crate) fn mismatch(payload: &Payload, check: OutputCheck<'_>) -> Option<Warning> {
    let OutputCheck(check) = check;
    let violations: Vec<Violation> = match payload {
        Payload::Json(json) => check(json),
        Payload::Text(text) => RawJson::of(text).map(|json| check(&json)).unwrap_or_default(),
        Payload::Absent => {
            vec![Violation::new("", "required", "the tool answered nothing")]
        }
    };
    let violations: Vec<_> = violations.into_iter().map(Violation::without_secrets).collect();
    let first = violations.first()?;
    let message = format!("The answer does not fit the tool's own output schema: {first}");
    let context = JsonObject::build(|object| object.member("violations", &violations));
    let warning = Warning::coded(MISMATCH, message).context(context);
    Some(warning.severity(Severity::Warning))
}
