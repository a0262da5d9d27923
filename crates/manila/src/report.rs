//! Reports about a document: the rules that it breaks, and where.
//!
//! [`Findings`](collect::Findings) collects faults by their pointers while a document is read.
//! [`Finding`]s report them with their lines, in document order. The contracts report this way when
//! they read envelopes, and `check` when it checks any document.

use crate::raw_json::{Emit, ObjectWriter};

pub(crate) mod collect;
mod findings;
pub(crate) mod path;
mod rules;
pub(crate) mod signature;
pub(crate) mod take;

pub(crate) use findings::{findings, findings_of, not_json};
pub use rules::{RULES, Rule};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The document breaks the contract.
    Violation,
    /// The document conforms to the contract, but lacks something that the contract recommends.
    Advice,
}

impl Grade {
    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Grade::Violation => "violation",
            Grade::Advice => "advice",
        }
    }
}

/// A problem found in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The severity.
    pub grade: Grade,
    /// RFC 6901 pointer to the value; empty for the document itself.
    pub pointer: String,
    /// Line in the document, starting at 1.
    pub line: usize,
    /// Column in characters, starting at 1.
    pub column: usize,
    /// The rule, e.g. `required` or `double-wrapped`.
    pub rule: &'static str,
    /// The clause of the contract, e.g. `R3`; `None` for a rule of JSON.
    pub clause: Option<&'static str>,
    /// What is wrong or required, as a phrase after the pointer, e.g. `is required`.
    pub message: String,
    /// Line and column of the first member with the same name, if the name is repeated.
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

/// Writes the clause, the place and the message.
impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(clause) = self.clause {
            write!(f, "{clause} ")?;
        }
        if !self.pointer.is_empty() {
            write!(f, "{} ", crate::raw_json::sanitize_name(&self.pointer))?;
        }
        write!(f, "{} ({})", self.message, self.rule)
    }
}
