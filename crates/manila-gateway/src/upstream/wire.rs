//! What carries frames to a server: its pipe, or HTTP.

use std::sync::Arc;

use bytes::Bytes;
use manila::{JsonObject, RawJson};
use tokio::task::AbortHandle;

use super::Connection;
use super::http::Link;
use crate::protocol::era::Era;
use crate::rt::queue::{NotPut, Sender};

/// What carries frames to a server.
pub(super) enum Wire {
    /// One pipe for all messages.
    Pipe(Sender<Bytes>),
    /// A request of its own for each.
    Http(Arc<Link>),
}

/// A request on its way, as far as HTTP tells of it beside the message.
pub(super) struct Outgoing<'a> {
    pub(super) era: Era,
    pub(super) method: &'a str,
    /// The parameter `name`.
    pub(super) name: Option<&'a RawJson>,
    pub(super) params: Option<&'a JsonObject>,
    pub(super) sent: &'a SentAs,
}

/// What differs from a client's request where it is sent to a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentAs {
    /// The server's own name for what the request names, where clients know another.
    pub(crate) name: Option<String>,
    /// The arguments that stand in headers, too.
    pub(crate) headers: Mirrored,
}

/// Arguments that a tool wants to see in headers, too: their names and values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mirrored(pub(crate) Vec<(String, String)>);

impl Wire {
    /// Waits until there is room for more.
    pub(super) async fn room(&self) {
        match self {
            Wire::Pipe(pipe) => pipe.room().await,
            Wire::Http(_) => {}
        }
    }

    /// Sends a request. What comes back beside a pipe is what brings the answer.
    pub(super) async fn send(
        &self,
        connection: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        about: &Outgoing<'_>,
    ) -> Result<Option<AbortHandle>, NotPut> {
        match self {
            Wire::Pipe(pipe) => pipe.send(frame).await.map(|()| None),
            Wire::Http(link) => Ok(Some(link.exchange(connection, id, frame, about))),
        }
    }

    /// Sends what nobody waits for an answer to.
    pub(super) fn push(&self, connection: &Arc<Connection>, frame: Bytes) -> Result<(), ()> {
        match self {
            Wire::Pipe(pipe) => match pipe.push(frame) {
                Err(NotPut::Full) => Err(()),
                // Whoever is gone needs no news.
                Ok(()) | Err(NotPut::Closed) => Ok(()),
            },
            Wire::Http(link) => {
                link.tell(connection, frame);
                Ok(())
            }
        }
    }

    /// Whether a server hears of a cancellation by a message, and not by a stream that closes.
    pub(super) fn tells_cancellation(&self, era: Era) -> bool {
        match (self, era) {
            (Wire::Pipe(_), _) | (Wire::Http(_), Era::Legacy(_)) => true,
            (Wire::Http(_), Era::Modern) => false,
        }
    }
}
