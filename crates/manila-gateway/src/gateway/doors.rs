//! The doors through which clients come. What is behind them ends when the last one is closed.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::Gateway;
use crate::rt::until::until;

/// How many doors are open.
pub(super) struct Doors {
    n_open: AtomicUsize,
    closed: Notify,
}

impl Default for Doors {
    fn default() -> Doors {
        Doors { n_open: AtomicUsize::new(1), closed: Notify::new() }
    }
}

impl Gateway {
    /// Clients come through one door more.
    pub fn add_door(&self) {
        self.doors.n_open.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether all clients come through one door.
    pub(crate) fn has_one_door(&self) -> bool {
        self.doors.n_open.load(Ordering::Relaxed) == 1
    }

    /// Closes a door, and waits until all are closed.
    pub(crate) async fn close_door(&self) {
        self.doors.n_open.fetch_sub(1, Ordering::Relaxed);
        self.doors.closed.notify_waiters();
        until(&self.doors.closed, || self.doors.n_open.load(Ordering::Relaxed) == 0).await;
    }
}
