//! The transport of frames to a server: a pipe, or HTTP.

use std::sync::Arc;

use bytes::Bytes;
use manila::{JsonObject, RawJson};
use tokio::task::AbortHandle;

use super::Connection;
use super::http::HttpTransport;
use crate::protocol::era::Era;
use crate::rt::queue::{PushError, Sender};

/// The transport of frames to a server.
pub(super) enum Wire {
    /// One pipe for all messages.
    Pipe(Sender<Bytes>),
    /// One HTTP request for each message.
    Http(Arc<HttpTransport>),
}

/// A request to send, with the parts that HTTP headers repeat.
pub(super) struct Outgoing<'a> {
    pub(super) era: Era,
    pub(super) method: &'a str,
    /// The parameter `name`.
    pub(super) name: Option<&'a RawJson>,
    pub(super) params: Option<&'a JsonObject>,
    pub(super) overrides: &'a RequestOverrides,
}

/// The differences between a client's request and the one sent to the server.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestOverrides {
    /// The server's name for the requested item, if clients see another one.
    pub(crate) name: Option<String>,
    /// The arguments that are also sent as headers.
    pub(crate) headers: HeaderParams,
}

/// The names and values of arguments that are also sent as headers.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeaderParams(pub(crate) Vec<(String, String)>);

impl Wire {
    /// Waits until the queue has room.
    pub(super) async fn wait_for_room(&self) {
        match self {
            Wire::Pipe(pipe) => pipe.wait_for_room().await,
            Wire::Http(_) => {}
        }
    }

    /// Sends a request. On HTTP, returns a handle to the task that receives the response.
    pub(super) async fn send(
        &self,
        connection: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        outgoing: &Outgoing<'_>,
    ) -> Result<Option<AbortHandle>, PushError> {
        match self {
            Wire::Pipe(pipe) => pipe.send(frame).await.map(|()| None),
            Wire::Http(transport) => {
                Ok(Some(transport.spawn_request(connection, id, frame, outgoing)))
            }
        }
    }

    /// Sends a message that has no response. Fails if the queue is full.
    pub(super) fn push(&self, connection: &Arc<Connection>, frame: Bytes) -> Result<(), ()> {
        match self {
            Wire::Pipe(pipe) => match pipe.push(frame) {
                Err(PushError::Full) => Err(()),
                // A closed connection is not an error here.
                Ok(()) | Err(PushError::Closed) => Ok(()),
            },
            Wire::Http(transport) => {
                transport.send_notification(connection, frame);
                Ok(())
            }
        }
    }

    /// Returns whether a cancellation is sent as a message, and not by closing a stream.
    pub(super) fn sends_cancellation(&self, era: Era) -> bool {
        match (self, era) {
            (Wire::Pipe(_), _) | (Wire::Http(_), Era::Legacy(_)) => true,
            (Wire::Http(_), Era::Modern) => false,
        }
    }
}
