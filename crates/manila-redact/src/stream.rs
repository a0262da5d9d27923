//! Redaction of a text that arrives in pieces, without buffering all of it.
//!
//! A secret never extends over a line end, except for keys in blocks. Its own line identifies it,
//! except for pairs of `name:` and `value:`. Complete lines are therefore released at once, unless
//! a block is open or the last line is only a name.
//!
//! A line that is too long to buffer is released in parts, without its last 64 KB, so that only a
//! longer secret could be split. Such a secret, once found, is redacted to its end.

use memchr::{memchr_iter, memmem, memrchr};

use crate::edit::{Edit, Form, Tally, apply};
use crate::find::block::{BLOCK_MAX, open_block};
use crate::find::pairs::may_await_value;
use crate::redactor::Redactor;

/// The maximum length of a line that is buffered. A longer one is released in parts.
const LINE_MAX: usize = 1024 * 1024;

/// The number of bytes of a long line that are held back, because a secret may continue there.
const HELD_BACK: usize = 64 * 1024;

/// The largest number of blocks that are open at once.
const OPEN_MAX: usize = 8;

/// The number of released bytes that are kept, because the text before a secret may identify it.
const CONTEXT: usize = 1024;

/// The redaction of a text that arrives in pieces.
#[derive(Debug)]
pub struct Stream<'a> {
    redactor: &'a Redactor,
    line_max: usize,
    buffer: Vec<u8>,
    /// The number of bytes at the start of `buffer` that were released already.
    n_context: usize,
    /// Recognises the end of a secret that is too long to buffer, while that secret continues.
    secret_end: Option<fn(u8) -> bool>,
    tally: Tally,
    position: Position,
}

/// A finding and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedFinding {
    /// The name of the rule that found it.
    pub rule: String,
    /// The line, starting at 1.
    pub line: u64,
    /// The character in the line, starting at 1.
    pub column: u64,
}

/// The output for one piece.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RedactedChunk {
    /// The redacted text.
    pub text: Vec<u8>,
    /// The findings in it.
    pub findings: Vec<LocatedFinding>,
}

/// A position in the text.
#[derive(Debug, Clone, Copy)]
struct Position {
    line: u64,
    column: u64,
}

impl Position {
    /// Advances over a text.
    fn advance(&mut self, text: &[u8]) {
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
    /// Creates the stream for a new text.
    #[must_use]
    pub fn new(redactor: &'a Redactor) -> Stream<'a> {
        let position = Position { line: 1, column: 1 };
        let (buffer, tally) = (Vec::new(), Tally::default());
        let (line_max, n_context, secret_end) = (LINE_MAX, 0, None);
        Stream { redactor, line_max, buffer, n_context, secret_end, tally, position }
    }

    /// Adds the next piece, and returns the text that can be released.
    pub fn push(&mut self, piece: &[u8]) -> RedactedChunk {
        let piece = self.skip_rest_of_secret(piece);
        // Only the new piece can complete a line.
        let n_before = self.buffer.len();
        self.buffer.extend_from_slice(piece);
        let line_end = memrchr(b'\n', piece).map(|at| n_before + at + 1);
        let end = line_end.map(|end| self.release_end(end));
        if let Some(end) = end.filter(|end| *end > self.n_context) {
            return self.release(end, 0);
        }
        if self.buffer.len() > self.line_max + HELD_BACK {
            self.release_part()
        } else {
            RedactedChunk::default()
        }
    }

    /// Returns the rest of the text. No piece may follow.
    pub fn finish(&mut self) -> RedactedChunk {
        self.release(self.buffer.len(), 0)
    }

    /// Continues with another redactor. It also redacts what has arrived but is not released.
    #[must_use]
    pub fn with_redactor(self, redactor: &Redactor) -> Stream<'_> {
        let Stream { redactor: _, line_max, buffer, n_context, secret_end, tally, position } = self;
        Stream { redactor, line_max, buffer, n_context, secret_end, tally, position }
    }

    /// Returns the findings so far.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Removes the rest of a secret that is redacted already from the start of a piece.
    fn skip_rest_of_secret<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let Some(is_end) = self.secret_end else { return piece };
        let Some(end) = piece.iter().position(|byte| is_end(*byte)) else {
            self.position.advance(piece);
            return &[];
        };
        self.secret_end = None;
        let (secret, rest) = piece.split_at(end);
        self.position.advance(secret);
        rest
    }

    /// Returns the end of the text that does not depend on later text, at most `end`.
    fn release_end(&self, end: usize) -> usize {
        let lines = self.buffer.get(..end - 1).unwrap_or_default();
        let last = memrchr(b'\n', lines).map_or(0, |at| at + 1);
        let is_name = may_await_value(lines.get(last..).unwrap_or_default());
        let mut start = if is_name { last } else { end };
        // The line on which a block begins may belong to an earlier block.
        for _ in 0..OPEN_MAX {
            let Some((block, has_text_before)) =
                open_block(self.buffer.get(..start).unwrap_or_default())
            else {
                break;
            };
            let before = self.buffer.get(..block).unwrap_or_default();
            start = memrchr(b'\n', before).map_or(0, |at| at + 1);
            if end - start > BLOCK_MAX {
                return end;
            }
            if !has_text_before {
                break;
            }
        }
        start
    }

    /// Releases a part of a line that is too long.
    fn release_part(&mut self) -> RedactedChunk {
        let edits = self.redactor.text(&self.buffer);
        let mut end = self.buffer.len() - HELD_BACK;
        // A block must not be split, because its start identifies it.
        let before = self.buffer.get(..end).unwrap_or_default();
        if let Some(begin) = memmem::rfind(before, b"-----BEGIN ")
            && memmem::find(before.get(begin..).unwrap_or_default(), b"-----END").is_none()
            && end - begin < BLOCK_MAX
        {
            if begin <= self.n_context {
                return RedactedChunk::default();
            }
            end = begin;
        }
        // Nor must a secret be split. One that extends to the end may continue.
        if let Some(edit) = edits.iter().find(|it| it.range.start < end && end < it.range.end) {
            end = edit.range.end;
            if end == self.buffer.len() {
                let is_line = matches!(edit.rule.as_ref(), "cookie" | "authorization");
                self.secret_end = Some(if is_line { is_line_end } else { is_value_end });
                return self.release_with(&edits, end, 0);
            }
        }
        self.release_with(&edits, end, CONTEXT)
    }

    fn release(&mut self, end: usize, n_context: usize) -> RedactedChunk {
        let edits = self.redactor.text(self.buffer.get(..end).unwrap_or_default());
        self.release_with(&edits, end, n_context)
    }

    /// Releases the text before `end`, and keeps its last `n_context` bytes as context.
    fn release_with(&mut self, edits: &[Edit], end: usize, n_context: usize) -> RedactedChunk {
        let start = self.n_context;
        let is_new = |edit: &&Edit| edit.range.end > start && edit.range.end <= end;
        let edits = edits.iter().filter(is_new).map(|edit| Edit {
            // An edit that begins in the context is cut to the text that is released now.
            range: edit.range.start.saturating_sub(start)..edit.range.end - start,
            ..edit.clone()
        });
        let edits: Vec<Edit> = edits.collect();
        self.tally.add(&edits);
        let text = self.buffer.get(start..end).unwrap_or_default();
        let findings = locate_edits(text, &edits, &mut self.position);
        let chunk = RedactedChunk { text: apply(text, &edits), findings };
        let context_start = end.saturating_sub(n_context);
        self.buffer.drain(..context_start);
        self.n_context = end - context_start;
        chunk
    }
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n'
}

fn is_value_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b';' | b'<' | b'>')
}

/// Returns the positions of edits in a text whose first line has the number `line`.
#[must_use]
pub fn locate(text: &[u8], edits: &[Edit], line: u64) -> Vec<LocatedFinding> {
    locate_edits(text, edits, &mut Position { line, column: 1 })
}

/// Returns the positions of edits in a text, and advances `position` over the text.
fn locate_edits(text: &[u8], edits: &[Edit], position: &mut Position) -> Vec<LocatedFinding> {
    let mut found = Vec::new();
    let mut at = 0;
    for edit in edits.iter().filter(|edit| edit.form != Form::Continued) {
        position.advance(text.get(at..edit.range.start).unwrap_or_default());
        at = edit.range.start;
        let Position { line, column } = *position;
        found.push(LocatedFinding { rule: edit.rule.to_string(), line, column });
    }
    position.advance(text.get(at..).unwrap_or_default());
    found
}

#[cfg(test)]
impl<'a> Stream<'a> {
    pub(crate) fn with_line_max(redactor: &'a Redactor, line_max: usize) -> Stream<'a> {
        Stream { line_max, ..Stream::new(redactor) }
    }
}
