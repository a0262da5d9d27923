//! The error for a value without a canonical form: the place, the rule and the next step.

use super::sanitize_name;

/// Reports why a value has no canonical form, and where. RFC 8785 covers only I-JSON (RFC 7493),
/// that is, values that every reader interprets alike.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", place(.pointer))]
#[non_exhaustive]
pub struct NotCanonical {
    /// RFC 6901 pointer to the value, or to the member with the invalid key; empty for the whole
    /// document. A lone surrogate in a key is shown as U+FFFD.
    pub pointer: String,
    /// The rule that the value breaks.
    pub reason: NotCanonicalReason,
}

/// The rule of I-JSON that a value breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCanonicalReason {
    /// Two members of one object have the same key after decoding.
    #[error("the key is repeated in its object")]
    DuplicateKey,
    /// `"\ud800"` as a key.
    #[error("the key holds a lone surrogate, which is not a character")]
    LoneSurrogateInKey,
    /// `"\ud800"` as a value.
    #[error("the string holds a lone surrogate, which is not a character")]
    LoneSurrogate,
    /// `1e999`.
    #[error("the number is larger than any double")]
    NumberTooLarge,
}

impl NotCanonicalReason {
    /// Returns the next step.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            NotCanonicalReason::DuplicateKey => "keep one of the two members",
            NotCanonicalReason::LoneSurrogateInKey | NotCanonicalReason::LoneSurrogate => {
                "write both halves of the surrogate pair, or remove it"
            }
            NotCanonicalReason::NumberTooLarge => "write the number as a string",
        }
    }
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{}: ", sanitize_name(pointer)) }
}
