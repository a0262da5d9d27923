//! A client's open requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use manila::request_envelope::Request;
use manila::{JsonObject, RawJson};
use tokio::sync::Notify;

use crate::config::Settings;
use crate::protocol::caller::Caller;
use crate::rt::until::until;

/// A client's open requests by id, each with who made it.
pub(crate) struct InFlight {
    open: Mutex<Open>,
    drained: Notify,
    n_max: usize,
    bytes_max: usize,
}

#[derive(Default)]
struct Open {
    by_id: HashMap<Bytes, Arc<Caller>>,
    n_bytes: usize,
}

/// Why a request was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// One with this id is open.
    SameId,
    /// Too many are open, or too large ones.
    TooMany,
}

impl InFlight {
    pub(crate) fn new(settings: &Settings) -> InFlight {
        InFlight {
            open: Mutex::default(),
            drained: Notify::new(),
            n_max: settings.in_flight_max,
            bytes_max: settings.in_flight_bytes_max,
        }
    }

    /// Notes a request, and who made it.
    pub(crate) fn add(&self, request: &Request, caller: &Arc<Caller>) -> Result<(), NotTaken> {
        let Ok(mut open) = self.open.lock() else { return Err(NotTaken::TooMany) };
        let key = request.id.compact();
        if open.by_id.contains_key(&key) {
            return Err(NotTaken::SameId);
        }
        if open.by_id.len() >= self.n_max || open.n_bytes >= self.bytes_max {
            return Err(NotTaken::TooMany);
        }
        open.by_id.insert(key, Arc::clone(caller));
        open.n_bytes += request.frame.as_bytes().len();
        Ok(())
    }

    /// Notes that a request has been answered or dropped.
    pub(crate) fn remove(&self, request: &Request) {
        if let Ok(mut open) = self.open.lock()
            && open.by_id.remove(&request.id.compact()).is_some()
        {
            open.n_bytes = open.n_bytes.saturating_sub(request.frame.as_bytes().len());
            if open.by_id.is_empty() {
                self.drained.notify_waiters();
            }
        }
    }

    /// Whether a request of this id is open.
    pub(crate) fn has(&self, id: &RawJson) -> bool {
        self.open.lock().is_ok_and(|open| open.by_id.contains_key(&id.compact()))
    }

    /// Cancels a request, if it is open.
    pub(crate) fn cancel(&self, id: &RawJson, params: JsonObject) {
        let open = self.open.lock();
        let found = open.ok().and_then(|open| open.by_id.get(&id.compact()).cloned());
        if let Some(caller) = found {
            caller.cancellation.cancel(params);
        }
    }

    /// Cancels all requests that are open.
    pub(crate) fn cancel_all(&self, reason: &str) {
        let open = self.open.lock();
        let callers: Vec<_> = open.iter().flat_map(|open| open.by_id.values().cloned()).collect();
        drop(open);
        for caller in callers {
            let params = JsonObject::build(|object| object.member("reason", reason));
            caller.cancellation.cancel(params);
        }
    }

    /// How many requests are open.
    pub(crate) fn n_open(&self) -> usize {
        self.open.lock().map_or(0, |open| open.by_id.len())
    }

    /// Waits a moment until no request is open.
    pub(crate) async fn drained_soon(&self) {
        const MOMENT: Duration = Duration::from_millis(200);
        let _ = tokio::time::timeout(MOMENT, self.drained()).await;
    }

    /// Waits until no request is open.
    pub(crate) async fn drained(&self) {
        until(&self.drained, || self.n_open() == 0).await;
    }
}
