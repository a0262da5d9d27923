//! The row of a contract: the functions and facts by which the rest of the crate uses it.
//!
//! Each contract's module has one [`Row`], and [`Contract::row`](super::Contract::row) is the
//! only `match` that finds it.

use std::borrow::Cow;

use super::{Losses, Place, Spelling};
use crate::catalogue::Code;
use crate::context::Context;
use crate::outcome::Outcome;
use crate::raw_json::{Opened, RawJson};
use crate::report::look::Look;
use crate::schema::{PayloadType, Unbound};

/// What a contract's module offers.
pub(super) struct Row {
    /// Writes an outcome; returns the request id that the envelope has.
    pub(super) render: fn(&Outcome, &Context, &mut Vec<u8>, &mut Losses) -> Option<String>,
    /// Reads an envelope, as far as it can be understood.
    pub(super) read: fn(Opened<'_>, &mut Look) -> Outcome,
    /// Spells the request id of a call: the caller's, or one that is made for the call.
    pub(super) spell_id: for<'a> fn(Option<&'a str>, &Context, &mut Losses) -> Cow<'a, str>,
    /// The words for a code, the usual one first.
    pub(super) spellings: fn(Code) -> Vec<Spelling>,
    /// Words that several codes share, and the code that each one is read as.
    pub(super) shared_words: &'static [(&'static str, Code)],
    /// The code that an error type or a category stands for.
    pub(super) code_of_group: fn(&str) -> Option<Code>,
    /// Where the schema of a tool's own payload binds, if it can.
    pub(super) place_of: fn(PayloadType) -> Result<Place, Unbound>,
    /// How an envelope is recognised.
    pub(super) mark: Mark,
    /// The members by which a schema without the mark describes envelopes.
    pub(super) described_by: Option<Members>,
    /// Whether a payload is the text of a string, so that JSON in it is escaped.
    pub(super) payload_is_text: bool,
}

/// How an envelope of a contract is recognised.
pub(super) enum Mark {
    /// A text at a path of names.
    Text { path: &'static [&'static str], text: &'static str },
    /// Exactly these members.
    Members(Members),
    /// Not at all: the contract must be named.
    Missing,
}

impl Mark {
    /// Whether a member of an envelope has the mark in it.
    pub(super) fn is_in(&self, name: &str, value: &RawJson) -> bool {
        let Mark::Text { path: [first, inner @ ..], text } = self else { return false };
        let is_text = |value: &RawJson| value.as_text().is_some_and(|found| found == *text);
        name == *first
            && match inner {
                [] => is_text(value),
                inner => descend(value, inner.iter()).is_some_and(|value| is_text(&value)),
            }
    }

    /// Whether the members of an envelope are the mark.
    pub(super) fn are(&self, members: &[(Cow<'_, str>, RawJson)]) -> bool {
        match self {
            Mark::Members(own) => {
                let has = |name: &str| members.iter().any(|(found, _)| found == name);
                members.iter().all(|(name, _)| own.names.contains(&name.as_ref()))
                    && own.required().all(has)
            }
            Mark::Text { .. } | Mark::Missing => false,
        }
    }
}

/// The value at a path of names.
fn descend<'a>(value: &RawJson, mut path: impl Iterator<Item = &'a &'a str>) -> Option<RawJson> {
    let first = value.get(path.next()?)?;
    path.try_fold(first, |value, name| value.get(name))
}

/// The members of an envelope.
#[derive(Clone, Copy)]
pub(super) struct Members {
    pub(super) names: &'static [&'static str],
    /// The one that may be absent.
    pub(super) optional: Option<&'static str>,
}

impl Members {
    /// The members that are always there.
    pub(super) fn required(self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied().filter(move |name| Some(*name) != self.optional)
    }
}

#[cfg(test)]
mod tests {
    use super::Mark;
    use crate::contract::Contract;
    use crate::contract::read::MARK_END;

    #[test]
    fn every_mark_can_be_found_by_the_end_of_a_name() {
        for contract in Contract::ALL {
            let can_be_found = match &contract.row().mark {
                Mark::Text { path, .. } => path.last().is_some_and(|it| it.ends_with(MARK_END)),
                Mark::Members(own) => own.required().any(|name| name.ends_with(MARK_END)),
                Mark::Missing => true,
            };
            assert!(can_be_found, "{contract}");
        }
    }

    #[test]
    fn a_row_has_its_own_contract() {
        for contract in Contract::ALL {
            for code in crate::Code::ALL {
                let spellings = (contract.row().spellings)(*code);
                assert!(!spellings.is_empty(), "{contract} has no word for {code:?}");
                for spelling in spellings {
                    assert_eq!((spelling.contract, spelling.code), (contract, *code));
                }
            }
        }
    }
}
