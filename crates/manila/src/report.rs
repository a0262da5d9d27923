//! What is found in a document: rules that it breaks, and where.
//!
//! A [`Look`](look::Look) notes faults by their pointers while a document is read; findings tell
//! them with their lines, in the order of the document. The contracts report this way when they
//! read envelopes, and `check` when it judges any document.

use crate::raw_json::{Emit, ObjectWriter};

mod findings;
pub(crate) mod look;
pub(crate) mod path;
mod rules;
pub(crate) mod signature;
pub(crate) mod take;

pub(crate) use findings::{findings, findings_of, not_json};
pub use rules::{RULES, Rule};

/// Whether a rule is broken, or something should be better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The contract is not kept.
    Violation,
    /// The contract is kept; it recommends something that is missing.
    Advice,
}

impl Grade {
    /// The name, lower-case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Grade::Violation => "violation",
            Grade::Advice => "advice",
        }
    }
}

/// One thing that was found in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub grade: Grade,
    /// RFC 6901 pointer to the value; empty for the document itself.
    pub pointer: String,
    /// Line in the document, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The rule, e.g. `required` or `double-wrapped`.
    pub rule: &'static str,
    /// The clause of the contract, e.g. `R3`; none where the rule is JSON's.
    pub clause: Option<&'static str>,
    /// What the rule asks for, in words.
    pub message: String,
    /// Line and column of where the same name stood before, if it is given twice.
    pub first: Option<(usize, usize)>,
}

impl Emit for Finding {
    fn emit(&self, out: &mut Vec<u8>) {
        let Finding { grade, pointer, line, column, rule, clause, message, first } = self;
        let mut object = ObjectWriter::begin(out);
        object.member("grade", grade.name());
        object.member("pointer", pointer);
        object.member("line", &(*line as u64));
        object.member("column", &(*column as u64));
        object.member("rule", *rule);
        object.member("clause", clause);
        object.member("message", message);
        if let Some((line, column)) = first {
            object.member("first_line", &(*line as u64));
            object.member("first_column", &(*column as u64));
        }
        object.end();
    }
}

/// The clause, the place and the rule's words, for people.
impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(clause) = self.clause {
            write!(f, "{clause} ")?;
        }
        if !self.pointer.is_empty() {
            write!(f, "{} ", crate::raw_json::shown(&self.pointer))?;
        }
        write!(f, "{} ({})", self.message, self.rule)
    }
}
