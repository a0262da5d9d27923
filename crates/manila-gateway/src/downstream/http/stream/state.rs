//! The state of a stream: its events, and how far they have been read.

use std::collections::VecDeque;
use std::task::Waker;

use crate::downstream::http::retention::Share;
use crate::protocol::outgoing::Outgoing;

/// The overhead of an event in bytes, which counts towards its size.
const EVENT_OVERHEAD: usize = 64;

/// Who reads a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// The client is connected, and its reply has not begun.
    Expected,
    /// The stream has a reader.
    Reading,
    /// The stream has no reader, but may get one.
    Away,
    /// The client cannot resume the stream, so nothing is kept.
    Lost,
}

/// The events of a stream, and who reads them.
pub(super) struct State {
    /// The kept events, oldest first.
    pub(super) events: VecDeque<Outgoing>,
    /// The number of dropped events, which precede the kept ones.
    pub(super) n_dropped: u64,
    /// The number of events that have been read.
    pub(super) n_read: u64,
    /// The number of events before the one that the current reader reads next.
    pub(super) position: u64,
    pub(super) n_bytes: usize,
    pub(super) n_bytes_unread: usize,
    /// The size of the events from `position` on.
    pub(super) n_bytes_ahead: usize,
    pub(super) audience: Audience,
    /// Whether the client knows the stream's number, and can resume it.
    pub(super) is_announced: bool,
    pub(super) is_finished: bool,
    /// The number of the newest reader, the only one that may read.
    pub(super) reader: u64,
    pub(super) waker: Option<Waker>,
    pub(super) share: Share,
}

impl State {
    pub(super) fn new(audience: Audience, is_announced: bool) -> State {
        State {
            events: VecDeque::new(),
            n_dropped: 0,
            n_read: 0,
            position: 0,
            n_bytes: 0,
            n_bytes_unread: 0,
            n_bytes_ahead: 0,
            audience,
            is_announced,
            is_finished: false,
            reader: 0,
            waker: None,
            share: Share::default(),
        }
    }

    pub(super) fn push(&mut self, event: Outgoing) {
        let n_bytes = event.len() + EVENT_OVERHEAD;
        self.n_bytes += n_bytes;
        self.n_bytes_unread += n_bytes;
        self.n_bytes_ahead += n_bytes;
        self.events.push_back(event);
    }

    /// Drops the oldest event. Returns whether there was one.
    pub(super) fn drop_oldest(&mut self) -> bool {
        let Some(event) = self.events.pop_front() else { return false };
        let n_bytes = event.len() + EVENT_OVERHEAD;
        if self.n_dropped >= self.n_read {
            self.n_bytes_unread = self.n_bytes_unread.saturating_sub(n_bytes);
        }
        if self.n_dropped >= self.position {
            self.n_bytes_ahead = self.n_bytes_ahead.saturating_sub(n_bytes);
        }
        self.n_dropped += 1;
        self.n_bytes = self.n_bytes.saturating_sub(n_bytes);
        true
    }

    /// Drops all events, now and later.
    pub(super) fn lose(&mut self) {
        while self.drop_oldest() {}
        self.audience = Audience::Lost;
    }

    /// Moves the reader to the event after this many, or to the first one that is kept. A client
    /// cannot have read more than all readers.
    pub(super) fn set_position(&mut self, n_before: u64) {
        self.position = n_before.min(self.n_read).max(self.n_dropped);
        let n_skipped = usize::try_from(self.position - self.n_dropped).unwrap_or(usize::MAX);
        let ahead = self.events.iter().skip(n_skipped);
        self.n_bytes_ahead = ahead.map(|event| event.len() + EVENT_OVERHEAD).sum();
    }

    /// Returns the next event of the reader, and moves the reader after it.
    pub(super) fn read(&mut self) -> Option<Outgoing> {
        let index = usize::try_from(self.position - self.n_dropped).unwrap_or(usize::MAX);
        let event = self.events.get(index).cloned()?;
        let n_bytes = event.len() + EVENT_OVERHEAD;
        self.position += 1;
        self.n_bytes_ahead = self.n_bytes_ahead.saturating_sub(n_bytes);
        if self.position > self.n_read {
            self.n_read = self.position;
            self.n_bytes_unread = self.n_bytes_unread.saturating_sub(n_bytes);
        }
        self.is_announced = true;
        Some(event)
    }

    /// Adds a reader, which replaces the previous one, and returns its number.
    pub(super) fn add_reader(&mut self, n_before: u64) -> u64 {
        self.reader += 1;
        self.audience = Audience::Reading;
        self.set_position(n_before);
        // Wakes the previous reader, so that it ends.
        self.wake();
        self.reader
    }

    pub(super) fn has_reader(&self) -> bool {
        self.audience == Audience::Reading
    }

    pub(super) fn is_lost(&self) -> bool {
        self.audience == Audience::Lost
    }

    /// Returns the size of the events that are kept only so that the stream can be resumed.
    pub(super) fn n_bytes_resumable(&self) -> usize {
        match self.audience {
            Audience::Expected | Audience::Lost => 0,
            Audience::Reading => self.n_bytes.saturating_sub(self.n_bytes_ahead),
            Audience::Away => self.n_bytes,
        }
    }

    /// Returns whether the last event is unread and equal to this one.
    pub(super) fn is_last_unread(&self, event: &Outgoing) -> bool {
        let last = self.events.back().filter(|_| self.n_bytes_unread > 0);
        last.is_some_and(|last| last.is_same(event))
    }

    pub(super) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Drops the oldest events that the reader has read while more than this is kept. Unless
    /// nothing is kept, the newest event is: its transfer may be interrupted, however large it is.
    pub(super) fn evict_read(&mut self, bytes_max: usize) {
        let n_events_min = usize::from(bytes_max > 0);
        while self.n_bytes > bytes_max
            && self.n_dropped < self.position
            && self.events.len() > n_events_min
            && self.drop_oldest()
        {}
    }
}
