//! Splits an input into blocks of whole lines, so that many lines can be processed at once.
//!
//! A line is a slice of its block and is not copied. Memory is bounded by one block, or by the
//! longest line allowed.

use std::io::{ErrorKind, Read};

use bytes::{Bytes, BytesMut};

use crate::input::InputArgs;
use crate::refusal::Refusal;

/// Read size for files: about one block.
const BLOCK_BYTES: usize = 512 * 1024;

/// Read size for inputs that may block: the capacity of a pipe.
const PIPE_BYTES: usize = 64 * 1024;

/// The blocks of an input.
pub(crate) struct Blocks {
    input: InputArgs,
    source: Box<dyn Read + Send>,
    /// Bytes per read.
    piece_bytes: usize,
    /// Bytes read but not returned yet: the beginning of a line.
    rest: BytesMut,
    n_lines: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    /// Inside a line that is too long and was reported already.
    Skipping,
    Ended,
}

/// Consecutive lines of an input.
pub(crate) struct Block {
    content: Content,
    /// Number of the first line, starting at 1.
    first: u64,
    line_bytes_max: u64,
}

enum Content {
    /// Whole lines; only the last line of the input may lack a line end.
    Lines(Bytes),
    /// One line over the limit; its text is discarded.
    TooLong,
}

/// One line of an input.
pub(crate) struct Line {
    /// Line number, starting at 1.
    pub(crate) number: u64,
    /// Text without the line end, or `None` if the line is over the limit.
    pub(crate) text: Option<Bytes>,
}

impl Blocks {
    /// Creates the blocks of an input. A known `size` means a file; other inputs may block.
    pub(crate) fn new(input: InputArgs, source: Box<dyn Read + Send>, size: Option<u64>) -> Blocks {
        let piece_bytes = if size.is_some() { BLOCK_BYTES } else { PIPE_BYTES };
        let (rest, state) = (BytesMut::new(), State::Reading);
        Blocks { input, source, piece_bytes, rest, n_lines: 0, state }
    }

    /// Appends the next piece to `rest` and returns its length; 0 means the end.
    fn read_piece(&mut self) -> Result<usize, Refusal> {
        let start = self.rest.len();
        self.rest.resize(start + self.piece_bytes, 0);
        let piece = self.rest.get_mut(start..).unwrap_or_default();
        let read = loop {
            match self.source.read(piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let n_read = read.map_err(|error| self.input.unreadable(&error))?;
        self.rest.truncate(start + n_read);
        Ok(n_read)
    }

    /// Returns the next block if the last `n_read` bytes complete one.
    fn cut(&mut self, n_read: usize) -> Option<Block> {
        if self.state == State::Skipping {
            let Some(line_end) = memchr::memchr(b'\n', &self.rest) else {
                self.rest.clear();
                return None;
            };
            drop(self.rest.split_to(line_end + 1));
            self.state = State::Reading;
        }
        // Earlier bytes contain no line end.
        let start = self.rest.len().saturating_sub(n_read);
        let piece = self.rest.get(start..).unwrap_or_default();
        if let Some(line_end) = memchr::memrchr(b'\n', piece) {
            let lines = self.rest.split_to(start + line_end + 1);
            return Some(self.block(lines));
        }
        // The `\r` of a line end may have been read, and does not count.
        if self.rest.len() as u64 > self.input.bytes_max().saturating_add(1) {
            self.rest.clear();
            self.state = State::Skipping;
            self.n_lines += 1;
            let (first, line_bytes_max) = (self.n_lines, self.input.bytes_max());
            return Some(Block { content: Content::TooLong, first, line_bytes_max });
        }
        None
    }

    fn block(&mut self, lines: BytesMut) -> Block {
        let first = self.n_lines + 1;
        self.n_lines += memchr::memchr_iter(b'\n', &lines).count() as u64;
        let line_bytes_max = self.input.bytes_max();
        Block { content: Content::Lines(lines.freeze()), first, line_bytes_max }
    }
}

impl Iterator for Blocks {
    type Item = Result<Block, Refusal>;

    fn next(&mut self) -> Option<Result<Block, Refusal>> {
        while self.state != State::Ended {
            let n_read = match self.read_piece() {
                Ok(n_read) => n_read,
                Err(refusal) => {
                    self.state = State::Ended;
                    return Some(Err(refusal));
                }
            };
            if n_read == 0 {
                self.state = State::Ended;
                let last = std::mem::take(&mut self.rest);
                return (!last.is_empty()).then(|| Ok(self.block(last)));
            }
            if let Some(block) = self.cut(n_read) {
                return Some(Ok(block));
            }
        }
        None
    }
}

impl Block {
    /// Number of bytes, including line ends.
    pub(crate) fn n_bytes(&self) -> usize {
        match &self.content {
            Content::Lines(lines) => lines.len(),
            Content::TooLong => 0,
        }
    }
}

impl IntoIterator for Block {
    type Item = Line;
    type IntoIter = BlockLines;

    fn into_iter(self) -> BlockLines {
        BlockLines { content: self.content, next: self.first, line_bytes_max: self.line_bytes_max }
    }
}

/// Iterator over the lines of a block.
pub(crate) struct BlockLines {
    content: Content,
    next: u64,
    line_bytes_max: u64,
}

impl BlockLines {
    /// Creates an iterator over no lines.
    pub(crate) fn empty() -> BlockLines {
        BlockLines { content: Content::Lines(Bytes::new()), next: 1, line_bytes_max: 0 }
    }

    /// Returns whether all lines were returned.
    pub(crate) fn is_done(&self) -> bool {
        matches!(&self.content, Content::Lines(lines) if lines.is_empty())
    }

    /// Returns the next line's text, or `None` if the line is too long.
    fn text(&mut self) -> Option<Bytes> {
        let Content::Lines(rest) = &mut self.content else {
            self.content = Content::Lines(Bytes::new());
            return None;
        };
        let line_end = memchr::memchr(b'\n', rest);
        let mut text = rest.split_to(line_end.map_or(rest.len(), |at| at + 1));
        for line_end in [b'\n', b'\r'] {
            if text.last() == Some(&line_end) {
                text.truncate(text.len() - 1);
            }
        }
        (text.len() as u64 <= self.line_bytes_max).then_some(text)
    }
}

impl Iterator for BlockLines {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.is_done() {
            return None;
        }
        let number = self.next;
        self.next += 1;
        Some(Line { number, text: self.text() })
    }
}

#[cfg(test)]
mod tests;
