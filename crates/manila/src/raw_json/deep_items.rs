//! Lists with items that are nested too deeply: the rest of the message can still be used.

use std::ops::Range;

use bytes::Bytes;

use super::read_error::sanitize_name;
use super::walk::{string_end, value_end};
use super::{DEPTH_MAX, ENVELOPE_DEPTH, string};

/// The number of levels around an item: the message, its `result`, and the list.
const LEVELS_AROUND: usize = 3;

/// The maximum nesting depth of an item in the list of a response.
pub const ITEM_DEPTH_MAX: usize = DEPTH_MAX - ENVELOPE_DEPTH - LEVELS_AROUND;

/// A response without the items of its list that were nested too deeply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortenedList {
    /// The response. It has not been parsed, and may be invalid in any other way.
    pub message: Bytes,
    /// The names of the items that were removed, shortened; empty for an item without a name.
    pub left_out: Vec<String>,
}

/// Removes the items that are nested too deeply from the list in a response's `result`. Returns
/// `None` if there are none.
///
/// Only brackets and strings are considered, in linear time and without recursion. The contents of
/// removed items are not checked any further.
///
/// ```
/// use manila::without_deep_items;
///
/// let deep = format!(r#"{{"name": "b", "x": {}1{}}}"#, "[".repeat(500), "]".repeat(500));
/// let response = format!(r#"{{"id": 1, "result": {{"tools": [{{"name": "a"}}, {deep}]}}}}"#);
/// let shortened = without_deep_items(&response.into(), "tools").unwrap();
/// assert_eq!(shortened.message, r#"{"id": 1, "result": {"tools": [{"name": "a"}]}}"#);
/// assert_eq!(shortened.left_out, ["b"]);
/// ```
#[must_use]
pub fn without_deep_items(response: &Bytes, list: &str) -> Option<ShortenedList> {
    let bytes: &[u8] = response;
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let mut shortened = Shortened::default();
    let mut n_copied = 0;
    for result in members(bytes, start, "result") {
        for items in members(bytes, result.start, list) {
            if bytes.get(items.start) == Some(&b'[') {
                shortened.out.extend_from_slice(bytes.get(n_copied..=items.start)?);
                n_copied = shortened.copy_items(bytes, items.start)?;
            }
        }
    }
    shortened.out.extend_from_slice(bytes.get(n_copied..)?);
    let Shortened { out, left_out } = shortened;
    (!left_out.is_empty()).then(|| ShortenedList { message: out.into(), left_out })
}

#[derive(Default)]
struct Shortened {
    out: Vec<u8>,
    left_out: Vec<String>,
}

impl Shortened {
    /// Copies the items of a list that are not nested too deeply. Returns the end of the last item,
    /// or `None` if something other than a comma is between two items.
    fn copy_items(&mut self, bytes: &[u8], list_start: usize) -> Option<usize> {
        let mut end = list_start + 1;
        let mut n_kept = 0;
        for (index, item) in Values::inside(bytes, list_start).enumerate() {
            let gap = bytes.get(end..item.start)?.trim_ascii();
            let expected: &[u8] = if index == 0 { b"" } else { b"," };
            if gap != expected {
                return None;
            }
            end = item.end;
            if depth(bytes.get(item.clone())?) > ITEM_DEPTH_MAX {
                self.left_out.push(name(bytes, item.start));
                continue;
            }
            if n_kept > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(bytes.get(item)?);
            n_kept += 1;
        }
        Some(end)
    }
}

/// Returns the name of the object that starts at `start`, or an empty text.
fn name(bytes: &[u8], start: usize) -> String {
    let token = members(bytes, start, "name").last().and_then(|name| bytes.get(name));
    let token = token.filter(|token| token.first() == Some(&b'"'));
    token.map(|token| sanitize_name(&string::decode(token))).unwrap_or_default()
}

/// Returns the nesting depth of a value.
fn depth(bytes: &[u8]) -> usize {
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    deepest
}

/// Returns the values of the members with this name of the object that starts at `start`; none if
/// it is of another kind.
fn members<'a>(
    bytes: &'a [u8],
    start: usize,
    name: &'a str,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let is_object = bytes.get(start) == Some(&b'{');
    let mut values = Values::inside(bytes, if is_object { start } else { bytes.len() });
    std::iter::from_fn(move || {
        let (key, value) = (values.next()?, values.next()?);
        Some((key, value))
    })
    .filter(move |(key, _)| bytes.get(key.clone()).is_some_and(|key| string::token_is(key, name)))
    .map(|(_, value)| value)
}

/// The values directly inside an array or object, in bytes that may be invalid; for an object, keys
/// and values alternate.
struct Values<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Values<'a> {
    /// The values inside the array or object that starts at `start`.
    fn inside(bytes: &'a [u8], start: usize) -> Values<'a> {
        Values { bytes, at: start + 1 }
    }
}

impl Iterator for Values<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':') = self.bytes.get(self.at) {
            self.at += 1;
        }
        let start = self.at;
        if let Some(b'}' | b']') | None = self.bytes.get(start) {
            return None;
        }
        self.at = value_end(self.bytes, start).min(self.bytes.len());
        Some(start..self.at)
    }
}

impl super::RawJson {
    /// Returns the nesting depth of the value: 0 for a text or a number, 1 for `[]`.
    #[must_use]
    pub fn depth(&self) -> usize {
        depth(&self.bytes)
    }
}

#[cfg(test)]
mod tests;
