//! Checks a result that its caller gets without an envelope.

use super::{MismatchCause, OutputCheck, Verdict};
use crate::observed::McpResult;
use crate::prepared::check_output::judge;
use crate::stage::classify::payload_of;

/// Checks a result that its caller gets without an envelope, as `check_output` checks the others.
///
/// The check applies to the structured content itself, because the tool's own schema is advertised
/// for it, even if it is an envelope. A result with `isError` is not checked.
///
/// ```
/// use manila::pipeline::{MismatchCause, OutputCheck, Verdict, check_unsealed};
/// use manila::{McpResult, RawJson, Violation};
///
/// let check = |_: &RawJson| Ok(vec![Violation::new("/n", "type", "must be of type integer")]);
/// let result = McpResult::from_json(r#"{"content": [], "structuredContent": {"n": "7"}}"#)?;
/// let check = OutputCheck::strict(&check);
/// let verdict = check_unsealed(&result, check, MismatchCause::Tool);
/// assert!(matches!(verdict, Verdict::Failure(_)));
/// # Ok::<(), manila::ReadError>(())
/// ```
#[must_use]
pub fn check_unsealed(result: &McpResult, check: OutputCheck<'_>, cause: MismatchCause) -> Verdict {
    if result.is_error {
        return Verdict::Match;
    }
    judge(&payload_of(result), check, cause)
}
