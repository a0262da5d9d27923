//! The kinds of JSON value.

/// The kinds of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `{}`
    Object,
    /// `[]`
    Array,
    /// `""`
    String,
    /// `0`
    Number,
    /// `true` or `false`
    Bool,
    /// `null`
    Null,
}

impl Kind {
    /// Returns the kind of a checked value from its first byte.
    pub(super) fn of(first: Option<u8>) -> Kind {
        match first {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// Returns the name of the kind with its article, for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Object => "an object",
            Kind::Array => "an array",
            Kind::String => "a string",
            Kind::Number => "a number",
            Kind::Bool => "a boolean",
            Kind::Null => "null",
        }
    }
}
