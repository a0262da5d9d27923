//! Framing: one message a line, read and written without a copy more than needed.

use std::io;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::protocol::skim::{Skim, Skimmed};
use crate::rt::alert::Alert;
use crate::rt::queue::Receiver;

/// What stands on a line.
#[derive(Debug)]
pub(crate) enum Frame {
    /// The line, without its end.
    Line(Bytes),
    /// What was left, without a line's end, when the source ended.
    Rest(Bytes),
    /// A line over the limit. It was not kept, but looked at.
    TooLong(Skimmed),
}

/// Reads lines.
pub(crate) struct Frames<R> {
    source: R,
    buffer: BytesMut,
    /// How much of the buffer has no line end for sure.
    n_searched: usize,
    /// How much is read at once: as much as came lately.
    room: usize,
    bytes_max: usize,
    /// While a line over the limit goes by.
    over: Option<Over>,
    /// What has not been looked at of it.
    passing: BytesMut,
    /// How much of it has gone by.
    n_skimmed: usize,
    alert: Alert,
}

/// A line over the limit that goes by.
enum Over {
    /// It may be a message, so it is looked at.
    Message(Skim),
    /// It begins as no message does.
    Nonsense,
}

/// How much is read at once, at least and at most.
const READ_BYTES_MIN: usize = 16 * 1024;
const READ_BYTES_MAX: usize = 1024 * 1024;

/// So much of a line that is too long is waited for, or once more as much as a line may have.
const ENDLESS_BYTES: usize = 256 * 1024 * 1024;
/// So much is waited for of a line that is no message.
const NONSENSE_BYTES: usize = 16 * 1024 * 1024;

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(crate) fn new(source: R, bytes_max: usize) -> Frames<R> {
        Frames {
            source,
            buffer: BytesMut::new(),
            n_searched: 0,
            room: READ_BYTES_MIN,
            bytes_max,
            over: None,
            passing: BytesMut::new(),
            n_skimmed: 0,
            alert: Alert::default(),
        }
    }

    /// The next line that is not blank, or `None` at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.take_line() {
                return Ok(Some(frame));
            }
            self.pass_by().await?;
            self.buffer.reserve(self.room);
            let n_read = self.alert.wait(self.source.read_buf(&mut self.buffer)).await?;
            if n_read == 0 {
                return Ok(self.take_rest());
            }
            // Long lines double the room each time, short ones give it back bit by bit.
            if n_read >= self.room {
                self.room = READ_BYTES_MAX.min(self.room * 2);
            } else if n_read < self.room / 4 {
                self.room = READ_BYTES_MIN.max(self.room / 2);
            }
        }
    }

    /// Looks at what goes by of a line over the limit, piece by piece, so that others have the word
    /// between. It is not waited for without end.
    async fn pass_by(&mut self) -> io::Result<()> {
        const PIECE: usize = 256 * 1024;
        const BETWEEN_PIECES: Duration = Duration::from_millis(4);
        while let Some(over) = &mut self.over
            && !self.passing.is_empty()
        {
            let piece = self.passing.split_to(PIECE.min(self.passing.len()));
            let bytes_max = match over {
                Over::Message(skim) => {
                    skim.feed(&piece);
                    ENDLESS_BYTES.max(self.bytes_max)
                }
                Over::Nonsense => NONSENSE_BYTES,
            };
            self.n_skimmed += piece.len();
            if self.n_skimmed > bytes_max {
                let why = format!("a message that has no end after {} bytes", self.n_skimmed);
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            if piece.len() == PIECE {
                tokio::time::sleep(BETWEEN_PIECES).await;
            }
        }
        Ok(())
    }

    fn take_line(&mut self) -> Option<Frame> {
        loop {
            let unseen = self.buffer.get(self.n_searched..).unwrap_or_default();
            let Some(at) = memchr::memchr(b'\n', unseen) else {
                self.n_searched = self.buffer.len();
                let over = self.over.take().or_else(|| self.over_limit());
                if let Some(over) = over {
                    self.over = Some(over);
                    self.passing = std::mem::take(&mut self.buffer);
                    self.n_searched = 0;
                }
                return None;
            };
            let line = self.buffer.split_to(self.n_searched + at + 1).freeze();
            self.n_searched = 0;
            if let Some(frame) = self.frame(&line) {
                return Some(frame);
            }
        }
    }

    /// What becomes of the line in the buffer, if that is too much already.
    fn over_limit(&self) -> Option<Over> {
        const NONSENSE_KEPT: usize = 1024 * 1024;
        let n_bytes = self.buffer.len();
        let first = || self.buffer.iter().find(|byte| !byte.is_ascii_whitespace());
        if n_bytes > self.bytes_max {
            Some(Over::Message(Skim::default()))
        } else {
            // There is no use in keeping what cannot become a message.
            let is_nonsense = n_bytes > NONSENSE_KEPT && !matches!(first(), Some(b'{' | b'['));
            is_nonsense.then_some(Over::Nonsense)
        }
    }

    /// What is left when the source ends: a server may die before it ends its line.
    fn take_rest(&mut self) -> Option<Frame> {
        let rest = self.buffer.split().freeze();
        self.n_searched = 0;
        match self.frame(&rest)? {
            Frame::Line(line) => Some(Frame::Rest(line)),
            other @ (Frame::Rest(_) | Frame::TooLong(_)) => Some(other),
        }
    }

    fn frame(&mut self, line: &Bytes) -> Option<Frame> {
        if let Some(over) = self.over.take() {
            self.n_skimmed = 0;
            return Some(Frame::TooLong(match over {
                Over::Message(mut skim) => {
                    skim.feed(line.strip_suffix(b"\n").unwrap_or(line));
                    skim.end()
                }
                Over::Nonsense => Skimmed::default(),
            }));
        }
        let text = line.trim_ascii();
        if text.len() > self.bytes_max {
            return Some(Frame::TooLong(Skim::whole(text)));
        }
        (!text.is_empty()).then(|| Frame::Line(line.slice_ref(text)))
    }
}

/// Writes frames as lines until nobody can send any more, or the other side is closed.
///
/// Frames that wait together go out together.
pub(crate) async fn write_all<W: AsyncWrite + Unpin>(
    mut target: W,
    mut frames: Receiver<Bytes>,
) -> io::Result<()> {
    const TOGETHER_BYTES_MAX: usize = 64 * 1024;
    let mut together = Vec::new();
    while let Some(first) = frames.recv().await {
        let mut next = Some(first);
        while let Some(frame) = next.take() {
            if frame.len() > TOGETHER_BYTES_MAX {
                target.write_all(&together).await?;
                together.clear();
                // With its line's end, or whoever reads would be woken twice.
                target.write_all_buf(&mut frame.chain(&b"\n"[..])).await?;
            } else {
                together.extend_from_slice(&frame);
                together.push(b'\n');
            }
            if together.len() < TOGETHER_BYTES_MAX {
                next = frames.try_recv();
            }
        }
        target.write_all(&together).await?;
        together.clear();
        target.flush().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
