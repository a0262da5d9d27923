//! Several messages at once, in the one revision that has that (2025-03-26).

use std::sync::Arc;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::HeaderMap;
use manila::request_envelope::{Message, Refused as NoMessage};
use manila::{Code, RawJson};

use super::reply::{self, Refused, Reply};
use super::sessions::Session;
use super::{Front, legacy, wanted_shape};
use crate::protocol::caller::{Caller, Line};
use crate::protocol::jsonrpc::{self, Fault};
use crate::protocol::presentation::Shape;

/// How many messages may come at once.
const MESSAGES_MAX: usize = 100;

/// Handles all of them, and answers when all are done. What is told meanwhile goes where what
/// belongs to no request goes.
pub(super) async fn handle(
    front: &Arc<Front>,
    headers: &HeaderMap,
    batch: &Bytes,
) -> Result<Reply, Refused> {
    let session = legacy::session(front, headers)?;
    let refuse =
        |message: &str| Ok(reply::refused(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message));
    let Ok(batch) = RawJson::parse_payload(batch.clone()) else {
        return refuse("the batch is not valid JSON");
    };
    let messages: Vec<RawJson> = batch.items().take(MESSAGES_MAX + 1).collect();
    if messages.is_empty() || messages.len() > MESSAGES_MAX {
        return refuse(&format!("a batch must have 1 to {MESSAGES_MAX} messages"));
    }
    let shape = wanted_shape(headers)?;
    let begun = messages.into_iter().map(|message| {
        // Each goes on for itself, so that they do not wait for each other.
        tokio::spawn(answer(Arc::clone(front), Arc::clone(&session), message, shape))
    });
    let begun: Vec<_> = begun.collect();
    let mut answers: Vec<Bytes> = Vec::new();
    for answer in begun {
        answers.extend(answer.await.ok().flatten());
    }
    if answers.is_empty() {
        return Ok(reply::empty(StatusCode::ACCEPTED));
    }
    let all = [&b"["[..], &answers.join(&b","[..]), b"]"].concat();
    Ok(reply::json(StatusCode::OK, all.into()))
}

async fn answer(
    front: Arc<Front>,
    session: Arc<Session>,
    message: RawJson,
    shape: Option<Shape>,
) -> Option<Bytes> {
    match Message::from_json(message.compact()) {
        Ok(Message::Request(request)) if request.method != "initialize" => {
            let line: Arc<dyn Line> = Arc::clone(&session.client.line);
            let mut caller = Caller::of(&session.client, line).over_http("/mcp");
            caller.wishes.shape = shape;
            let caller = Arc::new(caller);
            if let Err(not_taken) = session.in_flight.add(&request, &caller) {
                return Some(legacy::not_added(&front, &request, &caller, &not_taken));
            }
            let handled = legacy::handling(front, session, request, caller).await;
            handled.map(|answer| answer.frame)
        }
        Ok(Message::Request(request)) => {
            let fault = Fault::new(Code::InvalidEnvelope).message("must not be in a batch");
            Some(jsonrpc::error(Some(&request.id), &fault))
        }
        Ok(Message::Notification(notification)) => {
            legacy::hear(&front, &session, &notification);
            None
        }
        Ok(Message::Response(response)) => {
            let _ = front.gateway.audience.questions.answer(&session.client, &response);
            None
        }
        Err(NoMessage { code, violation, id }) => {
            Some(jsonrpc::error(id.as_ref(), &Fault::new(code).violation(violation)))
        }
    }
}
