//! Raw JSON values: checked once, shared, and never rebuilt.
//!
//! A payload belongs to the tool. Its key order, number spelling and escapes may matter to a
//! reader, so nothing here turns JSON into a tree and back. A value is a slice of its input, and is
//! written with the same bytes.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use bytes::Bytes;
use memchr::memmem::Finder;
use serde::Serialize;

mod canonical;
mod deep_items;
mod emit;
mod interop;
mod key_set;
mod key_sorted;
mod kind;
mod locate;
mod not_canonical;
mod object;
mod pretty;
mod read_error;
mod reader;
mod scan;
mod string;
mod syntax;
mod top_level;
mod value_ends;
mod walk;
mod word;

pub use canonical::{Canonical, canonical};
pub use deep_items::{ITEM_DEPTH_MAX, ShortenedList, without_deep_items};
pub use emit::{Emit, ObjectWriter};
pub(crate) use emit::{OrNull, emit_joined, emit_string, shape};
pub(crate) use interop::{InteropIssue, InteropIssueKind};
pub(crate) use key_set::KeySet;
pub use key_sorted::key_sorted;
pub use kind::Kind;
pub(crate) use locate::{Position, offsets, pointers_at, position};
pub use not_canonical::{NotCanonical, NotCanonicalReason};
pub use object::JsonObject;
pub use pretty::{pretty, pretty_pieces};
pub(crate) use read_error::sanitize_name;
pub use read_error::{Problem, ReadError};
pub(crate) use reader::Reader;
pub(crate) use string::encoded_len;
pub use string::{encode as escape, escaped_len};
pub use syntax::Syntax;
pub(crate) use top_level::TopLevel;
pub(crate) use value_ends::ValueEnds;
pub use walk::{Items, Member, Members};

/// The maximum nesting depth of arrays and objects.
pub const DEPTH_MAX: usize = 128;

/// The number of levels that are reserved for the envelope around a payload.
const ENVELOPE_DEPTH: usize = 8;

/// One JSON value, kept as its original bytes.
///
/// Cloning is cheap: clones share the bytes. Syntax, UTF-8 and depth have been checked. Duplicate
/// keys, lone surrogates and numbers beyond any machine type are allowed, because a payload may
/// hold them and only its reader knows what they mean.
#[derive(Clone)]
pub struct RawJson {
    bytes: Bytes,
    spacing: Spacing,
}

/// Whether a value has white space between its tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spacing {
    Compact,
    Spaced,
}

impl RawJson {
    /// Parses one JSON value, which may have only white space around it.
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

    /// Parses a payload, which must leave enough depth for the envelope around it.
    pub fn parse_payload(bytes: impl Into<Bytes>) -> Result<RawJson, ReadError> {
        let bytes = bytes.into();
        Reader::payload_document(&bytes, Reader::raw)
    }

    /// Serializes a value to JSON.
    ///
    /// Fails if a map has keys that are not strings, if the value is nested too deeply for an
    /// envelope around it, or if the value's `Serialize` fails.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<RawJson, NotSerializable> {
        let text = serde_json::to_vec(value).map_err(|error| NotSerializable(error.to_string()))?;
        RawJson::parse_payload(text).map_err(|error| match error.problem {
            Problem::Syntax(Syntax::TooDeep) => {
                NotSerializable::new("it is nested too deeply for an envelope around it")
            }
            Problem::Syntax(_) | Problem::Rule { .. } => NotSerializable(error.to_string()),
        })
    }

    /// Returns the value's original bytes, including white space between its tokens.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the value's original bytes without copying them.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// Returns the value's original text.
    ///
    /// # Panics
    /// Never: a value is made from checked UTF-8 only.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("a RawJson is made from checked UTF-8 only")
    }

    /// Returns the value as one line of compact JSON; without a copy if it is already compact.
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

    /// Returns the decoded text of a JSON string, or `None` if the value is not a string.
    ///
    /// A lone surrogate, which a Rust string cannot hold, is replaced by U+FFFD.
    #[must_use]
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        (self.kind() == Kind::String).then(|| string::decode(&self.bytes))
    }

    /// Returns the decoded text of a JSON string, unless it holds a lone surrogate.
    pub(crate) fn as_exact_text(&self) -> Option<Cow<'_, str>> {
        let is_string = self.kind() == Kind::String;
        is_string.then(|| string::decode_exactly(&self.bytes).ok()).flatten()
    }

    /// Returns the member with this name, or `None` if it is missing or the value is not an object.
    /// If the name is repeated, the last member wins, as in most JSON readers.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<RawJson> {
        if !self.may_have(name) {
            return None;
        }
        self.members().filter(|member| member.is(name)).last().map(|member| member.value())
    }

    /// Returns whether the value is an object with `success: false`, by which tools report failure.
    pub(crate) fn reports_failure(&self) -> bool {
        static NAME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"success"));
        // Almost no payload contains this name, and searching for it is the cheapest test.
        let may_have =
            || NAME.find(&self.bytes).is_some() || memchr::memchr(b'\\', &self.bytes).is_some();
        self.kind() == Kind::Object
            && may_have()
            && self.get("success").is_some_and(|value| value.as_bytes() == b"false")
    }

    /// Returns whether a member may have this name.
    ///
    /// Searching for the text costs a fraction of a walk over a large object. Letters, digits and
    /// most punctuation can only be written literally or as a `\u` escape; a name with any other
    /// character is not searched for.
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

    /// Returns the kind of the value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::of(self.bytes.first().copied())
    }

    pub(crate) fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns the members in document order; empty if the value is not an object.
    #[must_use]
    pub fn members(&self) -> Members<'_> {
        Members::of(self)
    }

    /// Like [`members`](RawJson::members), with the ends of long values known.
    pub(crate) fn members_within<'a>(&'a self, ends: &'a ValueEnds) -> Members<'a> {
        Members::within(self, ends)
    }

    /// Like [`items`](RawJson::items), with the ends of long values known.
    pub(crate) fn items_within<'a>(&'a self, ends: &'a ValueEnds) -> Items<'a> {
        Items::within(self, ends)
    }

    /// Returns the items in order; empty if the value is not an array.
    #[must_use]
    pub fn items(&self) -> Items<'_> {
        Items::of(self)
    }

    /// Returns the number of members of all objects in the value, at every depth.
    #[cfg(feature = "validate")]
    pub(crate) fn n_members_deep(&self) -> usize {
        walk::n_members_deep(&self.bytes)
    }

    /// Wraps bytes that are known to be compact JSON because this crate wrote them.
    pub(crate) fn from_compact(bytes: Vec<u8>) -> RawJson {
        RawJson { bytes: bytes.into(), spacing: Spacing::Compact }
    }

    /// Returns a value of the same spacing with these bytes, in which some strings were changed and
    /// some numbers became strings.
    pub(crate) fn with_strings_edited(&self, bytes: Vec<u8>) -> RawJson {
        RawJson { bytes: bytes.into(), spacing: self.spacing }
    }

    pub(crate) fn from_checked(bytes: Bytes, spacing: Spacing) -> RawJson {
        RawJson { bytes, spacing }
    }

    pub(crate) const fn literal(text: &'static str) -> RawJson {
        RawJson { bytes: Bytes::from_static(text.as_bytes()), spacing: Spacing::Compact }
    }
}

/// Values are equal if their compact texts are equal.
impl PartialEq for RawJson {
    fn eq(&self, other: &RawJson) -> bool {
        self.compact() == other.compact()
    }
}

impl Eq for RawJson {}

/// Writes compact JSON, as in an envelope.
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

/// A value that cannot be expressed as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the value cannot be written as JSON: {0}")]
pub struct NotSerializable(String);

impl NotSerializable {
    pub(crate) fn new(reason: impl Into<String>) -> NotSerializable {
        NotSerializable(reason.into())
    }
}

#[cfg(test)]
mod tests;
