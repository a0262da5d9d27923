//! The server behind us: a child that is kept running, or one that is reached over HTTP.
//!
//! A connection carries requests and responses in the era that the server speaks. Children are
//! restarted with backoff; what waits for an answer learns at once that the server is gone.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use manila::{JsonObject, RawJson};
use tokio::time::Instant;

use crate::config::Server;
use crate::protocol::era::{Era, meta};
use crate::rt::clock;
use crate::telemetry::event::Events;
use crate::telemetry::rules::Rules;

mod changes;
mod child;
mod connection;
mod handshake;
mod http;
mod inbox;
mod last_words;
mod listen;
mod pending;
mod remote;
mod supervise;
mod wire;

use child::Child;
pub(crate) use connection::Connection;
pub(crate) use handshake::{Greeting, Opening};
pub(crate) use inbox::{From, FromUpstream, Inbox};
pub(crate) use pending::{Arrived, Declined, Gone, Waiting};
use remote::Remote;
pub(crate) use wire::{Mirrored, SentAs};

/// Why the server cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Down {
    /// The command, how it ended, and its last words.
    pub reason: String,
    /// The lines that it last wrote to its standard error.
    pub last_words: Vec<String>,
    /// Whether its program could be run at all.
    pub was_run: bool,
    /// When it is started again, if it is.
    pub(crate) next_start: Option<Instant>,
    /// The error with which it refused `initialize`, if it did.
    pub(crate) refusal: Option<RawJson>,
}

impl Down {
    fn because(reason: impl Into<String>) -> Down {
        Down {
            reason: reason.into(),
            last_words: Vec::new(),
            was_run: true,
            next_start: None,
            refusal: None,
        }
    }

    fn stopped() -> Down {
        Down::because("Manila is stopping")
    }

    /// How long until it is started again.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.next_start.map(|at| at.saturating_duration_since(clock::now()))
    }
}

/// A server that can be asked.
pub(crate) struct Ready {
    pub(crate) connection: Arc<Connection>,
    /// What it answered to `initialize`, or to `server/discover`.
    pub(crate) greeting: RawJson,
    /// How it speaks.
    pub(crate) era: Era,
    /// Its name and version, as it gave them.
    pub(crate) info: Option<RawJson>,
    /// That version.
    pub(crate) version: Option<String>,
}

impl Ready {
    fn new(connection: Arc<Connection>, greeting: RawJson) -> Ready {
        let era = connection.era_or_plainest();
        let info = server_info(&greeting, era);
        let version = info.as_ref().and_then(|info| info.get("version"));
        let version = version.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned);
        Ready { connection, greeting, era, info, version }
    }

    /// What it can do.
    pub(crate) fn capabilities(&self) -> JsonObject {
        self.greeting.get("capabilities").and_then(JsonObject::new).unwrap_or_default()
    }
}

fn server_info(greeting: &RawJson, era: Era) -> Option<RawJson> {
    match era {
        Era::Legacy(_) => greeting.get("serverInfo"),
        Era::Modern => greeting.get("_meta")?.get(meta::SERVER_INFO),
    }
}

/// How a server is kept.
#[derive(Debug, Clone)]
pub(crate) struct Keeping {
    /// The largest message that is read from it.
    pub(crate) frame_bytes_max: usize,
    /// How much may wait on its way to it, and from it.
    pub(crate) queue_bytes_max: usize,
    /// How long it may take to answer `initialize`.
    pub(crate) start_timeout: Duration,
    /// How long it has to end by itself, each time it is asked more firmly.
    pub(crate) grace: Duration,
    /// Whether it is started when somebody greets it, and not before.
    pub(crate) is_lazy: bool,
    /// What finds the secrets in its last words and in its command line.
    pub(crate) rules: Rules,
}

/// What carries calls to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// A pipe.
    Pipe,
    /// HTTP, with headers that tell arguments.
    Http,
}

/// The server, whichever way it is reached.
pub(crate) enum Upstream {
    Child(Child),
    Remote(Box<Remote>),
}

impl Upstream {
    /// Starts the server, or gets ready to reach it. What it says on its own comes out of the
    /// inbox.
    pub(crate) fn start(server: Server, keeping: Keeping, events: Events) -> (Upstream, Inbox) {
        match server {
            Server::Command(command) => {
                let (child, inbox) = Child::start(command, keeping, events);
                (Upstream::Child(child), inbox)
            }
            Server::Pack(pack) => {
                let (child, inbox) = Child::start(pack.command, keeping, events);
                (Upstream::Child(child), inbox)
            }
            Server::At(address) => {
                let (remote, inbox) = Remote::new(address, keeping, events);
                (Upstream::Remote(Box::new(remote)), inbox)
            }
        }
    }

    /// What carries calls to the server.
    pub(crate) fn carrier(&self) -> Carrier {
        match self {
            Upstream::Child(_) => Carrier::Pipe,
            Upstream::Remote(_) => Carrier::Http,
        }
    }

    /// Whether nothing is known of it before it is asked: it is no process of ours.
    pub(crate) fn is_dialled(&self) -> bool {
        match self {
            Upstream::Child(_) => false,
            Upstream::Remote(_) => true,
        }
    }

    /// The server, as soon as it is ready; or why it is not. Where it can be asked in more than
    /// one era, it is the one that whoever asks speaks.
    pub(crate) async fn ready(&self, wanted: Option<Era>) -> Result<Arc<Ready>, Arc<Down>> {
        if let Some(ready) = self.ready_now(wanted) {
            return Ok(ready);
        }
        // Hardly anybody waits, and all who ask would have to carry the room for it.
        match self {
            Upstream::Child(child) => Box::pin(child.ready(wanted)).await,
            Upstream::Remote(remote) => Box::pin(remote.ready(wanted)).await,
        }
    }

    /// The server, if it can be asked now.
    pub(crate) fn ready_now(&self, wanted: Option<Era>) -> Option<Arc<Ready>> {
        match self {
            Upstream::Child(child) => child.ready_now(),
            Upstream::Remote(remote) => remote.ready_now(wanted),
        }
    }

    /// Why the server cannot be asked now, if it cannot. One that nobody has asked yet may well be.
    pub(crate) fn trouble(&self) -> Option<String> {
        match self {
            Upstream::Child(child) => child.trouble(),
            Upstream::Remote(remote) => remote.trouble(),
        }
    }

    /// Hands a client's own greeting to a server that nobody else speaks to.
    pub(crate) fn greet(&self, greeting: Greeting) -> Greeted {
        match self {
            Upstream::Child(child) => Greeted::Child(child.greet(greeting)),
            Upstream::Remote(_) => Greeted::Remote(greeting.opening),
        }
    }

    /// Notes that the client has confirmed the handshake: this server hears it, and every one
    /// that is started in its place.
    pub(crate) fn confirm(&self, confirmation: &Bytes) {
        match self {
            Upstream::Child(child) => child.confirm(confirmation),
            // It was greeted on our own behalf, and has heard it.
            Upstream::Remote(_) => {}
        }
    }

    /// Ends the server: its input is closed, then it is asked, then it is killed. One that is
    /// not ours is only told goodbye.
    pub(crate) async fn stop(&self) {
        match self {
            Upstream::Child(child) => child.stop().await,
            Upstream::Remote(remote) => remote.stop().await,
        }
    }

    /// Ends the server without waiting for it any longer.
    pub(crate) fn hurry(&self) {
        match self {
            Upstream::Child(child) => child.hurry(),
            Upstream::Remote(_) => {}
        }
    }
}

/// A greeting on its way.
pub(crate) enum Greeted {
    Child(child::Greeted),
    Remote(Opening),
}

impl Greeted {
    /// Waits for the server's answer.
    pub(crate) async fn answer(self, upstream: &Upstream) -> Result<Arc<Ready>, Arc<Down>> {
        match (self, upstream) {
            (Greeted::Child(greeted), Upstream::Child(child)) => greeted.answer(child).await,
            (Greeted::Remote(opening), _) => upstream.ready(Some(opening.era())).await,
            // A greeting comes back to whom it was given by.
            (Greeted::Child(_), Upstream::Remote(_)) => Err(Arc::new(Down::stopped())),
        }
    }
}
