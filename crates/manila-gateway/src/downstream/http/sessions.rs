//! Sessions of clients of the legacy era: opened by a hello, ended by a goodbye, or forgotten.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::stream::{Reader, Stream};
use crate::downstream::open_requests::OpenRequests;
use crate::gateway::Gateway;
use crate::notifications::{Audience, Listener, Listening, Resources, Wants};
use crate::protocol::caller::{Client, Line, Speech, Unheard};
use crate::protocol::era::Revision;
use crate::protocol::origin::Principal;
use crate::rt::clock;

/// How many streams of a session can be taken up again, and how much of them is kept.
const STREAMS_MAX: usize = 64;
const STREAM_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How much waits for a client that does not listen.
const UNHEARD_BYTES_MAX: usize = 256 * 1024;

/// All sessions.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Arc<Session>>>);

/// A client of the legacy era, and what it has open.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) revision: Revision,
    /// The principal that opened it, and the only one that may use it.
    owner: Principal,
    pub(super) client: Arc<Client>,
    pub(super) open: OpenRequests,
    lines: Arc<Lines>,
    audience: Arc<Audience>,
    /// It hears what concerns everybody, as long as it is there.
    _listening: Listening,
    last_used: Mutex<Instant>,
}

/// The streams of a session.
struct Lines {
    /// What belongs to no request.
    own: Arc<Stream>,
    by_number: Mutex<BTreeMap<u64, Arc<Stream>>>,
    n_given: AtomicU64,
    bytes_max: usize,
}

impl Sessions {
    /// Opens a session, unless there are too many.
    pub(super) fn open(
        &self,
        gateway: &Gateway,
        speech: Speech,
        revision: Revision,
        owner: Principal,
        n_max: usize,
    ) -> Option<Arc<Session>> {
        let mut sessions = self.0.lock().ok()?;
        if sessions.len() >= n_max {
            // The one that has been silent for longest makes room.
            let idle = sessions.values().filter(|session| session.is_idle());
            let oldest = idle.min_by_key(|session| session.last_used()).map(|it| it.id.clone())?;
            sessions.remove(&oldest)?.close();
        }
        let id = uuid::Uuid::from_bytes(clock::fresh()).simple().to_string();
        let session = Arc::new(Session::new(gateway, id, speech, revision, owner));
        sessions.insert(session.id.clone(), Arc::clone(&session));
        Some(session)
    }

    /// The session of this id, if it is this principal's. It is used now.
    pub(super) fn get(&self, id: &str, principal: Principal) -> Option<Arc<Session>> {
        let session = self.0.lock().ok()?.get(id).cloned()?;
        if session.owner != principal {
            return None;
        }
        session.touch();
        Some(session)
    }

    /// Ends a session.
    pub(super) fn end(&self, id: &str) -> bool {
        let session = self.0.lock().ok().and_then(|mut sessions| sessions.remove(id));
        session.inspect(|session| session.close()).is_some()
    }

    /// Forgets sessions that have been silent for so long.
    pub(super) fn forget_idle(&self, longest: Duration) {
        let now = clock::now();
        let Ok(mut sessions) = self.0.lock() else { return };
        let is_over = |session: &Session| {
            session.is_idle() && now.saturating_duration_since(session.last_used()) > longest
        };
        for (_, session) in sessions.extract_if(|_, session| is_over(session)) {
            session.close();
        }
    }

    /// Ends all sessions.
    pub(super) fn end_all(&self) {
        let sessions = self.0.lock().map(|mut it| std::mem::take(&mut *it)).unwrap_or_default();
        for session in sessions.values() {
            session.close();
        }
    }

    /// How many there are.
    pub(super) fn n_open(&self) -> usize {
        self.0.lock().map_or(0, |sessions| sessions.len())
    }
}

impl Session {
    fn new(
        gateway: &Gateway,
        id: String,
        speech: Speech,
        revision: Revision,
        owner: Principal,
    ) -> Session {
        let lines = Arc::new(Lines {
            own: Arc::new(Stream::new(0, UNHEARD_BYTES_MAX)),
            by_number: Mutex::default(),
            n_given: AtomicU64::new(0),
            bytes_max: gateway.settings().queue_bytes_max,
        });
        let line: Arc<dyn Line> = Arc::clone(&lines) as Arc<dyn Line>;
        let client = Arc::new(Client::speaking(speech, Arc::clone(&line)));
        let wants = Wants { resources: Resources::Watched, ..Wants::everything() };
        let listener = Listener { client: Arc::clone(&client), line, wants };
        Session {
            id,
            revision,
            owner,
            client,
            open: OpenRequests::default(),
            lines,
            audience: Arc::clone(&gateway.audience),
            _listening: gateway.audience.add(listener),
            last_used: Mutex::new(clock::now()),
        }
    }

    /// A new stream, for one request.
    pub(super) fn stream(&self) -> Arc<Stream> {
        self.lines.stream()
    }

    /// Reads what belongs to no request.
    pub(super) fn reader(&self) -> Reader {
        let n_read = self.lines.own.n_read();
        self.lines.own.reader(n_read)
    }

    /// Reads on where a stream broke off, from the id of the last event that came.
    pub(super) fn resumed(&self, last_id: &str) -> Option<Reader> {
        let (number, n_before) = last_id.split_once('-')?;
        let (number, n_before): (u64, u64) = (number.parse().ok()?, n_before.parse().ok()?);
        if number == 0 {
            return Some(self.lines.own.reader(n_before));
        }
        Some(self.lines.by_number.lock().ok()?.get(&number)?.reader(n_before))
    }

    fn is_idle(&self) -> bool {
        self.open.n_open() == 0 && !self.lines.own.has_reader()
    }

    /// Notes that it is used now.
    pub(super) fn touch(&self) {
        if let Ok(mut last_used) = self.last_used.lock() {
            *last_used = clock::now();
        }
    }

    fn last_used(&self) -> Instant {
        self.last_used.lock().map_or_else(|_| clock::now(), |it| *it)
    }

    /// Ends all that is open.
    fn close(&self) {
        self.open.cancel_all("the session is over");
        self.audience.leave(&self.client);
        self.lines.own.finish(None);
    }
}

impl Lines {
    fn stream(&self) -> Arc<Stream> {
        let Ok(mut streams) = self.by_number.lock() else {
            return Arc::new(Stream::new(u64::MAX, self.bytes_max));
        };
        let number = self.n_given.fetch_add(1, Ordering::Relaxed) + 1;
        let stream = Arc::new(Stream::new(number, self.bytes_max));
        streams.insert(number, Arc::clone(&stream));
        stream
    }

    /// Forgets a stream that nobody will come back for.
    fn forget(&self, number: u64) {
        if let Ok(mut streams) = self.by_number.lock() {
            streams.remove(&number);
        }
    }

    /// Forgets old streams if too much is kept of them. The newest one stays in any case.
    fn let_go(&self) {
        let Ok(mut streams) = self.by_number.lock() else { return };
        let over = streams.iter().filter(|(_, stream)| stream.is_over());
        let mut over: Vec<(u64, usize)> =
            over.map(|(number, stream)| (*number, stream.n_bytes())).collect();
        over.pop();
        let mut n_bytes: usize = over.iter().map(|(_, n_bytes)| n_bytes).sum();
        let mut n_over = over.len();
        for (number, own) in over {
            if n_over < STREAMS_MAX && n_bytes <= STREAM_BYTES_MAX {
                return;
            }
            streams.remove(&number);
            (n_over, n_bytes) = (n_over - 1, n_bytes - own);
        }
    }

    /// The newest stream on which something may still be told.
    fn newest(&self) -> Option<Arc<Stream>> {
        let streams = self.by_number.lock().ok()?;
        streams.values().rev().find(|stream| !stream.is_over()).cloned()
    }
}

/// What belongs to no request goes to whoever listens; if nobody does, to a request that is open,
/// and else it waits.
impl Line for Lines {
    fn put(&self, frame: Bytes) -> Result<(), Unheard> {
        if self.own.has_reader() {
            return self.own.put(frame);
        }
        match self.newest() {
            Some(stream) => stream.put(frame),
            None => self.own.put(frame),
        }
    }

    fn ask(&self, question: Bytes) -> Result<(), Unheard> {
        if self.own.has_reader() {
            return self.own.put(question);
        }
        self.newest().ok_or(Unheard)?.put(question)
    }
}

/// A stream of a session, until its request is answered. Then it is forgotten, unless its client
/// may come back for what it has not read.
pub(super) struct Lent {
    session: Arc<Session>,
    number: u64,
    is_kept: bool,
}

impl Lent {
    pub(super) fn new(session: &Arc<Session>, stream: &Stream) -> Lent {
        Lent { session: Arc::clone(session), number: stream.number, is_kept: false }
    }

    /// The client knows it, and may come back.
    pub(super) fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.session.touch();
        if self.is_kept {
            self.session.lines.let_go();
        } else {
            self.session.lines.forget(self.number);
        }
    }
}

#[cfg(test)]
mod tests;
