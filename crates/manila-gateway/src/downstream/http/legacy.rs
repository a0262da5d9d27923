//! Clients of the legacy era on HTTP: the handshake opens a session, and streams can be resumed.

use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::HeaderValue;
use manila::request_envelope::{Notification, Request, Response as ClientResponse};
use manila::{Code, JsonObject, RawJson};

use super::body::{EventIds, Events};
use super::exchange::{Accepts, Exchange};
use super::head::Head;
use super::mcp::{SESSION_ID, has_legacy_version};
use super::reply::{self, HttpReply, RefusalReply};
use super::sessions::{Session, StreamLease};
use super::stream::Stream;
use super::{HttpState, requested_format};
use crate::downstream::encode::{Encoded, encode, encode_era_independent};
use crate::downstream::partial_message::{self, PartialMessage};
use crate::gateway::answer::unavailable_fault;
use crate::gateway::dispatch::{Arrival, dispatch, dispatch_refusal, dispatch_with};
use crate::gateway::handshake;
use crate::gateway::response::Response;
use crate::protocol::caller::{Caller, Client, ClientInfo, Outbound, Undelivered};
use crate::protocol::era::{Era, Revision};
use crate::protocol::jsonrpc::{Fault, text_of};
use crate::protocol::presentation::ResultFormat;
use crate::protocol::request_source::Principal;
use crate::rt::offload::Offloadable;

/// Handles a request.
pub(super) async fn post(
    state: &Arc<HttpState>,
    head: &Head,
    request: Request,
    accepts: Accepts,
) -> Result<HttpReply, RefusalReply> {
    if request.method == "initialize" {
        return Ok(Box::pin(open_session(state, head, &request)).await);
    }
    let with_request = |refused| reply::with_request(refused, &request);
    let session = session(state, head).map_err(with_request)?;
    let format = requested_format(state, head).map_err(with_request)?;
    let stream = session.new_stream();
    if !accepts.has_events() {
        // The client would not read the stream.
        stream.finish(None);
    }
    let lease = Some(StreamLease::new(&session, &stream));
    let outbound: Arc<dyn Outbound> = Arc::clone(&stream) as Arc<dyn Outbound>;
    let caller = caller(&session, outbound, head, &request, format);
    if let Err(fault) = session.open.add(&request, &caller) {
        let refused = Box::pin(refuse_request(state, &request, &caller, fault)).await;
        let refused = refused.map(|refused| reply::json(StatusCode::OK, refused.frame));
        return Ok(refused.unwrap_or_else(|| reply::empty(StatusCode::ACCEPTED)));
    }
    let era = Era::Legacy(session.revision);
    let ended = Some(Arc::clone(&stream));
    let handling = run_request(Arc::clone(state), session, request, caller, ended);
    let exchange = Exchange { handling: Offloadable::new(handling), stream, accepts, era, lease };
    Ok(exchange.resumable_reply(state).await)
}

/// Returns the caller of a session's request.
pub(super) fn caller(
    session: &Session,
    outbound: Arc<dyn Outbound>,
    head: &Head,
    request: &Request,
    format: Option<ResultFormat>,
) -> Arc<Caller> {
    let source = head.request_source("/mcp", request.meta.as_ref(), None);
    let mut caller = Caller::of(&session.client, outbound, source);
    caller.preferences.format = format;
    Arc::new(caller)
}

/// Refuses a request that the session does not accept.
pub(super) async fn refuse_request(
    state: &HttpState,
    request: &Request,
    caller: &Arc<Caller>,
    fault: Fault,
) -> Option<Encoded> {
    let encode = |response: &Response| encode(&state.gateway, request, caller, response);
    let refused = Response::Refused(fault);
    dispatch_refusal(&state.gateway, request, caller, refused, encode).await.into_encoded()
}

/// Handles a session's request until it is completed or cancelled. A response that would end a
/// lost stream is not encoded.
pub(super) async fn run_request(
    state: Arc<HttpState>,
    session: Arc<Session>,
    request: Request,
    caller: Arc<Caller>,
    stream: Option<Arc<Stream>>,
) -> Option<Encoded> {
    let gateway = &state.gateway;
    let encode = |response: &Response| match &stream {
        Some(stream) if stream.is_lost() => Encoded::unsent(),
        Some(_) | None => encode(gateway, &request, &caller, response),
    };
    let dispatched = dispatch(gateway, &request, &caller, encode).await;
    session.open.remove(&request);
    dispatched.into_encoded()
}

/// Handles `initialize`, which opens a session.
async fn open_session(state: &HttpState, head: &Head, request: &Request) -> HttpReply {
    let gateway = &state.gateway;
    let source = head.request_source("/mcp", request.meta.as_ref(), None);
    let outbound: Arc<dyn Outbound> = Arc::new(DiscardOutbound);
    let client = Arc::new(Client::new(Arc::clone(&outbound)));
    let caller = Arc::new(Caller::of(&client, outbound, source));
    let session_id = OnceLock::new();
    let handshake = pin!(async {
        match initialize_session(state, request, head.principal()).await {
            Ok((result, id)) => {
                let _ = session_id.set(id);
                Response::Result(result)
            }
            Err(fault) => Response::Refused(fault),
        }
    });
    let encode = |response: &Response| {
        if let Response::Refused(Fault { code: Code::RateLimited, message, retry_after, .. }) =
            response
        {
            let message = message.as_deref().unwrap_or_default();
            let status = StatusCode::SERVICE_UNAVAILABLE;
            let mut refused = reply::refusal(status, Code::RateLimited, message);
            if let Some(retry_after) = retry_after {
                reply::set_retry_after(&mut refused, *retry_after);
            }
            return reply::mark_recorded(refused);
        }
        let frame = encode_era_independent(Some(&request.id), response).frame;
        let mut reply = reply::json(StatusCode::OK, frame);
        let id = session_id.get().and_then(|id: &String| HeaderValue::from_str(id).ok());
        if let Some(id) = id {
            reply.headers_mut().insert(SESSION_ID, id);
        }
        reply
    };
    let arrival = Arrival::of(request);
    let dispatched = dispatch_with(gateway, request, arrival, &caller, handshake, encode).await;
    dispatched.into_encoded().unwrap_or_else(|| reply::empty(StatusCode::ACCEPTED))
}

/// The retry delay of a client for whose session there is no room.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Opens a session for a client. Returns the result of `initialize` and the session's id.
async fn initialize_session(
    state: &HttpState,
    request: &Request,
    principal: Principal,
) -> Result<(JsonObject, String), Fault> {
    let params = request.params.clone().unwrap_or_default();
    let date = text_of(Some(params.as_raw()), "protocolVersion").unwrap_or_default();
    let revision = Revision::negotiate(&date);
    let era = Era::Legacy(revision);
    let info = state.gateway.handshake_info(era).await;
    let info = info.map_err(|unavailable| unavailable_fault(&unavailable))?;
    let capabilities = params.get("capabilities").and_then(JsonObject::new).unwrap_or_default();
    // Copies, because a slice would keep the whole message in memory as long as the session.
    let copy = |value: RawJson| RawJson::parse(value.to_string()).ok();
    let client_info = ClientInfo {
        implementation: params.get("clientInfo").and_then(copy),
        capabilities: copy(capabilities.into()).and_then(JsonObject::new),
        ..ClientInfo::of(era)
    };
    let n_max = state.limits.sessions_max;
    let session = state.sessions.open(&state.gateway, client_info, revision, principal, n_max);
    let session = session.ok_or_else(|| {
        let message = format!("{n_max} sessions are open, and none of them is idle");
        Fault::new(Code::RateLimited).message(message).retry_after(RETRY_AFTER)
    })?;
    Ok((handshake::initialize_result(&info, revision), session.id.clone()))
}

/// The outbound queue of a client without a session, which delivers nothing.
struct DiscardOutbound;

impl Outbound for DiscardOutbound {
    fn put(&self, _: Bytes) -> Result<(), Undelivered> {
        Err(Undelivered)
    }
}

/// Returns the session that a request belongs to.
pub(super) fn session(state: &HttpState, head: &Head) -> Result<Arc<Session>, RefusalReply> {
    let refuse = |status, message: &str| {
        Err(Box::new(reply::refusal(status, Code::InvalidEnvelope, message)))
    };
    if !has_legacy_version(head) {
        let message = "MCP-Protocol-Version must be the negotiated revision";
        return refuse(StatusCode::BAD_REQUEST, message);
    }
    let Some(id) = head.header(SESSION_ID) else {
        let message = "Mcp-Session-Id is required: send `initialize` to get one";
        return refuse(StatusCode::BAD_REQUEST, message);
    };
    match state.sessions.get(id, head.principal()) {
        Some(session) => Ok(session),
        None => refuse(StatusCode::NOT_FOUND, "there is no such session: send `initialize` again"),
    }
}

/// Opens the stream for messages that belong to no request, or resumes a stream.
pub(super) fn get(state: &HttpState, head: &Head) -> Result<HttpReply, RefusalReply> {
    let session = session(state, head)?;
    if !Accepts::of(&head.headers).has_events() {
        let message = "the header Accept must contain text/event-stream";
        let status = StatusCode::NOT_ACCEPTABLE;
        return Ok(reply::refusal(status, Code::InvalidEnvelope, message));
    }
    let last_id = head.header("last-event-id");
    let reader = last_id.map_or_else(|| Some(session.reader()), |last_id| session.resume(last_id));
    let Some(reader) = reader else {
        let message = "Last-Event-ID must belong to a stream that can be resumed";
        return Ok(reply::refusal(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message));
    };
    Ok(reply::events(Events::new(reader, EventIds::Included, state.limits.keep_alive)))
}

/// Ends the client's session.
pub(super) fn delete(state: &HttpState, head: &Head) -> Result<HttpReply, RefusalReply> {
    let session = session(state, head)?;
    state.sessions.end(&session.id);
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// Handles a client's notification.
pub(super) fn post_notification(
    state: &HttpState,
    head: &Head,
    notification: &Notification,
) -> Result<HttpReply, RefusalReply> {
    let description = || PartialMessage::read(&notification.frame.to_bytes(), None);
    let session = session(state, head)
        .map_err(|refused| Box::new(reply::with_message(*refused, description())))?;
    handle_notification(state, &session, notification);
    if notification.method == "tools/call" {
        let message = "a call must have an id: its response needs one";
        let status = StatusCode::BAD_REQUEST;
        let refused = reply::refusal(status, Code::InvalidEnvelope, message);
        let refused = reply::with_fault(refused, partial_message::without_id());
        return Ok(reply::with_message(refused, description()));
    }
    Ok(reply::empty(StatusCode::ACCEPTED))
}

/// Handles a notification of a session's client.
pub(super) fn handle_notification(
    state: &HttpState,
    session: &Session,
    notification: &Notification,
) {
    match notification.method.as_str() {
        "notifications/cancelled" => {
            let params = notification.params.clone().unwrap_or_default();
            if let Some(id) = params.get("requestId") {
                session.open.cancel(&id, params);
            }
        }
        // The gateway performed the handshake with the server, and has sent its own notification.
        "notifications/initialized" => {}
        "tools/call" => {
            let reason = "a `tools/call` without an id, to which there can be no response";
            partial_message::report_refused_message(&state.gateway, reason);
        }
        _ => state.gateway.forward_notification(notification, session.client.era()),
    }
}

/// Handles a client's response to a server's request.
pub(super) fn post_response(
    state: &HttpState,
    head: &Head,
    response: &ClientResponse,
) -> Result<HttpReply, RefusalReply> {
    // The journal records requests, not responses.
    let unrecorded = |refused: RefusalReply| Box::new(reply::mark_recorded(*refused));
    let session = session(state, head).map_err(unrecorded)?;
    if handle_response(state, &session, response) {
        return Ok(reply::empty(StatusCode::ACCEPTED));
    }
    let message = "the response matches no request";
    let refused = reply::refusal(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message);
    Err(unrecorded(Box::new(refused)))
}

/// Delivers a client's response to a server's request. Returns whether there is such a request.
pub(super) fn handle_response(
    state: &HttpState,
    session: &Session,
    response: &ClientResponse,
) -> bool {
    let is_expected = state.gateway.notifications.server_requests.answer(&session.client, response);
    if !is_expected {
        partial_message::report_unmatched_response(&state.gateway, response.id.as_ref());
    }
    is_expected
}

/// Returns whether the session supports batches, which only one revision has.
pub(super) fn has_batches(state: &HttpState, head: &Head) -> bool {
    session(state, head).is_ok_and(|it| it.revision == Revision::V2025_03_26)
}
