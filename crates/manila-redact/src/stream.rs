//! Redacting a text that comes in pieces, in as little memory as its lines need.
//!
//! A secret never reaches over a line end, but for keys in blocks, and is known by its own line,
//! but for pairs of `name:` and `value:`. So whole lines are let go as soon as they are there,
//! unless a block is open or a name stands alone. A line that is too long to be kept is let go
//! in parts, 64 KB behind its end, so that only a longer secret could be cut in two; one that is
//! already known is then hidden to its end.

use memchr::{memchr_iter, memmem, memrchr};

use crate::edit::{Edit, Form, Tally, apply};
use crate::find::block::{BLOCK_MAX, open_block};
use crate::find::pairs::may_await_value;
use crate::redactor::Redactor;

/// A line that is longer is let go in parts.
const LINE_MAX: usize = 1024 * 1024;

/// What is kept of such a line, because a secret may go on in it.
const KEPT: usize = 64 * 1024;

/// How many blocks are open at once, at most.
const OPEN_MAX: usize = 8;

/// What is kept of what was let go, because a secret may be known by what stands before it.
const CONTEXT: usize = 1024;

/// A text that comes in pieces.
#[derive(Debug)]
pub struct Stream<'a> {
    redactor: &'a Redactor,
    line_max: usize,
    waiting: Vec<u8>,
    /// How many bytes at the start of `waiting` were let go already.
    n_context: usize,
    /// A secret that is too long to be kept goes on until one of these.
    inside: Option<fn(u8) -> bool>,
    tally: Tally,
    place: Place,
}

/// A finding, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The rule that found it.
    pub rule: String,
    /// The line, from 1.
    pub line: u64,
    /// The character in the line, from 1.
    pub column: u64,
}

/// What comes of a piece.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// Text in which nothing is left to hide.
    pub text: Vec<u8>,
    /// What was hidden in it.
    pub found: Vec<Found>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    line: u64,
    column: u64,
}

impl Place {
    /// Moves over a text.
    fn pass(&mut self, text: &[u8]) {
        let n_lines = memchr_iter(b'\n', text).count();
        let last_line = match memrchr(b'\n', text) {
            Some(at) => {
                self.column = 1;
                text.get(at + 1..).unwrap_or_default()
            }
            None => text,
        };
        self.line += n_lines as u64;
        self.column += last_line.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
    }
}

impl<'a> Stream<'a> {
    /// An empty text.
    #[must_use]
    pub fn new(redactor: &'a Redactor) -> Stream<'a> {
        let place = Place { line: 1, column: 1 };
        let (waiting, tally) = (Vec::new(), Tally::default());
        let (line_max, n_context, inside) = (LINE_MAX, 0, None);
        Stream { redactor, line_max, waiting, n_context, inside, tally, place }
    }

    /// Takes the next piece and gives what can be let go.
    pub fn push(&mut self, piece: &[u8]) -> Ready {
        let piece = self.after_secret(piece);
        // Only the new piece can have ended a line.
        let n_before = self.waiting.len();
        self.waiting.extend_from_slice(piece);
        let line_end = memrchr(b'\n', piece).map(|at| n_before + at + 1);
        let end = line_end.map(|end| self.before_open_end(end));
        if let Some(end) = end.filter(|end| *end > self.n_context) {
            return self.let_go(end, 0);
        }
        if self.waiting.len() > self.line_max + KEPT {
            self.let_part_go()
        } else {
            Ready::default()
        }
    }

    /// Gives the rest, when no piece follows.
    pub fn finish(&mut self) -> Ready {
        self.let_go(self.waiting.len(), 0)
    }

    /// What was hidden so far.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What is left of a piece when the rest of a secret is taken away that was hidden already.
    fn after_secret<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let Some(is_end) = self.inside else { return piece };
        let Some(end) = piece.iter().position(|byte| is_end(*byte)) else {
            self.place.pass(piece);
            return &[];
        };
        self.inside = None;
        let (secret, rest) = piece.split_at(end);
        self.place.pass(secret);
        rest
    }

    /// Up to where nothing waits for what comes after it.
    fn before_open_end(&self, end: usize) -> usize {
        let lines = self.waiting.get(..end - 1).unwrap_or_default();
        let last = memrchr(b'\n', lines).map_or(0, |at| at + 1);
        let is_name = may_await_value(lines.get(last..).unwrap_or_default());
        let mut start = if is_name { last } else { end };
        // The line on which a block begins may be part of the one before.
        for _ in 0..OPEN_MAX {
            let Some((block, is_beside)) =
                open_block(self.waiting.get(..start).unwrap_or_default())
            else {
                break;
            };
            let before = self.waiting.get(..block).unwrap_or_default();
            start = memrchr(b'\n', before).map_or(0, |at| at + 1);
            if end - start > BLOCK_MAX {
                return end;
            }
            if !is_beside {
                break;
            }
        }
        start
    }

    /// Lets a part of a line go that is too long.
    fn let_part_go(&mut self) -> Ready {
        let edits = self.redactor.text(&self.waiting);
        let mut end = self.waiting.len() - KEPT;
        // Not in the middle of a block, which is known by its beginning.
        let before = self.waiting.get(..end).unwrap_or_default();
        if let Some(begin) = memmem::rfind(before, b"-----BEGIN ")
            && memmem::find(before.get(begin..).unwrap_or_default(), b"-----END").is_none()
            && end - begin < BLOCK_MAX
        {
            if begin <= self.n_context {
                return Ready::default();
            }
            end = begin;
        }
        // Nor of what is hidden. What is hidden to the very end may go on.
        if let Some(edit) = edits.iter().find(|it| it.range.start < end && end < it.range.end) {
            end = edit.range.end;
            if end == self.waiting.len() {
                let is_line = matches!(edit.rule.as_ref(), "cookie" | "authorization");
                self.inside = Some(if is_line { is_line_end } else { is_value_end });
                return self.let_go_with(&edits, end, 0);
            }
        }
        self.let_go_with(&edits, end, CONTEXT)
    }

    fn let_go(&mut self, end: usize, n_context: usize) -> Ready {
        let edits = self.redactor.text(self.waiting.get(..end).unwrap_or_default());
        self.let_go_with(&edits, end, n_context)
    }

    /// Lets go what is before `end`, and keeps `n_context` bytes of it to look back at.
    fn let_go_with(&mut self, edits: &[Edit], end: usize, n_context: usize) -> Ready {
        let start = self.n_context;
        let is_new = |edit: &&Edit| edit.range.end > start && edit.range.end <= end;
        let edits = edits.iter().filter(is_new).map(|edit| Edit {
            // What begins in what was let go is hidden from here on.
            range: edit.range.start.saturating_sub(start)..edit.range.end - start,
            ..edit.clone()
        });
        let edits: Vec<Edit> = edits.collect();
        self.tally.add(&edits);
        let text = self.waiting.get(start..end).unwrap_or_default();
        let found = found(text, &edits, &mut self.place);
        let ready = Ready { text: apply(text, &edits), found };
        let kept_from = end.saturating_sub(n_context);
        self.waiting.drain(..kept_from);
        self.n_context = end - kept_from;
        ready
    }
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n'
}

fn is_value_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b';' | b'<' | b'>')
}

/// Where edits stand in a text that begins with line number `line`.
#[must_use]
pub fn places(text: &[u8], edits: &[Edit], line: u64) -> Vec<Found> {
    found(text, edits, &mut Place { line, column: 1 })
}

/// Where edits stand, and moves over the text.
fn found(text: &[u8], edits: &[Edit], place: &mut Place) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    for edit in edits.iter().filter(|edit| edit.form != Form::Continued) {
        place.pass(text.get(at..edit.range.start).unwrap_or_default());
        at = edit.range.start;
        let Place { line, column } = *place;
        found.push(Found { rule: edit.rule.to_string(), line, column });
    }
    place.pass(text.get(at..).unwrap_or_default());
    found
}

#[cfg(test)]
impl<'a> Stream<'a> {
    pub(crate) fn with_line_max(redactor: &'a Redactor, line_max: usize) -> Stream<'a> {
        Stream { line_max, ..Stream::new(redactor) }
    }
}
