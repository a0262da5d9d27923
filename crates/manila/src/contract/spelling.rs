//! The contracts' spellings of codes, and the code for each spelling.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Contract, response_v2};
use crate::catalogue::Code;
use crate::diagnostics;

/// A contract's spelling of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spelling {
    /// The code.
    pub code: Code,
    /// The contract.
    pub contract: Contract,
    /// The spelling, e.g. `VALIDATION_ERROR`.
    pub word: &'static str,
    /// `response-v2`'s error type or `machine-readable-v1`'s category.
    pub group: Option<&'static str>,
    /// `machine-readable-v1`'s `mcpErrorCode`.
    pub number: Option<i64>,
    /// The condition for this spelling, if it is not the default one.
    pub when: Option<&'static str>,
}

/// Returns every contract's spellings of every code, by code; the default spelling first.
pub fn spellings() -> impl Iterator<Item = Spelling> {
    let of = |code| Contract::ALL.into_iter().flat_map(move |it| (it.spec().spellings)(code));
    Code::ALL.iter().copied().flat_map(of)
}

impl Spelling {
    /// Creates a spelling without a group, a number or a condition.
    pub(super) fn plain(contract: Contract, code: Code, word: &'static str) -> Spelling {
        Spelling { code, contract, word, group: None, number: None, when: None }
    }
}

/// A spelling or a number, with the condition for its use.
pub(super) type Conditional<T> = (T, Option<&'static str>);

/// Returns the code for a canonical name, or for any contract's spelling.
///
/// ```
/// use manila::{Code, code_from_spelling};
/// assert_eq!(code_from_spelling("upgrade_required"), Some(Code::UpgradeRequired));
/// assert_eq!(code_from_spelling("E_CUSTOM"), None);
/// ```
#[must_use]
pub fn code_from_spelling(word: &str) -> Option<Code> {
    // Canonical names first, then spellings that several codes share, then those of one code.
    static CODES: LazyLock<HashMap<&str, Code>> = LazyLock::new(|| {
        let unshared = spellings().map(|spelling| (spelling.word, spelling.code));
        let specs = Contract::ALL.into_iter().map(Contract::spec);
        let shared = specs.flat_map(|spec| spec.shared_spellings.iter().copied());
        let names = Code::ALL.iter().map(|code| (code.name(), *code));
        let mut codes = HashMap::new();
        for (word, code) in names.chain(shared).chain(unshared) {
            codes.entry(word).or_insert(code);
        }
        codes
    });
    if let Some(code) = CODES.get(word) {
        return Some(*code);
    }
    if is_exit(word) || diagnostics::is_diagnostic(word) {
        return Some(Code::CommandFailed);
    }
    response_v2::known_type(word).and_then(code_from_type)
}

/// Returns whether a spelling is `EXIT_n`, for any exit code except 0.
fn is_exit(word: &str) -> bool {
    word.strip_prefix("EXIT_").is_some_and(|exit| {
        !exit.starts_with('+') && exit.parse::<i64>().is_ok_and(|exit| exit != 0)
    })
}

/// Returns the code for a `response-v2` error type or a `machine-readable-v1` category.
pub(crate) fn code_from_type(group: &str) -> Option<Code> {
    Contract::ALL.into_iter().find_map(|contract| (contract.spec().code_from_group)(group))
}
