//! The ways in which a text can fail to be JSON.

/// The rule of JSON that a text breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Syntax {
    /// Only white space.
    #[error("the input is empty, but a JSON value is required")]
    Empty,
    /// U+FEFF at the start.
    #[error("the input starts with a byte-order mark, which JSON does not allow")]
    ByteOrderMark,
    /// Bytes that are not UTF-8.
    #[error("the input is not valid UTF-8")]
    InvalidUtf8,
    /// Something other than what the grammar requires here.
    #[error("expected {0}")]
    Expected(&'static str),
    /// The text stops inside a value.
    #[error("the input ends inside a value, where {0} is expected")]
    Ends(&'static str),
    /// More than one value.
    #[error("more text follows after the value")]
    Trailing,
    /// An array or object deeper than [`DEPTH_MAX`](super::DEPTH_MAX).
    #[error("arrays and objects are nested deeper than 128")]
    TooDeep,
    /// A raw control character inside a string.
    #[error("a string holds an unescaped control character")]
    ControlCharacter,
    /// `\x` or an incomplete `\u`.
    #[error("a string holds an invalid escape")]
    Escape,
    /// `01`, `1.`, `.5`, `+1`, `1e`.
    #[error("invalid number")]
    Number,
}

impl Syntax {
    /// Returns the next step.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Syntax::Empty => "provide one JSON value",
            Syntax::ByteOrderMark => "save the file as UTF-8 without a byte-order mark",
            Syntax::InvalidUtf8 => "convert the input to UTF-8; JSON has no other encoding",
            Syntax::Expected(_) | Syntax::Escape | Syntax::Number => {
                "fix the JSON at this position; comments, single quotes and trailing commas are \
                 not JSON"
            }
            Syntax::Ends(_) => "the input looks truncated; provide the whole value",
            Syntax::Trailing => "provide one value at a time",
            Syntax::TooDeep => "flatten the value, or write its deepest part as a JSON string",
            Syntax::ControlCharacter => {
                "write line breaks and tabs inside strings as `\\n` and `\\t`"
            }
        }
    }
}
