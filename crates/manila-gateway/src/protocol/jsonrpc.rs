//! Writes JSON-RPC: the gateway's own messages, and edited copies of the messages of others.

use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use manila::json::Emit;
pub(crate) use manila::jsonrpc::{error, large_result, notification, request, result};
use manila::{Code, RawJson, Violation};

/// Returns `whole` with `part` replaced, such as a message with another id. The order and spelling
/// of all other members are unchanged. `part` must be a slice of `whole`.
pub(crate) fn replace_part(whole: &RawJson, part: &RawJson, with: &[u8]) -> Bytes {
    let (whole, part) = (whole.as_bytes(), part.as_bytes());
    let start = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
    let before = whole.get(..start).unwrap_or_default();
    let after = whole.get(start + part.len()..).unwrap_or_default();
    let mut out = Vec::with_capacity(before.len() + with.len() + after.len());
    out.extend_from_slice(before);
    out.extend_from_slice(with);
    out.extend_from_slice(after);
    out.into()
}

/// Returns what precedes and what follows `part`, which must be a slice of `whole`.
pub(crate) fn split_at_part(whole: &RawJson, part: &RawJson) -> (Bytes, Bytes) {
    let (whole, part) = (whole.to_bytes(), part.as_bytes());
    let start = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr()).min(whole.len());
    let end = (start + part.len()).min(whole.len());
    (whole.slice(..start), whole.slice(end..))
}

/// Replacements of parts of a message. The order and spelling of all other members are unchanged.
///
/// Parts must be slices of the message, and must not overlap.
pub(crate) struct Edits<'a> {
    whole: &'a [u8],
    all: Vec<Edit>,
    /// The texts of all replacements, one after the other.
    text: Vec<u8>,
}

struct Edit {
    place: Range<usize>,
    text: Range<usize>,
}

impl<'a> Edits<'a> {
    pub(crate) fn of(whole: &'a RawJson) -> Edits<'a> {
        let (all, text) = (Vec::with_capacity(4), Vec::with_capacity(128));
        Edits { whole: whole.as_bytes(), all, text }
    }

    /// Replaces a part.
    pub(crate) fn replace(&mut self, part: &RawJson, with: &[u8]) {
        self.put(self.place(part), |text| text.extend_from_slice(with));
    }

    /// Replaces a part with a JSON string.
    pub(crate) fn replace_text(&mut self, part: &RawJson, with: &str) {
        self.put(self.place(part), |text| with.emit(text));
    }

    /// Adds a member at the start of an object.
    pub(crate) fn add_member(&mut self, object: &RawJson, member: impl FnOnce(&mut Vec<u8>)) {
        let start = self.place(object).start + 1;
        let has_others = object.members().next().is_some();
        self.put(start..start, |text| {
            member(text);
            text.extend_from_slice(if has_others { b"," } else { b"" });
        });
    }

    fn put(&mut self, place: Range<usize>, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.text.len();
        write(&mut self.text);
        self.all.push(Edit { place, text: start..self.text.len() });
    }

    /// Returns whether there are no replacements.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the message with all replacements.
    pub(crate) fn apply(mut self) -> Bytes {
        self.all.sort_unstable_by_key(|edit| (edit.place.start, edit.place.end));
        let mut out = Vec::with_capacity(self.whole.len() + self.text.len());
        let mut n_copied = 0;
        for Edit { place, text } in self.all {
            out.extend_from_slice(self.whole.get(n_copied..place.start).unwrap_or_default());
            out.extend_from_slice(self.text.get(text).unwrap_or_default());
            n_copied = place.end;
        }
        out.extend_from_slice(self.whole.get(n_copied..).unwrap_or_default());
        out.into()
    }

    fn place(&self, part: &RawJson) -> Range<usize> {
        let part = part.as_bytes();
        let start = part.as_ptr().addr().saturating_sub(self.whole.as_ptr().addr());
        start..start + part.len()
    }
}

/// Removes line feeds and carriage returns between the tokens of JSON, because messages are
/// forwarded as lines and as server-sent events, where either would end a line. Returns `None` if
/// the JSON is invalid.
pub(crate) fn one_line(json: Bytes) -> Option<Bytes> {
    if memchr::memchr2(b'\n', b'\r', &json).is_none() {
        return Some(json);
    }
    let trimmed = json.slice_ref(json.trim_ascii());
    if memchr::memchr2(b'\n', b'\r', &trimmed).is_none() {
        return Some(trimmed);
    }
    Some(RawJson::parse_payload(trimmed).ok()?.compact())
}

/// Returns the member of this name, if it is a string.
pub(crate) fn text_of(object: Option<&RawJson>, name: &str) -> Option<String> {
    let value = object?.get(name)?;
    value.as_text().map(std::borrow::Cow::into_owned)
}

/// Encodes a part of the gateway's own message, such as an error object.
pub(crate) fn encode_part(part: &impl Emit) -> manila::JsonObject {
    let mut out = Vec::with_capacity(256);
    part.emit(&mut out);
    let part = RawJson::parse(out).ok().and_then(manila::JsonObject::new);
    part.unwrap_or_default()
}

/// The error object of a failure that has no envelope (Q4, on MCP).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: Code,
    /// The message, if it is not that of the catalogue.
    pub(crate) message: Option<String>,
    pub(crate) violations: Vec<Violation>,
    /// The time after which the caller may retry, if known.
    pub(crate) retry_after: Option<Duration>,
}

impl Fault {
    pub(crate) fn new(code: Code) -> Fault {
        Fault { code, message: None, violations: Vec::new(), retry_after: None }
    }

    pub(crate) fn retry_after(mut self, retry_after: Duration) -> Fault {
        self.retry_after = Some(retry_after);
        self
    }

    pub(crate) fn message(mut self, message: impl Into<String>) -> Fault {
        self.message = Some(message.into());
        self
    }

    pub(crate) fn violation(mut self, violation: Violation) -> Fault {
        self.violations.push(violation);
        self
    }
}

impl Emit for Fault {
    fn emit(&self, out: &mut Vec<u8>) {
        let Fault { code, message, violations, retry_after: _ } = self;
        code.jsonrpc_error_mcp(message.as_deref(), violations).emit(out);
    }
}

#[cfg(test)]
mod tests;
