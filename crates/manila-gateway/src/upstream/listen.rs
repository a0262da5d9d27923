//! Reading what a server writes.

use std::sync::Arc;
use std::time::Duration;

use manila::RawJson;
use manila::request_envelope::{Message, Notification, Refused};

use super::inbox::{From, FromUpstream, Item};
use super::pending::Arrived;
use super::{Connection, Keeping};
use crate::protocol::era::meta;
use crate::protocol::frames::{Frame, Frames};
use crate::protocol::jsonrpc::{self, Fault};
use crate::protocol::skim::{Skim, Skimmed};
use crate::rt::queue::Sender;
use crate::telemetry::rules::Rules;
use manila_process::os::Source;

/// Reads until the server says no more.
pub(super) async fn listen(
    connection: &Arc<Connection>,
    stdout: Source,
    keeping: &Keeping,
    inbox: &Sender<Item>,
) {
    let rules = &keeping.rules;
    let mut frames = Frames::new(stdout, keeping.frame_bytes_max);
    let mut manners = Manners::default();
    loop {
        let frame = match frames.next().await {
            Ok(Some(frame)) => frame,
            Ok(None) => return,
            Err(error) => return connection.complain(&error.to_string()),
        };
        let item = match frame {
            Frame::Line(line) => match Message::from_json(line.clone()) {
                Ok(message) => usable(connection, message, None, rules),
                Err(refused) => unreadable(connection, &line, &refused, rules),
            },
            // A server that dies while it writes has not answered.
            Frame::Rest(line) => match Message::from_json(line) {
                Ok(message) => usable(connection, message, None, rules),
                Err(_) => None,
            },
            Frame::TooLong(seen) => too_large(connection, &seen),
        };
        manners.note(item.is_some()).await;
        if let Some(item) = item
            && inbox.send(item).await.is_err()
        {
            return;
        }
    }
}

/// What a server may take of our time: others want to be heard, too.
#[derive(Default)]
struct Manners {
    n_frames: usize,
    /// Since the last frame that was of use.
    n_useless: usize,
}

impl Manners {
    /// Notes a frame, and lets others go first now and then. Who says nothing but nonsense has to
    /// wait, the longer the more of it there was.
    async fn note(&mut self, is_useful: bool) {
        const TURN: usize = 32;
        const NONSENSE_TURN: usize = 8;
        const NONSENSE: usize = 64;
        const PAUSE: Duration = Duration::from_millis(20);
        const N_PAUSES_MAX: usize = 5;
        self.n_frames += 1;
        self.n_useless = if is_useful { 0 } else { self.n_useless + 1 };
        if self.n_useless > 0 && self.n_useless.is_multiple_of(NONSENSE) {
            let n_pauses = u32::try_from((self.n_useless / NONSENSE).min(N_PAUSES_MAX));
            tokio::time::sleep(PAUSE * n_pauses.unwrap_or(1)).await;
        } else if self.n_frames.is_multiple_of(TURN)
            || self.n_useless > 0 && self.n_useless.is_multiple_of(NONSENSE_TURN)
        {
            tokio::task::yield_now().await;
        }
    }
}

/// What a message of the server's is to us. `about` is the request with whose answer it came, where
/// that can be told.
pub(super) fn usable(
    connection: &Arc<Connection>,
    message: Message,
    about: Option<u64>,
    rules: &Rules,
) -> Option<Item> {
    let from = |about| From { connection: Arc::clone(connection), about };
    match message {
        Message::Notification(notification) => {
            connection.note_progress(&notification);
            let about = about.or_else(|| subscription(&notification));
            Some(Item::Said(FromUpstream::Notification(notification, from(about))))
        }
        Message::Request(request) => {
            Some(Item::Said(FromUpstream::Request(Box::new(request), from(about))))
        }
        Message::Response(response) => {
            let id = match &response.id {
                Some(id) => number(id),
                // An error without an id is about a request that could not be read. If only one
                // is open, that is the one.
                None if response.answer.is_err() => about.or_else(|| connection.pending.only()),
                None => None,
            };
            let Some(id) = id else {
                let error = response.answer.err().unwrap_or_else(|| response.frame.clone());
                let shown = start_of(error.as_bytes(), 200, rules);
                connection.complain(&format!("an answer to nothing: {shown}"));
                return None;
            };
            Some(Item::Answered(Arc::clone(connection), id, Arrived::Response(response)))
        }
    }
}

/// The request of ours that asked for what a subscription brings.
fn subscription(notification: &Notification) -> Option<u64> {
    let meta = notification.params.as_ref()?.get("_meta")?;
    number(&meta.get(meta::SUBSCRIPTION_ID)?)
}

/// Whoever waits for the answer learns that it is of no use; whoever asked, that it was not
/// understood.
fn unreadable(
    connection: &Arc<Connection>,
    line: &[u8],
    refused: &Refused,
    rules: &Rules,
) -> Option<Item> {
    let seen = Skim::whole(line);
    let what = refused.violation.to_string();
    let id = seen.id.as_ref().and_then(number);
    // What is neither an answer nor a request is taken for the answer that somebody waits for.
    let is_answer = |id: &u64| seen.is_answer || !seen.is_request && connection.pending.has(*id);
    if let Some(id) = id.filter(is_answer) {
        return Some(Item::Answered(Arc::clone(connection), id, Arrived::Unusable(what)));
    }
    if let Some(id) = &seen.id {
        let fault = Fault::new(refused.code).violation(refused.violation.clone());
        connection.push(jsonrpc::error(Some(id), &fault));
    }
    let start = start_of(line, 60, rules);
    connection.complain(&format!("what is no message: {start:?} ({what})"));
    None
}

/// The first characters of a line. It is redacted before it is cut, or half a secret would be told.
fn start_of(line: &[u8], n_chars: usize, rules: &Rules) -> String {
    const LOOKED_AT: usize = 64 * 1024;
    let start = String::from_utf8_lossy(line.get(..LOOKED_AT).unwrap_or(line)).into_owned();
    rules.text(start).chars().take(n_chars).collect()
}

fn too_large(connection: &Arc<Connection>, seen: &Skimmed) -> Option<Item> {
    if let Some(id) = seen.id.as_ref().filter(|_| seen.is_answer).and_then(number) {
        return Some(Item::Answered(Arc::clone(connection), id, Arrived::TooLarge));
    }
    if let Some(id) = &seen.id {
        let fault = Fault::new(manila::Code::TooLarge);
        connection.push(jsonrpc::error(Some(id), &fault));
    }
    connection.complain("a line that is too long to be read, and no answer");
    None
}

fn number(id: &RawJson) -> Option<u64> {
    id.as_str().parse().ok()
}
