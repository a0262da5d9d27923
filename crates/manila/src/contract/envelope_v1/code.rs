//! E7: the eleven error codes of `envelope-v1`.

use crate::catalogue::Code;
use crate::contract::Contract;
use crate::contract::spelling::{Conditional, Spelling};
use crate::outcome::Run;

/// Every error code.
pub(super) const ERROR_CODES: [&str; 11] = [
    "invalid_argument",
    "invalid_path",
    "forbidden",
    "not_found",
    "timeout",
    "too_large",
    "resource_exhausted",
    "not_implemented",
    "upgrade_required",
    "dependency_unavailable",
    "internal_error",
];

/// Returns the spelling of a code. For one code it depends on whether a program was run.
pub(super) fn spell(code: Code, run: Option<&Run>) -> &'static str {
    match (code, run, words_for(code)) {
        // M9: if a command was tried, a program is missing.
        (Code::CapabilityNotAvailable, Some(_), [_, (with_run, _), ..]) => with_run,
        (_, _, [(default, _), ..]) => default,
        (_, _, []) => "internal_error",
    }
}

/// Spellings that several codes share, each with the code that it is read as.
pub(super) const SHARED: &[(&str, Code)] = &[
    ("invalid_argument", Code::InvalidToolInput),
    ("not_found", Code::NotFound),
    ("forbidden", Code::Forbidden),
    ("timeout", Code::Timeout),
    ("resource_exhausted", Code::RateLimited),
    ("dependency_unavailable", Code::UpstreamUnavailable),
    ("internal_error", Code::InternalError),
];

/// Returns the spellings of a code, the default one first.
pub(super) fn spellings(code: Code) -> Vec<Spelling> {
    let usual = |word| Spelling::plain(Contract::EnvelopeV1, code, word);
    words_for(code).iter().map(|(word, when)| Spelling { when: *when, ..usual(word) }).collect()
}

fn words_for(code: Code) -> &'static [Conditional<&'static str>] {
    match code {
        Code::ParseError
        | Code::MethodNotFound
        | Code::InvalidEnvelope
        | Code::InvalidToolInput => &[("invalid_argument", None)],
        Code::InvalidPath => &[("invalid_path", None)],
        Code::ToolNotFound | Code::NotFound => &[("not_found", None)],
        Code::Unauthenticated | Code::Forbidden | Code::FeatureDisabled => &[("forbidden", None)],
        Code::UpgradeRequired => &[("upgrade_required", None)],
        Code::Conflict | Code::RateLimited => &[("resource_exhausted", None)],
        Code::TooLarge => &[("too_large", None)],
        Code::Cancelled | Code::Timeout => &[("timeout", None)],
        Code::CapabilityNotAvailable => {
            &[("not_implemented", None), ("dependency_unavailable", Some("a program is missing"))]
        }
        Code::UpstreamUnavailable => &[("dependency_unavailable", None)],
        Code::InvalidToolOutput | Code::CommandFailed | Code::ToolFailed | Code::InternalError => {
            &[("internal_error", None)]
        }
    }
}

#[cfg(test)]
mod tests;
