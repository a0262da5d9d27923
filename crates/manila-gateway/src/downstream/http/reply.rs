//! HTTP replies: a status, a few headers, and a body.

use std::time::Duration;

use bytes::Bytes;
use hyper::body::Body as _;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use hyper::{Response, StatusCode};
use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::body::{Body, Events};
use crate::downstream::partial_message::PartialMessage;
use crate::gateway::dispatch::EncodedResponse;
use crate::protocol::jsonrpc::{self, Fault};
use crate::protocol::outgoing::Outgoing;

/// An HTTP reply.
pub(super) type HttpReply = Response<Body>;

/// A refusal, as the error of a `Result`.
pub(super) type RefusalReply = Box<HttpReply>;

/// The header for the request id.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Returns a reply with a JSON body.
pub(super) fn json(status: StatusCode, body: impl Into<Outgoing>) -> HttpReply {
    build(status, JSON, Body::whole(body))
}

/// Returns a reply with a plain text body.
pub(super) fn text(status: StatusCode, body: impl Into<Bytes>) -> HttpReply {
    build(status, TEXT, Body::whole(body.into()))
}

/// Returns a reply without a body.
pub(super) fn empty(status: StatusCode) -> HttpReply {
    let mut reply = Response::new(Body::empty());
    *reply.status_mut() = status;
    reply
}

/// Returns a stream of events, with headers that tell proxies not to buffer it.
pub(super) fn events(events: Events) -> HttpReply {
    let mut reply = build(StatusCode::OK, EVENTS, Body::Events(Box::new(events)));
    let headers = reply.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    reply
}

/// Marks a reply as a refusal by the HTTP transport, with the reason, for the journal.
#[derive(Debug, Clone)]
pub(super) struct HttpRefusal {
    pub(super) fault: Fault,
    /// The refused message, as far as it could be read.
    pub(super) message: PartialMessage,
}

impl EncodedResponse for HttpReply {
    fn n_bytes(&self) -> usize {
        let n_bytes = self.body().size_hint().exact().unwrap_or(0);
        usize::try_from(n_bytes).unwrap_or(usize::MAX)
    }
}

/// Adds a description of the refused message to a refusal.
pub(super) fn with_message(mut reply: HttpReply, partial: PartialMessage) -> HttpReply {
    if let Some(refusal) = reply.extensions_mut().get_mut::<HttpRefusal>() {
        refusal.message = partial;
    }
    reply
}

/// Adds a description of the refused request to a refusal.
pub(super) fn with_request(mut refused: RefusalReply, request: &Request) -> RefusalReply {
    if let Some(refusal) = refused.extensions_mut().get_mut::<HttpRefusal>() {
        refusal.message = PartialMessage::of(request);
    }
    refused
}

/// Replaces the fault that the journal records for a refusal.
pub(super) fn with_fault(mut reply: HttpReply, fault: Fault) -> HttpReply {
    if let Some(refusal) = reply.extensions_mut().get_mut::<HttpRefusal>() {
        refusal.fault = fault;
    }
    reply
}

/// Marks a refusal as recorded, so that it is not recorded again.
pub(super) fn mark_recorded(mut reply: HttpReply) -> HttpReply {
    reply.extensions_mut().remove::<HttpRefusal>();
    reply
}

/// Returns a refusal by the HTTP transport. Its body is a JSON-RPC error without an id, because the
/// message may not have been read.
pub(super) fn refusal(status: StatusCode, code: Code, message: &str) -> HttpReply {
    let fault = Fault::new(code).message(message);
    let body = JsonObject::build(|object| {
        object.member("jsonrpc", "2.0");
        object.member("error", &jsonrpc::encode_part(&fault));
    });
    let mut reply = json(status, RawJson::from(body).to_bytes());
    reply.extensions_mut().insert(HttpRefusal { fault, message: PartialMessage::default() });
    // The unread rest of the body must not be parsed as the next request.
    if status == StatusCode::PAYLOAD_TOO_LARGE || status == StatusCode::REQUEST_TIMEOUT {
        reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if status == StatusCode::UNAUTHORIZED {
        reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    reply
}

/// Returns the refusal of a method that a path does not support.
pub(super) fn not_allowed(allowed: &'static str) -> HttpReply {
    let message = format!("this path supports only {allowed}");
    let mut reply = refusal(StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotFound, &message);
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    reply
}

/// Sets the header `Retry-After`, rounded up to seconds.
pub(super) fn set_retry_after(reply: &mut HttpReply, after: Duration) {
    let seconds = after.as_millis().div_ceil(1_000);
    let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
    reply.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
}

fn build(status: StatusCode, kind: HeaderValue, body: Body) -> HttpReply {
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}
