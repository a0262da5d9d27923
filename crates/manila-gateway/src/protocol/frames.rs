//! Framing: one message per line, read and written without unnecessary copies.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::protocol::id_scan::ScannedMessage;
use crate::protocol::outgoing::Outgoing;
use crate::protocol::oversized::OversizedMessage;
use crate::rt::adaptive_poll::AdaptivePoll;
use crate::rt::queue::Receiver;

/// A line of input.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A complete line, without the line break.
    Line(Bytes),
    /// The last line of the source, without a line break at its end.
    Unterminated(Bytes),
    /// A line over the limit. It was scanned, but not stored.
    TooLong(ScannedMessage),
}

/// Reads lines from a source.
pub(crate) struct Frames<R> {
    source: R,
    buffer: BytesMut,
    /// The number of bytes at the start of the buffer that are known to contain no line break.
    n_searched: usize,
    /// The number of bytes to read at once. It follows the size of recent reads.
    read_bytes: usize,
    bytes_max: usize,
    /// The line over the limit that is being read, if any.
    oversized: Option<OversizedMessage>,
    poll: AdaptivePoll,
}

/// The minimum and the maximum of bytes to read at once.
const READ_BYTES_MIN: usize = 16 * 1024;
const READ_BYTES_MAX: usize = 1024 * 1024;

/// Reserves room for `n_bytes` more bytes of a message of at most `bytes_max` bytes.
///
/// Growing copies what has been read, and needs the memory twice. So a large message gets room for
/// the largest one at once; memory that is never written is not used.
pub(crate) fn reserve(buffer: &mut BytesMut, n_bytes: usize, bytes_max: usize) {
    const LARGE: usize = 4 * 1024 * 1024;
    const GROWTH: usize = 16;
    let n_free = buffer.capacity() - buffer.len();
    let n_reserved = if buffer.len() < LARGE || n_free >= n_bytes {
        n_bytes
    } else {
        n_bytes.max(bytes_max.min(buffer.len() * GROWTH).saturating_sub(buffer.len()) + n_bytes)
    };
    buffer.reserve(n_reserved);
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(crate) fn new(source: R, bytes_max: usize) -> Frames<R> {
        Frames {
            source,
            buffer: BytesMut::new(),
            n_searched: 0,
            read_bytes: READ_BYTES_MIN,
            bytes_max,
            oversized: None,
            poll: AdaptivePoll::default(),
        }
    }

    /// Reads the next line that is not blank, or returns `None` at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.take_line() {
                return Ok(Some(frame));
            }
            if let Some(frame) = self.skip_oversized().await {
                return Ok(Some(frame));
            }
            reserve(&mut self.buffer, self.read_bytes, self.bytes_max);
            let n_read = self.poll.wait(self.source.read_buf(&mut self.buffer)).await?;
            if n_read == 0 {
                return Ok(match self.take_rest() {
                    Some(frame) => Some(frame),
                    None => self.skip_oversized().await,
                });
            }
            // A full read doubles the size of the next one, a small read halves it.
            if n_read >= self.read_bytes {
                self.read_bytes = READ_BYTES_MAX.min(self.read_bytes * 2);
            } else if n_read < self.read_bytes / 4 {
                self.read_bytes = READ_BYTES_MIN.max(self.read_bytes / 2);
            }
        }
    }

    /// Skips the part of an oversized line that has been read. Returns the line if it is complete.
    async fn skip_oversized(&mut self) -> Option<Frame> {
        if !self.oversized.as_mut()?.skip().await {
            return None;
        }
        self.oversized.take().map(|oversized| Frame::TooLong(oversized.end()))
    }

    /// Returns the next complete line. Instead of an oversized one, returns `None`, and
    /// `skip_oversized` must run next.
    fn take_line(&mut self) -> Option<Frame> {
        loop {
            let unsearched = self.buffer.get(self.n_searched..).unwrap_or_default();
            let Some(at) = memchr::memchr(b'\n', unsearched) else {
                self.n_searched = self.buffer.len();
                let oversized = self.oversized.take().or_else(|| self.begin_oversized());
                if let Some(mut oversized) = oversized {
                    oversized.push(std::mem::take(&mut self.buffer).freeze());
                    self.oversized = Some(oversized);
                    self.n_searched = 0;
                }
                return None;
            };
            let line = self.buffer.split_to(self.n_searched + at + 1).freeze();
            self.n_searched = 0;
            if line.len() > READ_BYTES_MAX {
                // Later lines must not keep the memory of this one.
                self.buffer = BytesMut::from(&*self.buffer);
            }
            if let Some(frame) = self.frame(line) {
                return Some(frame);
            }
            if self.oversized.is_some() {
                return None;
            }
        }
    }

    /// Begins an oversized line, if the line in the buffer is already too long.
    fn begin_oversized(&self) -> Option<OversizedMessage> {
        const NONSENSE_MAX: usize = 1024 * 1024;
        let n_bytes = self.buffer.len();
        let first = || self.buffer.iter().find(|byte| !byte.is_ascii_whitespace());
        // A line that cannot become a message need not be stored.
        if n_bytes > NONSENSE_MAX && !matches!(first(), Some(b'{' | b'[')) {
            return Some(OversizedMessage::nonsense());
        }
        (n_bytes > self.bytes_max).then(OversizedMessage::default)
    }

    /// Returns the rest of the input when the source ends: a server may exit in the middle of a
    /// line.
    fn take_rest(&mut self) -> Option<Frame> {
        let rest = self.buffer.split().freeze();
        self.n_searched = 0;
        match self.frame(rest)? {
            Frame::Line(line) => Some(Frame::Unterminated(line)),
            other @ (Frame::Unterminated(_) | Frame::TooLong(_)) => Some(other),
        }
    }

    /// Returns a line, unless it is blank. An oversized one is left to `skip_oversized`.
    fn frame(&mut self, line: Bytes) -> Option<Frame> {
        if let Some(oversized) = &mut self.oversized {
            oversized.push_last(line);
            return None;
        }
        let text = line.trim_ascii();
        if text.len() > self.bytes_max {
            let mut oversized = OversizedMessage::default();
            oversized.push_last(line.slice_ref(text));
            self.oversized = Some(oversized);
            return None;
        }
        (!text.is_empty()).then(|| Frame::Line(line.slice_ref(text)))
    }
}

/// Writes frames as lines until all senders are dropped. Fails if the target is closed.
///
/// Frames that are queued at the same time are written together.
pub(crate) async fn write_all<W: AsyncWrite + Unpin>(
    mut target: W,
    mut frames: Receiver<impl Into<Outgoing>>,
) -> io::Result<()> {
    const BATCH_BYTES_MAX: usize = 64 * 1024;
    let mut batch = Vec::new();
    while let Some(first) = frames.recv().await {
        let mut next = Some(first);
        while let Some(frame) = next.take() {
            let mut chunks = frame.into().into_chunks();
            let mut is_ended = false;
            while let Some(chunk) = chunks.next() {
                if chunk.len() <= BATCH_BYTES_MAX {
                    if batch.len() >= BATCH_BYTES_MAX {
                        target.write_all(&batch).await?;
                        batch.clear();
                    }
                    batch.extend_from_slice(&chunk);
                    continue;
                }
                is_ended = chunks.n_bytes() == 0;
                // Together with its line break, or the reader would be woken twice.
                let end: &[u8] = if is_ended { b"\n" } else { b"" };
                let mut line = Buf::chain(batch.as_slice(), chunk).chain(end);
                target.write_all_buf(&mut line).await?;
                batch.clear();
            }
            if !is_ended {
                batch.push(b'\n');
            }
            if batch.len() < BATCH_BYTES_MAX {
                next = frames.try_recv();
            }
        }
        target.write_all(&batch).await?;
        batch.clear();
        target.flush().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
