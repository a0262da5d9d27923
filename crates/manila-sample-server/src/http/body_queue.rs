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
mod tests {
    use std::io;
    use std::task::{Context, Poll, Waker};
    use std::thread;

    use super::{QUEUED_BYTES_MAX, Receiver, Truncated, queue};

    /// Returns the available pieces, and then `end`, `cut` or `more`.
    fn drain(receiver: &Receiver) -> Vec<String> {
        let cx = Context::from_waker(Waker::noop());
        let mut drained = Vec::new();
        loop {
            let last = match receiver.poll_next(&cx) {
                Poll::Ready(Some(Ok(piece))) => {
                    drained.push(String::from_utf8_lossy(&piece).into_owned());
                    continue;
                }
                Poll::Ready(Some(Err(Truncated))) => "cut",
                Poll::Ready(None) => "end",
                Poll::Pending => "more",
            };
            drained.push(last.to_owned());
            return drained;
        }
    }

    #[test]
    fn ends_complete_or_truncated() {
        for (finishes, end) in [(true, "end"), (false, "cut")] {
            let (sender, receiver) = queue();
            assert_eq!(drain(&receiver), ["more"]);
            sender.push(b"a".to_vec()).unwrap();
            sender.push(b"b".to_vec()).unwrap();
            if finishes {
                sender.finish();
            } else {
                drop(sender);
            }
            assert_eq!(drain(&receiver), ["a", "b", end]);
        }
    }

    #[test]
    fn writer_waits_for_room_and_fails_without_a_reader() {
        let (sender, receiver) = queue();
        sender.push(vec![b'x'; QUEUED_BYTES_MAX]).unwrap();
        let writing = thread::spawn(move || {
            let waited = sender.push(b"y".to_vec());
            (waited, sender.push(vec![b'x'; QUEUED_BYTES_MAX]), sender.push(b"z".to_vec()))
        });
        let cx = Context::from_waker(Waker::noop());
        // After two pieces, the writer fills the queue again and then has no room.
        let mut n_pieces = 0;
        while n_pieces < 2 {
            n_pieces += usize::from(receiver.poll_next(&cx).is_ready());
        }
        drop(receiver);
        let (waited, _, last) = writing.join().unwrap();
        assert!(waited.is_ok());
        assert_eq!(last.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
