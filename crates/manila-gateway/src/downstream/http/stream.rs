//! A stream of events to a client. It keeps events until they are read, and the latest ones for
//! longer, so that the client can resume an interrupted stream.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use crate::protocol::caller::{Outbound, Undelivered};

/// The maximum size of the events that are kept after they were read.
const KEPT_BYTES_MAX: usize = 1024 * 1024;

/// The overhead of an event in bytes, which counts towards its size.
const EVENT_OVERHEAD: usize = 64;

/// A stream of events.
pub(super) struct Stream {
    /// The number of this stream, which is unique for the client.
    pub(super) number: u64,
    /// The maximum size of the unread events.
    bytes_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The kept events, oldest first.
    events: VecDeque<Bytes>,
    /// The number of dropped events, which precede the kept ones.
    n_dropped: u64,
    /// The number of events that have been read.
    n_read: u64,
    n_bytes: usize,
    n_bytes_unread: usize,
    is_finished: bool,
    /// The number of the newest reader, the only one that may read.
    reader: u64,
    has_reader: bool,
    waker: Option<Waker>,
}

impl Stream {
    pub(super) fn new(number: u64, bytes_max: usize) -> Stream {
        Stream { number, bytes_max, state: Mutex::default() }
    }

    /// Finishes the stream with this event.
    pub(super) fn finish(&self, last: Option<Bytes>) {
        let Ok(mut state) = self.state.lock() else { return };
        if let (Some(last), false) = (last, state.is_finished) {
            state.push(last);
        }
        state.is_finished = true;
        state.wake();
    }

    /// Returns whether the stream has had no events.
    pub(super) fn is_empty(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.n_dropped == 0 && state.events.is_empty())
    }

    /// Returns whether there will be no more events.
    pub(super) fn is_finished(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.is_finished)
    }

    /// Returns whether the stream has a reader.
    pub(super) fn has_reader(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.has_reader)
    }

    /// Waits until the stream has an event or is finished.
    pub(super) async fn wait_readable(&self) {
        std::future::poll_fn(|cx| match self.state.lock() {
            Ok(mut state) if state.events.is_empty() && !state.is_finished => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
            Ok(_) | Err(_) => Poll::Ready(()),
        })
        .await;
    }

    /// Returns a reader that starts after this many events, and replaces the previous reader.
    pub(super) fn reader(self: &Arc<Stream>, n_before: u64) -> Reader {
        let mut number = 0;
        if let Ok(mut state) = self.state.lock() {
            state.reader += 1;
            state.has_reader = true;
            number = state.reader;
            // Wakes the previous reader, so that it ends.
            state.wake();
        }
        Reader { stream: Arc::clone(self), number, n_before }
    }

    /// Returns the number of events that have been read.
    pub(super) fn n_read(&self) -> u64 {
        self.state.lock().map_or(0, |state| state.n_read)
    }

    /// Returns the size of the kept events.
    pub(super) fn n_bytes(&self) -> usize {
        self.state.lock().map_or(0, |state| state.n_bytes)
    }
}

impl State {
    fn push(&mut self, event: Bytes) {
        let n_bytes = event.len() + EVENT_OVERHEAD;
        self.n_bytes += n_bytes;
        self.n_bytes_unread += n_bytes;
        self.events.push_back(event);
    }

    /// Returns whether the last event is unread and equal to this one.
    fn is_last_unread(&self, event: &Bytes) -> bool {
        self.n_bytes_unread > 0 && self.events.back() == Some(event)
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Drops the oldest read events while more than the maximum is kept.
    fn evict_read(&mut self) {
        while self.n_bytes > KEPT_BYTES_MAX && self.n_dropped < self.n_read {
            let Some(event) = self.events.pop_front() else { return };
            self.n_dropped += 1;
            self.n_bytes = self.n_bytes.saturating_sub(event.len() + EVENT_OVERHEAD);
        }
    }
}

impl Outbound for Stream {
    fn put(&self, frame: Bytes) -> Result<(), Undelivered> {
        let mut state = self.state.lock().map_err(|_| Undelivered)?;
        if state.is_finished || state.n_bytes_unread > self.bytes_max {
            return Err(Undelivered);
        }
        // Without a reader, a repetition of the last event is not queued again.
        if !state.has_reader && state.is_last_unread(&frame) {
            return Ok(());
        }
        state.push(frame);
        state.wake();
        Ok(())
    }
}

/// A reader of a stream.
pub(super) struct Reader {
    stream: Arc<Stream>,
    number: u64,
    /// The number of events before the next one.
    n_before: u64,
}

impl Reader {
    /// Polls for the next event and its number, starting at 1. `None` means that this reader has
    /// reached the end.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<(u64, Bytes)>> {
        let Ok(mut state) = self.stream.state.lock() else { return Poll::Ready(None) };
        if state.reader != self.number {
            return Poll::Ready(None);
        }
        // Dropped events are skipped.
        let at = self.n_before.max(state.n_dropped);
        let index = usize::try_from(at - state.n_dropped).unwrap_or(usize::MAX);
        match state.events.get(index).cloned() {
            Some(event) => {
                self.n_before = at + 1;
                if self.n_before > state.n_read {
                    state.n_read = self.n_before;
                    let n_bytes = event.len() + EVENT_OVERHEAD;
                    state.n_bytes_unread = state.n_bytes_unread.saturating_sub(n_bytes);
                    state.evict_read();
                }
                Poll::Ready(Some((self.n_before, event)))
            }
            None if state.is_finished => Poll::Ready(None),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Returns the number of the stream.
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
