//! `/mcp`: both eras on one endpoint. How a message opens decides which one it is.

use std::sync::Arc;

use bytes::Bytes;
use hyper::{Method, StatusCode};
use manila::request_envelope::{Message, Notification, Refused as NoMessage, Request};
use manila::{Code, RawJson};

use super::body::Arriving;
use super::exchange::Takes;
use super::head::Head;
use super::reply::{self, Refused, Reply};
use super::{Front, batch, host_check, legacy, modern};
use crate::downstream::encode::{encode_own, encode_without_id};
use crate::downstream::malformed::{self, Malformed};
use crate::gateway::response::Response;
use crate::protocol::era::{Era, Revision};
use crate::protocol::jsonrpc::one_line;
use crate::protocol::modern::is_modern;
use crate::protocol::skim::{Skim, Skimmed};

/// Names of headers that the protocol gives.
pub(super) const SESSION_ID: &str = "mcp-session-id";
pub(super) const PROTOCOL_VERSION: &str = "mcp-protocol-version";

/// A request to the endpoint.
pub(super) async fn handle(
    front: &Arc<Front>,
    head: &Head,
    body: Arriving,
) -> Result<Reply, Refused> {
    match head.method {
        Method::POST => post(front, head, body).await,
        Method::GET | Method::DELETE if is_told_modern(head) => Ok(reply::not_allowed("POST")),
        Method::GET => legacy::get(front, head),
        Method::DELETE => legacy::delete(front, head),
        _ => Ok(reply::not_allowed("POST, GET, DELETE")),
    }
}

async fn post(front: &Arc<Front>, head: &Head, body: Arriving) -> Result<Reply, Refused> {
    host_check::check_json(&head.headers)?;
    let body = front.read(body).await?;
    let takes = Takes::of(&head.headers);
    if !takes.json && !takes.has_events() {
        let message = "the header Accept must have application/json and text/event-stream";
        let status = StatusCode::NOT_ACCEPTABLE;
        let refused = reply::refused(status, Code::InvalidEnvelope, message);
        return Ok(reply::about(refused, Malformed::read(&body, Skim::whole(&body).id)));
    }
    // What is no JSON is refused below, as on every transport.
    let line = one_line(body.clone()).unwrap_or(body);
    match Message::from_json(line.clone()) {
        Ok(Message::Request(request)) => asked(front, head, request, takes).await,
        Ok(Message::Notification(notification)) => told(front, head, &notification),
        Ok(Message::Response(response)) => legacy::answered(front, head, &response),
        Err(_) if line.first() == Some(&b'[') && legacy::has_batches(front, head) => {
            Box::pin(batch::handle(front, head, &line)).await
        }
        Err(refused) => Ok(refuse(front, head, refused, &line)),
    }
}

async fn asked(
    front: &Arc<Front>,
    head: &Head,
    request: Request,
    takes: Takes,
) -> Result<Reply, Refused> {
    let version = head.header(PROTOCOL_VERSION);
    if is_modern(&request, version) {
        modern::post(front, head, request, takes).await
    } else {
        legacy::post(front, head, request, takes).await
    }
}

fn told(front: &Arc<Front>, head: &Head, notification: &Notification) -> Result<Reply, Refused> {
    if head.header(SESSION_ID).is_none() && is_told_modern(head) {
        // On HTTP the modern era has nothing that a client could tell.
        if notification.method == "tools/call" {
            let frame = notification.frame.to_bytes();
            let origin = |meta: Option<&RawJson>| head.origin("/mcp", meta, None);
            malformed::record_call_without_id(&front.gateway, origin, &frame);
        }
        return Ok(reply::empty(StatusCode::ACCEPTED));
    }
    legacy::told(front, head, notification)
}

/// Whether the header says that the modern era is spoken.
fn is_told_modern(head: &Head) -> bool {
    head.header(PROTOCOL_VERSION) == Some(Era::Modern.date())
}

/// Whether the header names a revision of the legacy era, or none.
pub(super) fn is_told_legacy(head: &Head) -> bool {
    head.header(PROTOCOL_VERSION)
        .is_none_or(|told| Revision::ALL.iter().any(|it| it.date() == told))
}

/// Refuses a message that is none.
fn refuse(front: &Front, head: &Head, refused: NoMessage, line: &Bytes) -> Reply {
    let (fault, id) = malformed::fault(refused);
    let encode = |response: &Response| match &id {
        Some(id) => encode_own(Some(id), response),
        None => encode_without_id(response),
    };
    let Skimmed { id: found, is_answer, .. } = Skim::whole(line);
    if is_answer {
        // The journal records requests, not responses.
        malformed::tell(&front.gateway, &fault);
        return reply::json(StatusCode::BAD_REQUEST, encode(&Response::Refused(fault)).frame);
    }
    let malformed = Malformed::read(line, found);
    let origin = head.origin("/mcp", malformed.meta(), None);
    let refused = malformed.refuse(&front.gateway, &origin, fault, encode);
    reply::json(StatusCode::BAD_REQUEST, refused.frame)
}
