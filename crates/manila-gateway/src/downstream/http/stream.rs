//! A stream of events to a client. It keeps events until they are read, and the latest ones for
//! longer, so that the client can resume an interrupted stream.

use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll};

use bytes::Bytes;

use self::state::{Audience, State};
use super::retention::Retention;
use crate::protocol::caller::{Outbound, Undelivered};
use crate::protocol::outgoing::Outgoing;

mod state;

/// The maximum size of the events that are kept after they were read.
const KEPT_BYTES_MAX: usize = 1024 * 1024;

/// A stream of events.
pub(super) struct Stream {
    /// The number of this stream, which is unique for the client.
    pub(super) number: u64,
    kind: StreamKind,
    /// The maximum size of the unread events.
    bytes_max: usize,
    state: Mutex<State>,
    this: Weak<Stream>,
}

/// Whether and how a stream can be resumed.
enum StreamKind {
    /// Events have no ids, and are dropped once they are read.
    Once,
    /// The stream of a request. It is resumed without gaps, or not at all.
    Request(Arc<Retention>),
    /// The stream for messages that belong to no request, which skips dropped events.
    Standalone(Arc<Retention>),
}

impl Stream {
    /// Creates a stream that cannot be resumed.
    pub(super) fn once(bytes_max: usize) -> Arc<Stream> {
        Stream::new(0, StreamKind::Once, bytes_max, Audience::Expected)
    }

    /// Creates a stream for one request of a session.
    pub(super) fn of_request(
        number: u64,
        bytes_max: usize,
        retention: &Arc<Retention>,
    ) -> Arc<Stream> {
        let kind = StreamKind::Request(Arc::clone(retention));
        Stream::new(number, kind, bytes_max, Audience::Expected)
    }

    /// Creates a session's stream for messages that belong to no request.
    pub(super) fn standalone(bytes_max: usize, retention: &Arc<Retention>) -> Arc<Stream> {
        let kind = StreamKind::Standalone(Arc::clone(retention));
        Stream::new(0, kind, bytes_max, Audience::Away)
    }

    fn new(number: u64, kind: StreamKind, bytes_max: usize, audience: Audience) -> Arc<Stream> {
        let is_announced = matches!(kind, StreamKind::Standalone(_));
        let state = Mutex::new(State::new(audience, is_announced));
        Arc::new_cyclic(|this| Stream { number, kind, bytes_max, state, this: this.clone() })
    }

    /// Finishes the stream with this event.
    pub(super) fn finish(&self, last: Option<Outgoing>) {
        self.change(|state| {
            if let (Some(last), false) = (last, state.is_finished || state.is_lost()) {
                state.push(last);
            }
            state.is_finished = true;
            state.wake();
        });
    }

    /// Drops all events, now and later, because the client cannot read them.
    pub(super) fn abandon(&self) {
        self.change(State::lose);
    }

    /// Returns whether no client can read the stream any more.
    pub(super) fn is_lost(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.is_lost())
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
        self.state.lock().is_ok_and(|state| state.has_reader())
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
    /// Dropped events are skipped.
    pub(super) fn reader(self: &Arc<Stream>, n_before: u64) -> Reader {
        let number = self.change(|state| state.add_reader(n_before)).unwrap_or_default();
        Reader { stream: Arc::clone(self), number }
    }

    /// Does the same as `reader`, but returns `None` if events after these are no longer kept.
    pub(super) fn gapless_reader(self: &Arc<Stream>, n_before: u64) -> Option<Reader> {
        let number = self.change(|state| {
            let has_gap = n_before < state.n_dropped || state.is_lost();
            (!has_gap).then(|| state.add_reader(n_before))
        });
        Some(Reader { stream: Arc::clone(self), number: number?? })
    }

    /// Returns the number of events that have been read.
    pub(super) fn n_read(&self) -> u64 {
        self.state.lock().map_or(0, |state| state.n_read)
    }

    /// Returns the size of the kept events.
    pub(super) fn n_bytes(&self) -> usize {
        self.state.lock().map_or(0, |state| state.n_bytes)
    }

    /// Drops the events that are kept only so that the stream can be resumed.
    pub(super) fn drop_kept(&self) {
        // The caller checks the limit again.
        self.change_unlimited(|state| {
            let n_max = if state.has_reader() { state.position } else { u64::MAX };
            while state.n_dropped < n_max && state.drop_oldest() {}
            let can_skip = matches!(self.kind, StreamKind::Standalone(_));
            if state.n_dropped > state.n_read && !can_skip {
                state.lose();
            }
        });
    }

    /// Changes the state. If all streams now keep more than the limit, drops the oldest bytes.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> Option<T> {
        let (changed, over) = self.change_unlimited(change)?;
        if let Some(retention) = over {
            retention.evict();
        }
        Some(changed)
    }

    /// Changes the state, and counts what the stream keeps after that. Returns the retention if its
    /// limit is exceeded.
    fn change_unlimited<T>(
        &self,
        change: impl FnOnce(&mut State) -> T,
    ) -> Option<(T, Option<&Retention>)> {
        let mut state = self.state.lock().ok()?;
        let changed = change(&mut state);
        let retention = match &self.kind {
            StreamKind::Once => return Some((changed, None)),
            StreamKind::Request(retention) | StreamKind::Standalone(retention) => retention,
        };
        let n_bytes = state.n_bytes_resumable();
        let is_over = retention.update(&mut state.share, n_bytes, &self.this);
        Some((changed, is_over.then_some(retention)))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.change_unlimited(State::lose);
    }
}

impl Outbound for Stream {
    fn put(&self, frame: Bytes) -> Result<(), Undelivered> {
        let put = self.change(|state| {
            let is_full = state.n_bytes_unread > self.bytes_max;
            if state.is_finished || state.is_lost() || is_full {
                return Err(Undelivered);
            }
            // Without a reader, a repetition of the last event is not queued again.
            let frame = Outgoing::from(frame);
            if !state.has_reader() && state.is_last_unread(&frame) {
                return Ok(());
            }
            state.push(frame);
            state.wake();
            Ok(())
        });
        put.unwrap_or(Err(Undelivered))
    }
}

/// A reader of a stream.
pub(super) struct Reader {
    stream: Arc<Stream>,
    number: u64,
}

impl Reader {
    /// Polls for the next event and its number, starting at 1. `None` means that this reader has
    /// reached the end.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<(u64, Outgoing)>> {
        let kept_max = match self.stream.kind {
            StreamKind::Once => 0,
            StreamKind::Request(_) | StreamKind::Standalone(_) => KEPT_BYTES_MAX,
        };
        let next = self.stream.change(|state| {
            if state.reader != self.number {
                return Poll::Ready(None);
            }
            match state.read() {
                Some(event) => {
                    state.evict_read(kept_max);
                    Poll::Ready(Some((state.position, event)))
                }
                None if state.is_finished => Poll::Ready(None),
                None => {
                    state.waker = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        });
        next.unwrap_or(Poll::Ready(None))
    }

    /// Returns the number of the stream.
    pub(super) fn stream_number(&self) -> u64 {
        self.stream.number
    }

    /// Notes that the client gets the stream's number before the first event.
    pub(super) fn announce(&self) {
        self.stream.change(|state| state.is_announced = true);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let is_once = matches!(self.stream.kind, StreamKind::Once);
        self.stream.change(|state| {
            if state.reader != self.number || state.is_lost() {
                return;
            }
            if is_once || !state.is_announced {
                state.lose();
            } else {
                state.audience = Audience::Away;
            }
        });
    }
}

#[cfg(test)]
mod tests;
