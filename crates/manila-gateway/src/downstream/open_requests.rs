//! A client's open requests, by id: they can be cancelled, and no id is used twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson, Violation};
use tokio::sync::Notify;

use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::rt::wait_until::wait_until;

/// A client's open requests and their callers, by id.
#[derive(Default)]
pub(super) struct OpenRequests {
    by_id: Mutex<HashMap<Bytes, Arc<Caller>>>,
    drained: Notify,
}

impl OpenRequests {
    /// Adds a request and its caller. Fails if a request with the same id is open.
    pub(super) fn add(&self, request: &Request, caller: &Arc<Caller>) -> Result<(), Fault> {
        let Ok(mut by_id) = self.by_id.lock() else { return Err(Fault::new(Code::InternalError)) };
        match by_id.entry(request.id.compact()) {
            Entry::Vacant(free) => {
                free.insert(Arc::clone(caller));
                Ok(())
            }
            Entry::Occupied(_) => {
                let message = format!("{} is the id of a request that is still open", request.id);
                let violation = Violation::new("/id", "unique", message);
                Err(Fault::new(Code::InvalidEnvelope).violation(violation))
            }
        }
    }

    /// Removes a request that is completed or dropped.
    pub(super) fn remove(&self, request: &Request) {
        if let Ok(mut by_id) = self.by_id.lock() {
            by_id.remove(&request.id.compact());
            if by_id.is_empty() {
                self.drained.notify_waiters();
            }
        }
    }

    /// Returns whether a request with this id is open.
    pub(super) fn has(&self, id: &RawJson) -> bool {
        self.by_id.lock().is_ok_and(|by_id| by_id.contains_key(&id.compact()))
    }

    /// Cancels a request, if it is open.
    pub(super) fn cancel(&self, id: &RawJson, params: JsonObject) {
        let found = self.by_id.lock().ok().and_then(|by_id| by_id.get(&id.compact()).cloned());
        if let Some(caller) = found {
            caller.cancellation.cancel(params);
        }
    }

    /// Cancels all open requests.
    pub(super) fn cancel_all(&self, reason: &str) {
        let by_id = self.by_id.lock();
        let callers: Vec<_> = by_id.iter().flat_map(|by_id| by_id.values().cloned()).collect();
        drop(by_id);
        for caller in callers {
            let params = JsonObject::build(|object| object.member("reason", reason));
            caller.cancellation.cancel(params);
        }
    }

    /// Returns the number of open requests.
    pub(super) fn n_open(&self) -> usize {
        self.by_id.lock().map_or(0, |by_id| by_id.len())
    }

    /// Waits until no request is open, but only briefly.
    pub(super) async fn wait_drained_briefly(&self) {
        const TIMEOUT: Duration = Duration::from_millis(200);
        let _ = tokio::time::timeout(TIMEOUT, self.wait_drained()).await;
    }

    /// Waits until no request is open.
    pub(super) async fn wait_drained(&self) {
        wait_until(&self.drained, || self.n_open() == 0).await;
    }
}
