//! Capturing a program's output within a limit.
//!
//! The start is kept, and the end, which usually reports failures.

use tokio::io::AsyncReadExt;
use tokio::sync::SetOnce;

use super::failure_lines::{FailureLines, KeptLines};
use super::{Captured, Changes, End, OutputListener, text};
use crate::os::Source;

/// One of a program's two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The capture of one of a program's streams.
pub(super) struct Capture {
    stream: Stream,
    source: Source,
    kept: KeptOutput,
    chars_max: usize,
}

/// Maximum number of bytes of a character in UTF-8.
const CHAR_BYTES_MAX: usize = 4;

/// The end gets one part in this many of the kept output.
const END_DIVISOR: usize = 4;

impl Capture {
    pub(super) fn new(stream: Stream, source: Source, chars_max: usize) -> Capture {
        let kept = KeptOutput::new(chars_max.saturating_mul(CHAR_BYTES_MAX));
        Capture { stream, source, kept, chars_max }
    }

    /// Reads the stream to its end.
    ///
    /// Output beyond the limit is read, too, so that the program does not block. While `listener`
    /// has no room, the program waits. After the program has ended, the rest is read without
    /// waiting.
    pub(super) async fn read(&mut self, listener: &impl OutputListener, has_ended: &SetOnce<()>) {
        const PIECE_BYTES: usize = 64 * 1024;
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            tokio::select! {
                biased;
                () = listener.wait_for_room() => {}
                () = has_ended.wait() => {}
            }
            // A read error counts as the end of the stream.
            let n_read = self.source.read(&mut piece).await.unwrap_or(0);
            let Some(read) = piece.get(..n_read).filter(|read| !read.is_empty()) else { return };
            listener.on_output(self.stream, read);
            self.kept.add(read);
        }
    }

    /// Returns the kept output as text.
    pub(super) fn into_captured(self, end: &End) -> Captured {
        match end {
            End::Exited(_) => self.kept.into_captured(self.chars_max),
            End::Signalled(_)
            | End::NotStarted(_)
            | End::TimedOut(_)
            | End::Cancelled
            | End::Lost => self.kept.into_interrupted(self.chars_max),
        }
    }
}

/// The start and the end of an output, and lines about failures between them.
struct KeptOutput {
    bytes_max: usize,
    start: Vec<u8>,
    /// Number of bytes that still fit into `start`.
    room: usize,
    between: FailureLines,
    /// The last bytes, and possibly some before them.
    end: Vec<u8>,
    end_max: usize,
    has_end: bool,
    n_bytes: u64,
}

/// The kept parts of an output over the limit, except its start.
struct Rest {
    between: Vec<u8>,
    end: Vec<u8>,
}

impl KeptOutput {
    fn new(bytes_max: usize) -> KeptOutput {
        let end_max = bytes_max / END_DIVISOR;
        let between = FailureLines::new(bytes_max / CHAR_BYTES_MAX / END_DIVISOR);
        let (start, end, room) = (Vec::new(), Vec::new(), bytes_max - end_max);
        KeptOutput { bytes_max, start, room, between, end, end_max, has_end: false, n_bytes: 0 }
    }

    fn add(&mut self, piece: &[u8]) {
        self.n_bytes += piece.len() as u64;
        let (first, rest) = piece.split_at(self.room.min(piece.len()));
        self.start.extend_from_slice(first);
        self.room -= first.len();
        if !rest.is_empty() && !self.has_end {
            self.begin_end();
        }
        self.end.extend_from_slice(rest);
        // Old bytes are dropped from time to time, not with every piece.
        if self.end.len() > 2 * self.end_max {
            let n_left_out = self.end.len() - self.end_max;
            self.between.add(self.end.get(..n_left_out).unwrap_or_default());
            self.end.drain(..n_left_out);
        }
    }

    /// Moves the incomplete last line of the full start to the end.
    fn begin_end(&mut self) {
        self.has_end = true;
        let line = memchr::memrchr(b'\n', &self.start).map_or(0, |end| end + 1);
        if self.start.len() - line <= self.end_max / 2 {
            self.end = self.start.split_off(line);
        } else {
            self.between.skip_line();
        }
    }

    /// Returns whether the output ends with a full block of a buffer, and not with a line.
    ///
    /// Programs write their buffers in such blocks. A program that is stopped does not write the
    /// rest, so its last word may be part of a secret.
    fn ends_with_block(&self) -> bool {
        const BLOCK_BYTES: u64 = 1024;
        let last = self.end.last().or(self.start.last());
        self.n_bytes.is_multiple_of(BLOCK_BYTES) && last.is_some_and(|last| *last != b'\n')
    }

    /// Converts the kept output of a program that was stopped to text.
    fn into_interrupted(self, chars_max: usize) -> Captured {
        let is_interrupted = self.ends_with_block();
        let mut captured = self.into_captured(chars_max);
        if is_interrupted && !captured.changes.is_binary {
            text::remove_last_word(&mut captured);
        }
        captured
    }

    /// Converts the kept output to text of at most `chars_max` characters.
    fn into_captured(self, chars_max: usize) -> Captured {
        let n_bytes = self.n_bytes;
        let (start, rest) = self.into_parts();
        if text::is_binary(&start) || rest.as_ref().is_some_and(|it| text::is_binary(&it.end)) {
            let text = format!("[binary output of {n_bytes} bytes, not shown]");
            let changes = Changes { is_binary: true, ..Changes::default() };
            return Captured { text, n_bytes, changes };
        }
        let (start, is_start_lossy) = text::to_plain_text(start);
        let (text, is_cut, is_lossy) = match rest {
            None => {
                let (text, is_cut) = text::truncate(start, chars_max, chars_max / END_DIVISOR);
                (text, is_cut, is_start_lossy)
            }
            Some(Rest { between, end }) => {
                let (between, is_between_lossy) = text::to_plain_text(between);
                let (end, is_end_lossy) = text::to_plain_text(end);
                let text = text::join(&start, &between, &end, chars_max, chars_max / END_DIVISOR);
                (text, true, is_start_lossy || is_between_lossy || is_end_lossy)
            }
        };
        Captured { text, n_bytes, changes: Changes { is_cut, is_lossy, is_binary: false } }
    }

    /// Returns all of the output, or its start and the other kept parts.
    fn into_parts(self) -> (Vec<u8>, Option<Rest>) {
        let KeptOutput { bytes_max, mut start, mut between, mut end, end_max, n_bytes, .. } = self;
        if n_bytes <= bytes_max as u64 {
            start.append(&mut end);
            return (start, None);
        }
        let n_left_out = end.len().saturating_sub(end_max);
        between.add(end.get(..n_left_out).unwrap_or_default());
        end.drain(..n_left_out);
        let KeptLines { lines: between, unfinished } = between.finish();
        if let Some(unfinished) = unfinished {
            end.splice(..0, unfinished);
        } else {
            let n_inside = memchr::memchr(b'\n', &end).map_or(0, |line_end| line_end + 1);
            end.drain(..n_inside);
        }
        // A cut must not split a character.
        if let Err(error) = std::str::from_utf8(&start)
            && error.error_len().is_none()
        {
            start.truncate(error.valid_up_to());
        }
        let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let n_inside = end.iter().take(CHAR_BYTES_MAX).take_while(is_inside).count();
        end.drain(..n_inside);
        (start, Some(Rest { between, end }))
    }
}

#[cfg(test)]
mod tests;
