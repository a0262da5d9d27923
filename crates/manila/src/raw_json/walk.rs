//! Walking over checked JSON: members, items, and the ends of values.
//!
//! The grammar has been checked, so this only looks for quotes and brackets. If the bytes broke the
//! grammar after all, a walk would end early; it never runs past the end.

use std::borrow::Cow;

use bytes::Bytes;

use super::value_ends::{ValueEnds, ValueEndsWithin};
use super::{Kind, RawJson, Spacing, string, word};

/// The members of an object, in document order.
pub struct Members<'a> {
    parts: Parts<'a>,
}

/// One member: its key token, and its value on demand.
pub struct Member<'a> {
    source: &'a RawJson,
    key: &'a [u8],
    value: (usize, usize),
}

/// The items of an array.
pub struct Items<'a> {
    parts: Parts<'a>,
}

impl<'a> Members<'a> {
    pub(super) fn of(source: &'a RawJson) -> Members<'a> {
        Members { parts: Parts::of(source, Kind::Object, ValueEndsWithin::NONE) }
    }

    pub(super) fn within(source: &'a RawJson, ends: &'a ValueEnds) -> Members<'a> {
        Members { parts: Parts::of(source, Kind::Object, ends.within(&source.bytes)) }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let (key_start, key_end) = self.parts.next_span()?;
        let value = self.parts.next_span()?;
        let source = self.parts.source;
        Some(Member { source, key: source.bytes.get(key_start..key_end)?, value })
    }
}

impl<'a> Member<'a> {
    /// Returns the key token with its quotes and escapes.
    #[must_use]
    pub fn key_token(&self) -> &'a [u8] {
        self.key
    }

    /// Returns the decoded key.
    #[must_use]
    pub fn key(&self) -> Cow<'a, str> {
        string::decode(self.key)
    }

    /// Returns the key as a value.
    pub(crate) fn key_value(&self) -> RawJson {
        RawJson::from_checked(self.source.bytes.slice_ref(self.key), Spacing::Compact)
    }

    /// Returns whether the decoded key is this name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        string::token_is(self.key, name)
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> RawJson {
        slice(self.source, self.value)
    }
}

impl<'a> Items<'a> {
    pub(super) fn of(source: &'a RawJson) -> Items<'a> {
        Items { parts: Parts::of(source, Kind::Array, ValueEndsWithin::NONE) }
    }

    pub(super) fn within(source: &'a RawJson, ends: &'a ValueEnds) -> Items<'a> {
        Items { parts: Parts::of(source, Kind::Array, ends.within(&source.bytes)) }
    }
}

impl Iterator for Items<'_> {
    type Item = RawJson;

    fn next(&mut self) -> Option<RawJson> {
        let span = self.parts.next_span()?;
        Some(slice(self.parts.source, span))
    }
}

fn slice(source: &RawJson, (start, end): (usize, usize)) -> RawJson {
    // A part of a spaced value may itself be compact; treating it as spaced costs one pass.
    RawJson { bytes: source.bytes.slice(start..end), spacing: source.spacing }
}

/// The values directly inside an array or object; for an object, keys and values alternate.
struct Parts<'a> {
    source: &'a RawJson,
    at: usize,
    ends: ValueEndsWithin<'a>,
}

impl<'a> Parts<'a> {
    fn of(source: &'a RawJson, kind: Kind, ends: ValueEndsWithin<'a>) -> Parts<'a> {
        let at = if source.kind() == kind { 1 } else { source.bytes.len() };
        Parts { source, at, ends }
    }

    fn next_span(&mut self) -> Option<(usize, usize)> {
        let bytes: &Bytes = &self.source.bytes;
        while let Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':') = bytes.get(self.at) {
            self.at += 1;
        }
        let start = self.at;
        if let Some(b'}' | b']') | None = bytes.get(start) {
            return None;
        }
        self.at = self.ends.end_of(start).unwrap_or_else(|| value_end(bytes, start));
        Some((start, self.at))
    }
}

/// Returns the end of the value that starts at `start`.
pub(super) fn value_end(bytes: &[u8], start: usize) -> usize {
    match bytes.get(start) {
        Some(b'"') => string_end(bytes, start),
        Some(b'{' | b'[') => container_end(bytes, start),
        _ => {
            let rest = bytes.get(start..).unwrap_or_default();
            let len = rest.iter().position(|byte| {
                matches!(byte, b',' | b'}' | b']' | b':' | b' ' | b'\n' | b'\r' | b'\t')
            });
            start + len.unwrap_or(rest.len())
        }
    }
}

/// Returns the end of the string whose opening quote is at `start`, including its closing quote.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    // Most strings are short, and this checks few bytes of a long one before switching.
    const SHORT: usize = 64;
    let mut at = start + 1;
    while at - start <= SHORT {
        if let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            let n_plain = word::unquoted_len_of_16(*chunk);
            at += n_plain;
            if n_plain == 16 {
                continue;
            }
        }
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
    long_string_end(bytes, at)
}

/// Like `string_end`, from inside a long string. It may be full of escapes, as in a text that
/// contains JSON.
fn long_string_end(bytes: &[u8], mut at: usize) -> usize {
    let mut is_escaped = false;
    // A checked string has no control characters, so only a quote or an escape ends the run.
    at = word::plain_blocks_end(bytes, at);
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let quotes = word::ending_quotes_of_64(block, &mut is_escaped);
        if quotes != 0 {
            return at + quotes.trailing_zeros() as usize + 1;
        }
        at += 64;
    }
    at += usize::from(is_escaped);
    loop {
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

fn container_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut depth = 0usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Returns the number of members in `bytes`, a checked value. Each member has one colon.
#[cfg(feature = "validate")]
pub(super) fn n_members_deep(bytes: &[u8]) -> usize {
    let mut n_members = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'"' {
            at = string_end(bytes, at);
            continue;
        }
        n_members += usize::from(*byte == b':');
        at += 1;
    }
    n_members
}

/// Copies `bytes`, a checked value, without the white space between its tokens.
pub(super) fn copy_compact(bytes: &[u8], out: &mut Vec<u8>) {
    let mut run = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.extend_from_slice(bytes.get(run..at).unwrap_or_default());
                at = word::space_end(bytes, at);
                run = at;
            }
            _ => at += 1,
        }
    }
    out.extend_from_slice(bytes.get(run..).unwrap_or_default());
}

impl RawJson {
    pub(super) fn copy_into(&self, out: &mut Vec<u8>) {
        match self.spacing {
            Spacing::Compact => out.extend_from_slice(&self.bytes),
            Spacing::Spaced => copy_compact(&self.bytes, out),
        }
    }
}
