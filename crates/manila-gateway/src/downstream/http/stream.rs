//! What is told to a client on one stream of events: kept until it is read, and a while longer, so
//! that a stream which breaks off can be taken up again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use crate::protocol::caller::{Line, Unheard};

/// How much of what has been read is kept.
const KEPT_BYTES_MAX: usize = 1024 * 1024;

/// An event costs at least this much, for what is kept beside its bytes.
const EVENT_BYTES: usize = 64;

/// One stream of events.
pub(super) struct Stream {
    /// Its number among those of the same client.
    pub(super) number: u64,
    /// How much may wait to be read.
    bytes_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Those that are kept, the oldest first.
    events: VecDeque<Bytes>,
    /// How many came before those.
    n_dropped: u64,
    /// How many have been read.
    n_read: u64,
    n_bytes: usize,
    n_bytes_unread: usize,
    is_over: bool,
    /// The reader that may read: the newest.
    reader: u64,
    has_reader: bool,
    waker: Option<Waker>,
}

impl Stream {
    pub(super) fn new(number: u64, bytes_max: usize) -> Stream {
        Stream { number, bytes_max, state: Mutex::default() }
    }

    /// Ends the stream with this event.
    pub(super) fn finish(&self, last: Option<Bytes>) {
        let Ok(mut state) = self.state.lock() else { return };
        if let (Some(last), false) = (last, state.is_over) {
            state.push(last);
        }
        state.is_over = true;
        state.wake();
    }

    /// Whether nothing has been told on it.
    pub(super) fn is_empty(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.n_dropped == 0 && state.events.is_empty())
    }

    /// Whether nothing more comes.
    pub(super) fn is_over(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.is_over)
    }

    /// Whether somebody reads it.
    pub(super) fn has_reader(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.has_reader)
    }

    /// Waits until there is something to read, or never will be.
    pub(super) async fn news(&self) {
        std::future::poll_fn(|cx| match self.state.lock() {
            Ok(mut state) if state.events.is_empty() && !state.is_over => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
            Ok(_) | Err(_) => Poll::Ready(()),
        })
        .await;
    }

    /// Reads on after this many events. Whoever read before reads no more.
    pub(super) fn reader(self: &Arc<Stream>, n_before: u64) -> Reader {
        let mut number = 0;
        if let Ok(mut state) = self.state.lock() {
            state.reader += 1;
            state.has_reader = true;
            number = state.reader;
            // Whoever read before finds out that it does not any more.
            state.wake();
        }
        Reader { stream: Arc::clone(self), number, n_before }
    }

    /// How many events have been read.
    pub(super) fn n_read(&self) -> u64 {
        self.state.lock().map_or(0, |state| state.n_read)
    }

    /// How much is kept.
    pub(super) fn n_bytes(&self) -> usize {
        self.state.lock().map_or(0, |state| state.n_bytes)
    }
}

impl State {
    fn push(&mut self, event: Bytes) {
        let n_bytes = event.len() + EVENT_BYTES;
        self.n_bytes += n_bytes;
        self.n_bytes_unread += n_bytes;
        self.events.push_back(event);
    }

    /// Whether this is what nobody has read last.
    fn is_last_unread(&self, event: &Bytes) -> bool {
        self.n_bytes_unread > 0 && self.events.back() == Some(event)
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Lets go of what has been read, as far as too much is kept.
    fn let_go(&mut self) {
        while self.n_bytes > KEPT_BYTES_MAX && self.n_dropped < self.n_read {
            let Some(event) = self.events.pop_front() else { return };
            self.n_dropped += 1;
            self.n_bytes = self.n_bytes.saturating_sub(event.len() + EVENT_BYTES);
        }
    }
}

impl Line for Stream {
    fn put(&self, frame: Bytes) -> Result<(), Unheard> {
        let mut state = self.state.lock().map_err(|_| Unheard)?;
        if state.is_over || state.n_bytes_unread > self.bytes_max {
            return Err(Unheard);
        }
        // Whoever comes later need not hear the same news twice in a row.
        if !state.has_reader && state.is_last_unread(&frame) {
            return Ok(());
        }
        state.push(frame);
        state.wake();
        Ok(())
    }
}

/// Somebody who reads a stream.
pub(super) struct Reader {
    stream: Arc<Stream>,
    number: u64,
    /// How many events come before the next one.
    n_before: u64,
}

impl Reader {
    /// The next event and its number, from 1; `None` if there is no more for this reader.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<(u64, Bytes)>> {
        let Ok(mut state) = self.stream.state.lock() else { return Poll::Ready(None) };
        if state.reader != self.number {
            return Poll::Ready(None);
        }
        // What is no longer kept cannot be read again.
        let at = self.n_before.max(state.n_dropped);
        let index = usize::try_from(at - state.n_dropped).unwrap_or(usize::MAX);
        match state.events.get(index).cloned() {
            Some(event) => {
                self.n_before = at + 1;
                if self.n_before > state.n_read {
                    state.n_read = self.n_before;
                    let n_bytes = event.len() + EVENT_BYTES;
                    state.n_bytes_unread = state.n_bytes_unread.saturating_sub(n_bytes);
                    state.let_go();
                }
                Poll::Ready(Some((self.n_before, event)))
            }
            None if state.is_over => Poll::Ready(None),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// The number of the stream.
    pub(super) fn stream_number(&self) -> u64 {
        self.stream.number
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Ok(mut state) = self.stream.state.lock()
            && state.reader == self.number
        {
            state.has_reader = false;
        }
    }
}

#[cfg(test)]
mod tests;
