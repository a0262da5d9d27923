//! The HTTP transport to a server: each message is a request of its own.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use tokio::task::AbortHandle;

use super::inbox::{Item, UpstreamMessage};
use super::pending::{HttpFailure, UpstreamReply};
use super::wire::Outgoing;
use super::{Connection, SupervisorConfig};
use crate::config::Address;
use crate::protocol::era::Era;
use crate::rt::clock;
use crate::rt::queue::Sender;

mod answer;
#[cfg(any(test, fuzzing))]
pub(super) mod fuzz;
mod headers;
mod renew;
mod server_stream;
mod sse;

use answer::HttpErrorResponse;

/// The HTTP transport of a connection to a server.
pub(super) struct HttpTransport {
    client: Client,
    address: Address,
    config: SupervisorConfig,
    /// The sender for the server's messages.
    inbox: Sender<Item>,
    session: Mutex<Session>,
    /// The id of a session that is being opened.
    opening: Mutex<Option<HeaderValue>>,
    /// Held while a new session replaces one that the server has lost.
    renewing: tokio::sync::Mutex<()>,
    /// The task that reads the server's own stream.
    server_stream: Mutex<Option<AbortHandle>>,
    /// Whether the last request failed to reach the server.
    is_unreachable: AtomicBool,
    /// Whether the server responded as if it no longer supported the era of the connection.
    is_era_doubtful: AtomicBool,
}

/// The headers that a server of the legacy era requires after the handshake.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

/// The report about a server that sent no response to a notification.
const NOTIFICATION_FAILED: &str = "did not accept a notification";

/// The header with the id of a session.
const SESSION_ID: &str = "mcp-session-id";
/// The header with the MCP revision that the session uses.
const PROTOCOL_VERSION: &str = "mcp-protocol-version";

impl HttpTransport {
    pub(super) fn new(
        client: Client,
        address: Address,
        config: SupervisorConfig,
        inbox: Sender<Item>,
    ) -> HttpTransport {
        HttpTransport {
            client,
            address,
            config,
            inbox,
            session: Mutex::default(),
            opening: Mutex::default(),
            renewing: tokio::sync::Mutex::default(),
            server_stream: Mutex::default(),
            is_unreachable: AtomicBool::new(false),
            is_era_doubtful: AtomicBool::new(false),
        }
    }

    /// Sends a request in a new task. Its response, and all messages that arrive with it, go to the
    /// inbox. The returned handle aborts the task.
    pub(super) fn spawn_request(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        outgoing: &Outgoing<'_>,
    ) -> AbortHandle {
        let (transport, connection) = (Arc::clone(self), Arc::clone(connection));
        let (headers, era) = (headers::of(outgoing), outgoing.era);
        let is_opening = outgoing.method == "initialize";
        let request = async move {
            let reply =
                transport.send_request(&connection, id, frame, headers, era, is_opening).await;
            if let Some(reply) = reply {
                let item = Item::Answered(connection, id, reply);
                // The receiver may be closed.
                let _ = transport.inbox.send(item).await;
            }
        };
        tokio::spawn(request).abort_handle()
    }

    /// Sends the request, in a new session if the server has lost the current one. Returns the
    /// response, unless it has already gone to the inbox.
    async fn send_request(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        headers: HeaderMap,
        era: Era,
        is_opening: bool,
    ) -> Option<UpstreamReply> {
        let mut session = if is_opening { Session::default() } else { self.session(era) };
        let mut may_renew = session.id.is_some();
        loop {
            let post = self.post(&session).headers(headers.clone()).body(frame.clone());
            let sent = post.send().await;
            self.is_unreachable.store(sent.is_err(), Ordering::Relaxed);
            let response = match sent {
                Ok(response) => response,
                Err(error) => return Some(UpstreamReply::HttpFailure(self.unreachable(&error))),
            };
            if is_opening && let Ok(mut opening) = self.opening.lock() {
                *opening = response.headers().get(SESSION_ID).cloned();
            }
            if response.status().is_success() {
                return self.read_response(connection, id, response).await;
            }
            let error = HttpErrorResponse::read(response, &self.address).await;
            if !(may_renew && error.is_session_lost()) {
                if error.suggests_unsupported_era(era) {
                    self.is_era_doubtful.store(true, Ordering::Relaxed);
                }
                return Some(self.parse_error(id, error));
            }
            // The server did not execute the request, so it is safe to send it again.
            may_renew = false;
            if let Err(reply) = self.renew_session(connection, &session).await {
                return Some(reply);
            }
            session = self.session(era);
        }
    }

    /// Sends a message that has no response.
    pub(super) fn send_notification(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        frame: Bytes,
    ) {
        let era = connection.era_or_fallback();
        let (transport, connection) = (Arc::clone(self), Arc::clone(connection));
        tokio::spawn(async move {
            let session = transport.session(era);
            let post = transport.post(&session).timeout(transport.config.start_timeout);
            match post.body(frame).send().await {
                Ok(response) if response.status().is_success() => {}
                Ok(response) => {
                    let status = response.status().as_u16();
                    connection
                        .report_unusable(&format!("sent HTTP {status} to refuse a notification"));
                }
                Err(_) => connection.report_unusable(NOTIFICATION_FAILED),
            }
        });
    }

    /// Builds a POST with the common headers.
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

    /// Returns the session headers for a server of this era.
    fn session(&self, era: Era) -> Session {
        match era {
            // In the modern era, each request has its own headers.
            Era::Modern => Session::default(),
            Era::Legacy(_) => self.session.lock().map(|it| it.clone()).unwrap_or_default(),
        }
    }

    /// Returns the session that a server of the legacy era has opened, with the negotiated
    /// revision. It is not used until `use_session` is called.
    fn take_opened_session(&self, era: Era) -> Session {
        let id = self.opening.lock().ok().and_then(|mut opening| opening.take());
        Session { id, version: Some(HeaderValue::from_static(era.date())) }
    }

    /// Makes this the current session.
    fn use_session(&self, opened: Session) {
        if let Ok(mut session) = self.session.lock() {
            *session = opened;
        }
    }

    /// Returns whether the server responded as if it no longer supported the era of the connection:
    /// it may have been replaced.
    pub(super) fn is_era_doubtful(&self) -> bool {
        self.is_era_doubtful.load(Ordering::Relaxed)
    }

    /// Returns whether the last request failed to reach the server.
    pub(super) fn is_unreachable(&self) -> bool {
        self.is_unreachable.load(Ordering::Relaxed)
    }

    /// Ends the session with a server of the legacy era.
    pub(super) async fn delete_session(&self) {
        const LONGEST: Duration = Duration::from_secs(1);
        let stream = self.server_stream.lock().ok().and_then(|mut it| it.take());
        if let Some(stream) = stream {
            stream.abort();
        }
        let session = self.session(Era::FALLBACK);
        if session.id.is_some() {
            // If the request fails, the server lets the session expire.
            let _ = self.request(Method::DELETE, &session).timeout(LONGEST).send().await;
        }
    }

    /// Describes why a server cannot be reached, without the secret parts of its address.
    fn unreachable(&self, error: &reqwest::Error) -> HttpFailure {
        let address = &self.address;
        let cause = std::iter::successors(
            std::error::Error::source(error),
            |it: &&(dyn std::error::Error + 'static)| it.source(),
        );
        let cause = cause.last().map(|cause| {
            let prefix = if is_tls_failure(cause) { "the TLS handshake failed: " } else { "" };
            format!("{prefix}{cause}")
        });
        let cause = cause.unwrap_or_else(|| "the request could not be sent".to_owned());
        let reason = format!("`{address}` cannot be reached: {cause}");
        HttpFailure { status: None, reason, retry_after: None }
    }

    /// Reports the new session to the inbox.
    fn report_new_session(&self, connection: &Arc<Connection>) {
        let restarted = UpstreamMessage::Restarted(Arc::clone(connection));
        // The receiver may be closed.
        let _ = self.inbox.push(Item::Message(restarted));
    }

    /// Sends `notifications/initialized` and waits for the response, so that no request overtakes
    /// it.
    async fn send_initialized(
        &self,
        connection: &Connection,
        session: &Session,
        initialized_frame: Bytes,
    ) {
        let post = self.post(session).timeout(self.config.start_timeout);
        if post.body(initialized_frame).send().await.is_err() {
            connection.report_unusable(NOTIFICATION_FAILED);
        }
    }
}

/// Returns whether an error is from the TLS handshake. The connector wraps such an error in I/O
/// errors.
fn is_tls_failure(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = error.downcast_ref::<io::Error>();
    while let Some(error) = next {
        if error.kind() == io::ErrorKind::InvalidData {
            return true;
        }
        next = error.get_ref().and_then(|inner| inner.downcast_ref());
    }
    false
}

/// Waits for as long as the server requests, within limits.
async fn wait_before_retry(requested: Option<Duration>) {
    const SHORTEST: Duration = Duration::from_millis(100);
    const DEFAULT: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_secs(30);
    let until = clock::now() + requested.unwrap_or(DEFAULT).clamp(SHORTEST, LONGEST);
    tokio::time::sleep_until(until).await;
}
