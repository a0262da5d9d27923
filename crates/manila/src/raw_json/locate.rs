//! Where values stand in a document: offsets from pointers, lines and columns from offsets.
//!
//! Many places are looked up at once, so that a document with many faults is not walked over for
//! each of them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Kind, RawJson, string, walk};
use crate::pointer::below;

/// Where in `value` the values at these pointers start; for one that is missing, what comes
/// nearest to it. Of several members of one name it is the last.
pub(crate) fn offsets(value: &RawJson, pointers: &[&str]) -> Vec<usize> {
    let mut found = vec![0; pointers.len()];
    let all = pointers.iter().enumerate().map(|(n, pointer)| (n, *pointer)).collect();
    // Parts of the value, and the pointers that lead on from there.
    let mut open: Vec<(RawJson, Vec<(usize, &str)>)> = vec![(value.clone(), all)];
    while let Some((here, wanted)) = open.pop() {
        // A part of a value shares its bytes, so its address says where it is.
        let offset =
            (here.as_bytes().as_ptr() as usize).saturating_sub(value.as_bytes().as_ptr() as usize);
        let mut by_name: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
        for (n, pointer) in wanted {
            if let Some(place) = found.get_mut(n) {
                *place = offset;
            }
            if let Some((name, rest)) = step(pointer) {
                by_name.entry(name).or_default().push((n, rest));
            }
        }
        for (name, part) in parts(&here, &by_name) {
            open.extend(by_name.remove(&name).map(|wanted| (part, wanted)));
        }
    }
    found
}

/// The first name of a pointer, and what comes after it.
fn step(pointer: &str) -> Option<(String, &str)> {
    let rest = pointer.strip_prefix('/')?;
    let end = rest.find('/').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    Some((crate::pointer::unescaped(name), rest))
}

/// The members or items of these names, found in one walk.
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

/// A place in a text, which goes on and never back.
pub(crate) struct Position<'a> {
    text: &'a [u8],
    offset: usize,
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
}

impl<'a> Position<'a> {
    /// The start of the text.
    pub(crate) fn start(text: &'a [u8]) -> Position<'a> {
        Position { text, offset: 0, line: 1, column: 1 }
    }

    /// Goes on to an offset that is not before the last one.
    pub(crate) fn advance(&mut self, offset: usize) {
        let offset = offset.min(self.text.len());
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        let n_lines = memchr::memchr_iter(b'\n', passed).count();
        let line_start = memchr::memrchr(b'\n', passed).map_or(0, |at| at + 1);
        // Continuation bytes of UTF-8 are no characters of their own.
        let is_start = |byte: &&u8| **byte & 0xC0 != 0x80;
        let n_chars = passed.iter().skip(line_start).filter(is_start).count();
        self.column = if n_lines > 0 { n_chars + 1 } else { self.column + n_chars };
        self.line += n_lines;
        self.offset = self.offset.max(offset);
    }
}

/// The line and the column of an offset, both from 1; a column is a character.
pub(crate) fn position(text: &[u8], offset: usize) -> (usize, usize) {
    let mut position = Position::start(text);
    position.advance(offset);
    (position.line, position.column)
}

/// The pointers to the values, or to the members of these names, that start at these offsets of
/// `value`, which must be in order. One walk finds all of them.
pub(crate) fn pointers_at(value: &RawJson, offsets: &[usize]) -> Vec<String> {
    let bytes = value.as_bytes();
    let mut wanted = offsets.iter().copied().peekable();
    let mut found = Vec::new();
    let mut way: Vec<Step> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' => way.push(Step::Object { key: 0..0, is_key_next: true }),
            b'[' => way.push(Step::Array { index: 0 }),
            b'}' | b']' => drop(way.pop()),
            b',' => match way.last_mut() {
                Some(Step::Object { is_key_next, .. }) => *is_key_next = true,
                Some(Step::Array { index }) => *index += 1,
                None => {}
            },
            b'"' => {
                at = walk::string_end(bytes, start);
                if let Some(Step::Object { key, is_key_next: is_next @ true }) = way.last_mut() {
                    (*key, *is_next) = (start..at, false);
                }
            }
            _ => {}
        }
        while wanted.next_if(|offset| *offset <= start).is_some() {
            found.push(pointer(bytes, &way));
        }
    }
    found.extend(wanted.map(|_| String::new()));
    found
}

/// One array or object on the way to a value.
enum Step {
    Object { key: Range<usize>, is_key_next: bool },
    Array { index: usize },
}

fn pointer(bytes: &[u8], way: &[Step]) -> String {
    way.iter().fold(String::new(), |pointer, step| match step {
        Step::Object { key, .. } => {
            let token = bytes.get(key.clone()).unwrap_or_default();
            below(&pointer, &string::decode(token))
        }
        Step::Array { index } => format!("{pointer}/{index}"),
    })
}

#[cfg(test)]
mod tests {
    use super::{Position, offsets, position};
    use crate::raw_json::RawJson;

    #[test]
    fn pointers_lead_to_offsets() {
        let text = r#"{"a": [10, {"b/c": [], "~": 1}, 12], "a~": 2, "d": 3, "d": 4, "": {"": 5}}"#;
        let value = RawJson::parse(text).unwrap();
        let places = [
            ("", "{"),
            ("/a", "[10"),
            ("/a/0", "10,"),
            ("/a/1/b~1c", "[]"),
            ("/a/1/~0", "1}"),
            ("/a/2", "12]"),
            ("/a~0", "2,"),
            ("/d", "4,"),
            ("//", "5}"),
            // What is not there is near what is.
            ("/x", "{"),
            ("/x/y", "{"),
            ("/a/3", "[10"),
            ("/a/x", "[10"),
            ("/a/01", "[10"),
            ("/a/+2", "[10"),
            ("/a/1/b~1c/0/0", "[]"),
            ("/d/e", "4,"),
        ];
        let pointers: Vec<&str> = places.iter().map(|(pointer, _)| *pointer).collect();
        let found = offsets(&value, &pointers);
        for ((pointer, expected), offset) in places.iter().zip(found) {
            assert!(text[offset..].starts_with(expected), "{pointer} is at {offset}");
        }
        assert!(offsets(&value, &[]).is_empty());
    }

    #[test]
    fn a_position_goes_on() {
        let text = "a\u{e9}b\n\n\u{20ac}\u{1f600}x\n".as_bytes();
        let mut going = Position::start(text);
        for offset in 0..=text.len() + 1 {
            going.advance(offset);
            assert_eq!((going.line, going.column), position(text, offset), "{offset}");
        }
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, 3), (1, 3));
        assert_eq!(position(text, 5), (2, 1));
        assert_eq!(position(text, 6), (3, 1));
        assert_eq!(position(text, 13), (3, 3));
        assert_eq!(position(text, 99), (4, 1));
    }
}
