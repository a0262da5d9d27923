//! One rule that a value breaks, told without the value.

use manila_redact::{Redactor, apply};

use crate::pointer::{below, unescaped};
use crate::raw_json::{Emit, ObjectWriter};

/// One rule that a value breaks. The value itself is never told: it may be secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// RFC 6901 pointer to the value; empty for the whole.
    pub pointer: String,
    /// The rule, e.g. `required`, `type` or `maximum`.
    pub rule: String,
    /// What the rule asks for, in words.
    pub message: String,
}

impl Violation {
    /// A violation of `rule` at `pointer`.
    #[must_use]
    pub fn new(
        pointer: impl Into<String>,
        rule: impl Into<String>,
        message: impl Into<String>,
    ) -> Violation {
        Violation { pointer: pointer.into(), rule: rule.into(), message: message.into() }
    }

    /// The same without secrets in its pointer, for those who write it down.
    #[must_use]
    pub fn without_secrets(self) -> Violation {
        Violation { pointer: without_secrets(self.pointer), ..self }
    }
}

/// A pointer names members, and a name may be a secret as well as a value. Each is looked at by
/// itself, because a pointer writes slashes in another way, and then all together.
pub(crate) fn without_secrets(pointer: String) -> String {
    if !pointer.contains('~') {
        return hidden(pointer);
    }
    let names = pointer.split('/').skip(1);
    hidden(names.map(|name| below("", &hidden(unescaped(name)))).collect())
}

fn hidden(text: String) -> String {
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

/// The place and the rule's words, for people.
impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Violation { pointer, rule: _, message } = self;
        if pointer.is_empty() { f.write_str(message) } else { write!(f, "{pointer} {message}") }
    }
}
