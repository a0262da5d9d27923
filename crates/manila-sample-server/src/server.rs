//! The server: what all connections of one process share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::eras::Eras;
use super::session::Session;
use super::shelf::Shelf;
use super::tasks::Tasks;

/// One server.
pub(super) struct Server {
    /// What it speaks.
    pub(super) eras: Eras,
    /// How many tools have been called.
    pub(super) calls: AtomicU64,
    /// How many of them were cancelled while they waited.
    pub(super) cancelled: AtomicU64,
    /// Whether the tool `extra` is on the list.
    pub(super) extra_listed: AtomicBool,
    /// What the tool `touch` changes.
    pub(super) shelf: Shelf,
    /// The calls that go on after they were answered.
    pub(super) tasks: Tasks,
    /// Whether nothing is sent any more.
    pub(super) muted: Arc<AtomicBool>,
    /// Those that may want to hear of changes.
    sessions: Mutex<Vec<Weak<Session>>>,
}

impl Server {
    /// A server that speaks `eras`.
    pub(super) fn new(eras: Eras) -> Server {
        Server {
            eras,
            calls: AtomicU64::new(0),
            cancelled: AtomicU64::new(0),
            extra_listed: AtomicBool::new(false),
            shelf: Shelf::default(),
            tasks: Tasks::default(),
            muted: Arc::default(),
            sessions: Mutex::default(),
        }
    }

    /// Drops everything that is sent from now on, without closing anything.
    pub(super) fn mute(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }

    /// Tells `session` of changes from now on, as long as it is there.
    pub(super) fn enlist(&self, session: &Arc<Session>) {
        let mut sessions = self.sessions();
        let newcomer = Arc::downgrade(session);
        sessions.retain(|known| known.strong_count() > 0 && !known.ptr_eq(&newcomer));
        sessions.push(newcomer);
    }

    /// Those that may want to hear of changes, now.
    pub(super) fn listening(&self) -> Vec<Arc<Session>> {
        self.sessions().iter().filter_map(Weak::upgrade).collect()
    }

    /// The resources that somebody wants to hear of, in either era.
    pub(super) fn subscribed(&self) -> Vec<String> {
        let sessions = self.listening();
        let uris = sessions.iter().flat_map(|session| {
            session.subscribed.uris().into_iter().chain(session.subscriptions.resources())
        });
        let mut uris: Vec<String> = uris.collect();
        uris.sort_unstable();
        uris
    }

    fn sessions(&self) -> MutexGuard<'_, Vec<Weak<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
