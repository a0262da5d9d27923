//! The server: the state that all connections of a process share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::changing_resources::ChangingResources;
use super::eras::Eras;
use super::session::Session;
use super::tasks::Tasks;

/// The state of a server.
pub(super) struct Server {
    /// The eras that it supports.
    pub(super) eras: Eras,
    /// The number of tool calls.
    pub(super) calls: AtomicU64,
    /// The number of calls that were cancelled while they were pending.
    pub(super) cancelled: AtomicU64,
    /// Whether the tool `extra` is listed.
    pub(super) extra_listed: AtomicBool,
    /// The resources that the tool `touch` changes.
    pub(super) changing_resources: ChangingResources,
    /// The calls that run as tasks.
    pub(super) tasks: Tasks,
    /// Whether the server has stopped sending.
    pub(super) muted: Arc<AtomicBool>,
    /// The sessions that may be notified of changes.
    sessions: Mutex<Vec<Weak<Session>>>,
}

impl Server {
    /// Creates a server that supports `eras`.
    pub(super) fn new(eras: Eras) -> Server {
        Server {
            eras,
            calls: AtomicU64::new(0),
            cancelled: AtomicU64::new(0),
            extra_listed: AtomicBool::new(false),
            changing_resources: ChangingResources::default(),
            tasks: Tasks::default(),
            muted: Arc::default(),
            sessions: Mutex::default(),
        }
    }

    /// Drops all later output without closing any connection.
    pub(super) fn mute(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }

    /// Adds `session` to those that are notified of changes, until it is dropped.
    pub(super) fn register(&self, session: &Arc<Session>) {
        let mut sessions = self.sessions();
        let added = Arc::downgrade(session);
        sessions.retain(|known| known.strong_count() > 0 && !known.ptr_eq(&added));
        sessions.push(added);
    }

    /// Returns the registered sessions that still exist.
    pub(super) fn live_sessions(&self) -> Vec<Arc<Session>> {
        self.sessions().iter().filter_map(Weak::upgrade).collect()
    }

    /// Returns the resources that a client has subscribed to, in either era.
    pub(super) fn subscribed_uris(&self) -> Vec<String> {
        let sessions = self.live_sessions();
        let uris = sessions.iter().flat_map(|session| {
            let legacy = session.resource_subscriptions.uris().into_iter();
            legacy.chain(session.subscriptions.resources())
        });
        let mut uris: Vec<String> = uris.collect();
        uris.sort_unstable();
        uris
    }

    fn sessions(&self) -> MutexGuard<'_, Vec<Weak<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
