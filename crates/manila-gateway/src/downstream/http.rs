//! Serves clients over HTTP: MCP of both eras at `/mcp`, and plain HTTP at `/tools`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;
use manila::Code;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

use self::body::{BodyError, RequestBody};
use self::head::Head;
use self::reply::{HttpReply, RefusalReply};
use self::sessions::Sessions;
use crate::config::{self, Limits};
use crate::downstream::partial_message::{self, PartialMessage};
use crate::gateway::Gateway;
use crate::protocol::host;
use crate::protocol::presentation::ResultFormat;
use manila_process::os::{self, stop};

mod accept;
mod batch;
mod body;
mod connection_timer;
mod envelope;
mod exchange;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz;
mod head;
mod host_check;
mod legacy;
mod mcp;
mod modern;
mod plain;
mod reply;
mod retention;
mod route;
mod sessions;
mod stream;

/// The reason why the gateway cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is not local: everyone who can reach the machine could use the servers.
    #[error("{}", config::not_local(.0))]
    NotLocal(SocketAddr),
    /// The address cannot be bound.
    #[error("cannot listen on {0}: {1}")]
    NotBound(SocketAddr, io::Error),
}

/// The state that all connections share.
struct HttpState {
    gateway: Arc<Gateway>,
    sessions: Sessions,
    limits: Limits,
}

/// A bound address that accepts clients.
pub struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Listens on a local address. Port 0 selects a free port.
    #[expect(clippy::unused_async, reason = "sockets need the runtime")]
    pub async fn open(address: SocketAddr) -> Result<Listener, ServeError> {
        if !host::is_loopback_address(&address) {
            return Err(ServeError::NotLocal(address));
        }
        let not_bound = |error| ServeError::NotBound(address, error);
        let listener = listen(address).map_err(not_bound)?;
        let address = listener.local_addr().map_err(not_bound)?;
        Ok(Listener { listener, address })
    }

    /// Returns the bound address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    // Many clients may connect at once, and should not have to retry.
    const BACKLOG: u32 = 1_024;
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // The port can be bound again as soon as its previous listener has closed.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves clients until the process receives a stop signal, or the gateway stops.
///
/// Open requests may finish within the grace period. When this returns, the servers have stopped.
pub async fn serve(gateway: Arc<Gateway>, listener: Listener, limits: Limits) {
    const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);
    os::raise_file_limit();
    let grace = gateway.settings().grace;
    let state = Arc::new(HttpState {
        gateway: Arc::clone(&gateway),
        sessions: Sessions::new(limits.stream_bytes_max),
        limits,
    });
    let stopping = watch::Sender::new(false);
    let accepting = tokio::spawn(accept::accept_all(
        Arc::clone(&state),
        listener.listener,
        stopping.subscribe(),
    ));
    let closing_idle = tokio::spawn(close_idle_sessions(Arc::clone(&state)));
    tokio::select! {
        () = stop::wait_for_stop() => {}
        // Another listener may have ended, because its client has disconnected.
        () = gateway.wait_stopping() => {}
    }
    accepting.abort();
    closing_idle.abort();
    let in_flight = gateway.limits.in_flight.clone();
    let n_open = in_flight.n_requests();
    gateway.report_stopping(n_open, grace);
    gateway.begin_to_stop();
    // Each connection closes after the requests that are open on it.
    stopping.send_replace(true);
    tokio::select! {
        () = in_flight.wait_drained() => {}
        () = tokio::time::sleep(grace) => {}
        // A second signal means: do not wait.
        () = stop::wait_for_stop() => {}
    }
    gateway.close_listener().await;
    tokio::select! {
        () = gateway.stop() => {}
        () = stop::wait_for_stop() => {
            gateway.kill_now();
            gateway.stop().await;
        }
    }
    // Stopping the servers has completed the requests that were still open.
    let _ = tokio::time::timeout(FLUSH_TIMEOUT, in_flight.wait_drained()).await;
    state.sessions.end_all();
    // Connections finish the replies that they are writing.
    let _ = tokio::time::timeout(FLUSH_TIMEOUT, stopping.closed()).await;
}

async fn close_idle_sessions(state: Arc<HttpState>) {
    let idle_max = state.limits.session_idle;
    loop {
        tokio::time::sleep(idle_max / 8).await;
        state.sessions.close_idle(idle_max);
    }
}

impl HttpState {
    /// Reads a body within the limits.
    async fn read(&self, body: RequestBody) -> Result<Bytes, RefusalReply> {
        let bytes_max = self.gateway.settings().message_bytes_max;
        let read = body::read_body(body, bytes_max, self.limits.body_timeout).await;
        read.map_err(|error| Box::new(refuse_body(self, error)))
    }
}

/// Returns the refusal of a body that could not be read, and reports it.
fn refuse_body(state: &HttpState, error: BodyError) -> HttpReply {
    let limit = state.gateway.settings().message_bytes_max;
    let (status, code, message) = match error {
        BodyError::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            Code::TooLarge,
            format!("the body exceeds the limit of {limit} bytes (message_bytes_max)"),
        ),
        BodyError::TooSlow => (
            StatusCode::REQUEST_TIMEOUT,
            Code::Timeout,
            format!("the body did not arrive within {:?}", state.limits.body_timeout),
        ),
        BodyError::Aborted => {
            (StatusCode::BAD_REQUEST, Code::ParseError, "the body is incomplete".to_owned())
        }
    };
    partial_message::report_refused_message(&state.gateway, &message);
    let refused = reply::refusal(status, code, &message);
    match error {
        BodyError::TooLarge => {
            let refused = reply::with_fault(refused, partial_message::too_large(limit));
            reply::with_message(refused, PartialMessage::from_size(None, limit))
        }
        BodyError::TooSlow | BodyError::Aborted => refused,
    }
}

/// Returns the format that the header `Manila-Contract` requests, if there is one.
fn requested_format(state: &HttpState, head: &Head) -> Result<Option<ResultFormat>, RefusalReply> {
    let Some(id) = head.headers.get("manila-contract") else { return Ok(None) };
    let none = state.gateway.settings().none_requests;
    let requested = ResultFormat::parse_requested(id.to_str().ok(), none);
    requested.map(Some).map_err(|rule| {
        let message = format!("the header Manila-Contract {rule}");
        Box::new(reply::refusal(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, &message))
    })
}
