//! One thing that was found in a document, at its place in the input.

use manila::Subject;
use manila::check::{Finding, Grade};
use serde::{Serialize, Serializer};

use crate::refusal::visible;

/// One thing that was found.
#[derive(Serialize)]
pub(crate) struct Row {
    #[serde(serialize_with = "name_of")]
    pub(crate) grade: Grade,
    pub(crate) pointer: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) rule: &'static str,
    pub(crate) clause: Option<&'static str>,
    pub(crate) message: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn name_of<S: Serializer>(grade: &Grade, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(grade.name())
}

impl Row {
    /// A finding of a document that begins on this line of the input.
    pub(crate) fn of(finding: Finding, first: u64) -> Row {
        let Finding { grade, pointer, line, column, rule, clause, message, first: before, .. } =
            finding;
        let in_input = |line: usize| first + (line as u64).saturating_sub(1);
        let message = match before {
            Some((line, column)) => {
                format!("{message}, first in line {}, column {column}", in_input(line))
            }
            None => message,
        };
        let line = in_input(line);
        Row { grade, pointer, line, column: column as u64, rule, clause, message }
    }

    /// What a command finds by itself, at the beginning of this line.
    pub(crate) fn own(line: u64, rule: &'static str, message: String) -> Row {
        let (grade, pointer) = (Grade::Violation, String::new());
        Row { grade, pointer, line, column: 1, rule, clause: None, message }
    }

    /// What there is to say but for the place in the input: contract, clause, pointer, message
    /// and rule.
    pub(crate) fn told(&self, subject: Option<Subject>) -> String {
        let subject = subject.map_or("", Subject::id);
        let clause = self.clause.unwrap_or_default();
        let (pointer, message) = (short(&visible(&self.pointer)), visible(&self.message));
        let parts = [subject, clause, &pointer, &message];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{} ({})", parts.join(" "), self.rule)
    }
}

/// A pointer may be as long as a document; its end says most.
fn short(pointer: &str) -> String {
    const CHARS_MAX: usize = 120;
    let n_chars = pointer.chars().count();
    if n_chars <= CHARS_MAX {
        return pointer.to_owned();
    }
    let end: String = pointer.chars().skip(n_chars - CHARS_MAX).collect();
    format!("...{end}")
}
