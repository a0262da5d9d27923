//! What is known about the text ahead, so that nothing is looked for twice: a text may be one long
//! run with a label at every tenth byte.

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::escapes::is_escape;
use crate::value::{self, LEN_MAX};

/// What is known.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    in_pairs: Run,
    elsewhere: Run,
    /// Where a semicolon was looked for; at its end stands one, unless that is a limit.
    searched: Range<usize>,
}

/// Bytes that a value without quotes may have.
#[derive(Debug, Default)]
struct Run {
    range: Range<usize>,
    /// Whether a closing bracket is among them.
    has_closing: bool,
    /// Whether there is neither a digit nor a capital among them.
    is_plain: bool,
}

/// How far back a place may be to be counted in.
const BACK_MAX: usize = 4096;

impl Runs {
    /// Where the run ends that `start` is in, and whether it has a closing bracket.
    #[inline]
    pub(super) fn end(&mut self, text: &[u8], start: usize, is_pair: bool) -> (usize, bool) {
        let run = if is_pair { &mut self.in_pairs } else { &mut self.elsewhere };
        if !run.range.contains(&start) {
            run.measure(text, start, is_pair);
        }
        (run.range.end.max(start), run.has_closing)
    }

    /// Whether the run that `start` is in has neither a digit nor a capital. What it has before
    /// `start` counts, too, so that the answer may be no although what follows is plain.
    #[inline]
    pub(super) fn is_plain(&mut self, text: &[u8], start: usize, is_pair: bool) -> bool {
        self.end(text, start, is_pair);
        if is_pair { self.in_pairs.is_plain } else { self.elsewhere.is_plain }
    }

    /// Where the next semicolon stands, if it is not far.
    #[inline]
    pub(super) fn semicolon(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let Range { start, end } = self.searched;
        let is_known = start <= at
            && at <= end
            && (text.get(end) == Some(&b';') || end == text.len() || end - at > LEN_MAX);
        if !is_known {
            self.search(text, at);
        }
        let end = self.searched.end;
        (end - at <= LEN_MAX && text.get(end) == Some(&b';')).then_some(end)
    }

    fn search(&mut self, text: &[u8], at: usize) {
        let before = &self.searched;
        let is_just_before = at < before.start && before.start - at <= BACK_MAX;
        let limit = if is_just_before { before.start } else { text.len().min(at + 4 * LEN_MAX) };
        let found = memchr(b';', text.get(at..limit).unwrap_or_default());
        let end = match found {
            Some(found) => at + found,
            None if is_just_before => before.end,
            None => limit,
        };
        self.searched = at..end;
    }
}

impl Run {
    fn measure(&mut self, text: &[u8], start: usize, is_pair: bool) {
        let is_just_before = start < self.range.start && self.range.start - start <= BACK_MAX;
        let limit = if is_just_before { self.range.start } else { text.len() };
        let (end, has_closing) = run_end(text, start, limit, is_pair);
        let is_plain = !value::may_be_random(text.get(start..end).unwrap_or_default());
        if is_just_before && end >= limit {
            self.range.start = start;
            self.has_closing |= has_closing;
            self.is_plain &= is_plain;
        } else {
            *self = Run { range: start..end, has_closing, is_plain };
        }
    }
}

/// Where a run ends that begins at `start`, but not beyond `limit`, and whether a closing bracket
/// is in it.
fn run_end(text: &[u8], start: usize, limit: usize, is_pair: bool) -> (usize, bool) {
    let (mut at, mut has_closing) = (start, false);
    loop {
        let rest = text.get(at..limit).unwrap_or_default();
        let (len, has_one) = may_end_at(rest);
        at += len;
        has_closing |= has_one;
        let is_end = at >= limit
            || match text.get(at) {
                Some(b',') => is_next_pair(text, at + 1),
                Some(b'&') => is_pair,
                Some(b'\\') => is_escape(text, at),
                Some(_) | None => true,
            };
        if is_end {
            return (at, has_closing);
        }
        at += 1;
    }
}

/// Where the first byte stands that may end a value without quotes, and whether a closing bracket
/// stands before it.
#[inline]
fn may_end_at(text: &[u8]) -> (usize, bool) {
    const SHORT: usize = 32;
    let mut seen = 0;
    let is_end = |byte: &u8| {
        let kind = KINDS.get(usize::from(*byte)).copied().unwrap_or(0);
        seen |= kind;
        kind == ENDS
    };
    let near = text.get(..SHORT).unwrap_or(text);
    if let Some(found) = near.iter().position(is_end) {
        return (found, seen & CLOSES != 0);
    }
    // In a long run many bytes at once are asked whether one of them is, without branches.
    let far = text.get(near.len()..).unwrap_or_default();
    let (chunks, _) = far.as_chunks::<32>();
    let has_end = |chunk: &[u8; 32]| chunk.iter().fold(false, |any, it| any | may_end(*it));
    let start = 32 * chunks.iter().take_while(|chunk| !has_end(chunk)).count();
    let rest = far.get(start..).unwrap_or_default();
    let end = start + rest.iter().position(|it| may_end(*it)).unwrap_or(rest.len());
    let has_closing = seen & CLOSES != 0
        || memchr3(b')', b']', b'}', far.get(..end).unwrap_or_default()).is_some();
    (near.len() + end, has_closing)
}

#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "a branch for each would be slower")]
const fn may_end(byte: u8) -> bool {
    (byte <= 0x20)
        | (byte == 0x7F)
        | (byte == b'"')
        | (byte == b'\'')
        | (byte == b'`')
        | (byte == b',')
        | (byte == b';')
        | (byte == b'<')
        | (byte == b'>')
        | (byte == b'&')
        | (byte == b'\\')
}

/// The kinds of bytes.
const ENDS: u8 = 1;
const CLOSES: u8 = 2;

#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "below 256")]
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b')' | b']' | b'}' => CLOSES,
            other => may_end(other) as u8,
        };
        byte += 1;
    }
    kinds
};

/// Whether what follows a comma is something else: a blank, a quote, or another pair. Otherwise
/// the comma is part of the value.
fn is_next_pair(text: &[u8], at: usize) -> bool {
    const MOST: usize = 40;
    let rest = text.get(at..text.len().min(at + MOST)).unwrap_or_default();
    let is_end = |it: &u8| it.is_ascii_whitespace() || matches!(it, b',' | b';' | b'"' | b'\'');
    let len = rest.iter().position(is_end).unwrap_or(rest.len());
    let word = rest.get(..len).unwrap_or(rest);
    word.is_empty() || word.iter().any(|it| matches!(it, b'=' | b':' | b'\\' | b'{' | b'['))
}
