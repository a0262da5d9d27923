//! Several messages at once, in the one revision that has that (2025-03-26).

use std::sync::Arc;

use bytes::Bytes;
use hyper::StatusCode;
use manila::request_envelope::Message;
use manila::{Code, RawJson};

use super::head::Head;
use super::reply::{self, Refused, Reply};
use super::sessions::Session;
use super::{Front, legacy, wanted_shape};
use crate::downstream::encode::{Encoded, encode_own};
use crate::downstream::malformed::{self, Malformed};
use crate::gateway::response::Response;
use crate::protocol::caller::Line;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::Shape;

/// How many messages may come at once.
const MESSAGES_MAX: usize = 100;

/// Handles all of them, and answers when all are done. What is told meanwhile goes where what
/// belongs to no request goes.
pub(super) async fn handle(
    front: &Arc<Front>,
    head: &Head,
    batch: &Bytes,
) -> Result<Reply, Refused> {
    let session = legacy::session(front, head)?;
    let refuse = |message: &str| {
        let refused = reply::refused(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message);
        Ok(reply::about(refused, Malformed::unread(None, batch.len())))
    };
    let Ok(batch) = RawJson::parse_payload(batch.clone()) else {
        return refuse("the batch is not valid JSON");
    };
    let messages: Vec<RawJson> = batch.items().take(MESSAGES_MAX + 1).collect();
    if messages.is_empty() || messages.len() > MESSAGES_MAX {
        return refuse(&format!("a batch must have 1 to {MESSAGES_MAX} messages"));
    }
    let about = |refused: Refused| {
        Box::new(reply::about(*refused, Malformed::unread(None, batch.as_bytes().len())))
    };
    let shape = wanted_shape(head).map_err(about)?;
    let head = Arc::new(head.clone());
    let begun = messages.into_iter().map(|message| {
        let (front, session) = (Arc::clone(front), Arc::clone(&session));
        // Each goes on for itself, so that they do not wait for each other.
        tokio::spawn(answer(front, session, message, Arc::clone(&head), shape))
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
    head: Arc<Head>,
    shape: Option<Shape>,
) -> Option<Bytes> {
    let message = message.compact();
    let frame = |encoded: Encoded| encoded.frame;
    match Message::from_json(message.clone()) {
        Ok(Message::Request(request)) => {
            let line: Arc<dyn Line> = Arc::clone(&session.client.line);
            let caller = legacy::caller(&session, line, &head, &request, shape);
            if request.method == "initialize" {
                let fault = Fault::new(Code::InvalidEnvelope).message("must not be in a batch");
                return legacy::not_taken(&front, &request, &caller, fault).await.map(frame);
            }
            if let Err(fault) = session.open.add(&request, &caller) {
                return legacy::not_taken(&front, &request, &caller, fault).await.map(frame);
            }
            legacy::handling(front, session, request, caller).await.map(frame)
        }
        Ok(Message::Notification(notification)) => {
            legacy::hear(&front, &session, &notification);
            if notification.method == "tools/call" {
                let origin = |meta: Option<&RawJson>| head.origin("/mcp", meta, None);
                malformed::record_call_without_id(&front.gateway, origin, &message);
            }
            None
        }
        Ok(Message::Response(response)) => {
            legacy::take_answer(&front, &session, &response);
            None
        }
        Err(refused) => {
            let (fault, id) = malformed::fault(refused);
            let malformed = Malformed::read(&message, id);
            let origin = head.origin("/mcp", malformed.meta(), None);
            let encode = |response: &Response| encode_own(malformed.id.as_ref(), response);
            Some(malformed.refuse(&front.gateway, &origin, fault, encode).frame)
        }
    }
}
