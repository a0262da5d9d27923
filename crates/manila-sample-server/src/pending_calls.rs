//! Pending calls: they wait for time to pass, for the client's response, or for cancellation.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;

use super::dispatch::Request;
use super::jsonrpc;
use super::message::Reply;
use super::output::{Output, Part};
use super::session::Session;

/// The pending calls, and the requests that they have sent to the client.
#[derive(Default)]
pub(super) struct PendingCalls {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the raw text of the call's id.
    calls: HashMap<String, Sender<Event>>,
    /// By the id of the request to the client.
    server_requests: HashMap<u64, Sender<Event>>,
    last_request_id: u64,
}

/// An event of a pending call.
enum Event {
    /// The client has cancelled the call, or has disconnected.
    Cancelled,
    /// The client has responded to the call's request.
    Replied(Reply),
}

/// The client has cancelled the call, or has disconnected.
#[derive(Debug)]
pub(super) struct Cancelled;

impl PendingCalls {
    /// Adds the call `request`. The returned [`PendingCall`] receives its events.
    pub(super) fn begin(&self, request: &Request<'_>) -> PendingCall {
        let (sender, events) = mpsc::channel();
        self.state().calls.insert(request.id.get().to_owned(), sender.clone());
        let (session, output) = (Arc::clone(request.session), Arc::clone(request.output));
        PendingCall { session, output, sender, events }
    }

    /// Removes the call `id`. Returns false if it was cancelled, so that it gets no response.
    pub(super) fn finish(&self, id: &RawValue) -> bool {
        self.state().calls.remove(id.get()).is_some()
    }

    /// Cancels the call `id`, if it is pending.
    pub(super) fn cancel(&self, id: &RawValue) {
        if let Some(call) = self.state().calls.remove(id.get()) {
            // A call that has just ended no longer receives events.
            let _ = call.send(Event::Cancelled);
        }
    }

    /// Cancels all calls.
    pub(super) fn end(&self) {
        for (_, call) in self.state().calls.drain() {
            let _ = call.send(Event::Cancelled);
        }
    }

    /// Delivers the client's response to the call that sent the request. A response without a
    /// pending call is dropped.
    pub(super) fn reply(&self, id: &RawValue, reply: Reply) {
        let id = id.get().parse().ok();
        let call = id.and_then(|id: u64| self.state().server_requests.remove(&id));
        if let Some(call) = call {
            let _ = call.send(Event::Replied(reply));
        }
    }

    fn add_server_request(&self, sender: Sender<Event>) -> u64 {
        let mut state = self.state();
        state.last_request_id += 1;
        let id = state.last_request_id;
        state.server_requests.insert(id, sender);
        id
    }

    fn remove_server_request(&self, id: u64) {
        self.state().server_requests.remove(&id);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pending call.
pub(super) struct PendingCall {
    /// The session of the call.
    pub(super) session: Arc<Session>,
    /// The output for its response, and for earlier notifications.
    pub(super) output: Arc<Output>,
    sender: Sender<Event>,
    events: Receiver<Event>,
}

impl PendingCall {
    /// Waits for this many milliseconds.
    pub(super) fn pause(&self, pause_ms: u64) -> Result<(), Cancelled> {
        match self.events.recv_timeout(Duration::from_millis(pause_ms)) {
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Ok(Event::Cancelled | Event::Replied(_)) | Err(RecvTimeoutError::Disconnected) => {
                Err(Cancelled)
            }
        }
    }

    /// Sends a notification before the response; `params` is JSON text on one line.
    pub(super) fn notify(&self, method: &str, params: &str) -> Result<(), Cancelled> {
        let mut line = Vec::new();
        jsonrpc::notification(&mut line, method, params);
        Ok(self.output.send(Part::Other, &line)?)
    }

    /// Sends a request to the client and waits for its response; `params` is JSON text on one line.
    pub(super) fn send_request(&self, method: &str, params: &str) -> Result<Reply, Cancelled> {
        let id = self.session.pending_calls.add_server_request(self.sender.clone());
        let mut line = Vec::new();
        jsonrpc::request(&mut line, id, method, params);
        self.output.send(Part::Other, &line)?;
        match self.events.recv() {
            Ok(Event::Replied(reply)) => Ok(reply),
            Ok(Event::Cancelled) | Err(mpsc::RecvError) => {
                self.session.pending_calls.remove_server_request(id);
                Err(Cancelled)
            }
        }
    }
}

/// A client that cannot be written to has disconnected.
impl From<io::Error> for Cancelled {
    fn from(_: io::Error) -> Cancelled {
        Cancelled
    }
}
