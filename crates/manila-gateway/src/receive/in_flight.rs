//! A client's open requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use manila::RawJson;
use tokio::sync::watch;

use crate::cancellation::Cancellation;

/// A client's open requests by id, each with what cancels it.
pub(super) struct InFlight {
    open: Mutex<HashMap<Bytes, Arc<Cancellation>>>,
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

    /// Notes a request, and gives what cancels it.
    pub(super) fn add(&self, id: &RawJson) -> Result<Arc<Cancellation>, NotTaken> {
        let Ok(mut open) = self.open.lock() else { return Err(NotTaken::TooMany) };
        let key = id.compact();
        if open.contains_key(&key) {
            return Err(NotTaken::SameId);
        }
        if open.len() >= self.n_max {
            return Err(NotTaken::TooMany);
        }
        let cancellation = Arc::<Cancellation>::default();
        open.insert(key, Arc::clone(&cancellation));
        self.n_open.send_replace(open.len());
        Ok(cancellation)
    }

    /// Notes that a request has been answered or dropped.
    pub(super) fn remove(&self, id: &RawJson) {
        if let Ok(mut open) = self.open.lock() {
            open.remove(&id.compact());
            self.n_open.send_replace(open.len());
        }
    }

    /// Cancels a request, if it is open.
    pub(super) fn cancel(&self, id: &RawJson, reason: Option<RawJson>) {
        let open = self.open.lock();
        if let Some(cancellation) = open.ok().and_then(|open| open.get(&id.compact()).cloned()) {
            cancellation.cancel(reason);
        }
    }

    /// Waits a moment until no request is open.
    pub(super) async fn drained_soon(&self) {
        const MOMENT: Duration = Duration::from_millis(200);
        let _ = tokio::time::timeout(MOMENT, self.drained()).await;
    }

    /// Waits until no request is open.
    pub(super) async fn drained(&self) {
        // The sender lives as long as this.
        let _ = self.n_open.subscribe().wait_for(|n_open| *n_open == 0).await;
    }
}
