//! Errors in a configuration file, with their positions.

use std::ops::Range;

use toml::Spanned;

/// An error in a configuration file, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ConfigError {
    /// Description of the error.
    pub message: String,
    /// Line number, starting at 1.
    pub line: usize,
    /// Column number in characters, starting at 1.
    pub column: usize,
    /// Suggested next step.
    pub hint: String,
}

/// Converts an error of the TOML parser. `schema` is the argument of `manila schema` that prints
/// all keys of the file.
#[must_use]
pub fn parse_error(text: &str, error: &toml::de::Error, schema: &str) -> ConfigError {
    let message = error.message().lines().next().unwrap_or_default();
    let key = error.span().and_then(|span| text.get(span)).map(str::trim);
    if let ("duplicate key", Some(key)) = (message, key) {
        let message = format!("duplicate key `{key}`");
        return at(text, error.span(), message, "remove one of the two");
    }
    let message = in_toml_terms(&without_value(message));
    let hint = hint(&message, schema);
    at(text, error.span(), message, hint)
}

/// Replaces the parser's terms for Rust types with those of TOML.
fn in_toml_terms(message: &str) -> String {
    const TERMS: [(&str, &str); 10] = [
        ("unknown field `", "unknown key `"),
        ("unknown variant `", "unknown value `"),
        ("missing field `", "missing key `"),
        ("invalid type: sequence,", "invalid type: array,"),
        ("invalid type: map,", "invalid type: table,"),
        (", expected a sequence", ", expected an array"),
        (", expected a map", ", expected a table"),
        (", expected a nonzero usize", ", expected a whole number above 0"),
        (", expected usize", ", expected a whole number of at least 0"),
        (", expected i64", ", expected a whole number"),
    ];
    let replace = |text: String, (from, to): (&str, &str)| text.replace(from, to);
    let message = TERMS.into_iter().fold(message.to_owned(), replace);
    match message.split_once(", expected struct ") {
        Some((found, _)) => format!("{found}, expected a table"),
        None => message,
    }
}

/// Removes the found text from the parser's message about a wrong type, because the text may be a
/// secret.
fn without_value(message: &str) -> String {
    let quoted = message.split_once(": string \"").and_then(|(before, rest)| {
        let (_, after) = rest.rsplit_once("\", expected ")?;
        Some(format!("{before}: string, expected {after}"))
    });
    quoted.unwrap_or_else(|| message.to_owned())
}

/// Suggests the expected name that is closest to the unknown one in the parser's message, or else
/// the schema of the file.
fn hint(message: &str, schema: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let found = quoted.next().unwrap_or_default();
    match manila::closest(found, quoted) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("`manila schema {schema}` prints all keys"),
    }
}

/// Creates an error at the start of `span`, or at the start of the text if `span` is `None`.
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

/// Parses a value with `read`. If that fails, its error becomes the hint, at the value's position.
pub fn read<T>(
    text: &str,
    value: &Spanned<String>,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, ConfigError> {
    read(value.get_ref()).map_err(|hint| {
        let message = format!("`{}` is not a valid value", value.get_ref());
        at(text, Some(value.span()), message, hint)
    })
}
