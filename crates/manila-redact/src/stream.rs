//! Redacting a text that comes in pieces, in as little memory as its lines need.
//!
//! A secret never reaches over a line end, but for keys in blocks. So whole lines are let go as
//! soon as they are there, unless a block is open. A line that is too long to be kept is let go
//! in parts, far enough behind its end that no secret is cut in two.

use memchr::{memchr_iter, memrchr};

use crate::edit::{Edit, Form, Tally, apply};
use crate::find::block::{BLOCK_MAX, open_block};
use crate::redactor::Redactor;

/// A line that is longer is let go in parts.
const LINE_MAX: usize = 1024 * 1024;

/// What is kept of such a line, because a secret may go on in it.
const KEPT: usize = 64 * 1024;

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
        Stream { redactor, line_max: LINE_MAX, waiting, n_context: 0, tally, place }
    }

    /// Takes the next piece and gives what can be let go.
    pub fn push(&mut self, piece: &[u8]) -> Ready {
        // Only the new piece can have ended a line.
        let n_before = self.waiting.len();
        self.waiting.extend_from_slice(piece);
        let line_end = memrchr(b'\n', piece).map(|at| n_before + at + 1);
        let end = line_end.map(|end| self.before_open_block(end));
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

    fn before_open_block(&self, end: usize) -> usize {
        let lines = self.waiting.get(..end).unwrap_or_default();
        let Some(block) = open_block(lines) else { return end };
        let is_too_long = end - block > BLOCK_MAX;
        let before = lines.get(..block).unwrap_or_default();
        let line = memrchr(b'\n', before).map_or(0, |at| at + 1);
        if is_too_long { end } else { line }
    }

    /// Lets a part of a line go that is too long.
    fn let_part_go(&mut self) -> Ready {
        let edits = self.redactor.text(&self.waiting);
        let mut end = self.waiting.len() - KEPT;
        // Not in the middle of a block, which is known by its beginning.
        let before = self.waiting.get(..end).unwrap_or_default();
        if let Some(begin) = memchr::memmem::rfind(before, b"-----BEGIN ")
            && memchr::memmem::find(before.get(begin..).unwrap_or_default(), b"-----END").is_none()
            && begin > self.n_context
            && end - begin < BLOCK_MAX
        {
            end = begin;
        }
        // Nor of what is hidden.
        if let Some(edit) = edits.iter().find(|edit| edit.range.start < end && end < edit.range.end)
        {
            end = edit.range.end;
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
        let is_new = |edit: &&Edit| edit.range.start >= start && edit.range.end <= end;
        let edits = edits.iter().filter(is_new).map(|edit| Edit {
            range: edit.range.start - start..edit.range.end - start,
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
