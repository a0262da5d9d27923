//! Canonical JSON (RFC 8785): one text for all spellings of a value, used for digests.
//!
//! The value is read and written in one pass. An object whose keys are out of order is sorted when
//! it ends, so no part is parsed again for each level above it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::{Kind, NotCanonical, NotCanonicalReason, RawJson, emit_string, string, walk, word};
use crate::pointer::child_pointer;

/// The maximum number of rounded integers to report.
const ROUNDED_MAX: usize = 20;

/// The maximum total length of their pointers, because keys may be very long.
const ROUNDED_BYTES_MAX: usize = 16 * 1024;

/// The largest integer up to which a double holds every integer.
const EXACT_MAX: u64 = 1 << 53;

/// The canonical text of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    /// The text, in UTF-8.
    pub bytes: Vec<u8>,
    /// P8: RFC 6901 pointers of the integers beyond 2^53, in document order; at most 20, and fewer
    /// if the pointers are very long. RFC 8785 writes such integers as doubles, so neighbouring
    /// integers have the same canonical text.
    pub rounded: Vec<String>,
}

/// Returns the canonical JSON (RFC 8785) of a value (P8): no white space, keys sorted by UTF-16
/// code units, as few escapes as possible, and numbers formatted as ECMAScript prints doubles.
///
/// ```
/// let value = manila::RawJson::parse(r#"{"b": [1.50, 1E3, -0], "\u0061": "\/"}"#)?;
/// assert_eq!(manila::canonical(&value)?.bytes, br#"{"a":"/","b":[1.5,1000,0]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn canonical(value: &RawJson) -> Result<Canonical, NotCanonical> {
    let source = value.as_bytes();
    let out = Vec::with_capacity(source.len());
    let mut writer = Writer { source, at: 0, path: Vec::new(), out, rounded: Vec::new() };
    writer.value()?;
    Ok(Canonical { bytes: writer.out, rounded: writer.rounded })
}

/// Reads `source`, which is checked JSON, and writes its canonical text.
struct Writer<'a> {
    source: &'a [u8],
    at: usize,
    /// The path of the current value.
    path: Vec<Segment<'a>>,
    out: Vec<u8>,
    rounded: Vec<String>,
}

/// One step of a path.
enum Segment<'a> {
    /// The token of a member's key.
    Key(&'a [u8]),
    /// The index of an item.
    Index(usize),
}

/// A member that has already been written.
struct WrittenMember<'a> {
    key: Cow<'a, str>,
    /// The range of its text in the output.
    text: Range<usize>,
}

/// Recursion is bounded: parsed values are at most `DEPTH_MAX` deep, and an envelope adds little.
impl<'a> Writer<'a> {
    fn value(&mut self) -> Result<(), NotCanonical> {
        match Kind::of(self.source.get(self.at).copied()) {
            Kind::Object => self.object(),
            Kind::Array => self.array(),
            Kind::String => {
                let token = self.token();
                self.string(token, NotCanonicalReason::LoneSurrogate).map(drop)
            }
            Kind::Number => self.number(),
            Kind::Bool | Kind::Null => {
                let token = self.token();
                self.out.extend_from_slice(token);
                Ok(())
            }
        }
    }

    fn object(&mut self) -> Result<(), NotCanonical> {
        self.bracket();
        let start = self.out.len();
        let mut members: Vec<WrittenMember<'a>> = Vec::new();
        let mut is_sorted = true;
        while self.has_more() {
            if !members.is_empty() {
                self.out.push(b',');
            }
            let member = self.member()?;
            let last = members.last();
            is_sorted &= last.is_none_or(|last| utf16_order(&last.key, &member.key).is_lt());
            members.push(member);
        }
        if !is_sorted {
            self.sort(start, members)?;
        }
        self.bracket();
        Ok(())
    }

    fn member(&mut self) -> Result<WrittenMember<'a>, NotCanonical> {
        let start = self.out.len();
        let token = self.token();
        self.path.push(Segment::Key(token));
        let key = self.string(token, NotCanonicalReason::LoneSurrogateInKey)?;
        self.out.push(b':');
        self.skip_between();
        self.value()?;
        self.path.pop();
        Ok(WrittenMember { key, text: start..self.out.len() })
    }

    /// Sorts the members, whose texts are the output from `start` on.
    fn sort(
        &mut self,
        start: usize,
        mut members: Vec<WrittenMember<'a>>,
    ) -> Result<(), NotCanonical> {
        members.sort_unstable_by(|a, b| utf16_order(&a.key, &b.key));
        let mut neighbours = members.iter().zip(members.iter().skip(1));
        if let Some((duplicate, _)) = neighbours.find(|(a, b)| a.key == b.key) {
            let pointer = self.pointer() + &child_pointer("", &duplicate.key);
            return Err(NotCanonical { pointer, reason: NotCanonicalReason::DuplicateKey });
        }
        let end = self.out.len();
        for (n, member) in members.into_iter().enumerate() {
            if n > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_within(member.text);
        }
        self.out.drain(start..end);
        Ok(())
    }

    fn array(&mut self) -> Result<(), NotCanonical> {
        self.bracket();
        let mut n_items = 0;
        while self.has_more() {
            if n_items > 0 {
                self.out.push(b',');
            }
            self.path.push(Segment::Index(n_items));
            self.value()?;
            self.path.pop();
            n_items += 1;
        }
        self.bracket();
        Ok(())
    }

    /// Writes a string and returns its text.
    fn string(
        &mut self,
        token: &'a [u8],
        if_lone: NotCanonicalReason,
    ) -> Result<Cow<'a, str>, NotCanonical> {
        let text = string::decode_exactly(token).map_err(|_| self.refuse(if_lone))?;
        match &text {
            // Without an escape in the input, the string holds nothing that needs one.
            Cow::Borrowed(_) => self.out.extend_from_slice(token),
            Cow::Owned(text) => emit_string(text.as_bytes(), &mut self.out),
        }
        Ok(text)
    }

    fn number(&mut self) -> Result<(), NotCanonical> {
        let token = std::str::from_utf8(self.token()).unwrap_or_default();
        let double = token.parse().ok().filter(|double: &f64| double.is_finite());
        let Some(double) = double else {
            return Err(self.refuse(NotCanonicalReason::NumberTooLarge));
        };
        if is_integer_beyond_exact(token) {
            self.report_rounded();
        }
        self.out.extend_from_slice(ryu_js::Buffer::new().format_finite(double).as_bytes());
        Ok(())
    }

    fn report_rounded(&mut self) {
        let n_bytes: usize = self.rounded.iter().map(String::len).sum();
        if self.rounded.len() < ROUNDED_MAX && n_bytes < ROUNDED_BYTES_MAX {
            self.rounded.push(self.pointer());
        }
    }

    /// Copies the byte that opens or closes an array or object.
    fn bracket(&mut self) {
        self.out.extend(self.source.get(self.at));
        self.at += 1;
    }

    /// Moves to the next item or key. Returns false at the end of the array or object.
    fn has_more(&mut self) -> bool {
        self.skip_between();
        !matches!(self.source.get(self.at), Some(b'}' | b']') | None)
    }

    /// Skips white space, and a comma or colon in it.
    fn skip_between(&mut self) {
        self.at = word::space_end(self.source, self.at);
        while let Some(b',' | b':') = self.source.get(self.at) {
            self.at = word::space_end(self.source, self.at + 1);
        }
    }

    /// Skips a token that is not a bracket, and returns it.
    fn token(&mut self) -> &'a [u8] {
        let start = self.at;
        self.at = walk::value_end(self.source, start);
        self.source.get(start..self.at).unwrap_or_default()
    }

    fn refuse(&self, reason: NotCanonicalReason) -> NotCanonical {
        NotCanonical { pointer: self.pointer(), reason }
    }

    fn pointer(&self) -> String {
        let segment = |segment: &Segment<'_>| match segment {
            Segment::Key(token) => child_pointer("", &string::decode(token)),
            Segment::Index(index) => child_pointer("", &index.to_string()),
        };
        self.path.iter().map(segment).collect()
    }
}

/// Compares two texts by their UTF-16 code units.
///
/// This is the order of their UTF-8 bytes, except that U+E000 to U+FFFF sort after the characters
/// beyond them, which are surrogate pairs in UTF-16.
fn utf16_order(a: &str, b: &str) -> Ordering {
    // 0xF4 is the largest byte in UTF-8; 0xEE and 0xEF start the characters from U+E000 on.
    let rank = |byte: u8| if matches!(byte, 0xEE | 0xEF) { byte + 0x10 } else { byte };
    a.bytes().map(rank).cmp(b.bytes().map(rank))
}

/// Returns whether a number is written as an integer that a double may not hold exactly. A fraction
/// or an exponent means that a double was intended.
fn is_integer_beyond_exact(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token);
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u64>().map_or(true, |integer| integer > EXACT_MAX)
}

#[cfg(test)]
mod tests;
