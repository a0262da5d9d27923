//! Keeping what a program writes, within a limit: its beginning, and its end, where it says what
//! failed.

use tokio::io::AsyncReadExt;
use tokio::sync::SetOnce;

use super::sift::{Sift, Sifted};
use super::{Captured, Changes, Hear, text};
use crate::os::Source;

/// One of a program's two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a program writes to one of its streams.
pub(super) struct Capture {
    stream: Stream,
    source: Source,
    kept: Kept,
    chars_max: usize,
}

/// A character has so many bytes at most.
const CHAR_BYTES_MAX: usize = 4;

/// The part of what is kept that is the end.
const ENDS: usize = 4;

impl Capture {
    pub(super) fn new(stream: Stream, source: Source, chars_max: usize) -> Capture {
        let kept = Kept::new(chars_max.saturating_mul(CHAR_BYTES_MAX));
        Capture { stream, source, kept, chars_max }
    }

    /// Reads to the end. What is too much is read, too, so that the program is not held up. Where
    /// whoever hears it has no room, the program waits; when it has ended, what it has written is
    /// read all the same.
    pub(super) async fn read(&mut self, heard: &impl Hear, has_ended: &SetOnce<()>) {
        const PIECE_BYTES: usize = 64 * 1024;
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            tokio::select! {
                biased;
                () = heard.room() => {}
                () = has_ended.wait() => {}
            }
            // A stream that cannot be read has ended.
            let n_read = self.source.read(&mut piece).await.unwrap_or(0);
            let Some(read) = piece.get(..n_read).filter(|read| !read.is_empty()) else { return };
            heard.hear(self.stream, read);
            self.kept.add(read);
        }
    }

    /// What was kept, as text.
    pub(super) fn captured(self) -> Captured {
        self.kept.captured(self.chars_max)
    }
}

/// The beginning of what came, its end, and what it says between them of failures.
struct Kept {
    bytes_max: usize,
    start: Vec<u8>,
    /// How much more may come before the end begins.
    room: usize,
    between: Sift,
    /// What came last, and perhaps some of what came before.
    end: Vec<u8>,
    end_max: usize,
    has_end: bool,
    n_bytes: u64,
}

/// What is kept of an output that is too long, beside its beginning.
struct Rest {
    between: Vec<u8>,
    end: Vec<u8>,
}

impl Kept {
    fn new(bytes_max: usize) -> Kept {
        let end_max = bytes_max / ENDS;
        let between = Sift::new(bytes_max / CHAR_BYTES_MAX / ENDS);
        let (start, end, room) = (Vec::new(), Vec::new(), bytes_max - end_max);
        Kept { bytes_max, start, room, between, end, end_max, has_end: false, n_bytes: 0 }
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
        // What is old goes now and then, not with every piece.
        if self.end.len() > 2 * self.end_max {
            let n_left_out = self.end.len() - self.end_max;
            self.between.add(self.end.get(..n_left_out).unwrap_or_default());
            self.end.drain(..n_left_out);
        }
    }

    /// The beginning is full: its last line goes on in the end.
    fn begin_end(&mut self) {
        self.has_end = true;
        let line = memchr::memrchr(b'\n', &self.start).map_or(0, |end| end + 1);
        if self.start.len() - line <= self.end_max / 2 {
            self.end = self.start.split_off(line);
        } else {
            self.between.skip_line();
        }
    }

    /// As text, of at most so many characters.
    fn captured(self, chars_max: usize) -> Captured {
        let n_bytes = self.n_bytes;
        let (start, rest) = self.parts();
        if text::is_binary(&start) || rest.as_ref().is_some_and(|it| text::is_binary(&it.end)) {
            let text = format!("[binary output of {n_bytes} bytes, not shown]");
            let changes = Changes { is_binary: true, ..Changes::default() };
            return Captured { text, n_bytes, changes };
        }
        let (start, is_start_mended) = text::shown(start);
        let (text, is_cut, is_mended) = match rest {
            None => {
                let (text, is_cut) = text::within(start, chars_max, chars_max / ENDS);
                (text, is_cut, is_start_mended)
            }
            Some(Rest { between, end }) => {
                let (between, is_between_mended) = text::shown(between);
                let (end, is_end_mended) = text::shown(end);
                let text = text::joined(&start, &between, &end, chars_max, chars_max / ENDS);
                (text, true, is_start_mended || is_between_mended || is_end_mended)
            }
        };
        Captured { text, n_bytes, changes: Changes { is_cut, is_mended, is_binary: false } }
    }

    /// All of it, or its beginning and the rest of what is kept.
    fn parts(self) -> (Vec<u8>, Option<Rest>) {
        let Kept { bytes_max, mut start, mut between, mut end, end_max, n_bytes, .. } = self;
        if n_bytes <= bytes_max as u64 {
            start.append(&mut end);
            return (start, None);
        }
        let n_left_out = end.len().saturating_sub(end_max);
        between.add(end.get(..n_left_out).unwrap_or_default());
        end.drain(..n_left_out);
        let Sifted { lines: between, begun } = between.finish();
        if let Some(begun) = begun {
            end.splice(..0, begun);
        } else {
            let n_inside = memchr::memchr(b'\n', &end).map_or(0, |line_end| line_end + 1);
            end.drain(..n_inside);
        }
        // A cut goes through no character.
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
mod tests {
    use super::Kept;

    #[track_caller]
    fn check(pieces: &[&str], start: &str, end: Option<&str>) {
        let mut kept = Kept::new(8);
        for piece in pieces {
            kept.add(piece.as_bytes());
        }
        let (found_start, rest) = kept.parts();
        assert_eq!(found_start, start.as_bytes(), "{pieces:?}");
        let found_end = rest.as_ref().map(|rest| rest.end.as_slice());
        assert_eq!(found_end, end.map(str::as_bytes), "{pieces:?}");
    }

    #[test]
    fn a_failure_is_told_wherever_the_cuts_are() {
        for n_before in 0..700 {
            let line = |n: usize| format!("{n:04} and so on, and so on, and so on\n");
            let lines = |from: usize, to: usize| (from..to).map(line).collect::<String>();
            let before =
                lines(0, 100) + &"-".repeat(n_before % 37) + "\n" + &lines(0, n_before / 2);
            let text = before + "error: here it is\n" + &lines(0, 600 - n_before / 2);
            let mut kept = Kept::new(4 * 4096);
            for piece in text.as_bytes().chunks(1000) {
                kept.add(piece);
            }
            let found = kept.captured(4096);
            assert!(found.changes.is_cut);
            assert!(found.text.contains("\nerror: here it is\n"), "{n_before}: {}", found.text);
            assert!(found.text.chars().count() <= 4096 + 2 * 19, "{n_before}");
        }
    }

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        check(&[], "", None);
        check(&["abc", "def"], "abcdef", None);
        check(&["abcdefgh"], "abcdefgh", None);
        check(&["abcdefghi"], "abcdef", Some("hi"));
        check(&["abc", "def", "ghi", "jkl", "mno"], "abcdef", Some("no"));
        check(&["abcde\u{e9}", "xyz\u{e9}-"], "abcde", Some("-"));
    }
}
