//! `/mcp`: both eras on one endpoint. How a message opens decides which one it is.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::HeaderMap;
use hyper::{Method, Request as HttpRequest, StatusCode};
use manila::Code;
use manila::request_envelope::{Message, Notification, Refused as NoMessage, Request};

use super::body::Arriving;
use super::exchange::Takes;
use super::reply::{self, Refused, Reply};
use super::{Front, admit, batch, ids, legacy, modern};
use crate::downstream::encode::{encode_own, encode_without_id};
use crate::downstream::malformed::{self, Malformed};
use crate::gateway::response::Response;
use crate::protocol::era::{Era, Revision};
use crate::protocol::jsonrpc::one_line;
use crate::protocol::modern::is_modern;
use crate::protocol::origin::Origin;

/// Names of headers that the protocol gives.
pub(super) const SESSION_ID: &str = "mcp-session-id";
pub(super) const PROTOCOL_VERSION: &str = "mcp-protocol-version";

/// A request to the endpoint.
pub(super) async fn handle(
    front: &Arc<Front>,
    request: HttpRequest<Arriving>,
) -> Result<Reply, Refused> {
    match *request.method() {
        Method::POST => post(front, request).await,
        Method::GET | Method::DELETE if is_told_modern(request.headers()) => {
            Ok(reply::not_allowed("POST"))
        }
        Method::GET => legacy::get(front, request.headers()),
        Method::DELETE => legacy::delete(front, request.headers()),
        _ => Ok(reply::not_allowed("POST, GET, DELETE")),
    }
}

async fn post(front: &Arc<Front>, request: HttpRequest<Arriving>) -> Result<Reply, Refused> {
    let (head, body) = request.into_parts();
    admit::check_json(&head.headers)?;
    let body = front.read(body).await?;
    let takes = Takes::of(&head.headers);
    if !takes.json && !takes.has_events() {
        let message = "the header Accept must have application/json and text/event-stream";
        let status = StatusCode::NOT_ACCEPTABLE;
        return Ok(reply::refused(status, Code::InvalidEnvelope, message));
    }
    // What is no JSON is refused below, as on every transport.
    let line = one_line(body.clone()).unwrap_or(body);
    let headers = &head.headers;
    match Message::from_json(line.clone()) {
        Ok(Message::Request(request)) => asked(front, headers, request, takes).await,
        Ok(Message::Notification(notification)) => told(front, headers, &notification),
        Ok(Message::Response(response)) => legacy::answered(front, headers, &response),
        Err(_) if line.first() == Some(&b'[') && legacy::has_batches(front, headers) => {
            Box::pin(batch::handle(front, headers, &line)).await
        }
        Err(refused) => Ok(refuse(front, headers, refused, &line)),
    }
}

async fn asked(
    front: &Arc<Front>,
    headers: &HeaderMap,
    request: Request,
    takes: Takes,
) -> Result<Reply, Refused> {
    let version = header(headers, PROTOCOL_VERSION);
    if is_modern(&request, version) {
        modern::post(front, headers, request, takes).await
    } else {
        legacy::post(front, headers, request, takes).await
    }
}

fn told(
    front: &Arc<Front>,
    headers: &HeaderMap,
    notification: &Notification,
) -> Result<Reply, Refused> {
    if header(headers, SESSION_ID).is_none() && is_told_modern(headers) {
        // On HTTP the modern era has nothing that a client could tell.
        return Ok(reply::empty(StatusCode::ACCEPTED));
    }
    legacy::told(front, headers, notification)
}

/// Whether the header says that the modern era is spoken.
fn is_told_modern(headers: &HeaderMap) -> bool {
    header(headers, PROTOCOL_VERSION) == Some(Era::Modern.date())
}

/// Whether the header names a revision of the legacy era, or none.
pub(super) fn is_told_legacy(headers: &HeaderMap) -> bool {
    header(headers, PROTOCOL_VERSION)
        .is_none_or(|told| Revision::ALL.iter().any(|it| it.date() == told))
}

/// The value of a header, if it is a text.
pub(super) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Refuses a message that is none.
fn refuse(front: &Front, headers: &HeaderMap, refused: NoMessage, line: &Bytes) -> Reply {
    let (fault, id) = malformed::fault(refused);
    let malformed = Malformed::read(line, id);
    let origin = Origin::http("/mcp", None, ids(headers));
    let encode = |response: &Response| match &malformed.id {
        Some(id) => encode_own(Some(id), response),
        None => encode_without_id(response),
    };
    let refused = malformed.refuse(&front.gateway, &origin, fault, encode);
    reply::json(StatusCode::BAD_REQUEST, refused.frame)
}
