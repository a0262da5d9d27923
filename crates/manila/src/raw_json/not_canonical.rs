//! Why a value has no canonical form, told to a person: the place, the rule, the next step.

use super::shown;

/// Why a value has no canonical form, and where. RFC 8785 is for I-JSON (RFC 7493) only: values
/// that mean the same to every reader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", place(.pointer))]
#[non_exhaustive]
pub struct NotCanonical {
    /// RFC 6901 pointer to the value, or to the member whose key is wrong; empty for the whole.
    /// In a key, half of a surrogate pair is shown as U+FFFD.
    pub pointer: String,
    /// The rule that is broken.
    pub reason: NotCanonicalReason,
}

/// The rule of I-JSON that a value breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCanonicalReason {
    /// Two members of one object have the same key, however each of them is escaped.
    #[error("the key stands twice in its object")]
    KeyTwice,
    /// `"\ud800"` as a key.
    #[error("the key holds half of a surrogate pair, which stands for no character")]
    HalfCharacterInKey,
    /// `"\ud800"` as a value.
    #[error("the string holds half of a surrogate pair, which stands for no character")]
    HalfCharacter,
    /// `1e999`.
    #[error("the number is larger than any double")]
    NumberTooLarge,
}

impl NotCanonicalReason {
    /// What to do about it.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            NotCanonicalReason::KeyTwice => "keep one of the two members",
            NotCanonicalReason::HalfCharacterInKey | NotCanonicalReason::HalfCharacter => {
                "write both halves of the character, or leave it out"
            }
            NotCanonicalReason::NumberTooLarge => "give the number as a string",
        }
    }
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{}: ", shown(pointer)) }
}
