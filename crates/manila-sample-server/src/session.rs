//! The session: what the requests of one client share.
//!
//! Over stdio there is one. Over HTTP a legacy client has one from its `initialize`, and a modern
//! request has one of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;

use super::answer;
use super::level::Level;
use super::listen::Subscriptions;
use super::output::{Output, Part};
use super::server::Server;
use super::subscribe::Subscribed;
use super::waiting::Waiting;

/// One client, or one request of a client that needs no session.
pub(super) struct Session {
    /// What it shares with the others.
    pub(super) server: Arc<Server>,
    /// Where messages go that are about no request.
    pub(super) output: Arc<Output>,
    /// The calls that wait.
    pub(super) waiting: Waiting,
    /// The resources that the client wants to hear of, by legacy requests.
    pub(super) subscribed: Subscribed,
    /// What the client wants to hear of, by modern requests.
    pub(super) subscriptions: Subscriptions,
    /// Whether a legacy request has come: such clients hear of changes without asking.
    is_legacy: AtomicBool,
    level_min: Mutex<Level>,
}

impl Session {
    /// A session whose own messages go to `output`.
    pub(super) fn new(server: &Arc<Server>, output: Arc<Output>) -> Arc<Session> {
        Arc::new(Session {
            server: Arc::clone(server),
            output,
            waiting: Waiting::default(),
            subscribed: Subscribed::default(),
            subscriptions: Subscriptions::default(),
            is_legacy: AtomicBool::new(false),
            level_min: Mutex::new(Level::Debug),
        })
    }

    /// Notes that the client speaks legacy.
    pub(super) fn hear_legacy(&self) {
        self.is_legacy.store(true, Ordering::Relaxed);
    }

    /// The least severe level that a legacy client wants to hear of; at first, all of them.
    pub(super) fn level_min(&self) -> Level {
        *self.level_min.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `logging/setLevel`.
    pub(super) fn set_level_min(&self, level: Level) {
        *self.level_min.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    /// Tells the client that the list of tools has changed, as far as it wants to hear of it.
    ///
    /// A client that is gone is found out about by whoever reads from it.
    pub(super) fn tell_tools_changed(&self) {
        if self.is_legacy.load(Ordering::Relaxed) {
            let mut line = Vec::new();
            answer::notification(&mut line, "notifications/tools/list_changed", "{}");
            let _ = self.output.send(Part::Aside, &line);
        }
        self.subscriptions.tell_tools_changed();
    }

    /// Tells the client that the resource `uri` has changed, if it wants to hear of it.
    pub(super) fn tell_updated(&self, uri: &str) {
        if self.subscribed.wants(uri) {
            let params = format!("{{\"uri\":{}}}", serde_json::Value::from(uri));
            let mut line = Vec::new();
            answer::notification(&mut line, "notifications/resources/updated", &params);
            let _ = self.output.send(Part::Aside, &line);
        }
        self.subscriptions.tell_updated(uri);
    }

    /// Takes the request `id` back, if it is still open.
    pub(super) fn cancel(&self, id: &RawValue) {
        self.waiting.cancel(id);
        self.subscriptions.cancel(id);
    }

    /// The client is gone.
    pub(super) fn end(&self) {
        self.waiting.end();
        self.subscriptions.forget();
    }
}
