//! The error for an invalid input: the place, the rule and the next step.

use std::borrow::Cow;
use std::fmt;

use super::{Kind, RawJson, Syntax};
use crate::pointer::child_pointer;

/// Reports what is wrong with an input, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadError {
    /// RFC 6901 pointer to the invalid value; empty for the document itself.
    pub pointer: String,
    /// Line in the input, starting at 1.
    pub line: usize,
    /// Column in characters, starting at 1.
    pub column: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The input is not JSON.
    Syntax(Syntax),
    /// The input is JSON, but breaks a rule.
    Rule {
        /// The rule, and the value that breaks it.
        message: String,
        /// The next step.
        hint: String,
    },
}

impl ReadError {
    /// Returns the next step.
    #[must_use]
    pub fn hint(&self) -> &str {
        match &self.problem {
            Problem::Syntax(syntax) => syntax.hint(),
            Problem::Rule { hint, .. } => hint,
        }
    }

    /// Returns the message with its pointer, without the line and column.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.problem {
            Problem::Syntax(syntax @ (Syntax::Empty | Syntax::TooDeep)) => syntax.to_string(),
            Problem::Syntax(syntax) => format!("not JSON: {syntax}"),
            Problem::Rule { message, .. } if self.pointer.is_empty() => message.clone(),
            Problem::Rule { message, .. } => format!("{}: {message}", sanitize_name(&self.pointer)),
        }
    }

    pub(super) fn within(mut self, segment: &str) -> ReadError {
        self.pointer = child_pointer("", segment) + &self.pointer;
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason())?;
        match self.problem {
            Problem::Syntax(Syntax::Empty) => Ok(()),
            Problem::Syntax(_) | Problem::Rule { .. } => {
                write!(f, " (line {}, column {})", self.line, self.column)
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// Returns a foreign name as a message shows it: shortened, and without characters that move a
/// cursor, break a line or change the reading direction.
pub(crate) fn sanitize_name(name: &str) -> String {
    const CHARS_MAX: usize = 80;
    let is_plain = |letter: char| {
        !letter.is_control() && !matches!(letter, '\u{200E}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let mut short = String::new();
    for letter in name.chars().take(CHARS_MAX) {
        if is_plain(letter) {
            short.push(letter);
        } else {
            short.extend(letter.escape_unicode());
        }
    }
    if name.chars().nth(CHARS_MAX).is_some() {
        short.push_str("...");
    }
    short
}

/// Describes a value. Only numbers are shown, because strings may hold secrets.
pub(super) fn describe(value: &RawJson) -> Cow<'_, str> {
    match value.kind() {
        Kind::Number => sanitize_name(&String::from_utf8_lossy(value.as_bytes())).into(),
        kind @ (Kind::Object | Kind::Array | Kind::String | Kind::Bool | Kind::Null) => {
            kind.name().into()
        }
    }
}
