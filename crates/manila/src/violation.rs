//! A breach of a rule, without the value.

use manila_redact::{Redactor, apply};

use crate::pointer::{child_pointer, unescape};
use crate::raw_json::{Emit, ObjectWriter};

/// A breach of a rule, without the value, which may be secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// RFC 6901 pointer to the value; empty for the whole document.
    pub pointer: String,
    /// The rule, e.g. `required`, `type` or `maximum`.
    pub rule: String,
    /// What is wrong or required, as a phrase after the pointer, e.g. `is required`.
    pub message: String,
}

/// The reason why a check was stopped: it takes too many steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("checking it takes more than {steps_max} steps")]
#[non_exhaustive]
pub struct CheckStopped {
    /// The maximum number of steps.
    pub steps_max: u64,
}

impl CheckStopped {
    /// Returns the violation for a value that must not be accepted unchecked.
    #[must_use]
    pub fn violation(self) -> Violation {
        let message = format!("cannot be checked: {self}; send less or shorter text");
        Violation::new("", "maxSteps", message)
    }
}

impl Violation {
    /// Creates a violation of `rule` at `pointer`.
    #[must_use]
    pub fn new(
        pointer: impl Into<String>,
        rule: impl Into<String>,
        message: impl Into<String>,
    ) -> Violation {
        Violation { pointer: pointer.into(), rule: rule.into(), message: message.into() }
    }

    /// Redacts secrets in the pointer, so that the violation can be logged or sent.
    #[must_use]
    pub fn without_secrets(self) -> Violation {
        Violation { pointer: without_secrets(self.pointer), ..self }
    }
}

/// Redacts a pointer, because an object key can be a secret too. Keys are unescaped first: an
/// escaped `/` or `~` would hide a secret from the rules.
pub(crate) fn without_secrets(pointer: String) -> String {
    if !pointer.contains('~') {
        return redact_text(pointer);
    }
    let names = pointer.split('/').skip(1);
    redact_text(names.map(|name| child_pointer("", &redact_text(unescape(name)))).collect())
}

fn redact_text(text: String) -> String {
    let edits = Redactor::standard().text(text.as_bytes());
    if edits.is_empty() {
        return text;
    }
    String::from_utf8_lossy(&apply(text.as_bytes(), &edits)).into_owned()
}

impl Emit for Violation {
    fn emit(&self, out: &mut Vec<u8>) {
        let Violation { pointer, rule, message } = self;
        let mut object = ObjectWriter::begin(out);
        object.member("pointer", pointer);
        object.member("rule", rule);
        object.member("message", message);
        object.end();
    }
}

/// Writes the pointer and the message.
impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Violation { pointer, rule: _, message } = self;
        if pointer.is_empty() { f.write_str(message) } else { write!(f, "{pointer} {message}") }
    }
}
