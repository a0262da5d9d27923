//! What a server says, in the order in which it says it.

use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::{Notification, Request};

use super::Connection;
use super::pending::Arrived;
use crate::jsonrpc;
use crate::queue::{Receiver, Weigh};

/// What the server says on its own.
pub(crate) enum FromUpstream {
    /// It tells something.
    Notification(Notification, Arc<Connection>),
    /// It asks something. The answer goes to this connection.
    Request(Request, Arc<Connection>),
    /// It was started again.
    Restarted,
    /// The connection has ended, and nothing more comes from it.
    Ended(Arc<Connection>),
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
            Item::Said(FromUpstream::Restarted | FromUpstream::Ended(_))
            | Item::Answered(_, _, Arrived::TooLarge | Arrived::Unusable(_)) => 0,
        }
    }
}

/// What the server says, in order. Answers are handed to those who wait for them on the way,
/// so that nothing which the server said before an answer comes after it.
pub struct Inbox {
    pub(super) items: Receiver<Item>,
}

impl Inbox {
    /// What the server says next on its own, or `None` if it never will again.
    pub(crate) async fn next(&mut self) -> Option<FromUpstream> {
        loop {
            match self.items.recv().await? {
                Item::Said(said) => return Some(said),
                Item::Answered(connection, id, arrived) => connection.arrived(id, arrived),
            }
        }
    }
}

/// The answer that a server gets to a question that nobody can answer.
pub(crate) fn declined(request: &Request) -> Bytes {
    jsonrpc::error(Some(&request.id), &jsonrpc::Fault::new(manila::Code::MethodNotFound))
}
