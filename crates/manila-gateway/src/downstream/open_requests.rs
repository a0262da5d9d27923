//! A client's open requests, by id: so that they can be cancelled, and no id is used twice.

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
use crate::rt::until::until;

/// A client's open requests by id, each with who made it.
#[derive(Default)]
pub(super) struct OpenRequests {
    by_id: Mutex<HashMap<Bytes, Arc<Caller>>>,
    drained: Notify,
}

impl OpenRequests {
    /// Notes a request, and who made it. Fails if one with this id is open.
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

    /// Notes that a request has been answered or dropped.
    pub(super) fn remove(&self, request: &Request) {
        if let Ok(mut by_id) = self.by_id.lock() {
            by_id.remove(&request.id.compact());
            if by_id.is_empty() {
                self.drained.notify_waiters();
            }
        }
    }

    /// Whether a request of this id is open.
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

    /// Cancels all requests that are open.
    pub(super) fn cancel_all(&self, reason: &str) {
        let by_id = self.by_id.lock();
        let callers: Vec<_> = by_id.iter().flat_map(|by_id| by_id.values().cloned()).collect();
        drop(by_id);
        for caller in callers {
            let params = JsonObject::build(|object| object.member("reason", reason));
            caller.cancellation.cancel(params);
        }
    }

    /// How many requests are open.
    pub(super) fn n_open(&self) -> usize {
        self.by_id.lock().map_or(0, |by_id| by_id.len())
    }

    /// Waits a moment until no request is open.
    pub(super) async fn drained_soon(&self) {
        const MOMENT: Duration = Duration::from_millis(200);
        let _ = tokio::time::timeout(MOMENT, self.drained()).await;
    }

    /// Waits until no request is open.
    pub(super) async fn drained(&self) {
        until(&self.drained, || self.n_open() == 0).await;
    }
}
