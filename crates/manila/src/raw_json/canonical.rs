//! Canonical JSON (RFC 8785): one text for all spellings of a value, as digests need it.
//!
//! The value is read once and written as it is read. An object whose keys came out of order is
//! put in order when it ends, so that no part is looked at again for every level above it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::{Kind, NotCanonical, NotCanonicalReason, RawJson, emit_string, string, walk, word};
use crate::pointer::below;

/// How many integers are named that may have been rounded.
const ROUNDED_MAX: usize = 20;

/// No more are named once their pointers are as long as this together: keys may be very long.
const ROUNDED_BYTES_MAX: usize = 16 * 1024;

/// Up to here a double holds every integer.
const EXACT_MAX: u64 = 1 << 53;

/// A value's canonical text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    /// The text, in UTF-8.
    pub bytes: Vec<u8>,
    /// P8: RFC 6901 pointers of the integers beyond 2^53, as they come; at most 20, and fewer
    /// where they are very long. RFC 8785 writes them as doubles, so that others close to them
    /// have the same canonical text.
    pub rounded: Vec<String>,
}

/// The value as RFC 8785 writes it (P8): no white space, keys in the order of their UTF-16 code
/// units, strings with as few escapes as can be, numbers as ECMAScript prints doubles.
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
    /// Where the current value lies.
    path: Vec<Segment<'a>>,
    out: Vec<u8>,
    rounded: Vec<String>,
}

/// One step from a value to a part of it.
enum Segment<'a> {
    /// The token of a member's key.
    Key(&'a [u8]),
    /// The number of an item.
    Index(usize),
}

/// A member that has been written.
struct Written<'a> {
    key: Cow<'a, str>,
    /// Where its text lies in the output.
    text: Range<usize>,
}

/// Recursion is bounded: what is read is at most `DEPTH_MAX` deep, and an envelope little more.
impl<'a> Writer<'a> {
    fn value(&mut self) -> Result<(), NotCanonical> {
        match Kind::of(self.source.get(self.at).copied()) {
            Kind::Object => self.object(),
            Kind::Array => self.array(),
            Kind::String => {
                let token = self.token();
                self.string(token, NotCanonicalReason::HalfCharacter).map(drop)
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
        let mut members: Vec<Written<'a>> = Vec::new();
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

    fn member(&mut self) -> Result<Written<'a>, NotCanonical> {
        let start = self.out.len();
        let token = self.token();
        self.path.push(Segment::Key(token));
        let key = self.string(token, NotCanonicalReason::HalfCharacterInKey)?;
        self.out.push(b':');
        self.skip_between();
        self.value()?;
        self.path.pop();
        Ok(Written { key, text: start..self.out.len() })
    }

    /// Puts the members, whose texts are the output from `start` on, in order.
    fn sort(&mut self, start: usize, mut members: Vec<Written<'a>>) -> Result<(), NotCanonical> {
        members.sort_unstable_by(|a, b| utf16_order(&a.key, &b.key));
        let mut neighbours = members.iter().zip(members.iter().skip(1));
        if let Some((twice, _)) = neighbours.find(|(a, b)| a.key == b.key) {
            let pointer = self.pointer() + &below("", &twice.key);
            return Err(NotCanonical { pointer, reason: NotCanonicalReason::KeyTwice });
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

    /// Writes a string and gives its text.
    fn string(
        &mut self,
        token: &'a [u8],
        when_half: NotCanonicalReason,
    ) -> Result<Cow<'a, str>, NotCanonical> {
        let text = string::decode_exactly(token).map_err(|_| self.refuse(when_half))?;
        match &text {
            // There was no escape, and nothing that needs one can stand in a string without it.
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
            self.name_rounded();
        }
        self.out.extend_from_slice(ryu_js::Buffer::new().format_finite(double).as_bytes());
        Ok(())
    }

    fn name_rounded(&mut self) {
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

    /// Moves to the next item or key. False when the array or object ends here.
    fn has_more(&mut self) -> bool {
        self.skip_between();
        !matches!(self.source.get(self.at), Some(b'}' | b']') | None)
    }

    /// Moves over white space, and a comma or colon in it.
    fn skip_between(&mut self) {
        self.at = word::space_end(self.source, self.at);
        while let Some(b',' | b':') = self.source.get(self.at) {
            self.at = word::space_end(self.source, self.at + 1);
        }
    }

    /// Moves over a token that is no bracket, and gives it.
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
            Segment::Key(token) => below("", &string::decode(token)),
            Segment::Index(index) => below("", &index.to_string()),
        };
        self.path.iter().map(segment).collect()
    }
}

/// The order of two texts by their UTF-16 code units. It is that of their UTF-8 bytes, but for
/// U+E000 to U+FFFF, which come after the characters beyond them: those are surrogates there.
fn utf16_order(a: &str, b: &str) -> Ordering {
    // 0xF4 is the largest byte of UTF-8; 0xEE and 0xEF start the characters from U+E000 on.
    let rank = |byte: u8| if matches!(byte, 0xEE | 0xEF) { byte + 0x10 } else { byte };
    a.bytes().map(rank).cmp(b.bytes().map(rank))
}

/// Whether a number is written as an integer that a double may not hold. Who writes a fraction
/// or an exponent has asked for a double.
fn is_integer_beyond_exact(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token);
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u64>().map_or(true, |integer| integer > EXACT_MAX)
}

#[cfg(test)]
mod tests;
