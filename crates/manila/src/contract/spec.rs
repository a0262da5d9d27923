//! The specification of a contract: the functions and facts through which the rest of the crate
//! uses it.
//!
//! Each contract's module has one [`ContractSpec`]. [`Contract::spec`](super::Contract::spec) is
//! the only `match` that selects it.

use std::borrow::Cow;

use super::{Losses, Place, Spelling};
use crate::catalogue::Code;
use crate::context::Context;
use crate::outcome::Outcome;
use crate::raw_json::{RawJson, TopLevel};
use crate::report::collect::Findings;
use crate::schema::{PayloadSchemaError, PayloadType};

/// The functions and facts of a contract.
pub(super) struct ContractSpec {
    /// Writes an outcome, and returns the envelope's request id.
    pub(super) render: fn(&Outcome, &Context, &mut Vec<u8>, &mut Losses) -> Option<String>,
    /// Reads as much of an envelope as is valid.
    pub(super) read: fn(TopLevel<'_>, &mut Findings) -> Outcome,
    /// Returns the request id of a call in the contract's form: the caller's, or a generated one.
    pub(super) format_request_id:
        for<'a> fn(Option<&'a str>, &Context, &mut Losses) -> Cow<'a, str>,
    /// Returns the spellings of a code, the default one first.
    pub(super) spellings: fn(Code) -> Vec<Spelling>,
    /// Spellings that several codes share, each with the code that it is read as.
    pub(super) shared_spellings: &'static [(&'static str, Code)],
    /// Returns the code for an error type or a category.
    pub(super) code_from_group: fn(&str) -> Option<Code>,
    /// Returns the place for the schema of a tool's payload, if there is one.
    pub(super) payload_schema_place: fn(PayloadType) -> Result<Place, PayloadSchemaError>,
    /// The mark by which an envelope is recognised.
    pub(super) mark: Mark,
    /// The members of a schema that describes envelopes without their mark.
    pub(super) described_by: Option<Members>,
    /// Whether a payload is written as a string, so that JSON in it is escaped.
    pub(super) payload_is_text: bool,
}

/// The mark by which an envelope of a contract is recognised.
pub(super) enum Mark {
    /// This text at a path of member names.
    Text { path: &'static [&'static str], text: &'static str },
    /// Exactly these members.
    Members(Members),
    /// None: the caller must name the contract.
    Missing,
}

impl Mark {
    /// Returns whether a member of an envelope contains the mark.
    pub(super) fn matches_member(&self, name: &str, value: &RawJson) -> bool {
        let Mark::Text { path: [first, inner @ ..], text } = self else { return false };
        let is_text = |value: &RawJson| value.as_text().is_some_and(|found| found == *text);
        name == *first
            && match inner {
                [] => is_text(value),
                inner => descend(value, inner.iter()).is_some_and(|value| is_text(&value)),
            }
    }

    /// Returns whether the members of an envelope are the mark.
    pub(super) fn matches_members(&self, members: &[(Cow<'_, str>, RawJson)]) -> bool {
        match self {
            Mark::Members(expected) => {
                let has = |name: &str| members.iter().any(|(found, _)| found == name);
                members.iter().all(|(name, _)| expected.names.contains(&name.as_ref()))
                    && expected.required_names().all(has)
            }
            Mark::Text { .. } | Mark::Missing => false,
        }
    }
}

/// Returns the value at a path of member names.
fn descend<'a>(value: &RawJson, mut path: impl Iterator<Item = &'a &'a str>) -> Option<RawJson> {
    let first = value.get(path.next()?)?;
    path.try_fold(first, |value, name| value.get(name))
}

/// The members of an envelope.
#[derive(Clone, Copy)]
pub(super) struct Members {
    pub(super) names: &'static [&'static str],
    /// The member that may be absent.
    pub(super) optional: Option<&'static str>,
}

impl Members {
    /// Returns the members that are always present.
    pub(super) fn required_names(self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied().filter(move |name| Some(*name) != self.optional)
    }
}

#[cfg(test)]
mod tests;
