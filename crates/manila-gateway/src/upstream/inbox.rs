//! What a server says, in the order in which it says it.

use std::sync::Arc;

use manila::request_envelope::{Notification, Request};

use super::pending::Arrived;
use super::{Connection, Down};
use crate::rt::queue::{Receiver, Weigh};

/// What the server says on its own.
pub(crate) enum FromUpstream {
    /// It tells something.
    Notification(Notification, From),
    /// It asks something. The answer goes to the connection that it came from.
    /// Boxed because it is rare and large: answers go through the same queue.
    Request(Box<Request>, From),
    /// It answered, and whoever waited for that has it.
    Answered,
    /// It was started again, and this is the new conversation.
    Restarted(Arc<Connection>),
    /// The connection has ended, and nothing more comes from it.
    Ended(Arc<Connection>, Arc<Down>),
}

/// Where something comes from that a server says.
pub(crate) struct From {
    pub(crate) connection: Arc<Connection>,
    /// The request of ours with whose answer it came, where that can be told.
    pub(crate) about: Option<u64>,
}

/// What a server sent.
pub(super) enum Item {
    Said(FromUpstream),
    /// The answer to a request of ours.
    Answered(Arc<Connection>, u64, Arrived),
}

impl Weigh for Item {
    fn n_bytes(&self) -> usize {
        match self {
            Item::Said(FromUpstream::Notification(it, _)) => it.frame.as_bytes().len(),
            Item::Said(FromUpstream::Request(it, _)) => it.frame.as_bytes().len(),
            Item::Answered(_, _, Arrived::Response(it)) => it.frame.as_bytes().len(),
            Item::Said(
                FromUpstream::Answered | FromUpstream::Restarted(_) | FromUpstream::Ended(..),
            )
            | Item::Answered(
                _,
                _,
                Arrived::TooLarge
                | Arrived::Unusable(_)
                | Arrived::AskedBack(_)
                | Arrived::Declined(_),
            ) => 0,
        }
    }
}

/// What the server says, in order. Answers are handed to those who wait for them on the way,
/// so that nothing which the server said before an answer comes after it.
pub(crate) struct Inbox {
    items: Receiver<Item>,
    /// Whether all who got an answer have gone on.
    is_settled: bool,
}

impl Inbox {
    pub(super) fn new(items: Receiver<Item>) -> Inbox {
        Inbox { items, is_settled: true }
    }

    /// What the server says next, or `None` if it never will say anything again.
    pub(crate) async fn next(&mut self) -> Option<FromUpstream> {
        let said = match self.items.recv().await? {
            Item::Said(said) => said,
            Item::Answered(connection, id, arrived) => {
                connection.arrived(id, arrived);
                self.is_settled = false;
                return Some(FromUpstream::Answered);
            }
        };
        if !self.is_settled {
            // Whoever waited for an answer goes on before anything that the server said later.
            tokio::task::yield_now().await;
            self.is_settled = true;
        }
        if let FromUpstream::Ended(connection, down) = &said {
            // Only now has everything been delivered that came before the end.
            connection.pending.end(Arc::clone(down));
        }
        Some(said)
    }
}
