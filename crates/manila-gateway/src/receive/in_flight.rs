//! A client's open requests.

use std::collections::HashMap;
use std::sync::Mutex;

use bytes::Bytes;
use manila::RawJson;
use tokio::sync::{oneshot, watch};

/// A client's open requests by id, each with the line by which it is cancelled.
pub(super) struct InFlight {
    open: Mutex<HashMap<Bytes, oneshot::Sender<RawJson>>>,
    n_open: watch::Sender<usize>,
    n_max: usize,
}

/// Why a request was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotTaken {
    /// One with this id is open.
    SameId,
    /// Too many are open.
    TooMany,
}

impl InFlight {
    pub(super) fn new(n_max: usize) -> InFlight {
        InFlight { open: Mutex::default(), n_open: watch::Sender::new(0), n_max }
    }

    /// Notes a request. Its caller's reason comes out when it is cancelled.
    pub(super) fn add(&self, id: &RawJson) -> Result<oneshot::Receiver<RawJson>, NotTaken> {
        let (cancel, cancelled) = oneshot::channel();
        let Ok(mut open) = self.open.lock() else { return Err(NotTaken::TooMany) };
        let key = id.compact();
        if open.contains_key(&key) {
            return Err(NotTaken::SameId);
        }
        if open.len() >= self.n_max {
            return Err(NotTaken::TooMany);
        }
        open.insert(key, cancel);
        self.n_open.send_replace(open.len());
        Ok(cancelled)
    }

    /// Notes that a request has been answered or dropped.
    pub(super) fn remove(&self, id: &RawJson) {
        if let Ok(mut open) = self.open.lock() {
            open.remove(&id.compact());
            self.n_open.send_replace(open.len());
        }
    }

    /// Cancels a request, if it is open.
    pub(super) fn cancel(&self, id: &RawJson, reason: RawJson) {
        let cancel = self.open.lock().ok().and_then(|mut open| open.remove(&id.compact()));
        if let Some(cancel) = cancel {
            // It may have been answered just now.
            let _ = cancel.send(reason);
        }
    }

    /// Waits until no request is open.
    pub(super) async fn drained(&self) {
        // The sender lives as long as this.
        let _ = self.n_open.subscribe().wait_for(|n_open| *n_open == 0).await;
    }
}
