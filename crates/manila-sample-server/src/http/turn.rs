//! The turn on a connection: the client's to send, or the server's to respond.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the last request on a connection still waits for the rest of its response.
#[derive(Default)]
pub(super) struct Turn {
    is_open: AtomicBool,
}

impl Turn {
    /// Begins the server's turn, because a request has arrived.
    pub(super) fn begin(&self) {
        self.is_open.store(true, Ordering::Release);
    }

    /// Ends the server's turn, because the response is complete.
    pub(super) fn end(&self) {
        self.is_open.store(false, Ordering::Release);
    }

    /// Returns whether the response to the last request is complete.
    pub(super) fn is_over(&self) -> bool {
        !self.is_open.load(Ordering::Acquire)
    }
}
