//! A stream that lets other tasks run while it transfers many bytes.
//!
//! A fast peer drains a socket while it is being filled, so that a large write would never wait,
//! and keep the thread for as long as it takes.

use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The bytes to transfer before other tasks run. Copying them takes about 0.1 ms.
const TURN_BYTES: usize = 256 * 1024;

/// A stream that transfers a limited number of bytes per turn.
pub(crate) struct FairStream<S> {
    stream: S,
    /// The bytes that are left in this turn.
    n_left: usize,
}

impl<S> FairStream<S> {
    pub(crate) fn new(stream: S) -> FairStream<S> {
        FairStream { stream, n_left: TURN_BYTES }
    }

    /// Returns the number of bytes that may be transferred now, or lets other tasks run first.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<usize> {
        if self.n_left == 0 {
            self.n_left = TURN_BYTES;
            // Its first poll asks the runtime to check for input before it wakes this task.
            if Future::poll(pin!(tokio::task::yield_now()), cx).is_pending() {
                return Poll::Pending;
            }
        }
        Poll::Ready(self.n_left)
    }

    /// Counts transferred bytes. A stream that has to wait ends its turn.
    fn count(&mut self, transferred: &Poll<io::Result<usize>>) {
        self.n_left = match transferred {
            Poll::Ready(Ok(n_bytes)) => self.n_left.saturating_sub(*n_bytes),
            Poll::Ready(Err(_)) | Poll::Pending => TURN_BYTES,
        };
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FairStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_turn(cx));
        let n_before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let transferred = read.map_ok(|()| buffer.filled().len() - n_before);
        self.count(&transferred);
        transferred.map_ok(drop)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FairStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let n_max = ready!(self.poll_turn(cx));
        let now = bytes.get(..n_max).unwrap_or(bytes);
        let written = Pin::new(&mut self.stream).poll_write(cx, now);
        self.count(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut n_left = ready!(self.poll_turn(cx));
        let n_whole = parts.iter().take_while(|part| {
            let rest = n_left.checked_sub(part.len());
            n_left = rest.unwrap_or(n_left);
            rest.is_some()
        });
        let n_whole = n_whole.count();
        let (whole, others) = parts.split_at_checked(n_whole).unwrap_or((parts, &[]));
        if let (true, Some(first)) = (whole.iter().all(|part| part.is_empty()), others.first()) {
            return self.poll_write(cx, first);
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, whole);
        self.count(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests;
