//! The session: the state that the requests of a client share.
//!
//! Over stdio there is one session. Over HTTP, a legacy client starts one with `initialize`, and
//! each modern request has its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;

use super::jsonrpc;
use super::level::Level;
use super::listen::Subscriptions;
use super::output::{Output, Part};
use super::pending_calls::PendingCalls;
use super::server::Server;
use super::subscribe::ResourceSubscriptions;

/// The state of a client, or of one request of a client without a session.
pub(super) struct Session {
    /// The state that it shares with the other sessions.
    pub(super) server: Arc<Server>,
    /// The output for messages that belong to no request.
    pub(super) output: Arc<Output>,
    /// The calls in progress.
    pub(super) pending_calls: PendingCalls,
    /// The resources that the client has subscribed to with legacy requests.
    pub(super) resource_subscriptions: ResourceSubscriptions,
    /// The subscriptions that the client has opened with modern requests.
    pub(super) subscriptions: Subscriptions,
    /// Whether a legacy request has arrived. Legacy clients are notified of changes to the tool
    /// list without a subscription.
    is_legacy: AtomicBool,
    level_min: Mutex<Level>,
}

impl Session {
    /// Creates a session that sends messages without a request to `output`.
    pub(super) fn new(server: &Arc<Server>, output: Arc<Output>) -> Arc<Session> {
        Arc::new(Session {
            server: Arc::clone(server),
            output,
            pending_calls: PendingCalls::default(),
            resource_subscriptions: ResourceSubscriptions::default(),
            subscriptions: Subscriptions::default(),
            is_legacy: AtomicBool::new(false),
            level_min: Mutex::new(Level::Debug),
        })
    }

    /// Marks the client as a legacy one.
    pub(super) fn set_legacy(&self) {
        self.is_legacy.store(true, Ordering::Relaxed);
    }

    /// Returns the least severe level that is sent to a legacy client. Initially, it is the lowest
    /// level.
    pub(super) fn level_min(&self) -> Level {
        *self.level_min.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the level, for `logging/setLevel`.
    pub(super) fn set_level_min(&self, level: Level) {
        *self.level_min.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    /// Notifies the client that the tool list has changed, if it is legacy or has subscribed.
    ///
    /// Write errors are ignored, because the reader of the connection detects a disconnect.
    pub(super) fn notify_tools_changed(&self) {
        if self.is_legacy.load(Ordering::Relaxed) {
            let mut line = Vec::new();
            jsonrpc::notification(&mut line, "notifications/tools/list_changed", "{}");
            let _ = self.output.send(Part::Other, &line);
        }
        self.subscriptions.notify_tools_changed();
    }

    /// Notifies the client that the resource `uri` has changed, if it has subscribed to it.
    pub(super) fn notify_updated(&self, uri: &str) {
        if self.resource_subscriptions.contains(uri) {
            let params = format!("{{\"uri\":{}}}", serde_json::Value::from(uri));
            let mut line = Vec::new();
            jsonrpc::notification(&mut line, "notifications/resources/updated", &params);
            let _ = self.output.send(Part::Other, &line);
        }
        self.subscriptions.notify_updated(uri);
    }

    /// Cancels the request `id`, if it is still open.
    pub(super) fn cancel(&self, id: &RawValue) {
        self.pending_calls.cancel(id);
        self.subscriptions.cancel(id);
    }

    /// Ends all calls and subscriptions, because the client has disconnected.
    pub(super) fn end(&self) {
        self.pending_calls.end();
        self.subscriptions.clear();
    }
}
