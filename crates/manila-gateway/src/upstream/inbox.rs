//! The inbox of a server's messages, in the order in which they arrived.

use std::sync::Arc;

use manila::request_envelope::{Notification, Request};

use super::pending::UpstreamReply;
use super::{Connection, Unavailable};
use crate::rt::queue::{Receiver, Weigh};

/// A message from the server that is not a response.
pub(crate) enum UpstreamMessage {
    /// A notification.
    Notification(Notification, MessageSource),
    /// A request. Its response goes to the connection that it came from. Boxed because it is rare
    /// and large, and responses go through the same queue.
    Request(Box<Request>, MessageSource),
    /// A response was delivered to the request that waited for it.
    Answered,
    /// The gateway restarted the server or renewed its session. This is the connection to it now.
    Restarted(Arc<Connection>),
    /// The connection has ended; no more messages follow.
    Ended(Arc<Connection>, Arc<Unavailable>),
}

/// The source of a server's message.
pub(crate) struct MessageSource {
    pub(crate) connection: Arc<Connection>,
    /// The gateway's request that the message belongs to, if known.
    pub(crate) request_id: Option<u64>,
}

/// An item of the queue.
pub(super) enum Item {
    Message(UpstreamMessage),
    /// The reply to a request of the gateway's.
    Answered(Arc<Connection>, u64, UpstreamReply),
}

impl Weigh for Item {
    fn n_bytes(&self) -> usize {
        match self {
            Item::Message(UpstreamMessage::Notification(it, _)) => it.frame.as_bytes().len(),
            Item::Message(UpstreamMessage::Request(it, _)) => it.frame.as_bytes().len(),
            Item::Answered(_, _, UpstreamReply::Response(it)) => it.frame.as_bytes().len(),
            Item::Message(
                UpstreamMessage::Answered
                | UpstreamMessage::Restarted(_)
                | UpstreamMessage::Ended(..),
            )
            | Item::Answered(
                _,
                _,
                UpstreamReply::TooLarge
                | UpstreamReply::Unusable(_)
                | UpstreamReply::UnsupportedRequest(_)
                | UpstreamReply::HttpFailure(_),
            ) => 0,
        }
    }
}

/// The server's messages, in order. Responses are delivered to their requests along the way, so
/// that no message overtakes a response.
pub(crate) struct Inbox {
    items: Receiver<Item>,
    /// Whether the last response has been processed.
    is_settled: bool,
}

impl Inbox {
    pub(super) fn new(items: Receiver<Item>) -> Inbox {
        Inbox { items, is_settled: true }
    }

    /// Returns the next message, or `None` once the server has stopped for good.
    pub(crate) async fn next(&mut self) -> Option<UpstreamMessage> {
        let message = match self.items.recv().await? {
            Item::Message(message) => message,
            Item::Answered(connection, id, reply) => {
                connection.deliver(id, reply);
                self.is_settled = false;
                return Some(UpstreamMessage::Answered);
            }
        };
        if !self.is_settled {
            // The task that waited for the response runs before any later message is delivered.
            tokio::task::yield_now().await;
            self.is_settled = true;
        }
        if let UpstreamMessage::Ended(connection, unavailable) = &message {
            // Everything that arrived before the end has now been delivered.
            connection.pending.fail_all(Arc::clone(unavailable));
        }
        Some(message)
    }
}
