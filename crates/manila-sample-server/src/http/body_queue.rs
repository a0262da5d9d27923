//! A queue of pieces, from the threads that write a response to the body that hyper polls.
//!
//! Writers wait for room with a timeout, because a client that stops reading must not block a
//! thread. tokio's channel can block a thread outside its runtime only without a timeout.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hyper::body::Bytes;

/// The number of queued bytes at which writers start to wait.
const QUEUED_BYTES_MAX: usize = 256 << 10;

/// The maximum time that a writer waits for room.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// The end of an incomplete response: hyper closes the connection without its last bytes.
#[derive(Debug)]
pub(super) struct Truncated;

impl std::fmt::Display for Truncated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the response was cut off")
    }
}

impl std::error::Error for Truncated {}

/// Creates an empty queue.
pub(super) fn queue() -> (Sender, Receiver) {
    let queue = Arc::new(Queue::default());
    (Sender(Arc::clone(&queue)), Receiver(queue))
}

/// The writing end. Dropping it without [`Sender::finish`] truncates the response.
pub(super) struct Sender(Arc<Queue>);

/// The reading end. Writes fail once it is dropped.
pub(super) struct Receiver(Arc<Queue>);

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    /// Notified when there is room, or when the reading end is dropped.
    room: Condvar,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<Bytes>,
    n_bytes: usize,
    end: Option<Result<(), Truncated>>,
    is_abandoned: bool,
    waker: Option<Waker>,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the queue, unless it has already ended.
    fn end(&self, end: Result<(), Truncated>) {
        let mut state = self.state();
        state.end.get_or_insert(end);
        state.wake();
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Sender {
    /// Appends a piece. Waits while the queue is full.
    pub(super) fn push(&self, piece: Vec<u8>) -> io::Result<()> {
        let is_full = |state: &mut State| !state.is_abandoned && state.n_bytes >= QUEUED_BYTES_MAX;
        let waited = self.0.room.wait_timeout_while(self.0.state(), WRITE_TIMEOUT, is_full);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            state.is_abandoned = true;
            return Err(io::ErrorKind::TimedOut.into());
        }
        if state.is_abandoned {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        state.n_bytes += piece.len();
        state.pieces.push_back(piece.into());
        state.wake();
        Ok(())
    }

    /// Ends the response, which is complete.
    pub(super) fn finish(self) {
        self.0.end(Ok(()));
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.end(Err(Truncated));
    }
}

impl Receiver {
    /// Returns the next piece, or `None` at the end of a complete response.
    pub(super) fn poll_next(&self, cx: &Context<'_>) -> Poll<Option<Result<Bytes, Truncated>>> {
        let mut state = self.0.state();
        if let Some(piece) = state.pieces.pop_front() {
            state.n_bytes -= piece.len();
            self.0.room.notify_all();
            return Poll::Ready(Some(Ok(piece)));
        }
        match state.end {
            Some(Ok(())) => Poll::Ready(None),
            Some(Err(Truncated)) => Poll::Ready(Some(Err(Truncated))),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.0.state().is_abandoned = true;
        self.0.room.notify_all();
    }
}

#[cfg(test)]
mod tests;
