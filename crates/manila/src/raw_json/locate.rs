//! Locations in a document: offsets from pointers, lines and columns from offsets.
//!
//! Many locations are resolved at once, so that a document with many findings is walked only once.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Kind, RawJson, string, walk};
use crate::pointer::child_pointer;

/// Returns the offsets in `value` at which the values at these pointers start. For a missing value,
/// it is the offset of the nearest ancestor. If a name is repeated, the last member counts.
pub(crate) fn offsets(value: &RawJson, pointers: &[&str]) -> Vec<usize> {
    let mut found = vec![0; pointers.len()];
    let all = pointers.iter().enumerate().map(|(n, pointer)| (n, *pointer)).collect();
    // Parts of the value, and the rest of the pointers into each of them.
    let mut pending: Vec<(RawJson, Vec<(usize, &str)>)> = vec![(value.clone(), all)];
    while let Some((part, targets)) = pending.pop() {
        // A part shares the bytes of the value, so its address gives its offset.
        let offset =
            (part.as_bytes().as_ptr() as usize).saturating_sub(value.as_bytes().as_ptr() as usize);
        let mut by_name: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
        for (n, pointer) in targets {
            if let Some(place) = found.get_mut(n) {
                *place = offset;
            }
            if let Some((name, rest)) = step(pointer) {
                by_name.entry(name).or_default().push((n, rest));
            }
        }
        for (name, part) in parts(&part, &by_name) {
            pending.extend(by_name.remove(&name).map(|targets| (part, targets)));
        }
    }
    found
}

/// Splits a pointer into its first name and the rest.
fn step(pointer: &str) -> Option<(String, &str)> {
    let rest = pointer.strip_prefix('/')?;
    let end = rest.find('/').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    Some((crate::pointer::unescape(name), rest))
}

/// Finds the members or items with these names in one walk.
fn parts<T>(value: &RawJson, names: &BTreeMap<String, T>) -> BTreeMap<String, RawJson> {
    let mut found = BTreeMap::new();
    if names.is_empty() {
        return found;
    }
    match value.kind() {
        Kind::Object => {
            for member in value.members() {
                let key = member.key();
                if names.contains_key(key.as_ref()) {
                    found.insert(key.into_owned(), member.value());
                }
            }
        }
        Kind::Array => {
            let mut indices: Vec<usize> = names.keys().filter_map(|it| it.parse().ok()).collect();
            indices.sort_unstable();
            indices.dedup();
            let mut indices = indices.into_iter().peekable();
            for (index, item) in value.items().enumerate() {
                if indices.next_if_eq(&index).is_some() {
                    found.insert(index.to_string(), item);
                }
                if indices.peek().is_none() {
                    break;
                }
            }
        }
        Kind::String | Kind::Number | Kind::Bool | Kind::Null => {}
    }
    found
}

/// A position in a text that only moves forward.
pub(crate) struct Position<'a> {
    text: &'a [u8],
    offset: usize,
    /// Line, starting at 1.
    pub(crate) line: usize,
    /// Column in characters, starting at 1.
    pub(crate) column: usize,
}

impl<'a> Position<'a> {
    /// The start of the text.
    pub(crate) fn start(text: &'a [u8]) -> Position<'a> {
        Position { text, offset: 0, line: 1, column: 1 }
    }

    /// Moves to an offset that is not before the last one.
    pub(crate) fn advance(&mut self, offset: usize) {
        let offset = offset.min(self.text.len());
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        let n_lines = memchr::memchr_iter(b'\n', passed).count();
        let line_start = memchr::memrchr(b'\n', passed).map_or(0, |at| at + 1);
        // A continuation byte of UTF-8 does not start a character.
        let is_start = |byte: &&u8| **byte & 0xC0 != 0x80;
        let n_chars = passed.iter().skip(line_start).filter(is_start).count();
        self.column = if n_lines > 0 { n_chars + 1 } else { self.column + n_chars };
        self.line += n_lines;
        self.offset = self.offset.max(offset);
    }
}

/// Returns the line and column of an offset, both starting at 1. Columns count characters.
pub(crate) fn position(text: &[u8], offset: usize) -> (usize, usize) {
    let mut position = Position::start(text);
    position.advance(offset);
    (position.line, position.column)
}

/// Returns the pointers to the values, or to the members whose names start, at these offsets of
/// `value`. The offsets must be sorted; one walk finds all of them.
pub(crate) fn pointers_at(value: &RawJson, offsets: &[usize]) -> Vec<String> {
    let bytes = value.as_bytes();
    let mut offsets = offsets.iter().copied().peekable();
    let mut found = Vec::new();
    let mut path: Vec<Step> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' => path.push(Step::Object { key: 0..0, is_key_next: true }),
            b'[' => path.push(Step::Array { index: 0 }),
            b'}' | b']' => drop(path.pop()),
            b',' => match path.last_mut() {
                Some(Step::Object { is_key_next, .. }) => *is_key_next = true,
                Some(Step::Array { index }) => *index += 1,
                None => {}
            },
            b'"' => {
                at = walk::string_end(bytes, start);
                if let Some(Step::Object { key, is_key_next: is_next @ true }) = path.last_mut() {
                    (*key, *is_next) = (start..at, false);
                }
            }
            _ => {}
        }
        while offsets.next_if(|offset| *offset <= start).is_some() {
            found.push(pointer(bytes, &path));
        }
    }
    found.extend(offsets.map(|_| String::new()));
    found
}

/// An open array or object on the path to a value.
enum Step {
    Object { key: Range<usize>, is_key_next: bool },
    Array { index: usize },
}

fn pointer(bytes: &[u8], path: &[Step]) -> String {
    path.iter().fold(String::new(), |pointer, step| match step {
        Step::Object { key, .. } => {
            let token = bytes.get(key.clone()).unwrap_or_default();
            child_pointer(&pointer, &string::decode(token))
        }
        Step::Array { index } => format!("{pointer}/{index}"),
    })
}

#[cfg(test)]
mod tests;
