//! Reads the messages that a server writes to its stdout.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use manila::RawJson;
use manila::request_envelope::{Message, Notification, RefusedMessage};

use super::deep_lists::parse_shortened;
use super::inbox::{Item, MessageSource, UpstreamMessage};
use super::pending::UpstreamReply;
use super::{Connection, SupervisorConfig};
use crate::protocol::era::meta;
use crate::protocol::frames::{Frame, Frames};
use crate::protocol::id_scan::{IdScan, ScannedMessage};
use crate::protocol::jsonrpc::{self, Fault, one_line};
use crate::rt::offload::{self, Work};
use crate::rt::queue::Sender;
use crate::telemetry::live_redactor::LiveRedactor;
use manila_process::os::Source;

/// Reads until the server closes its output.
pub(super) async fn read_messages(
    connection: &Arc<Connection>,
    stdout: Source,
    config: &SupervisorConfig,
    inbox: &Sender<Item>,
) {
    let redactor = &config.redactor;
    let mut frames = Frames::new(stdout, config.message_bytes_max);
    let mut fairness = Fairness::default();
    loop {
        let frame = match frames.next().await {
            Ok(Some(frame)) => frame,
            Ok(None) => return,
            Err(error) => {
                return connection.report_unusable(&format!("has unreadable output: {error}"));
            }
        };
        let item = match frame {
            Frame::Line(line) => match parse(line.clone()).await {
                Ok(message) => classify(connection, message, None, redactor),
                Err(unreadable) => match parse_list(connection, &line, &unreadable).await {
                    Some(message) => classify(connection, message, None, redactor),
                    None => handle_unreadable(connection, &line, &unreadable, redactor),
                },
            },
            // A server that exits in the middle of a line has not responded.
            Frame::Unterminated(line) => match parse(line).await {
                Ok(message) => classify(connection, message, None, redactor),
                Err(_) => None,
            },
            Frame::TooLong(scanned) => handle_too_large(connection, &scanned),
        };
        fairness.count(item.is_some()).await;
        if let Some(item) = item
            && inbox.send(item).await.is_err()
        {
            return;
        }
    }
}

/// An invalid message.
struct Unreadable {
    refused: RefusedMessage,
    scanned: ScannedMessage,
}

/// Parses a message. A large one is parsed on the pool.
async fn parse(line: Bytes) -> Result<Message, Box<Unreadable>> {
    offload::run(Work::Scan(line.len()), move || {
        // A carriage return between tokens would end a line elsewhere.
        let line = one_line(line.clone()).unwrap_or(line);
        Message::from_json(line.clone())
            .map_err(|refused| Box::new(Unreadable { refused, scanned: IdScan::scan(&line) }))
    })
    .await
}

/// Parses an invalid message that may be the response to a list request.
async fn parse_list(
    connection: &Arc<Connection>,
    line: &Bytes,
    unreadable: &Unreadable,
) -> Option<Message> {
    let id = unreadable.scanned.id.as_ref().and_then(number)?;
    parse_shortened(connection, line.clone(), id).await
}

/// Limits how much time a server's frames may take, so that other tasks can run.
#[derive(Default)]
struct Fairness {
    n_frames: usize,
    /// The number of unusable frames since the last usable one.
    n_unusable: usize,
}

impl Fairness {
    /// Counts a frame, and yields to other tasks now and then. The more unusable frames there were,
    /// the longer it waits.
    async fn count(&mut self, is_usable: bool) {
        const YIELD_EVERY: usize = 32;
        const YIELD_EVERY_UNUSABLE: usize = 8;
        const PAUSE_EVERY_UNUSABLE: usize = 64;
        const PAUSE: Duration = Duration::from_millis(20);
        const N_PAUSES_MAX: usize = 5;
        self.n_frames += 1;
        self.n_unusable = if is_usable { 0 } else { self.n_unusable + 1 };
        if self.n_unusable > 0 && self.n_unusable.is_multiple_of(PAUSE_EVERY_UNUSABLE) {
            let n_pauses = (self.n_unusable / PAUSE_EVERY_UNUSABLE).min(N_PAUSES_MAX);
            tokio::time::sleep(PAUSE * u32::try_from(n_pauses).unwrap_or(1)).await;
        } else if self.n_frames.is_multiple_of(YIELD_EVERY)
            || self.n_unusable > 0 && self.n_unusable.is_multiple_of(YIELD_EVERY_UNUSABLE)
        {
            tokio::task::yield_now().await;
        }
    }
}

/// Classifies a server's message. `request_id` is that of the request it belongs to, if known.
pub(super) fn classify(
    connection: &Arc<Connection>,
    message: Message,
    request_id: Option<u64>,
    redactor: &LiveRedactor,
) -> Option<Item> {
    let source = |request_id| MessageSource { connection: Arc::clone(connection), request_id };
    match message {
        Message::Notification(notification) => {
            connection.note_progress(&notification);
            let request_id = request_id.or_else(|| subscription(&notification));
            let source = source(request_id);
            Some(Item::Message(UpstreamMessage::Notification(notification, source)))
        }
        Message::Request(request) => {
            Some(Item::Message(UpstreamMessage::Request(Box::new(request), source(request_id))))
        }
        Message::Response(response) => {
            let id = match &response.id {
                Some(id) => number(id),
                // An error without an id is about a request that the server could not parse. If
                // only one request is open, that is the one.
                None if response.answer.is_err() => {
                    request_id.or_else(|| connection.pending.only())
                }
                None => None,
            };
            let Some(id) = id else {
                let error = response.answer.err().unwrap_or_else(|| response.frame.clone());
                let shown = start_of(error.as_bytes(), 200, redactor);
                connection
                    .report_unusable(&format!("sent a response that matches no request: {shown}"));
                return None;
            };
            Some(Item::Answered(Arc::clone(connection), id, UpstreamReply::Response(response)))
        }
    }
}

/// Returns the gateway's request that opened the subscription of a notification.
fn subscription(notification: &Notification) -> Option<u64> {
    let meta = notification.params.as_ref()?.get("_meta")?;
    number(&meta.get(meta::SUBSCRIPTION_ID)?)
}

/// Handles an invalid message: a request that waits for it fails, and a server that made a request
/// gets an error.
fn handle_unreadable(
    connection: &Arc<Connection>,
    line: &[u8],
    unreadable: &Unreadable,
    redactor: &LiveRedactor,
) -> Option<Item> {
    let Unreadable { refused, scanned } = unreadable;
    let reason = refused.violation.to_string();
    let id = scanned.id.as_ref().and_then(number);
    // A message that is neither a response nor a request counts as the response if its id is open.
    let is_response =
        |id: &u64| scanned.is_response || !scanned.is_request && connection.pending.has(*id);
    if let Some(id) = id.filter(is_response) {
        return Some(Item::Answered(Arc::clone(connection), id, UpstreamReply::Unusable(reason)));
    }
    if let Some(id) = &scanned.id {
        let fault = Fault::new(refused.code).violation(refused.violation.clone());
        connection.push(jsonrpc::error(Some(id), &fault));
    }
    let start = start_of(line, 60, redactor);
    connection.report_unusable(&format!("sent an invalid message: {start:?} ({reason})"));
    None
}

/// Returns the first characters of a line. It is redacted before it is cut, so that no part of a
/// secret remains.
fn start_of(line: &[u8], n_chars: usize, redactor: &LiveRedactor) -> String {
    const REDACTED_BYTES_MAX: usize = 64 * 1024;
    let start = line.get(..REDACTED_BYTES_MAX).unwrap_or(line);
    let mut text = String::from_utf8_lossy(start).into_owned();
    if start.len() < line.len() {
        text.truncate(redactor.current().cut_before(&text, text.len(), ""));
    }
    redactor.redact_text(text).chars().take(n_chars).collect()
}

/// Handles a message over the size limit: a request that waits for it fails, and a server that made
/// a request gets an error.
pub(super) fn handle_too_large(
    connection: &Arc<Connection>,
    scanned: &ScannedMessage,
) -> Option<Item> {
    if let Some(id) = scanned.id.as_ref().filter(|_| scanned.is_response).and_then(number) {
        return Some(Item::Answered(Arc::clone(connection), id, UpstreamReply::TooLarge));
    }
    if let Some(id) = &scanned.id {
        let fault = Fault::new(manila::Code::TooLarge);
        connection.push(jsonrpc::error(Some(id), &fault));
    }
    connection.report_unusable("sent a message that is too large, and is not a response");
    None
}

fn number(id: &RawJson) -> Option<u64> {
    id.as_str().parse().ok()
}
