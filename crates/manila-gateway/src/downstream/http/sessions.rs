//! Sessions of the legacy era: the handshake opens one, and the client or an idle timeout ends it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::retention::Retention;
use super::stream::{Reader, Stream};
use crate::downstream::open_requests::OpenRequests;
use crate::gateway::Gateway;
use crate::notifications::{
    NotificationFilter, Notifications, Resources, Subscriber, SubscriberGuard,
};
use crate::protocol::caller::{Client, ClientInfo, Outbound, Undelivered};
use crate::protocol::era::Revision;
use crate::protocol::request_source::Principal;
use crate::rt::clock;

/// The number and total size of a session's finished streams that can be resumed.
const STREAMS_MAX: usize = 64;
const STREAM_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The maximum size of the messages that wait for a client without an open stream.
const UNDELIVERED_BYTES_MAX: usize = 256 * 1024;

/// All sessions.
pub(super) struct Sessions {
    by_id: Mutex<HashMap<String, Arc<Session>>>,
    retention: Arc<Retention>,
}

/// A client of the legacy era, with its open requests and streams.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) revision: Revision,
    /// The principal that opened it, and the only one that may use it.
    owner: Principal,
    pub(super) client: Arc<Client>,
    pub(super) open: OpenRequests,
    streams: Arc<SessionStreams>,
    notifications: Arc<Notifications>,
    /// The subscription to servers' notifications.
    _subscription: SubscriberGuard,
    last_used: Mutex<Instant>,
}

/// The streams of a session.
struct SessionStreams {
    /// The stream for messages that belong to no request.
    standalone: Arc<Stream>,
    by_number: Mutex<BTreeMap<u64, Arc<Stream>>>,
    /// The number of streams so far.
    n_streams: AtomicU64,
    bytes_max: usize,
    retention: Arc<Retention>,
}

impl Sessions {
    /// Creates an empty set of sessions, whose streams together keep at most this many bytes so
    /// that clients can resume them.
    pub(super) fn new(stream_bytes_max: usize) -> Sessions {
        let retention = Arc::new(Retention::new(stream_bytes_max));
        Sessions { by_id: Mutex::default(), retention }
    }

    /// Opens a session. At the limit, this closes the session that has been idle longest. Returns
    /// `None` if no session is idle.
    pub(super) fn open(
        &self,
        gateway: &Gateway,
        client_info: ClientInfo,
        revision: Revision,
        owner: Principal,
        n_max: usize,
    ) -> Option<Arc<Session>> {
        let mut sessions = self.by_id.lock().ok()?;
        if sessions.len() >= n_max {
            let idle = sessions.values().filter(|session| session.is_idle());
            let oldest = idle.min_by_key(|session| session.last_used()).map(|it| it.id.clone())?;
            sessions.remove(&oldest)?.close();
        }
        let id = uuid::Uuid::from_bytes(clock::random_id()).simple().to_string();
        let session = Arc::new(self.new_session(gateway, id, client_info, revision, owner));
        sessions.insert(session.id.clone(), Arc::clone(&session));
        Some(session)
    }

    fn new_session(
        &self,
        gateway: &Gateway,
        id: String,
        client_info: ClientInfo,
        revision: Revision,
        owner: Principal,
    ) -> Session {
        let streams = Arc::new(SessionStreams {
            standalone: Stream::standalone(UNDELIVERED_BYTES_MAX, &self.retention),
            by_number: Mutex::default(),
            n_streams: AtomicU64::new(0),
            bytes_max: gateway.settings().queue_bytes_max,
            retention: Arc::clone(&self.retention),
        });
        let outbound: Arc<dyn Outbound> = Arc::clone(&streams) as Arc<dyn Outbound>;
        let client = Arc::new(Client::with_info(client_info, Arc::clone(&outbound)));
        let filter = NotificationFilter {
            resources: Resources::Watched,
            ..NotificationFilter::everything()
        };
        let subscriber = Subscriber { client: Arc::clone(&client), outbound, filter };
        Session {
            id,
            revision,
            owner,
            client,
            open: OpenRequests::default(),
            streams,
            notifications: Arc::clone(&gateway.notifications),
            _subscription: gateway.notifications.add(subscriber),
            last_used: Mutex::new(clock::now()),
        }
    }

    /// Returns the session with this id if it belongs to this principal, and marks it as used.
    pub(super) fn get(&self, id: &str, principal: Principal) -> Option<Arc<Session>> {
        let session = self.by_id.lock().ok()?.get(id).cloned()?;
        if session.owner != principal {
            return None;
        }
        session.touch();
        Some(session)
    }

    /// Ends a session. Returns whether it existed.
    pub(super) fn end(&self, id: &str) -> bool {
        let session = self.by_id.lock().ok().and_then(|mut sessions| sessions.remove(id));
        session.inspect(|session| session.close()).is_some()
    }

    /// Closes the sessions that have been idle for longer than this.
    pub(super) fn close_idle(&self, idle_max: Duration) {
        let now = clock::now();
        let Ok(mut sessions) = self.by_id.lock() else { return };
        let is_expired = |session: &Session| {
            session.is_idle() && now.saturating_duration_since(session.last_used()) > idle_max
        };
        for (_, session) in sessions.extract_if(|_, session| is_expired(session)) {
            session.close();
        }
    }

    /// Ends all sessions.
    pub(super) fn end_all(&self) {
        let sessions = self.by_id.lock().map(|mut it| std::mem::take(&mut *it)).unwrap_or_default();
        for session in sessions.values() {
            session.close();
        }
    }

    /// Returns the number of open sessions.
    pub(super) fn n_open(&self) -> usize {
        self.by_id.lock().map_or(0, |sessions| sessions.len())
    }
}

impl Session {
    /// Creates a stream for one request.
    pub(super) fn new_stream(&self) -> Arc<Stream> {
        self.streams.new_stream()
    }

    /// Returns a reader of the messages that belong to no request.
    pub(super) fn reader(&self) -> Reader {
        let n_read = self.streams.standalone.n_read();
        self.streams.standalone.reader(n_read)
    }

    /// Returns a reader that resumes a stream after the event with this id. Returns `None` if the
    /// next events of a request's stream are no longer kept.
    pub(super) fn resume(&self, last_id: &str) -> Option<Reader> {
        let (number, n_before) = last_id.split_once('-')?;
        let (number, n_before): (u64, u64) = (number.parse().ok()?, n_before.parse().ok()?);
        if number == 0 {
            return Some(self.streams.standalone.reader(n_before));
        }
        let stream = self.streams.by_number.lock().ok()?.get(&number).cloned()?;
        stream.gapless_reader(n_before)
    }

    fn is_idle(&self) -> bool {
        self.open.n_open() == 0 && !self.streams.standalone.has_reader()
    }

    /// Marks the session as used now.
    pub(super) fn touch(&self) {
        if let Ok(mut last_used) = self.last_used.lock() {
            *last_used = clock::now();
        }
    }

    fn last_used(&self) -> Instant {
        self.last_used.lock().map_or_else(|_| clock::now(), |it| *it)
    }

    /// Cancels the open requests, and ends the subscription and the standalone stream.
    fn close(&self) {
        self.open.cancel_all("the session has ended");
        self.notifications.remove_client(&self.client);
        self.streams.standalone.finish(None);
    }
}

impl SessionStreams {
    fn new_stream(&self) -> Arc<Stream> {
        let Ok(mut streams) = self.by_number.lock() else {
            return Stream::of_request(u64::MAX, self.bytes_max, &self.retention);
        };
        let number = self.n_streams.fetch_add(1, Ordering::Relaxed) + 1;
        let stream = Stream::of_request(number, self.bytes_max, &self.retention);
        streams.insert(number, Arc::clone(&stream));
        stream
    }

    /// Removes a stream that the client cannot resume.
    fn remove(&self, number: u64) {
        if let Ok(mut streams) = self.by_number.lock() {
            streams.remove(&number);
        }
    }

    /// Removes the oldest finished streams beyond the limits. The newest one always stays.
    fn evict_streams(&self) {
        let Ok(mut streams) = self.by_number.lock() else { return };
        let finished = streams.iter().filter(|(_, stream)| stream.is_finished());
        let mut finished: Vec<(u64, usize)> =
            finished.map(|(number, stream)| (*number, stream.n_bytes())).collect();
        finished.pop();
        let mut n_bytes_total: usize = finished.iter().map(|(_, n_bytes)| n_bytes).sum();
        let mut n_finished = finished.len();
        for (number, n_bytes) in finished {
            if n_finished < STREAMS_MAX && n_bytes_total <= STREAM_BYTES_MAX {
                return;
            }
            streams.remove(&number);
            (n_finished, n_bytes_total) = (n_finished - 1, n_bytes_total - n_bytes);
        }
    }

    /// Returns the newest unfinished stream that the client can read.
    fn newest(&self) -> Option<Arc<Stream>> {
        let streams = self.by_number.lock().ok()?;
        streams.values().rev().find(|it| !it.is_finished() && !it.is_lost()).cloned()
    }
}

/// Messages that belong to no request go to the standalone stream if it has a reader. Otherwise
/// they go to the stream of the newest open request, or wait in the standalone stream.
impl Outbound for SessionStreams {
    fn put(&self, frame: Bytes) -> Result<(), Undelivered> {
        if self.standalone.has_reader() {
            return self.standalone.put(frame);
        }
        match self.newest() {
            Some(stream) => stream.put(frame),
            None => self.standalone.put(frame),
        }
    }

    fn push_request(&self, request: Bytes) -> Result<(), Undelivered> {
        if self.standalone.has_reader() {
            return self.standalone.put(request);
        }
        self.newest().ok_or(Undelivered)?.put(request)
    }
}

/// A lease of a session's stream. When it is dropped, the stream is removed unless the client may
/// resume it.
pub(super) struct StreamLease {
    session: Arc<Session>,
    number: u64,
    is_kept: bool,
}

impl StreamLease {
    pub(super) fn new(session: &Arc<Session>, stream: &Stream) -> StreamLease {
        StreamLease { session: Arc::clone(session), number: stream.number, is_kept: false }
    }

    /// Keeps the stream, because the client has its id and may resume it.
    pub(super) fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for StreamLease {
    fn drop(&mut self) {
        self.session.touch();
        if self.is_kept {
            self.session.streams.evict_streams();
        } else {
            self.session.streams.remove(self.number);
        }
    }
}

#[cfg(test)]
mod tests;
