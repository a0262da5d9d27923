//! Cached facts about the text ahead, so that no part is searched twice. A text may be one long run
//! with a label at every tenth byte.

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::escapes::is_escape;
use crate::value::{self, LEN_MAX};

/// The cached facts.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    in_pairs: Run,
    elsewhere: Run,
    /// The range that was searched for a semicolon. One is at its end, unless the end is a limit.
    searched: Range<usize>,
}

/// A run of bytes that a value without quotes may contain.
#[derive(Debug, Default)]
struct Run {
    range: Range<usize>,
    /// Whether it contains a closing bracket.
    has_closing: bool,
    /// Whether it contains neither a digit nor an upper-case letter.
    is_plain: bool,
}

/// The maximum distance by which a cached range is extended backwards.
const BACK_MAX: usize = 4096;

impl Runs {
    /// Returns the end of the run at `start`, and whether the run contains a closing bracket.
    #[inline]
    pub(super) fn end(&mut self, text: &[u8], start: usize, is_pair: bool) -> (usize, bool) {
        let run = if is_pair { &mut self.in_pairs } else { &mut self.elsewhere };
        if !run.range.contains(&start) {
            run.measure(text, start, is_pair);
        }
        (run.range.end.max(start), run.has_closing)
    }

    /// Returns whether the run at `start` contains neither a digit nor an upper-case letter.
    ///
    /// The part before `start` also counts, so the result may be false although the rest is plain.
    #[inline]
    pub(super) fn is_plain(&mut self, text: &[u8], start: usize, is_pair: bool) -> bool {
        self.end(text, start, is_pair);
        if is_pair { self.in_pairs.is_plain } else { self.elsewhere.is_plain }
    }

    /// Returns the position of the next semicolon, if it is within `LEN_MAX`.
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
        let is_adjacent = at < before.start && before.start - at <= BACK_MAX;
        let limit = if is_adjacent { before.start } else { text.len().min(at + 4 * LEN_MAX) };
        let found = memchr(b';', text.get(at..limit).unwrap_or_default());
        let end = match found {
            Some(found) => at + found,
            None if is_adjacent => before.end,
            None => limit,
        };
        self.searched = at..end;
    }
}

impl Run {
    fn measure(&mut self, text: &[u8], start: usize, is_pair: bool) {
        let is_adjacent = start < self.range.start && self.range.start - start <= BACK_MAX;
        let limit = if is_adjacent { self.range.start } else { text.len() };
        let (end, has_closing) = run_end(text, start, limit, is_pair);
        let is_plain = !value::may_be_random(text.get(start..end).unwrap_or_default());
        if is_adjacent && end >= limit {
            self.range.start = start;
            self.has_closing |= has_closing;
            self.is_plain &= is_plain;
        } else {
            *self = Run { range: start..end, has_closing, is_plain };
        }
    }
}

/// Returns the end of the run that begins at `start`, up to `limit`, and whether it contains a
/// closing bracket.
fn run_end(text: &[u8], start: usize, limit: usize, is_pair: bool) -> (usize, bool) {
    let (mut at, mut has_closing) = (start, false);
    loop {
        let rest = text.get(at..limit).unwrap_or_default();
        let (len, has_new) = find_possible_end(rest);
        at += len;
        has_closing |= has_new;
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

/// Returns the position of the first byte that may end a value without quotes, and whether a
/// closing bracket precedes it.
#[inline]
fn find_possible_end(text: &[u8]) -> (usize, bool) {
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
    // In a long run, many bytes are tested at once, without branches.
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

/// The kinds of bytes: those that may end a value, and closing brackets.
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

/// Returns whether a blank, a quote or another pair follows a comma. Otherwise the comma is part of
/// the value.
fn is_next_pair(text: &[u8], at: usize) -> bool {
    const BYTES_MAX: usize = 40;
    let rest = text.get(at..text.len().min(at + BYTES_MAX)).unwrap_or_default();
    let is_end = |it: &u8| it.is_ascii_whitespace() || matches!(it, b',' | b';' | b'"' | b'\'');
    let len = rest.iter().position(is_end).unwrap_or(rest.len());
    let word = rest.get(..len).unwrap_or(rest);
    word.is_empty() || word.iter().any(|it| matches!(it, b'=' | b':' | b'\\' | b'{' | b'['))
}
