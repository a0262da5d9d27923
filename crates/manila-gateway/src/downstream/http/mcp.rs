//! `/mcp`: both eras on one endpoint. Each message determines its era.

use std::sync::Arc;

use hyper::{Method, StatusCode};
use manila::request_envelope::{Message, Notification, Request};
use manila::{Code, RawJson};

use super::body::RequestBody;
use super::exchange::Accepts;
use super::head::Head;
use super::reply::{self, HttpReply, RefusalReply};
use super::{HttpState, batch, host_check, legacy, modern};
use crate::downstream::encode::{encode_era_independent, encode_without_id};
use crate::downstream::partial_message::{self, Malformed, PartialMessage};
use crate::gateway::response::Response;
use crate::protocol::era::{Era, Revision};
use crate::protocol::id_scan::IdScan;
use crate::protocol::modern::is_modern;
use crate::rt::offload::{self, Offloadable, Work, leave_reactor};

/// Headers of the protocol.
pub(super) const SESSION_ID: &str = "mcp-session-id";
pub(super) const PROTOCOL_VERSION: &str = "mcp-protocol-version";

/// Handles a request to `/mcp`.
pub(super) async fn handle(
    state: &Arc<HttpState>,
    head: &Head,
    body: RequestBody,
) -> Result<HttpReply, RefusalReply> {
    match head.method {
        Method::POST => post(state, head, body).await,
        Method::GET | Method::DELETE if has_modern_version(head) => Ok(reply::not_allowed("POST")),
        Method::GET => legacy::get(state, head),
        Method::DELETE => legacy::delete(state, head),
        _ => Ok(reply::not_allowed("POST, GET, DELETE")),
    }
}

async fn post(
    state: &Arc<HttpState>,
    head: &Head,
    body: RequestBody,
) -> Result<HttpReply, RefusalReply> {
    host_check::check_json(&head.headers)?;
    let body = state.read(body).await?;
    let n_bytes = body.len();
    let accepts = Accepts::of(&head.headers);
    if !accepts.json && !accepts.has_events() {
        let message = "the header Accept must contain application/json or text/event-stream";
        let status = StatusCode::NOT_ACCEPTABLE;
        let refused = reply::refusal(status, Code::InvalidEnvelope, message);
        let read = move || PartialMessage::read(&body, IdScan::scan(&body).id);
        return Ok(reply::with_message(refused, offload::run(Work::Scan(n_bytes), read).await));
    }
    if body.trim_ascii_start().first() == Some(&b'[') && legacy::has_batches(state, head) {
        return Box::pin(batch::handle(state, head, &body)).await;
    }
    match partial_message::parse(body).await {
        Ok(Message::Request(request)) => {
            let work = Work::Process(n_bytes);
            if !work.is_long() {
                return post_request(state, head, request, accepts).await;
            }
            // Any part of it may be large, `_meta` included.
            let (state, head) = (Arc::clone(state), head.clone());
            let post = async move {
                leave_reactor(work).await;
                post_request(&state, &head, request, accepts).await
            };
            Offloadable::new(post).await
        }
        Ok(Message::Notification(notification)) => {
            let (state, head) = (Arc::clone(state), head.clone());
            let post = move || post_notification(&state, &head, &notification);
            offload::run(Work::Process(n_bytes), post).await
        }
        Ok(Message::Response(response)) => {
            let (state, head) = (Arc::clone(state), head.clone());
            let post = move || legacy::post_response(&state, &head, &response);
            offload::run(Work::Process(n_bytes), post).await
        }
        Err(malformed) => Ok(refuse(state, head, *malformed)),
    }
}

async fn post_request(
    state: &Arc<HttpState>,
    head: &Head,
    request: Request,
    accepts: Accepts,
) -> Result<HttpReply, RefusalReply> {
    let version = head.header(PROTOCOL_VERSION);
    if is_modern(&request, version) {
        modern::post(state, head, request, accepts).await
    } else {
        legacy::post(state, head, request, accepts).await
    }
}

fn post_notification(
    state: &Arc<HttpState>,
    head: &Head,
    notification: &Notification,
) -> Result<HttpReply, RefusalReply> {
    if head.header(SESSION_ID).is_none() && has_modern_version(head) {
        // The modern era has no notifications from clients over HTTP. A call without an id is
        // recorded, because there is no response that could report the mistake.
        if notification.method == "tools/call" {
            let frame = notification.frame.to_bytes();
            let source = |meta: Option<&RawJson>| head.request_source("/mcp", meta, None);
            partial_message::record_call_without_id(&state.gateway, source, &frame);
        }
        return Ok(reply::empty(StatusCode::ACCEPTED));
    }
    legacy::post_notification(state, head, notification)
}

/// Returns whether the version header names the modern era.
fn has_modern_version(head: &Head) -> bool {
    head.header(PROTOCOL_VERSION) == Some(Era::Modern.date())
}

/// Returns whether the version header names a revision of the legacy era, or is absent.
pub(super) fn has_legacy_version(head: &Head) -> bool {
    head.header(PROTOCOL_VERSION)
        .is_none_or(|version| Revision::ALL.iter().any(|it| it.date() == version))
}

/// Refuses a malformed message.
fn refuse(state: &HttpState, head: &Head, malformed: Malformed) -> HttpReply {
    let Malformed { fault, id, partial, is_response } = malformed;
    let encode = |response: &Response| match &id {
        Some(id) => encode_era_independent(Some(id), response),
        None => encode_without_id(response),
    };
    if is_response {
        // The journal records requests, not responses.
        partial_message::report(&state.gateway, &fault);
        return reply::json(StatusCode::BAD_REQUEST, encode(&Response::Refused(fault)).frame);
    }
    let source = head.request_source("/mcp", partial.meta(), None);
    let refused = partial.refuse(&state.gateway, &source, fault, encode);
    reply::json(StatusCode::BAD_REQUEST, refused.frame)
}
