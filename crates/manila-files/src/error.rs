//! What is wrong in a configuration, and where.

use std::ops::Range;

use toml::Spanned;

/// What is wrong in a configuration, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The next step.
    pub hint: String,
}

/// An error of the parser.
#[must_use]
pub fn not_read(text: &str, error: &toml::de::Error, page: &str) -> ConfigError {
    let message = without_value(error.message().lines().next().unwrap_or_default());
    let hint = hint(&message, page);
    at(text, error.span(), message, hint)
}

/// What the parser says without the text that stands where another type should: it may be a secret.
fn without_value(message: &str) -> String {
    let quoted = message.split_once(": string \"").and_then(|(before, rest)| {
        let (_, after) = rest.rsplit_once("\", expected ")?;
        Some(format!("{before}: string, expected {after}"))
    });
    quoted.unwrap_or_else(|| message.to_owned())
}

/// The next step, from the words of the parser; else the page that has every key.
fn hint(message: &str, page: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let found = quoted.next().unwrap_or_default();
    match manila::closest(found, quoted) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("{page} has every key"),
    }
}

/// An error at a place.
pub fn at(
    text: &str,
    span: Option<Range<usize>>,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> ConfigError {
    let start = span.map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ConfigError { message: message.into(), line, column, hint: hint.into() }
}

/// A value that somebody else reads, or its place with what is said against it.
pub fn read<T>(
    text: &str,
    value: &Spanned<String>,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, ConfigError> {
    read(value.get_ref()).map_err(|hint| {
        let message = format!("`{}` cannot be used here", value.get_ref());
        at(text, Some(value.span()), message, hint)
    })
}
