//! Replies: a status, a few headers, and a body.

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
use crate::downstream::malformed::Malformed;
use crate::gateway::dispatch::EncodedResponse;
use crate::protocol::jsonrpc::{self, Fault};

/// What a client gets.
pub(super) type Reply = Response<Body>;

/// A reply that ends everything else.
pub(super) type Refused = Box<Reply>;

/// The header of a request's id.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// A message, as JSON.
pub(super) fn json(status: StatusCode, body: Bytes) -> Reply {
    with(status, JSON, Body::whole(body))
}

/// A text.
pub(super) fn text(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    with(status, TEXT, Body::whole(body))
}

/// Nothing but a status.
pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Body::empty());
    *reply.status_mut() = status;
    reply
}

/// A stream of events. Nobody on the way may hold it back.
pub(super) fn events(events: Events) -> Reply {
    let mut reply = with(StatusCode::OK, EVENTS, Body::Events(Box::new(events)));
    let headers = reply.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    reply
}

/// That a reply is a refusal of HTTP's own, and why, for the journal.
#[derive(Debug, Clone)]
pub(super) struct Declined {
    pub(super) fault: Fault,
    /// What could be read of the message that was refused.
    pub(super) about: Malformed,
}

impl EncodedResponse for Reply {
    fn n_bytes(&self) -> usize {
        let n_bytes = self.body().size_hint().exact().unwrap_or(0);
        usize::try_from(n_bytes).unwrap_or(usize::MAX)
    }
}

/// The same refusal, of a message of which this is known.
pub(super) fn about(mut reply: Reply, malformed: Malformed) -> Reply {
    if let Some(declined) = reply.extensions_mut().get_mut::<Declined>() {
        declined.about = malformed;
    }
    reply
}

/// The same refusal, of this request.
pub(super) fn of(mut refused: Refused, request: &Request) -> Refused {
    if let Some(declined) = refused.extensions_mut().get_mut::<Declined>() {
        declined.about = Malformed::of(request);
    }
    refused
}

/// The same refusal, for this reason as every transport gives it.
pub(super) fn because(mut reply: Reply, fault: Fault) -> Reply {
    if let Some(declined) = reply.extensions_mut().get_mut::<Declined>() {
        declined.fault = fault;
    }
    reply
}

/// The same reply, of which a record has been written.
pub(super) fn recorded(mut reply: Reply) -> Reply {
    reply.extensions_mut().remove::<Declined>();
    reply
}

/// A refusal of HTTP's own, with a message of MCP that has no id: nobody has read what was asked.
pub(super) fn refused(status: StatusCode, code: Code, message: &str) -> Reply {
    let fault = Fault::new(code).message(message);
    let body = JsonObject::build(|object| {
        object.member("jsonrpc", "2.0");
        object.member("error", &jsonrpc::written(&fault));
    });
    let mut reply = json(status, RawJson::from(body).to_bytes());
    reply.extensions_mut().insert(Declined { fault, about: Malformed::default() });
    // What was not read must not be taken for the next request.
    if status == StatusCode::PAYLOAD_TOO_LARGE || status == StatusCode::REQUEST_TIMEOUT {
        reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if status == StatusCode::UNAUTHORIZED {
        reply.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    reply
}

/// A method that a path does not have.
pub(super) fn not_allowed(allowed: &'static str) -> Reply {
    let message = format!("this path has only {allowed}");
    let mut reply = refused(StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotFound, &message);
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    reply
}

/// When to come back.
pub(super) fn retry_after(reply: &mut Reply, after: Duration) {
    let seconds = after.as_millis().div_ceil(1_000);
    let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
    reply.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
}

fn with(status: StatusCode, kind: HeaderValue, body: Body) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}
