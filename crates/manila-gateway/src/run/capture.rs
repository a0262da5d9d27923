//! Keeping what a program writes, within a limit.

use tokio::io::AsyncReadExt;

use super::{Captured, Changes, text};
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
    kept: Vec<u8>,
    n_bytes: u64,
    chars_max: usize,
}

/// A character has so many bytes at most.
const CHAR_BYTES_MAX: usize = 4;

impl Capture {
    pub(super) fn new(stream: Stream, source: Source, chars_max: usize) -> Capture {
        Capture { stream, source, kept: Vec::new(), n_bytes: 0, chars_max }
    }

    /// Reads to the end. What is too much is read, too, so that the program is not held up.
    pub(super) async fn read(&mut self, heard: &impl Fn(Stream, &[u8])) {
        const PIECE_BYTES: usize = 64 * 1024;
        let bytes_max = self.chars_max.saturating_mul(CHAR_BYTES_MAX);
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            // A stream that cannot be read has ended.
            let n_read = self.source.read(&mut piece).await.unwrap_or(0);
            let Some(read) = piece.get(..n_read).filter(|read| !read.is_empty()) else { return };
            heard(self.stream, read);
            self.n_bytes += n_read as u64;
            let room = bytes_max.saturating_sub(self.kept.len());
            self.kept.extend_from_slice(read.get(..room).unwrap_or(read));
        }
    }

    /// What was kept, as text.
    pub(super) fn captured(self) -> Captured {
        let Capture { kept, n_bytes, chars_max, .. } = self;
        let is_cut = n_bytes > kept.len() as u64;
        if text::is_binary(&kept) {
            let text = format!("[binary output of {n_bytes} bytes, not shown]");
            let changes = Changes { is_binary: true, ..Changes::default() };
            return Captured { text, n_bytes, changes };
        }
        let (shown, is_mended) = text::shown(kept);
        let (text, is_cut) = text::within(shown, chars_max, is_cut);
        Captured { text, n_bytes, changes: Changes { is_cut, is_mended, is_binary: false } }
    }
}
