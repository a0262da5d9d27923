//! Reading what a server answers on HTTP: one message, or a stream of them.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use manila::RawJson;
use manila::request_envelope::{Message, Response};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Method, StatusCode};

use super::sse::{Event, Events};
use super::{Link, pause};
use crate::config::Address;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::one_line;
use crate::upstream::Connection;
use crate::upstream::inbox::Item;
use crate::upstream::listen::usable;
use crate::upstream::pending::{Arrived, Declined};

/// How much of a refusal is read that is no message.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

/// How a stream ended.
enum End {
    /// With what was waited for.
    Answered,
    /// Before that.
    Early,
    TooLarge,
    /// Nobody listens any more.
    Unheard,
}

impl Link {
    /// Reads the answer to a request. `None` if it has gone to the inbox already.
    pub(super) async fn answered(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        id: u64,
        response: reqwest::Response,
    ) -> Option<Arrived> {
        let status = response.status();
        match content_type(&response).as_str() {
            "application/json" => {
                let body = match body(response, self.keeping.frame_bytes_max).await {
                    Ok(body) => body,
                    Err(arrived) => return Some(arrived),
                };
                Some(only_answer(id, body))
            }
            "text/event-stream" => self.stream(connection, id, response).await,
            _ if status == StatusCode::ACCEPTED => {
                Some(Arrived::Unusable("it was accepted, and not answered".to_owned()))
            }
            other => Some(Arrived::Unusable(format!(
                "it is neither JSON nor a stream of events, but `{}`",
                other.chars().take(60).collect::<String>()
            ))),
        }
    }

    /// Reads a stream of messages until the answer comes. A stream that breaks off is taken up
    /// again where the server says that it can be.
    async fn stream(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        id: u64,
        mut response: reqwest::Response,
    ) -> Option<Arrived> {
        let mut events = Events::new(self.keeping.frame_bytes_max);
        let era = connection.era_or_plainest();
        loop {
            match self.messages(connection, Some(id), &mut response, &mut events).await {
                End::Answered | End::Unheard => return None,
                End::TooLarge => return Some(Arrived::TooLarge),
                End::Early => {}
            }
            let can_resume = events.last_id.is_some() && era != Era::Modern;
            let resumed = if can_resume { self.resumed(&events).await } else { None };
            let Some(resumed) = resumed else {
                let why = "the stream ended before the answer".to_owned();
                return Some(Arrived::Unusable(why));
            };
            events.restart();
            response = resumed;
        }
    }

    /// Takes a stream up again after the last event that came.
    async fn resumed(&self, events: &Events) -> Option<reqwest::Response> {
        pause(events.retry).await;
        let session = self.session(Era::PLAINEST);
        let get = self.request(Method::GET, &session).header(ACCEPT, "text/event-stream");
        let last_id = events.last_id.clone().unwrap_or_default();
        let response = get.header("last-event-id", last_id).send().await.ok()?;
        is_stream(&response).then_some(response)
    }

    /// Hands on the messages of a stream that has no answer, until its end.
    pub(super) async fn messages_until_end(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        response: &mut reqwest::Response,
        events: &mut Events,
    ) {
        let _ = self.messages(connection, None, response, events).await;
    }

    async fn messages(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        awaited: Option<u64>,
        response: &mut reqwest::Response,
        events: &mut Events,
    ) -> End {
        // What breaks off has ended, too.
        while let Ok(Some(piece)) = response.chunk().await {
            let mut found = Vec::new();
            if events.feed(&piece, |event| found.push(event)).is_err() {
                return End::TooLarge;
            }
            for Event { data } in found {
                if data.is_empty() {
                    continue;
                }
                let Some(item) = self.item(connection, awaited, data.into()) else { continue };
                let is_answer = matches!(&item, Item::Answered(_, id, _) if Some(*id) == awaited);
                if self.inbox.send(item).await.is_err() {
                    return End::Unheard;
                }
                if is_answer {
                    return End::Answered;
                }
            }
        }
        End::Early
    }

    fn item(&self, connection: &Arc<Connection>, about: Option<u64>, data: Bytes) -> Option<Item> {
        // Frames are handed on as lines, so what was written over several must become one.
        let message = one_line(data).and_then(|line| Message::from_json(line).ok());
        let Some(message) = message else {
            connection.complain("an event that is no message");
            return None;
        };
        usable(connection, message, about, &self.keeping.rules)
    }

    /// A refusal: a message if it is one, else what can be told of it.
    pub(super) fn refused(&self, id: u64, refused: RefusedByHttp) -> Arrived {
        let RefusedByHttp { status, retry_after, body } = refused;
        if let Arrived::Response(answer) = only_answer(id, body.clone())
            && answer.answer.is_err()
        {
            return Arrived::Response(answer);
        }
        let text = String::from_utf8_lossy(&body);
        let text = self.keeping.rules.text(text.into_owned());
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line: String = line.chars().take(200).collect();
        let said = if line.is_empty() { String::new() } else { format!(": {line}") };
        let reason = format!("`{}` answered HTTP {status}{said}", self.address);
        Arrived::Declined(Declined { status: Some(status.as_u16()), reason, retry_after })
    }
}

/// A refusal of HTTP's own.
pub(super) struct RefusedByHttp {
    status: StatusCode,
    retry_after: Option<Duration>,
    body: Bytes,
}

impl RefusedByHttp {
    /// Reads a refusal. Some repeat what they were told, credentials included.
    pub(super) async fn read(response: reqwest::Response, from: &Address) -> RefusedByHttp {
        let (status, retry_after) = (response.status(), retry_after(response.headers()));
        let body = from.masked(body(response, REFUSAL_BYTES_MAX).await.unwrap_or_default());
        RefusedByHttp { status, retry_after, body }
    }

    /// Whether the server does not know our session any more. The specification has a status for
    /// that, but a published server says it in words.
    pub(super) fn has_forgotten_us(&self) -> bool {
        let says_so = || {
            let said = RawJson::parse(self.body.clone()).ok()?;
            // What is about a request has its id.
            said.get("id").is_none_or(|id| id.as_bytes() == b"null").then_some(())?;
            let message = said.get("error")?.get("message")?;
            Some(message.as_text()?.to_ascii_lowercase().contains("session"))
        };
        self.status == StatusCode::NOT_FOUND
            || (self.status == StatusCode::BAD_REQUEST && says_so() == Some(true))
    }

    /// Whether it speaks as servers do that do not know this era.
    pub(super) fn is_of_another_era(&self, era: Era) -> bool {
        if !matches!(self.status.as_u16(), 400 | 404 | 405 | 415) {
            return false;
        }
        let error = RawJson::parse(self.body.clone()).ok().and_then(|said| said.get("error"));
        let number = error.and_then(|error| error.get("code")?.as_str().parse::<i64>().ok());
        match era {
            Era::Modern => !matches!(number, Some(-32022..=-32020 | -32603..=-32600)),
            // Errors about a request come with a good status in that era.
            Era::Legacy(_) => true,
        }
    }
}

/// After how long a server wants to be tried again.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The answer to this request, as the only message of a body.
fn only_answer(id: u64, body: Bytes) -> Arrived {
    let read = match one_line(body) {
        Some(line) => Message::from_json(line).map_err(|refused| refused.violation.to_string()),
        None => Err("it is not JSON".to_owned()),
    };
    match read {
        Ok(Message::Response(response)) if is_about(&response, id) => Arrived::Response(response),
        Ok(Message::Response(_)) => Arrived::Unusable("it answers another request".to_owned()),
        Ok(Message::Request(_) | Message::Notification(_)) => {
            Arrived::Unusable("it is no answer".to_owned())
        }
        Err(why) => Arrived::Unusable(why),
    }
}

fn is_about(response: &Response, id: u64) -> bool {
    match &response.id {
        Some(own) => own.as_str().parse() == Ok(id),
        // An error may be about a request that could not be read.
        None => response.answer.is_err(),
    }
}

/// Whether it is a stream of events.
pub(super) fn is_stream(response: &reqwest::Response) -> bool {
    response.status().is_success() && content_type(response) == "text/event-stream"
}

fn content_type(response: &reqwest::Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// A whole body, within a limit.
async fn body(mut response: reqwest::Response, bytes_max: usize) -> Result<Bytes, Arrived> {
    let mut whole = BytesMut::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if whole.len() + piece.len() > bytes_max => {
                return Err(Arrived::TooLarge);
            }
            Ok(Some(piece)) => whole.extend_from_slice(&piece),
            Ok(None) => return Ok(whole.freeze()),
            Err(_) => return Err(Arrived::Unusable("it broke off".to_owned())),
        }
    }
}
