//! JSON as it was written: checked once, shared, never rebuilt.
//!
//! A payload belongs to the tool. Its key order, its number spelling and its escapes
//! carry meaning to someone, so nothing here turns JSON into a tree and back. A value
//! is a slice of the bytes that it came in, and it leaves as the same bytes.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use bytes::Bytes;
use memchr::memmem::Finder;
use serde::Serialize;

mod canonical;
mod emit;
mod ends;
mod key_sorted;
mod kind;
mod locate;
mod not_canonical;
mod object;
mod opened;
mod pretty;
mod read_error;
mod reader;
mod scan;
mod seen;
mod strict;
mod string;
mod syntax;
mod walk;
mod word;

pub use canonical::{Canonical, canonical};
pub use emit::{Emit, ObjectWriter};
pub(crate) use emit::{OrNull, emit_joined, emit_string, shape};
pub(crate) use ends::Ends;
pub use key_sorted::key_sorted;
pub use kind::Kind;
pub(crate) use locate::{Position, offsets, pointers_at, position};
pub use not_canonical::{NotCanonical, NotCanonicalReason};
pub use object::JsonObject;
pub(crate) use opened::Opened;
pub use pretty::{pretty, pretty_pieces};
pub(crate) use read_error::shown;
pub use read_error::{Problem, ReadError};
pub(crate) use reader::Reader;
pub(crate) use seen::Seen;
pub(crate) use strict::{Doubt, DoubtKind};
pub(crate) use string::encoded_len;
pub use syntax::Syntax;
pub use walk::{Items, Member, Members};

/// Arrays and objects may be nested this deep, and no deeper.
pub const DEPTH_MAX: usize = 128;

/// How deep a payload may lie in its envelope.
const ENVELOPE_DEPTH: usize = 8;

/// One JSON value, as it was written.
///
/// Cloning is cheap: clones share the bytes. Syntax, UTF-8 and depth have been checked;
/// duplicate keys, lone surrogates and numbers beyond any machine type are left alone,
/// because a payload may hold them and only its reader can say what they mean.
#[derive(Clone)]
pub struct RawJson {
    bytes: Bytes,
    spacing: Spacing,
}

/// Whether a value holds white space between its tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spacing {
    Compact,
    Spaced,
}

impl RawJson {
    /// Checks that `bytes` hold one JSON value and nothing else but white space.
    ///
    /// ```
    /// let value = manila::RawJson::parse(r#" {"b": 1.0, "a": 1e3} "#)?;
    /// assert_eq!(value.to_string(), r#"{"b":1.0,"a":1e3}"#);
    /// # Ok::<(), manila::ReadError>(())
    /// ```
    pub fn parse(bytes: impl Into<Bytes>) -> Result<RawJson, ReadError> {
        let bytes = bytes.into();
        Reader::document(&bytes, Reader::raw)
    }

    /// Checks a payload, which must leave room for the envelope around it.
    pub fn parse_payload(bytes: impl Into<Bytes>) -> Result<RawJson, ReadError> {
        let bytes = bytes.into();
        Reader::payload_document(&bytes, Reader::raw)
    }

    /// The JSON of any value that serializes.
    ///
    /// Fails where JSON cannot say it: a map whose keys are not strings, a value nested
    /// too deeply to have an envelope around it, or an error of the value's own `Serialize`.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<RawJson, UnfitValue> {
        let text = serde_json::to_vec(value).map_err(|error| UnfitValue(error.to_string()))?;
        RawJson::parse_payload(text).map_err(|error| match error.problem {
            Problem::Syntax(Syntax::TooDeep) => {
                UnfitValue::new("it is nested too deeply to have an envelope around it")
            }
            Problem::Syntax(_) | Problem::Rule { .. } => UnfitValue(error.to_string()),
        })
    }

    /// The value's bytes as they were written, white space inside included.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The value's bytes as they were written, without a copy.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// The value's text as it was written.
    ///
    /// # Panics
    /// Never: a value is made from checked UTF-8 only.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("a RawJson is made from checked UTF-8 only")
    }

    /// The value as one line of compact JSON; the same bytes where it was compact already.
    #[must_use]
    pub fn compact(&self) -> Bytes {
        match self.spacing {
            Spacing::Compact => self.bytes.clone(),
            Spacing::Spaced => {
                let mut out = Vec::with_capacity(self.bytes.len());
                self.emit(&mut out);
                out.into()
            }
        }
    }

    /// The text that a JSON string stands for, or `None` if this is no string.
    ///
    /// A lone surrogate, which no Rust string can hold, is replaced by U+FFFD.
    #[must_use]
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        (self.kind() == Kind::String).then(|| string::decode(&self.bytes))
    }

    /// The text that a JSON string stands for, unless a lone surrogate stands in it.
    pub(crate) fn as_exact_text(&self) -> Option<Cow<'_, str>> {
        let is_string = self.kind() == Kind::String;
        is_string.then(|| string::decode_exactly(&self.bytes).ok()).flatten()
    }

    /// The member of this name, or `None` if there is none or this is no object. Of several
    /// members of the same name it is the last, as most readers of JSON have it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<RawJson> {
        if !self.may_have(name) {
            return None;
        }
        self.members().filter(|member| member.is(name)).last().map(|member| member.value())
    }

    /// Whether it is an object with `success: false`, by which tools say that they failed.
    pub(crate) fn says_failed(&self) -> bool {
        static NAME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"success"));
        // Nearly no payload has the word at all, and to look for that costs least.
        let may_have =
            || NAME.find(&self.bytes).is_some() || memchr::memchr(b'\\', &self.bytes).is_some();
        self.kind() == Kind::Object
            && may_have()
            && self.get("success").is_some_and(|value| value.as_bytes() == b"false")
    }

    /// Whether a member may have this name. To look for its text costs a fraction of a
    /// walk over a large object. Letters, digits and most signs have no other spelling than
    /// a `\u` escape; a name with any other sign is not looked for.
    fn may_have(&self, name: &str) -> bool {
        const SMALL: usize = 512;
        let finds = |text: &[u8]| memchr::memmem::find(&self.bytes, text).is_some();
        let has_short_escape = name.bytes().any(|byte| byte == b'/' || word::is_special(byte));
        self.kind() == Kind::Object
            && (self.bytes.len() < SMALL
                || has_short_escape
                || finds(name.as_bytes())
                || (memchr::memchr(b'\\', &self.bytes).is_some() && finds(b"\\u")))
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::of(self.bytes.first().copied())
    }

    pub(crate) fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// The members, in the order written; none if this is no object.
    #[must_use]
    pub fn members(&self) -> Members<'_> {
        Members::of(self)
    }

    /// As [`members`](RawJson::members), where the ends of long values are known.
    pub(crate) fn members_within<'a>(&'a self, ends: &'a Ends) -> Members<'a> {
        Members::within(self, ends)
    }

    /// As [`items`](RawJson::items), where the ends of long values are known.
    pub(crate) fn items_within<'a>(&'a self, ends: &'a Ends) -> Items<'a> {
        Items::within(self, ends)
    }

    /// The items, in order; none if this is no array.
    #[must_use]
    pub fn items(&self) -> Items<'_> {
        Items::of(self)
    }

    /// How many members its objects have together, at every depth.
    #[cfg(feature = "validate")]
    pub(crate) fn n_members_deep(&self) -> usize {
        walk::n_members_deep(&self.bytes)
    }

    /// A value whose bytes are known to be compact JSON, because we wrote them.
    pub(crate) fn written(bytes: Vec<u8>) -> RawJson {
        RawJson { bytes: bytes.into(), spacing: Spacing::Compact }
    }

    /// This value with other texts in some of its strings, and strings in the place of some
    /// numbers: as JSON it is spaced as before.
    pub(crate) fn with_strings_edited(&self, bytes: Vec<u8>) -> RawJson {
        RawJson { bytes: bytes.into(), spacing: self.spacing }
    }

    pub(crate) fn checked(bytes: Bytes, spacing: Spacing) -> RawJson {
        RawJson { bytes, spacing }
    }

    pub(crate) const fn literal(text: &'static str) -> RawJson {
        RawJson { bytes: Bytes::from_static(text.as_bytes()), spacing: Spacing::Compact }
    }
}

/// Two values are equal when their compact texts are.
impl PartialEq for RawJson {
    fn eq(&self, other: &RawJson) -> bool {
        self.compact() == other.compact()
    }
}

impl Eq for RawJson {}

/// Compact, as it goes into an envelope.
impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.compact()))
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A value of the author's that JSON cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the value cannot be written as JSON: {0}")]
pub struct UnfitValue(String);

impl UnfitValue {
    pub(crate) fn new(reason: impl Into<String>) -> UnfitValue {
        UnfitValue(reason.into())
    }
}

#[cfg(test)]
mod tests;
