//! Reading what a server writes.

use std::sync::Arc;

use manila::RawJson;
use manila::request_envelope::{Message, Refused};

use super::Connection;
use super::inbox::{FromUpstream, Item};
use super::pending::Arrived;
use crate::frames::{Frame, Frames};
use crate::jsonrpc::{self, Fault};
use crate::os::Source;
use crate::queue::Sender;
use crate::skim::{Skim, Skimmed};

/// Reads until the server says no more.
pub(super) async fn listen(
    connection: &Arc<Connection>,
    stdout: Source,
    frame_bytes_max: usize,
    inbox: &Sender<Item>,
) {
    let mut frames = Frames::new(stdout, frame_bytes_max);
    while let Ok(Some(frame)) = frames.next().await {
        let item = match frame {
            Frame::Line(line) => match Message::from_json(line.clone()) {
                Ok(message) => usable(connection, message),
                Err(refused) => unreadable(connection, &Skim::whole(&line), &refused),
            },
            Frame::TooLong(seen) => too_large(connection, &seen, frame_bytes_max),
        };
        if let Some(item) = item
            && inbox.send(item).await.is_err()
        {
            return;
        }
    }
}

fn usable(connection: &Arc<Connection>, message: Message) -> Option<Item> {
    match message {
        Message::Notification(notification) => {
            connection.note_progress(&notification);
            Some(Item::Said(FromUpstream::Notification(notification, Arc::clone(connection))))
        }
        Message::Request(request) => {
            connection.question_opened();
            Some(Item::Said(FromUpstream::Request(request, Arc::clone(connection))))
        }
        Message::Response(response) => {
            let Some(id) = response.id.as_ref().and_then(number) else {
                connection.complain("an answer to a request that was never made");
                return None;
            };
            Some(Item::Answered(Arc::clone(connection), id, Arrived::Response(response)))
        }
    }
}

/// Whoever waits for the answer learns that it is of no use; whoever asked, that it was not
/// understood.
fn unreadable(connection: &Arc<Connection>, seen: &Skimmed, refused: &Refused) -> Option<Item> {
    let what = refused.violation.to_string();
    if let Some(id) = seen.id.as_ref().filter(|_| seen.is_answer).and_then(number) {
        return Some(Item::Answered(Arc::clone(connection), id, Arrived::Unusable(what)));
    }
    if let Some(id) = &seen.id {
        let fault = Fault::new(refused.code).violation(refused.violation.clone());
        connection.push(jsonrpc::error(Some(id), &fault));
    }
    connection.complain(&format!("what is no message: {what}"));
    None
}

fn too_large(connection: &Arc<Connection>, seen: &Skimmed, bytes_max: usize) -> Option<Item> {
    if let Some(id) = seen.id.as_ref().filter(|_| seen.is_answer).and_then(number) {
        return Some(Item::Answered(Arc::clone(connection), id, Arrived::TooLarge));
    }
    if let Some(id) = &seen.id {
        let fault = Fault::new(manila::Code::TooLarge);
        connection.push(jsonrpc::error(Some(id), &fault));
    }
    connection.complain(&format!("a message of more than {bytes_max} bytes"));
    None
}

fn number(id: &RawJson) -> Option<u64> {
    id.as_str().parse().ok()
}
