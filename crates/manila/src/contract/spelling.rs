//! What the contracts call a code, and which code a contract's word stands for.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Contract, response_v2};
use crate::catalogue::Code;
use crate::diagnostics;

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
    /// `machine-readable-v1`'s `mcpErrorCode`.
    pub number: Option<i64>,
    /// When this word is used and not the usual one, if there are several.
    pub when: Option<&'static str>,
}

/// Every contract's words for every code, by code; the usual word first.
pub fn spellings() -> impl Iterator<Item = Spelling> {
    let of = |code| Contract::ALL.into_iter().flat_map(move |it| (it.row().spellings)(code));
    Code::ALL.iter().copied().flat_map(of)
}

impl Spelling {
    /// The word for a code that has no other.
    pub(super) fn usual(contract: Contract, code: Code, word: &'static str) -> Spelling {
        Spelling { code, contract, word, group: None, number: None, when: None }
    }
}

/// A word, or a number, and when it is used.
pub(super) type When<T> = (T, Option<&'static str>);

/// The code that a word stands for: a canonical name, or any contract's spelling of one.
///
/// ```
/// use manila::{Code, code_from_spelling};
/// assert_eq!(code_from_spelling("upgrade_required"), Some(Code::UpgradeRequired));
/// assert_eq!(code_from_spelling("E_CUSTOM"), None);
/// ```
#[must_use]
pub fn code_from_spelling(word: &str) -> Option<Code> {
    // Canonical names first, then words that several codes share, then those of one code.
    static WORDS: LazyLock<HashMap<&str, Code>> = LazyLock::new(|| {
        let own = spellings().map(|spelling| (spelling.word, spelling.code));
        let rows = Contract::ALL.into_iter().map(Contract::row);
        let shared = rows.flat_map(|row| row.shared_words.iter().copied());
        let names = Code::ALL.iter().map(|code| (code.name(), *code));
        let mut words = HashMap::new();
        for (word, code) in names.chain(shared).chain(own) {
            words.entry(word).or_insert(code);
        }
        words
    });
    if let Some(code) = WORDS.get(word) {
        return Some(*code);
    }
    if is_exit(word) || diagnostics::is_diagnostic(word) {
        return Some(Code::CommandFailed);
    }
    response_v2::known_type(word).and_then(code_from_type)
}

/// `EXIT_n`, for any exit code.
fn is_exit(word: &str) -> bool {
    word.strip_prefix("EXIT_").is_some_and(|exit| {
        !exit.starts_with('+') && exit.parse::<i64>().is_ok_and(|exit| exit != 0)
    })
}

/// The code that a `response-v2` error type or a `machine-readable-v1` category stands for.
pub(crate) fn code_from_type(group: &str) -> Option<Code> {
    Contract::ALL.into_iter().find_map(|contract| (contract.row().code_of_group)(group))
}
