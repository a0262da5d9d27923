//! A finding in a document, with its position in the input.

use manila::DocumentKind;
use manila::check::{Finding, Grade};
use serde::{Serialize, Serializer};

use crate::refusal::visible;

/// A finding with its position in the input.
#[derive(Serialize)]
pub(crate) struct Row {
    #[serde(serialize_with = "tool_name")]
    pub(crate) grade: Grade,
    pub(crate) pointer: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) rule: &'static str,
    pub(crate) clause: Option<&'static str>,
    pub(crate) message: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde requires this signature")]
fn tool_name<S: Serializer>(grade: &Grade, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(grade.name())
}

impl Row {
    /// Creates the row of a finding; `first` is the line of the input where its document begins.
    pub(crate) fn of(finding: Finding, first: u64) -> Row {
        let Finding { grade, pointer, line, column, rule, clause, message, first: earlier, .. } =
            finding;
        let in_input = |line: usize| first + (line as u64).saturating_sub(1);
        let message = match earlier {
            Some((line, column)) => {
                format!("{message}, first at line {}, column {column}", in_input(line))
            }
            None => message,
        };
        let line = in_input(line);
        Row { grade, pointer, line, column: column as u64, rule, clause, message }
    }

    /// Creates the row of a violation that the command itself found, at the beginning of a line.
    pub(crate) fn violation(line: u64, rule: &'static str, message: String) -> Row {
        let (grade, pointer) = (Grade::Violation, String::new());
        Row { grade, pointer, line, column: 1, rule, clause: None, message }
    }

    /// Describes the finding without its position: contract, clause, pointer, message and rule.
    pub(crate) fn describe(&self, kind: Option<DocumentKind>) -> String {
        let kind = kind.map_or("", DocumentKind::id);
        let clause = self.clause.unwrap_or_default();
        let (pointer, message) = (shorten(&visible(&self.pointer)), visible(&self.message));
        let parts = [kind, clause, &pointer, &message];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{} ({})", parts.join(" "), self.rule)
    }
}

/// Shortens a pointer, which may be as long as a document, to its end: the most specific part.
fn shorten(pointer: &str) -> String {
    const CHARS_MAX: usize = 120;
    let n_chars = pointer.chars().count();
    if n_chars <= CHARS_MAX {
        return pointer.to_owned();
    }
    let end: String = pointer.chars().skip(n_chars - CHARS_MAX).collect();
    format!("...{end}")
}
