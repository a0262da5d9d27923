//! The connection to a server: a supervised child process, or a remote server over HTTP.
//!
//! A connection carries requests and responses in the server's era. The gateway restarts a child
//! with backoff. When a server exits, requests in flight fail at once.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use manila::{JsonObject, RawJson};
use tokio::time::Instant;

use crate::config::Server;
use crate::protocol::era::{Era, meta};
use crate::rt::clock;
use crate::telemetry::event::Events;
use crate::telemetry::live_redactor::LiveRedactor;

mod changes;
mod child;
mod connection;
mod deep_lists;
mod handshake;
mod http;
mod inbox;
mod pending;
mod reader;
mod remote;
mod stderr_tail;
mod supervise;
mod wire;

use child::Child;
pub(crate) use connection::Connection;
pub(crate) use handshake::{Handshake, HandshakeMethod};
#[cfg(any(test, fuzzing))]
pub use http::fuzz::parse_events;
pub(crate) use inbox::{Inbox, MessageSource, UpstreamMessage};
pub(crate) use pending::{Disconnected, HttpFailure, UpstreamReply, Waiting};
use remote::Remote;
pub(crate) use wire::{HeaderParams, RequestOverrides};

/// The reason why a server is unavailable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unavailable {
    /// The command, how it ended, and its last stderr lines.
    pub reason: String,
    /// The last lines that it wrote to stderr.
    pub stderr_tail: Vec<String>,
    /// Whether its program could be started, or the remote server could be reached.
    pub was_reached: bool,
    /// When the gateway restarts it, if it does.
    pub(crate) next_start: Option<Instant>,
    /// The error with which it refused `initialize`, if it did.
    pub(crate) refusal: Option<RawJson>,
}

impl Unavailable {
    fn because(reason: impl Into<String>) -> Unavailable {
        Unavailable {
            reason: reason.into(),
            stderr_tail: Vec::new(),
            was_reached: true,
            next_start: None,
            refusal: None,
        }
    }

    fn on_stop() -> Unavailable {
        Unavailable::because("Manila is stopping this server")
    }

    /// Returns the time until the gateway restarts the server.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.next_start.map(|at| at.saturating_duration_since(clock::now()))
    }
}

/// A server that has completed the handshake.
pub(crate) struct Ready {
    pub(crate) connection: Arc<Connection>,
    /// Its result of `initialize`, or of `server/discover`.
    pub(crate) handshake_result: RawJson,
    /// The era that the connection uses.
    pub(crate) era: Era,
    /// Its name and version, as it sent them.
    pub(crate) info: Option<RawJson>,
    /// Its version.
    pub(crate) version: Option<String>,
}

impl Ready {
    fn new(connection: Arc<Connection>, handshake_result: RawJson) -> Ready {
        let era = connection.era_or_fallback();
        let info = server_info(&handshake_result, era);
        let version = info.as_ref().and_then(|info| info.get("version"));
        let version = version.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned);
        Ready { connection, handshake_result, era, info, version }
    }

    /// Returns the server's capabilities.
    pub(crate) fn capabilities(&self) -> JsonObject {
        self.handshake_result.get("capabilities").and_then(JsonObject::new).unwrap_or_default()
    }
}

fn server_info(handshake_result: &RawJson, era: Era) -> Option<RawJson> {
    match era {
        Era::Legacy(_) => handshake_result.get("serverInfo"),
        Era::Modern => handshake_result.get("_meta")?.get(meta::SERVER_INFO),
    }
}

/// The settings of the connection to a server.
#[derive(Debug, Clone)]
pub(crate) struct SupervisorConfig {
    /// The largest message accepted from the server.
    pub(crate) message_bytes_max: usize,
    /// The maximum size of the queue to the server, and of the queue from it.
    pub(crate) queue_bytes_max: usize,
    /// How long the server may take to complete the handshake.
    pub(crate) start_timeout: Duration,
    /// How long the server may take to exit, at each step of the shutdown.
    pub(crate) grace: Duration,
    /// Whether the gateway starts the server only when it is first needed.
    pub(crate) is_lazy: bool,
    /// Redacts its stderr lines and its command line.
    pub(crate) redactor: LiveRedactor,
}

/// The transport to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransportKind {
    /// A pipe.
    Pipe,
    /// HTTP, with headers for some arguments.
    Http,
}

/// A server, by its transport.
pub(crate) enum Upstream {
    Child(Child),
    Remote(Box<Remote>),
}

impl Upstream {
    /// Starts the server, or prepares the connection to it. Its notifications and requests go to
    /// the inbox.
    pub(crate) fn start(
        server: Server,
        config: SupervisorConfig,
        events: Events,
    ) -> (Upstream, Inbox) {
        match server {
            Server::Command(command) => {
                let (child, inbox) = Child::start(command, config, events);
                (Upstream::Child(child), inbox)
            }
            Server::Pack(pack) => {
                let (child, inbox) = Child::start(pack.command, config, events);
                (Upstream::Child(child), inbox)
            }
            Server::Remote(address) => {
                let (remote, inbox) = Remote::new(address, config, events);
                (Upstream::Remote(Box::new(remote)), inbox)
            }
        }
    }

    /// Returns the transport to the server.
    pub(crate) fn transport(&self) -> TransportKind {
        match self {
            Upstream::Child(_) => TransportKind::Pipe,
            Upstream::Remote(_) => TransportKind::Http,
        }
    }

    /// Returns whether the server is remote. Its state is known only from the last request.
    pub(crate) fn is_remote(&self) -> bool {
        match self {
            Upstream::Child(_) => false,
            Upstream::Remote(_) => true,
        }
    }

    /// Waits until the server is ready, or fails with the reason why it is not. If it supports
    /// several eras, the preferred one is used.
    pub(crate) async fn ready(
        &self,
        preferred: Option<Era>,
    ) -> Result<Arc<Ready>, Arc<Unavailable>> {
        if let Some(ready) = self.ready_now(preferred) {
            return Ok(ready);
        }
        // Boxed, because callers hardly ever have to wait.
        match self {
            Upstream::Child(child) => Box::pin(child.ready(preferred)).await,
            Upstream::Remote(remote) => Box::pin(remote.ready(preferred)).await,
        }
    }

    /// Returns the server, if it is ready now.
    pub(crate) fn ready_now(&self, preferred: Option<Era>) -> Option<Arc<Ready>> {
        match self {
            Upstream::Child(child) => child.ready_now(),
            Upstream::Remote(remote) => remote.ready_now(preferred),
        }
    }

    /// Returns why the server is unavailable, if it is. A server that was never used counts as
    /// available.
    pub(crate) fn unavailable_reason(&self) -> Option<String> {
        match self {
            Upstream::Child(child) => child.unavailable_reason(),
            Upstream::Remote(remote) => remote.unavailable_reason(),
        }
    }

    /// Starts this handshake. With a remote server, the gateway performs its own instead.
    pub(crate) fn start_handshake(&self, handshake: Handshake) -> PendingHandshake {
        match self {
            Upstream::Child(child) => PendingHandshake::Child(child.start_handshake(handshake)),
            Upstream::Remote(_) => PendingHandshake::Remote(handshake.method),
        }
    }

    /// Stores the client's `notifications/initialized`. The gateway sends it to this server, and to
    /// each restarted one.
    pub(crate) fn send_initialized(&self, initialized_frame: &Bytes) {
        match self {
            Upstream::Child(child) => child.send_initialized(initialized_frame),
            // The gateway performed the handshake itself, and has already sent the notification.
            Upstream::Remote(_) => {}
        }
    }

    /// Stops the server: closes its input, then terminates it, then kills it. For a remote server,
    /// only the session ends.
    pub(crate) async fn stop(&self) {
        match self {
            Upstream::Child(child) => child.stop().await,
            Upstream::Remote(remote) => remote.stop().await,
        }
    }

    /// Kills the server without waiting any longer.
    pub(crate) fn kill_now(&self) {
        match self {
            Upstream::Child(child) => child.kill_now(),
            Upstream::Remote(_) => {}
        }
    }
}

/// A handshake in progress.
pub(crate) enum PendingHandshake {
    Child(child::PendingHandshake),
    Remote(HandshakeMethod),
}

impl PendingHandshake {
    /// Waits for the server's response.
    pub(crate) async fn wait(self, upstream: &Upstream) -> Result<Arc<Ready>, Arc<Unavailable>> {
        match (self, upstream) {
            (PendingHandshake::Child(pending), Upstream::Child(child)) => pending.wait(child).await,
            (PendingHandshake::Remote(method), _) => upstream.ready(Some(method.era())).await,
            // The upstream that started a handshake also completes it.
            (PendingHandshake::Child(_), Upstream::Remote(_)) => {
                Err(Arc::new(Unavailable::on_stop()))
            }
        }
    }
}
