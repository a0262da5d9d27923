//! A server that is reached over HTTP: each message is a request of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use tokio::task::AbortHandle;

use super::inbox::{FromUpstream, Item};
use super::pending::{Arrived, Declined};
use super::wire::Outgoing;
use super::{Connection, Keeping};
use crate::config::Address;
use crate::protocol::era::Era;
use crate::rt::clock;
use crate::rt::queue::Sender;

mod answer;
mod headers;
mod hear;
mod renew;
mod sse;

use answer::RefusedByHttp;

/// How a server is reached, in one conversation.
pub(super) struct Link {
    client: Client,
    address: Address,
    keeping: Keeping,
    /// Where what it says goes.
    inbox: Sender<Item>,
    session: Mutex<Session>,
    /// The id of a session that is being opened.
    opening: Mutex<Option<HeaderValue>>,
    /// Held by whoever opens a new session in the place of one that is gone.
    renewing: tokio::sync::Mutex<()>,
    /// What listens to what the server says unasked.
    hearing: Mutex<Option<AbortHandle>>,
    /// Whether the last request did not reach anybody.
    is_unreachable: AtomicBool,
    /// Whether the server has answered as if it did not know our era any more.
    is_doubtful: AtomicBool,
}

/// What a server of the legacy era wants to see in each request after the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

/// Names of headers that the protocol gives.
const SESSION_ID: &str = "mcp-session-id";
const PROTOCOL_VERSION: &str = "mcp-protocol-version";

impl Link {
    pub(super) fn new(
        client: Client,
        address: Address,
        keeping: Keeping,
        inbox: Sender<Item>,
    ) -> Link {
        Link {
            client,
            address,
            keeping,
            inbox,
            session: Mutex::default(),
            opening: Mutex::default(),
            renewing: tokio::sync::Mutex::default(),
            hearing: Mutex::default(),
            is_unreachable: AtomicBool::new(false),
            is_doubtful: AtomicBool::new(false),
        }
    }

    /// Sends a request. Its answer, and all that comes with it, arrives by the inbox; what is
    /// given back ends that.
    pub(super) fn exchange(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        about: &Outgoing<'_>,
    ) -> AbortHandle {
        let (link, connection) = (Arc::clone(self), Arc::clone(connection));
        let (headers, era) = (headers::of(about), about.era);
        let is_opening = about.method == "initialize";
        let exchange = async move {
            let asked = link.asked(&connection, id, frame, headers, era, is_opening).await;
            if let Some(arrived) = asked {
                let item = Item::Answered(connection, id, arrived);
                // Whoever listens no more needs no news.
                let _ = link.inbox.send(item).await;
            }
        };
        tokio::spawn(exchange).abort_handle()
    }

    /// The answer, unless it has gone to the inbox already.
    async fn asked(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        headers: HeaderMap,
        era: Era,
        is_opening: bool,
    ) -> Option<Arrived> {
        let mut session = if is_opening { Session::default() } else { self.session(era) };
        let mut may_renew = session.id.is_some();
        loop {
            let post = self.post(&session).headers(headers.clone()).body(frame.clone());
            let sent = post.send().await;
            self.is_unreachable.store(sent.is_err(), Ordering::Relaxed);
            let response = match sent {
                Ok(response) => response,
                Err(error) => return Some(Arrived::Declined(self.unreachable(&error))),
            };
            if is_opening && let Ok(mut opening) = self.opening.lock() {
                *opening = response.headers().get(SESSION_ID).cloned();
            }
            if response.status().is_success() {
                return self.answered(connection, id, response).await;
            }
            let refused = RefusedByHttp::read(response, &self.address).await;
            if !(may_renew && refused.has_forgotten_us()) {
                if refused.is_of_another_era(era) {
                    self.is_doubtful.store(true, Ordering::Relaxed);
                }
                return Some(self.refused(id, refused));
            }
            // What was asked has not been done.
            may_renew = false;
            if let Err(why) = self.renewed(connection, &session).await {
                return Some(why);
            }
            session = self.session(era);
        }
    }

    /// Sends what nobody waits for an answer to.
    pub(super) fn tell(self: &Arc<Link>, connection: &Arc<Connection>, frame: Bytes) {
        let era = connection.era_or_plainest();
        let (link, connection) = (Arc::clone(self), Arc::clone(connection));
        tokio::spawn(async move {
            let session = link.session(era);
            let sent = link.post(&session).timeout(link.keeping.start_timeout).body(frame).send();
            match sent.await {
                Ok(response) if response.status().is_success() => {}
                Ok(response) => {
                    let status = response.status().as_u16();
                    connection.complain(&format!("HTTP {status} in answer to a notification"));
                }
                Err(_) => connection.complain("nothing: it could not be told something"),
            }
        });
    }

    /// A POST, with all that each has.
    fn post(&self, session: &Session) -> RequestBuilder {
        self.request(Method::POST, session)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
    }

    fn request(&self, method: Method, session: &Session) -> RequestBuilder {
        let request = self.client.request(method, self.address.url.clone());
        let mut request = request.headers(self.address.headers.clone());
        if let Some(id) = &session.id {
            request = request.header(SESSION_ID, id);
        }
        if let Some(version) = &session.version {
            request = request.header(PROTOCOL_VERSION, version);
        }
        request
    }

    /// What a server of this era wants to see in each request.
    fn session(&self, era: Era) -> Session {
        match era {
            // Each request says it all, and has its own headers.
            Era::Modern => Session::default(),
            Era::Legacy(_) => self.session.lock().map(|it| it.clone()).unwrap_or_default(),
        }
    }

    /// The session that a server of the legacy era has opened, with the revision that has been
    /// agreed on. It is not used before somebody says so.
    fn opened_session(&self, era: Era) -> Session {
        let id = self.opening.lock().ok().and_then(|mut opening| opening.take());
        Session { id, version: Some(HeaderValue::from_static(era.date())) }
    }

    /// From now on this is our session.
    fn use_session(&self, opened: Session) {
        if let Ok(mut session) = self.session.lock() {
            *session = opened;
        }
    }

    /// Whether the server has answered as if it did not know our era any more: it may be another
    /// one by now.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_doubtful.load(Ordering::Relaxed)
    }

    /// Whether the last request did not reach anybody.
    pub(super) fn is_unreachable(&self) -> bool {
        self.is_unreachable.load(Ordering::Relaxed)
    }

    /// Tells a server of the legacy era that its session is over.
    pub(super) async fn goodbye(&self) {
        const LONGEST: Duration = Duration::from_secs(1);
        if let Some(hearing) = self.hearing.lock().ok().and_then(|mut it| it.take()) {
            hearing.abort();
        }
        let session = self.session(Era::PLAINEST);
        if session.id.is_some() {
            // A server that does not hear it forgets us in its own time.
            let _ = self.request(Method::DELETE, &session).timeout(LONGEST).send().await;
        }
    }

    /// Why a server cannot be reached, without the words of its address that are secret.
    fn unreachable(&self, error: &reqwest::Error) -> Declined {
        let address = &self.address;
        let cause = std::iter::successors(
            std::error::Error::source(error),
            |it: &&(dyn std::error::Error + 'static)| it.source(),
        );
        let cause = cause.last().map(ToString::to_string);
        let cause = cause.unwrap_or_else(|| "the request could not be sent".to_owned());
        Declined { status: None, reason: format!("`{address}`: {cause}"), retry_after: None }
    }

    /// Whoever listens hears that this is a new conversation.
    fn tell_renewed(&self, connection: &Arc<Connection>) {
        let restarted = FromUpstream::Restarted(Arc::clone(connection));
        // Whoever listens no more needs no news.
        let _ = self.inbox.push(Item::Said(restarted));
    }

    /// Tells the server that the handshake is over, before anything else is asked of it.
    async fn confirm(&self, connection: &Connection, session: &Session, confirmation: Bytes) {
        let post = self.post(session).timeout(self.keeping.start_timeout);
        if post.body(confirmation).send().await.is_err() {
            connection.complain("nothing: it could not be told something");
        }
    }
}

/// Waits, as long as a server has wished to be left alone, within limits.
async fn pause(wished: Option<Duration>) {
    const SHORTEST: Duration = Duration::from_millis(100);
    const USUAL: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_secs(30);
    let until = clock::now() + wished.unwrap_or(USUAL).clamp(SHORTEST, LONGEST);
    tokio::time::sleep_until(until).await;
}
