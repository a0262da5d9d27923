//! Requests in flight to a server.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use manila::JsonObject;
use manila::request_envelope::Response;
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::{Connection, Unavailable};
use crate::protocol::caller::{Caller, Client};
use crate::protocol::list_kind::ListKind;
use crate::rt::clock;

/// How many cancelled requests are remembered, and for how long.
const CANCELLED_MAX: usize = 1_024;
const CANCELLED_LIFETIME: Duration = Duration::from_secs(60);

/// The connection ended before the response arrived.
#[derive(Debug, Clone)]
pub(crate) struct Disconnected(pub(crate) Arc<Unavailable>);

/// The reply to a request.
pub(crate) enum UpstreamReply {
    /// The response.
    Response(Response),
    /// A response over the size limit, which was discarded.
    TooLarge,
    /// An invalid response, and what is wrong with it.
    Unusable(String),
    /// No response: the server sent a request, of this method, that the caller does not support.
    UnsupportedRequest(String),
    /// No response: the HTTP request failed.
    HttpFailure(HttpFailure),
}

/// A failed HTTP request whose response is not an MCP message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpFailure {
    /// The status; `None` if the server could not be reached at all.
    pub(crate) status: Option<u16>,
    pub(crate) reason: String,
    /// When to retry, if the response contains it.
    pub(crate) retry_after: Option<Duration>,
}

impl std::fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

/// Requests in flight, by the gateway's ids.
#[derive(Default)]
pub(super) struct Pending {
    waiting: Mutex<BTreeMap<u64, Entry>>,
    /// Cancelled requests without a response: the server may still work on them, and send requests
    /// of its own. Each with the time of cancellation and the number of its client.
    cancelled: Mutex<VecDeque<(u64, Instant, u64)>>,
    disconnected: OnceLock<Arc<Unavailable>>,
    /// Notified when the connection has ended.
    end: Notify,
}

/// A request in flight, and its caller unless it is the gateway's own.
struct Entry {
    sender: oneshot::Sender<UpstreamReply>,
    caller: Option<Arc<Caller>>,
    /// The list that it requests, if any.
    list: Option<ListKind>,
}

impl Pending {
    /// Adds a request. Fails if the connection has ended.
    pub(super) fn add(
        &self,
        id: u64,
        caller: Option<Arc<Caller>>,
        list: Option<ListKind>,
    ) -> Result<oneshot::Receiver<UpstreamReply>, Disconnected> {
        let (sender, receiver) = oneshot::channel();
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.insert(id, Entry { sender, caller, list });
        }
        match self.end_reason() {
            None => Ok(receiver),
            Some(disconnected) => {
                self.remove(id);
                Err(disconnected)
            }
        }
    }

    /// Delivers a reply to its request. Returns `false` if the request is not in flight.
    pub(super) fn deliver(&self, id: u64, reply: UpstreamReply) -> bool {
        if let Ok(mut cancelled) = self.cancelled.lock()
            && !cancelled.is_empty()
        {
            cancelled.retain(|(cancelled_id, ..)| *cancelled_id != id);
        }
        self.remove(id).is_some_and(|waiting| waiting.sender.send(reply).is_ok())
    }

    /// Returns whether a request with this id is in flight.
    pub(super) fn has(&self, id: u64) -> bool {
        self.waiting.lock().is_ok_and(|waiting| waiting.contains_key(&id))
    }

    /// Returns the caller of this request, if it is in flight and not the gateway's own.
    pub(super) fn caller(&self, id: u64) -> Option<Arc<Caller>> {
        self.waiting.lock().ok()?.get(&id)?.caller.clone()
    }

    /// Returns the list that this request is for, if it is in flight and requests one.
    pub(super) fn list(&self, id: u64) -> Option<ListKind> {
        self.waiting.lock().ok()?.get(&id)?.list
    }

    /// Returns the requests in flight that are not the gateway's own.
    pub(super) fn callers(&self) -> Vec<(u64, Arc<Caller>)> {
        let waiting = self.waiting.lock().ok();
        let entries = waiting.iter().flat_map(|waiting| waiting.iter());
        entries.filter_map(|(id, entry)| Some((*id, entry.caller.clone()?))).collect()
    }

    /// Remembers that a request of this client was cancelled.
    fn mark_cancelled(&self, id: u64, client: &Client) {
        if let Ok(mut cancelled) = self.cancelled.lock() {
            if cancelled.len() >= CANCELLED_MAX {
                cancelled.pop_front();
            }
            cancelled.push_back((id, clock::now(), client.number));
        }
    }

    /// Returns the numbers of the clients whose requests were cancelled recently.
    pub(super) fn cancelled_clients(&self) -> Vec<u64> {
        let Ok(mut cancelled) = self.cancelled.lock() else { return Vec::new() };
        let is_old = |at: &Instant| at.elapsed() > CANCELLED_LIFETIME;
        while cancelled.front().is_some_and(|(_, at, _)| is_old(at)) {
            cancelled.pop_front();
        }
        cancelled.iter().map(|(_, _, client)| *client).collect()
    }

    /// Returns the id of the request in flight, if there is only one.
    pub(super) fn only(&self) -> Option<u64> {
        let waiting = self.waiting.lock().ok()?;
        let first = *waiting.keys().next()?;
        (waiting.len() == 1).then_some(first)
    }

    /// Fails all requests in flight.
    pub(super) fn fail_all(&self, reason: Arc<Unavailable>) {
        // The reason is set before any waiter wakes up.
        let _ = self.disconnected.set(reason);
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.clear();
        }
        self.end.notify_waiters();
    }

    /// Returns why the connection has ended, if it has.
    fn end_reason(&self) -> Option<Disconnected> {
        self.disconnected.get().map(|reason| Disconnected(Arc::clone(reason)))
    }

    /// Waits for the reason why the connection has ended, which is known only after its streams
    /// end.
    pub(super) async fn wait_end_reason(&self) -> Disconnected {
        loop {
            let ended = self.end.notified();
            tokio::pin!(ended);
            // From here on no notification is missed.
            ended.as_mut().enable();
            if let Some(disconnected) = self.end_reason() {
                return disconnected;
            }
            ended.await;
        }
    }

    fn remove(&self, id: u64) -> Option<Entry> {
        self.waiting.lock().ok()?.remove(&id)
    }
}

/// A request in flight. Dropping it before the response arrives cancels the request.
pub(crate) struct Waiting {
    pub(super) connection: Arc<Connection>,
    pub(super) id: u64,
    pub(super) receiver: oneshot::Receiver<UpstreamReply>,
    pub(super) is_over: bool,
    pub(super) caller: Option<Arc<Caller>>,
    /// The task that receives the response, unless the connection is a pipe.
    pub(super) exchange: Option<AbortHandle>,
}

impl Waiting {
    /// Waits for the reply.
    pub(crate) async fn wait(&mut self) -> Result<UpstreamReply, Disconnected> {
        let received = (&mut self.receiver).await;
        self.is_over = true;
        match received {
            Ok(reply) => Ok(reply),
            Err(_) => Err(self.connection.pending.wait_end_reason().await),
        }
    }

    /// Returns the connection of the request.
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Returns when the server last reported progress on this request.
    pub(crate) fn last_activity(&self) -> Option<Instant> {
        self.connection.last_activity(self.id)
    }

    /// Cancels the request with this reason.
    pub(crate) fn cancel_with_reason(mut self, reason: &str) {
        self.cancel(Some(&JsonObject::build(|object| object.member("reason", reason))));
    }

    /// Sends a cancellation to the server, and keeps waiting for its response.
    pub(crate) fn send_cancelled(&self, reason: &str) {
        let params = JsonObject::build(|object| object.member("reason", reason));
        self.connection.send_cancelled(self.id, Some(&params));
    }

    /// Cancels the request, with these parameters in the notification.
    fn cancel(&mut self, params: Option<&JsonObject>) {
        if !self.is_over {
            self.is_over = true;
            let pending = &self.connection.pending;
            if let Some(entry) = pending.remove(self.id)
                && let Some(caller) = &entry.caller
            {
                pending.mark_cancelled(self.id, &caller.client);
            }
            self.connection.send_cancelled(self.id, params);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.connection.end_progress(self.id);
        let caller = self.caller.take();
        self.cancel(caller.as_ref().and_then(|caller| caller.cancellation.params()));
        if let Some(exchange) = &self.exchange {
            exchange.abort();
        }
    }
}
