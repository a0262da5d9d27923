//! E7: the eleven words of `envelope-v1`.

use crate::catalogue::Code;
use crate::contract::Contract;
use crate::contract::spelling::{Spelling, When};
use crate::outcome::Run;

/// All of them.
pub(super) const WORDS: [&str; 11] = [
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

/// The word for a code. What a run shows can tell two cases of one code apart.
pub(super) fn word(code: Code, run: Option<&Run>) -> &'static str {
    match (code, run, words(code)) {
        // M9: where something was tried, a program is missing.
        (Code::CapabilityNotAvailable, Some(_), [_, (when_tried, _), ..]) => when_tried,
        (_, _, [(usual, _), ..]) => usual,
        (_, _, []) => "internal_error",
    }
}

/// Words that several codes share, and the code that each one is read as.
pub(super) const SHARED: &[(&str, Code)] = &[
    ("invalid_argument", Code::InvalidToolInput),
    ("not_found", Code::NotFound),
    ("forbidden", Code::Forbidden),
    ("timeout", Code::Timeout),
    ("resource_exhausted", Code::RateLimited),
    ("dependency_unavailable", Code::UpstreamUnavailable),
    ("internal_error", Code::InternalError),
];

/// The words for a code, the usual one first.
pub(super) fn spellings(code: Code) -> Vec<Spelling> {
    let usual = |word| Spelling::usual(Contract::EnvelopeV1, code, word);
    words(code).iter().map(|(word, when)| Spelling { when: *when, ..usual(word) }).collect()
}

fn words(code: Code) -> &'static [When<&'static str>] {
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
        Code::CapabilityNotAvailable => &[
            ("not_implemented", None),
            ("dependency_unavailable", Some("when a program is missing")),
        ],
        Code::UpstreamUnavailable => &[("dependency_unavailable", None)],
        Code::InvalidToolOutput | Code::CommandFailed | Code::ToolFailed | Code::InternalError => {
            &[("internal_error", None)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, WORDS, words};

    #[test]
    fn every_word_is_one_of_the_eleven() {
        for code in Code::ALL {
            assert!(words(*code).iter().all(|(word, _)| WORDS.contains(word)), "{code}");
        }
    }
}
