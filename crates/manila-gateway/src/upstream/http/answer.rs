//! Reads HTTP responses of a server: one message, or a stream of them.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use manila::RawJson;
use manila::request_envelope::{Message, Response};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Method, StatusCode};

use super::sse::{Event, Events};
use super::{HttpTransport, wait_before_retry};
use crate::config::Address;
use crate::protocol::era::Era;
use crate::protocol::frames;
use crate::protocol::jsonrpc::one_line;
use crate::protocol::oversized::OversizedMessage;
use crate::rt::offload::{self, Work};
use crate::upstream::Connection;
use crate::upstream::deep_lists::parse_shortened;
use crate::upstream::inbox::Item;
use crate::upstream::pending::{HttpFailure, UpstreamReply};
use crate::upstream::reader::{classify, handle_too_large};

/// The maximum number of bytes read from an error response.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// How a stream ended.
enum End {
    /// With the response.
    Answered,
    /// Before the response.
    Early,
    /// With a message over the size limit.
    TooLarge,
    /// Because the inbox is closed.
    ReceiverClosed,
}

impl HttpTransport {
    /// Reads the response to a request. Returns `None` if it was already sent to the inbox.
    pub(super) async fn read_response(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        id: u64,
        response: reqwest::Response,
    ) -> Option<UpstreamReply> {
        let status = response.status();
        match content_type(&response).as_str() {
            "application/json" => {
                let body = match read_body(response, self.config.message_bytes_max).await {
                    Ok(body) => body,
                    Err(reply) => return Some(reply),
                };
                let copy = body.clone();
                let parsed = offload::run(Work::Scan(body.len()), move || parse_response(id, copy));
                let reply = parsed.await;
                if let UpstreamReply::Unusable(_) = reply
                    && let Some(shortened) = parse_list(connection, body, id).await
                {
                    return Some(shortened);
                }
                Some(reply)
            }
            "text/event-stream" => self.read_stream(connection, id, response).await,
            _ if status == StatusCode::ACCEPTED => {
                let reason = "HTTP 202 is not allowed for a request, which needs a response";
                Some(UpstreamReply::Unusable(reason.to_owned()))
            }
            "" => Some(UpstreamReply::Unusable("it has no valid `Content-Type`".to_owned())),
            other => Some(UpstreamReply::Unusable(format!(
                "its `Content-Type` is `{}`, not `application/json` or `text/event-stream`",
                self.config
                    .redactor
                    .redact_text(other.to_owned())
                    .chars()
                    .take(60)
                    .collect::<String>()
            ))),
        }
    }

    /// Reads a stream of messages until the response arrives. A stream that ends early is resumed
    /// if the server supports that.
    async fn read_stream(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        id: u64,
        mut response: reqwest::Response,
    ) -> Option<UpstreamReply> {
        let mut events = Events::new(self.config.message_bytes_max);
        let era = connection.era_or_fallback();
        loop {
            match self.dispatch_messages(connection, Some(id), &mut response, &mut events).await {
                End::Answered | End::ReceiverClosed => return None,
                End::TooLarge => return Some(UpstreamReply::TooLarge),
                End::Early => {}
            }
            let can_resume = events.last_id.is_some() && era != Era::Modern;
            let resumed = if can_resume { self.resume(&events).await } else { None };
            let Some(resumed) = resumed else {
                let reason = "the stream ended before the response".to_owned();
                return Some(UpstreamReply::Unusable(reason));
            };
            events.restart();
            response = resumed;
        }
    }

    /// Resumes a stream after the last event that arrived.
    async fn resume(&self, events: &Events) -> Option<reqwest::Response> {
        wait_before_retry(events.retry).await;
        let session = self.session(Era::FALLBACK);
        let get = self.request(Method::GET, &session).header(ACCEPT, "text/event-stream");
        let last_id = events.last_id.clone().unwrap_or_default();
        let response = get.header("last-event-id", last_id).send().await.ok()?;
        is_stream(&response).then_some(response)
    }

    /// Dispatches the messages of a stream that has no response, until its end.
    pub(super) async fn dispatch_until_end(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        response: &mut reqwest::Response,
        events: &mut Events,
    ) {
        let _ = self.dispatch_messages(connection, None, response, events).await;
    }

    async fn dispatch_messages(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        awaited: Option<u64>,
        response: &mut reqwest::Response,
        events: &mut Events,
    ) -> End {
        let mut oversized = OversizedMessage::default();
        // A read error ends the stream too.
        while let Ok(Some(piece)) = response.chunk().await {
            let mut found = Vec::new();
            events.feed(&piece, |event| found.push(event));
            for event in found {
                let item = match event {
                    Event::Message(data) if data.is_empty() => None,
                    Event::Message(data) => {
                        self.parse_event(connection, awaited, data.freeze()).await
                    }
                    // The stream belongs to this request, so no other request is affected.
                    Event::OversizedPart(_) if awaited.is_some() => return End::TooLarge,
                    Event::OversizedPart(part) => {
                        oversized.push(part.freeze());
                        oversized.skip().await;
                        None
                    }
                    Event::OversizedEnd { is_message } => {
                        let scanned = std::mem::take(&mut oversized).end();
                        if is_message { handle_too_large(connection, &scanned) } else { None }
                    }
                };
                let Some(item) = item else { continue };
                let is_response = matches!(&item, Item::Answered(_, id, _) if Some(*id) == awaited);
                if self.inbox.send(item).await.is_err() {
                    return End::ReceiverClosed;
                }
                if is_response {
                    return End::Answered;
                }
            }
        }
        End::Early
    }

    async fn parse_event(
        &self,
        connection: &Arc<Connection>,
        request_id: Option<u64>,
        data: Bytes,
    ) -> Option<Item> {
        // Frames are sent as lines, so data of several lines must become one.
        let copy = data.clone();
        let parse = move || one_line(copy).and_then(|line| Message::from_json(line).ok());
        let mut parsed = offload::run(Work::Scan(data.len()), parse).await;
        if let (None, Some(id)) = (&parsed, request_id) {
            parsed = parse_shortened(connection, data, id).await;
        }
        let Some(message) = parsed else {
            connection.report_unusable("sent an event that is not a message");
            return None;
        };
        classify(connection, message, request_id, &self.config.redactor)
    }

    /// Parses an error response: its MCP message if it has one, else its status and text.
    pub(super) fn parse_error(&self, id: u64, error: HttpErrorResponse) -> UpstreamReply {
        let HttpErrorResponse { status, retry_after, body } = error;
        if let UpstreamReply::Response(response) = parse_response(id, body.clone())
            && response.answer.is_err()
        {
            return UpstreamReply::Response(response);
        }
        let text = String::from_utf8_lossy(&body);
        let text = self.config.redactor.redact_text(text.into_owned());
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line: String = line.chars().take(200).collect();
        let suffix = if line.is_empty() { String::new() } else { format!(": {line}") };
        let reason = format!("`{}` responded with HTTP {status}{suffix}", self.address);
        UpstreamReply::HttpFailure(HttpFailure {
            status: Some(status.as_u16()),
            reason,
            retry_after,
        })
    }
}

/// An HTTP error response.
pub(super) struct HttpErrorResponse {
    status: StatusCode,
    retry_after: Option<Duration>,
    body: Bytes,
}

impl HttpErrorResponse {
    /// Reads an error response, and masks credentials, because some servers repeat them.
    pub(super) async fn read(response: reqwest::Response, from: &Address) -> HttpErrorResponse {
        let (status, retry_after) = (response.status(), retry_after(response.headers()));
        let body = read_body(response, ERROR_BYTES_MAX).await.unwrap_or_default();
        let body = from.mask_credentials(body);
        HttpErrorResponse { status, retry_after, body }
    }

    /// Returns whether the server has lost the session. The specification has a status for that,
    /// but at least one server uses a message instead.
    pub(super) fn is_session_lost(&self) -> bool {
        let names_session = || {
            let message = RawJson::parse(self.body.clone()).ok()?;
            // An error about a single request has its id.
            message.get("id").is_none_or(|id| id.as_bytes() == b"null").then_some(())?;
            let text = message.get("error")?.get("message")?;
            Some(text.as_text()?.to_ascii_lowercase().contains("session"))
        };
        self.status == StatusCode::NOT_FOUND
            || (self.status == StatusCode::BAD_REQUEST && names_session() == Some(true))
    }

    /// Returns whether the error suggests that the server does not support `era`.
    pub(super) fn suggests_unsupported_era(&self, era: Era) -> bool {
        if !matches!(self.status.as_u16(), 400 | 404 | 405 | 415) {
            return false;
        }
        let error = RawJson::parse(self.body.clone()).ok().and_then(|body| body.get("error"));
        let number = error.and_then(|error| error.get("code")?.as_str().parse::<i64>().ok());
        match era {
            Era::Modern => !matches!(number, Some(-32022..=-32020 | -32603..=-32600)),
            // Legacy servers send JSON-RPC errors with HTTP 200.
            Era::Legacy(_) => true,
        }
    }
}

/// Parses `Retry-After`.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Parses a body that must be the response to this request.
fn parse_response(id: u64, body: Bytes) -> UpstreamReply {
    let message = match one_line(body) {
        Some(line) => Message::from_json(line)
            .map_err(|refused| format!("it is not a JSON-RPC message: {}", refused.violation)),
        None => Err("it is not JSON".to_owned()),
    };
    match message {
        Ok(Message::Response(response)) if is_for(&response, id) => {
            UpstreamReply::Response(response)
        }
        Ok(Message::Response(_)) => {
            UpstreamReply::Unusable("it is the response to another request".to_owned())
        }
        Ok(Message::Request(_) | Message::Notification(_)) => {
            UpstreamReply::Unusable("it is not a response".to_owned())
        }
        Err(reason) => UpstreamReply::Unusable(reason),
    }
}

/// Parses the body of a response that may be the response to a list request.
async fn parse_list(connection: &Arc<Connection>, body: Bytes, id: u64) -> Option<UpstreamReply> {
    match parse_shortened(connection, body, id).await? {
        Message::Response(response) if is_for(&response, id) => {
            Some(UpstreamReply::Response(response))
        }
        Message::Response(_) | Message::Request(_) | Message::Notification(_) => None,
    }
}

fn is_for(response: &Response, id: u64) -> bool {
    match &response.id {
        Some(response_id) => response_id.as_str().parse() == Ok(id),
        // An error without an id may be about a request that the server could not parse.
        None => response.answer.is_err(),
    }
}

/// Returns whether a response is a stream of events.
pub(super) fn is_stream(response: &reqwest::Response) -> bool {
    response.status().is_success() && content_type(response) == "text/event-stream"
}

fn content_type(response: &reqwest::Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// Reads a whole body, up to a limit.
async fn read_body(
    mut response: reqwest::Response,
    bytes_max: usize,
) -> Result<Bytes, UpstreamReply> {
    let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
    let n_bytes_max = announced.unwrap_or(bytes_max).min(bytes_max);
    let mut body = BytesMut::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if body.len() + piece.len() > bytes_max => {
                return Err(UpstreamReply::TooLarge);
            }
            Ok(Some(piece)) => {
                frames::reserve(&mut body, piece.len(), n_bytes_max);
                body.extend_from_slice(&piece);
            }
            Ok(None) => return Ok(body.freeze()),
            Err(_) => {
                let reason = "the connection failed before the end of the body".to_owned();
                return Err(UpstreamReply::Unusable(reason));
            }
        }
    }
}
