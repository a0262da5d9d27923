//! The listeners for clients. The gateway stops when the last one is closed.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::Gateway;
use crate::rt::wait_until::wait_until;

/// The number of open listeners.
pub(super) struct Listeners {
    n_open: AtomicUsize,
    closed: Notify,
}

impl Default for Listeners {
    fn default() -> Listeners {
        Listeners { n_open: AtomicUsize::new(1), closed: Notify::new() }
    }
}

impl Gateway {
    /// Adds a listener. A new gateway counts as having one.
    pub fn add_listener(&self) {
        self.listeners.n_open.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether there is only one listener.
    pub(crate) fn has_one_listener(&self) -> bool {
        self.listeners.n_open.load(Ordering::Relaxed) == 1
    }

    /// Closes a listener, and waits until all are closed.
    pub(crate) async fn close_listener(&self) {
        self.listeners.n_open.fetch_sub(1, Ordering::Relaxed);
        self.listeners.closed.notify_waiters();
        wait_until(&self.listeners.closed, || self.listeners.n_open.load(Ordering::Relaxed) == 0)
            .await;
    }
}
