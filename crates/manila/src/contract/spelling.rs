//! What the contracts call a code, and which code a contract's word stands for.

use super::{Contract, envelope_v1, machine_readable_v1, mcp_envelope_v0_1, response_v2};
use crate::catalogue::Code;

/// A contract's word for a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spelling {
    /// The code.
    pub code: Code,
    /// The contract.
    pub contract: Contract,
    /// The word.
    pub word: &'static str,
    /// `response-v2`'s error type or `machine-readable-v1`'s category.
    pub group: Option<&'static str>,
}

/// Every contract's words for every code, by code.
pub fn spellings() -> impl Iterator<Item = Spelling> {
    let of = |code| Contract::ALL.into_iter().flat_map(move |contract| spelled(code, contract));
    Code::ALL.iter().copied().flat_map(of)
}

fn spelled(code: Code, contract: Contract) -> Vec<Spelling> {
    let spelling = |word, group| Spelling { code, contract, word, group };
    match contract {
        Contract::EnvelopeV1 => {
            envelope_v1::words(code).iter().map(|word| spelling(*word, None)).collect()
        }
        Contract::ResponseV2 => {
            let group = Some(response_v2::error_type(code));
            response_v2::words(code).iter().map(|word| spelling(*word, group)).collect()
        }
        Contract::MachineReadableV1 => {
            let group = Some(machine_readable_v1::category(code));
            vec![spelling(machine_readable_v1::word(code), group)]
        }
        Contract::McpEnvelopeV01 => vec![spelling(mcp_envelope_v0_1::word(code), None)],
    }
}

/// Words that several codes share, and the code that each one is read as.
const SHARED: &[(&str, Code)] = &[
    ("invalid_argument", Code::InvalidToolInput),
    ("VALIDATION_ERROR", Code::InvalidToolInput),
    ("INVALID_FORMAT", Code::InvalidToolInput),
    ("MISSING_REQUIRED", Code::InvalidToolInput),
    ("INVALID_PARAMS", Code::InvalidToolInput),
    ("not_found", Code::NotFound),
    ("forbidden", Code::Forbidden),
    ("timeout", Code::Timeout),
    ("resource_exhausted", Code::RateLimited),
    ("dependency_unavailable", Code::UpstreamUnavailable),
    ("internal_error", Code::InternalError),
    ("UNAVAILABLE", Code::UpstreamUnavailable),
    // The catalogue leaves this one open; the general word stands for the general code.
    ("ADAPTER.REQUEST.INVALID", Code::InvalidEnvelope),
];

/// The code that a word stands for: a canonical name, or any contract's spelling of one.
///
/// ```
/// use manila::{Code, code_from_spelling};
/// assert_eq!(code_from_spelling("upgrade_required"), Some(Code::UpgradeRequired));
/// assert_eq!(code_from_spelling("E_CUSTOM"), None);
/// ```
#[must_use]
pub fn code_from_spelling(word: &str) -> Option<Code> {
    if let Ok(code) = Code::from_name(word) {
        return Some(code);
    }
    if let Some((_, code)) = SHARED.iter().find(|(shared, _)| *shared == word) {
        return Some(*code);
    }
    let group = response_v2::known_type(word);
    let found = spellings().find(|spelling| spelling.word == word).map(|found| found.code);
    found.or_else(|| group.and_then(code_from_type))
}

/// The code that a `response-v2` error type or a `machine-readable-v1` category stands for.
pub(crate) fn code_from_type(group: &str) -> Option<Code> {
    response_v2::code_of_type(group).or_else(|| machine_readable_v1::code_of_category(group))
}
