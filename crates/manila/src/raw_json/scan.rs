//! The scanner: checks the JSON grammar over bytes, in one pass, without recursion.
//!
//! It builds nothing. It moves forward, counts the white space that it skips, and reports where and
//! how the grammar is broken. The bytes must already be valid UTF-8.

use super::{DEPTH_MAX, Syntax, word};

/// A syntax error and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) syntax: Syntax,
}

/// Receives the events of a scan. By default it ignores them, at no cost.
pub(crate) trait Visit {
    /// Called when an object begins.
    fn open_object(&mut self) {}
    /// Called when an object ends.
    fn close_object(&mut self, _bytes: &[u8]) {}
    /// Called for the key from `start` to `end`.
    fn key(&mut self, _bytes: &[u8], _start: usize, _end: usize) {}
    /// Called for a number that has an exponent or very many digits.
    fn large_number(&mut self, _token: &[u8], _start: usize) {}
    /// Called for an escape in a string.
    fn escape(&mut self, _letter: u8) {}
    /// Called for a long value near the top.
    fn long_value(&mut self, _start: usize, _end: usize) {}
}

impl Visit for () {}

pub(super) struct Scanner<'a, V = ()> {
    bytes: &'a [u8],
    at: usize,
    /// The number of arrays and objects open around the current place.
    depth: usize,
    /// The number of bytes of white space skipped so far.
    n_space_bytes: usize,
    /// The offsets at which the outermost open arrays and objects start.
    starts: [usize; NEAR],
    visit: V,
}

/// Values nested in fewer arrays and objects than this are near the top.
const NEAR: usize = 6;

/// The number of bytes from which a value is long.
const LONG: usize = 96;

/// The state of a scan inside a value.
#[derive(Clone, Copy)]
enum Next {
    /// Before a key.
    Key,
    /// Before a value.
    Value,
    /// After a value.
    AfterValue,
}

/// The kinds of the open arrays and objects, one bit each: there are at most `DEPTH_MAX`.
#[derive(Clone, Copy, Default)]
struct NestingStack {
    objects: u128,
}

impl NestingStack {
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

impl<'a, V: Visit> Scanner<'a, V> {
    /// Creates a scanner of bytes that are nested in `depth` arrays and objects.
    pub(super) fn new(bytes: &'a [u8], depth: usize, visit: V) -> Scanner<'a, V> {
        Scanner { bytes, at: 0, depth, n_space_bytes: 0, starts: [0; NEAR], visit }
    }

    /// Returns the visitor.
    pub(super) fn into_visit(self) -> V {
        self.visit
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn n_space_bytes(&self) -> usize {
        self.n_space_bytes
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn fault(&self, syntax: Syntax) -> Fault {
        Fault { offset: self.at, syntax }
    }

    #[inline]
    pub(super) fn skip_space(&mut self) {
        // Most tokens follow without white space.
        if self.peek().is_none_or(|byte| byte > b' ') {
            return;
        }
        let end = word::space_end(self.bytes, self.at);
        self.n_space_bytes += end - self.at;
        self.at = end;
    }

    /// Skips `byte`, which the grammar requires here.
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

    /// Skips the opening byte of an array or object.
    pub(super) fn open(&mut self) -> Result<(), Fault> {
        if self.depth == DEPTH_MAX {
            return Err(self.fault(Syntax::TooDeep));
        }
        if self.peek() == Some(b'{') {
            self.visit.open_object();
        }
        if let Some(start) = self.starts.get_mut(self.depth) {
            *start = self.at;
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Skips the closing byte of an array or object.
    pub(super) fn close(&mut self) {
        if self.peek() == Some(b'}') {
            self.visit.close_object(self.bytes);
        }
        self.depth -= 1;
        self.at += 1;
        if let Some(&start) = self.starts.get(self.depth)
            && self.at - start >= LONG
        {
            self.visit.long_value(start, self.at);
        }
    }

    /// Skips one value.
    pub(super) fn value(&mut self) -> Result<(), Fault> {
        let outside = self.depth;
        let mut open = NestingStack::default();
        loop {
            self.skip_space();
            let next = match self.peek() {
                Some(b'"') => {
                    let start = self.at;
                    self.string()?;
                    if self.at - start >= LONG && self.depth < NEAR {
                        self.visit.long_value(start, self.at);
                    }
                    Next::AfterValue
                }
                Some(b'{') => {
                    self.open()?;
                    open.push(1);
                    self.skip_space();
                    if self.peek() == Some(b'}') { Next::AfterValue } else { Next::Key }
                }
                Some(b'[') => {
                    self.open()?;
                    open.push(0);
                    self.skip_space();
                    if self.peek() == Some(b']') { Next::AfterValue } else { Next::Value }
                }
                Some(b'-' | b'0'..=b'9') => self.number().map(|()| Next::AfterValue)?,
                Some(b't') => self.literal(b"true").map(|()| Next::AfterValue)?,
                Some(b'f') => self.literal(b"false").map(|()| Next::AfterValue)?,
                Some(b'n') => self.literal(b"null").map(|()| Next::AfterValue)?,
                Some(_) => return Err(self.fault(Syntax::Expected("a JSON value"))),
                None => return Err(self.fault(Syntax::Ends("a JSON value"))),
            };
            let next = match next {
                Next::AfterValue => self.close_all(outside, &mut open)?,
                Next::Key | Next::Value => next,
            };
            match next {
                Next::AfterValue => return Ok(()),
                Next::Key => self.key()?,
                Next::Value => {}
            }
        }
    }

    /// Closes the arrays and objects that end after a value, and returns what must follow.
    #[inline]
    fn close_all(&mut self, outside: usize, open: &mut NestingStack) -> Result<Next, Fault> {
        while self.depth > outside {
            self.skip_space();
            match (open.is_object(), self.peek()) {
                (true, Some(b',')) => {
                    self.at += 1;
                    self.skip_space();
                    return Ok(Next::Key);
                }
                (false, Some(b',')) => {
                    self.at += 1;
                    return Ok(Next::Value);
                }
                (true, Some(b'}')) | (false, Some(b']')) => {
                    self.close();
                    open.pop();
                }
                (true, Some(_)) => return Err(self.fault(Syntax::Expected("`,` or `}`"))),
                (false, Some(_)) => return Err(self.fault(Syntax::Expected("`,` or `]`"))),
                (true, None) => return Err(self.fault(Syntax::Ends("`,` or `}`"))),
                (false, None) => return Err(self.fault(Syntax::Ends("`,` or `]`"))),
            }
        }
        Ok(Next::AfterValue)
    }

    /// Skips a key and its colon.
    #[allow(clippy::inline_always, reason = "a tenth of the time of a scan, measured")]
    #[inline(always)]
    pub(super) fn key(&mut self) -> Result<(), Fault> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(_) => return Err(self.fault(Syntax::Expected("a key in double quotes"))),
            None => return Err(self.fault(Syntax::Ends("a key in double quotes"))),
        }
        self.visit.key(self.bytes, start, self.at);
        if self.peek() != Some(b':') {
            self.skip_space();
        }
        self.expect(b':', "`:`")
    }

    /// Skips a string. Most of the time of a scan is spent here.
    #[allow(clippy::inline_always, reason = "a sixth of the time of a scan, measured")]
    #[inline(always)]
    fn string(&mut self) -> Result<(), Fault> {
        let mut at = self.at + 1;
        loop {
            while let Some(chunk) = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
                let n_plain = word::plain_len_of_16(*chunk);
                at += n_plain;
                if n_plain < 16 {
                    break;
                }
                if at - self.at > LONG {
                    at = word::plain_blocks_end(self.bytes, at);
                }
            }
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(());
                }
                Some(b'\\') => match self.bytes.get(at + 1) {
                    Some(&letter @ (b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => {
                        self.visit.escape(letter);
                        at += 2;
                    }
                    Some(b'u') if self.has_hex_digits(at + 2) => {
                        self.visit.escape(b'u');
                        at += 6;
                    }
                    Some(_) | None => return Err(self.escape_fault(at)),
                },
                Some(&byte) if !word::is_special(byte) => at += 1,
                Some(_) => return Err(Fault { offset: at, syntax: Syntax::ControlCharacter }),
                None => return Err(Fault { offset: at, syntax: Syntax::Ends("a closing `\"`") }),
            }
        }
    }

    fn has_hex_digits(&self, at: usize) -> bool {
        let digits = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<4>);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    }

    #[cold]
    fn escape_fault(&self, offset: usize) -> Fault {
        let rest = self.bytes.get(offset + 1..).unwrap_or_default();
        let is_cut = match rest.split_first() {
            Some((b'u', digits)) => digits.len() < 4 && digits.iter().all(u8::is_ascii_hexdigit),
            Some(_) => false,
            None => true,
        };
        let syntax = if is_cut { Syntax::Ends("an escape") } else { Syntax::Escape };
        Fault { offset, syntax }
    }

    fn number(&mut self) -> Result<(), Fault> {
        // Without an exponent, a number needs this many digits to be too large for a double.
        const DIGITS: usize = 308;
        let start = self.at;
        let mut has_exponent = false;
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
            has_exponent = true;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        if has_exponent || self.at - start > DIGITS {
            let token = self.bytes.get(start..self.at).unwrap_or_default();
            self.visit.large_number(token, start);
        }
        // `01`, `1x` and `1.2.3` would otherwise be reported as a missing comma.
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

    #[inline]
    fn literal<const N: usize>(&mut self, literal: &'static [u8; N]) -> Result<(), Fault> {
        let found = self.bytes.get(self.at..).unwrap_or_default();
        if found.first_chunk() == Some(literal) {
            self.at += N;
            return Ok(());
        }
        let is_cut = literal.starts_with(found);
        let expected = "a JSON value";
        Err(self.fault(if is_cut { Syntax::Ends(expected) } else { Syntax::Expected(expected) }))
    }
}
