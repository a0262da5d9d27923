//! The scanner: checks the grammar of JSON over bytes, in one pass, without recursion.
//!
//! It builds nothing. It moves forward, counts the white space that it skips, and says
//! where and how the grammar is broken. The bytes must be UTF-8 already.

use super::{DEPTH_MAX, Syntax};

/// Where and how a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) syntax: Syntax,
}

pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How many arrays and objects are open around the current place.
    depth: usize,
    /// How many bytes of white space have been skipped so far.
    skipped: usize,
}

/// The kinds of the open arrays and objects, one bit each: `DEPTH_MAX` of them fit.
#[derive(Clone, Copy, Default)]
struct Open {
    objects: u128,
}

impl Open {
    fn push(&mut self, is_object: u128) {
        self.objects = self.objects << 1 | is_object;
    }

    fn pop(&mut self) {
        self.objects >>= 1;
    }

    fn is_object(self) -> bool {
        self.objects & 1 == 1
    }
}

impl<'a> Scanner<'a> {
    /// A scanner of bytes that lie inside `depth` arrays and objects.
    pub(super) fn new(bytes: &'a [u8], depth: usize) -> Scanner<'a> {
        Scanner { bytes, at: 0, depth, skipped: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn skipped(&self) -> usize {
        self.skipped
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn fault(&self, syntax: Syntax) -> Fault {
        Fault { offset: self.at, syntax }
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
            self.skipped += 1;
        }
    }

    /// Moves over `byte`, which the grammar needs here.
    pub(super) fn expect(&mut self, byte: u8, name: &'static str) -> Result<(), Fault> {
        match self.peek() {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.fault(Syntax::Expected(name))),
            None => Err(self.fault(Syntax::Ends(name))),
        }
    }

    /// Moves over the opening byte of an array or object.
    pub(super) fn open(&mut self) -> Result<(), Fault> {
        if self.depth == DEPTH_MAX {
            return Err(self.fault(Syntax::TooDeep));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Moves over the closing byte of an array or object.
    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// Moves over one whole value.
    pub(super) fn value(&mut self) -> Result<(), Fault> {
        let outside = self.depth;
        let mut open = Open::default();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'"') => self.string()?,
                Some(b'{') => {
                    self.open()?;
                    open.push(1);
                    self.skip_space();
                    if self.peek() != Some(b'}') {
                        self.key()?;
                        continue;
                    }
                    self.close();
                    open.pop();
                }
                Some(b'[') => {
                    self.open()?;
                    open.push(0);
                    self.skip_space();
                    if self.peek() != Some(b']') {
                        continue;
                    }
                    self.close();
                    open.pop();
                }
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word(b"true")?,
                Some(b'f') => self.word(b"false")?,
                Some(b'n') => self.word(b"null")?,
                Some(_) => return Err(self.fault(Syntax::Expected("a JSON value"))),
                None => return Err(self.fault(Syntax::Ends("a JSON value"))),
            }
            if self.close_all(outside, &mut open)? {
                return Ok(());
            }
        }
    }

    /// After a value: closes what ends here. True when nothing is left open.
    fn close_all(&mut self, outside: usize, open: &mut Open) -> Result<bool, Fault> {
        while self.depth > outside {
            self.skip_space();
            match (open.is_object(), self.peek()) {
                (true, Some(b'}')) | (false, Some(b']')) => {
                    self.close();
                    open.pop();
                }
                (true, Some(b',')) => {
                    self.at += 1;
                    self.skip_space();
                    self.key()?;
                    return Ok(false);
                }
                (false, Some(b',')) => {
                    self.at += 1;
                    return Ok(false);
                }
                (true, Some(_)) => return Err(self.fault(Syntax::Expected("`,` or `}`"))),
                (false, Some(_)) => return Err(self.fault(Syntax::Expected("`,` or `]`"))),
                (true, None) => return Err(self.fault(Syntax::Ends("`,` or `}`"))),
                (false, None) => return Err(self.fault(Syntax::Ends("`,` or `]`"))),
            }
        }
        Ok(true)
    }

    /// Moves over a key and its colon.
    pub(super) fn key(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(_) => return Err(self.fault(Syntax::Expected("a key in double quotes"))),
            None => return Err(self.fault(Syntax::Ends("a key in double quotes"))),
        }
        self.skip_space();
        self.expect(b':', "`:`")
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            self.at += plain_len(self.bytes.get(self.at..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(self.fault(Syntax::ControlCharacter)),
                None => return Err(self.fault(Syntax::Ends("a closing `\"`"))),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let len = match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6).unwrap_or_default();
                if digits.len() != 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(self.fault(Syntax::Escape));
                }
                6
            }
            Some(_) => return Err(self.fault(Syntax::Escape)),
            None => return Err(self.fault(Syntax::Ends("an escape"))),
        };
        self.at += len;
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        // `01`, `1x` and `1.2.3` would otherwise be told as a missing comma.
        match self.peek() {
            Some(b'0'..=b'9' | b'.' | b'+' | b'-' | b'a'..=b'z' | b'A'..=b'Z') => {
                Err(self.fault(Syntax::Number))
            }
            _ => Ok(()),
        }
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { Err(self.fault(Syntax::Number)) } else { Ok(()) }
    }

    fn word(&mut self, word: &'static [u8]) -> Result<(), Fault> {
        let found = self.bytes.get(self.at..).unwrap_or_default();
        if !found.starts_with(word) {
            return Err(self.fault(Syntax::Expected("a JSON value")));
        }
        self.at += word.len();
        Ok(())
    }
}

/// How many bytes come before the first quote, backslash or control character.
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let marks = special_bytes(u64::from_le_bytes(*word));
        if marks != 0 {
            return n * 8 + (marks.trailing_zeros() / 8) as usize;
        }
    }
    let n_tail = tail.iter().position(|&byte| is_special(byte)).unwrap_or(tail.len());
    words.len() * 8 + n_tail
}

pub(super) fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// Marks the high bit of each special byte. Bits above the lowest mark may be false marks.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    ((quote.wrapping_sub(ONES) & !quote)
        | (backslash.wrapping_sub(ONES) & !backslash)
        | (word.wrapping_sub(ONES * 0x20) & !word))
        & HIGHS
}
