//! Clients of the legacy era on HTTP: they say hello, get a session, and may come back.

use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::HeaderValue;
use manila::request_envelope::{Notification, Request, Response as ClientResponse};
use manila::{Code, JsonObject, RawJson};

use super::body::{Events, Ids};
use super::exchange::{Exchange, Takes};
use super::head::Head;
use super::mcp::{SESSION_ID, is_told_legacy};
use super::reply::{self, Refused, Reply};
use super::sessions::{Lent, Session};
use super::{Front, wanted_shape};
use crate::downstream::encode::{Encoded, encode, encode_own};
use crate::downstream::malformed::{self, Malformed};
use crate::gateway::answer::not_available;
use crate::gateway::dispatch::{Arrival, dispatch, dispatch_refusal, dispatch_with};
use crate::gateway::hello;
use crate::gateway::response::Response;
use crate::protocol::caller::{Caller, Client, Line, Speech, Unheard};
use crate::protocol::era::{Era, Revision};
use crate::protocol::jsonrpc::{Fault, text_of};
use crate::protocol::origin::Principal;
use crate::protocol::presentation::Shape;
use crate::telemetry::event::Event;

/// A request.
pub(super) async fn post(
    front: &Arc<Front>,
    head: &Head,
    request: Request,
    takes: Takes,
) -> Result<Reply, Refused> {
    if request.method == "initialize" {
        return Ok(Box::pin(open_session(front, head, &request)).await);
    }
    let about = |refused| reply::of(refused, &request);
    let session = session(front, head).map_err(about)?;
    let shape = wanted_shape(head).map_err(about)?;
    let stream = session.stream();
    if !takes.has_events() {
        // Nobody would read what is told there.
        stream.finish(None);
    }
    let lent = Some(Lent::new(&session, &stream));
    let line: Arc<dyn Line> = Arc::clone(&stream) as Arc<dyn Line>;
    let caller = caller(&session, line, head, &request, shape);
    if let Err(fault) = session.open.add(&request, &caller) {
        let refused = Box::pin(not_taken(front, &request, &caller, fault)).await;
        let refused = refused.map(|refused| reply::json(StatusCode::OK, refused.frame));
        return Ok(refused.unwrap_or_else(|| reply::empty(StatusCode::ACCEPTED)));
    }
    let era = Era::Legacy(session.revision);
    let handling = handling(Arc::clone(front), session, request, caller);
    let exchange = Exchange { handling: Box::pin(handling), stream, takes, era, lent };
    Ok(exchange.lasting_reply(front).await)
}

/// Who asks, in a session.
pub(super) fn caller(
    session: &Session,
    line: Arc<dyn Line>,
    head: &Head,
    request: &Request,
    shape: Option<Shape>,
) -> Arc<Caller> {
    let origin = head.origin("/mcp", request.meta.as_ref(), None);
    let mut caller = Caller::of(&session.client, line, origin);
    caller.preferences.shape = shape;
    Arc::new(caller)
}

/// Refuses a request that the session does not take.
pub(super) async fn not_taken(
    front: &Front,
    request: &Request,
    caller: &Arc<Caller>,
    fault: Fault,
) -> Option<Encoded> {
    let encode = |response: &Response| encode(&front.gateway, request, caller, response);
    let refused = Response::Refused(fault);
    dispatch_refusal(&front.gateway, request, caller, refused, encode).await.into_encoded()
}

/// Handles a request of a session, until it is answered or cancelled.
pub(super) async fn handling(
    front: Arc<Front>,
    session: Arc<Session>,
    request: Request,
    caller: Arc<Caller>,
) -> Option<Encoded> {
    let gateway = &front.gateway;
    let encode = |response: &Response| encode(gateway, &request, &caller, response);
    let answered = dispatch(gateway, &request, &caller, encode).await;
    session.open.remove(&request);
    answered.into_encoded()
}

/// A hello opens a session.
async fn open_session(front: &Front, head: &Head, request: &Request) -> Reply {
    let gateway = &front.gateway;
    let origin = head.origin("/mcp", request.meta.as_ref(), None);
    let line: Arc<dyn Line> = Arc::new(Deaf);
    let caller = Arc::new(Caller::of(&Arc::new(Client::new(Arc::clone(&line))), line, origin));
    let opened = OnceLock::new();
    let greeted = pin!(async {
        let greeted = greet(front, request, head.principal()).await;
        match greeted {
            Ok((result, session)) => {
                let _ = opened.set(session);
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
            let mut refused = reply::refused(status, Code::RateLimited, message);
            if let Some(retry_after) = retry_after {
                reply::retry_after(&mut refused, *retry_after);
            }
            return reply::recorded(refused);
        }
        let frame = encode_own(Some(&request.id), response).frame;
        let mut reply = reply::json(StatusCode::OK, frame);
        let id = opened.get().and_then(|id: &String| HeaderValue::from_str(id).ok());
        if let Some(id) = id {
            reply.headers_mut().insert(SESSION_ID, id);
        }
        reply
    };
    let arrival = Arrival::of(request);
    let answered = dispatch_with(gateway, request, arrival, &caller, greeted, encode).await;
    answered.into_encoded().unwrap_or_else(|| reply::empty(StatusCode::ACCEPTED))
}

/// When a client may come back for whose session there is no room.
const RETRY: Duration = Duration::from_secs(5);

/// Greets a client, and returns the id of its session beside the greeting.
async fn greet(
    front: &Front,
    request: &Request,
    principal: Principal,
) -> Result<(JsonObject, String), Fault> {
    let params = request.params.clone().unwrap_or_default();
    let date = text_of(Some(params.as_raw()), "protocolVersion").unwrap_or_default();
    let revision = Revision::negotiated(&date);
    let era = Era::Legacy(revision);
    let said = front.gateway.hello(era).await.map_err(|down| not_available(&down))?;
    let capabilities = params.get("capabilities").and_then(JsonObject::new).unwrap_or_default();
    // Copies: a slice would keep the whole message as long as the session.
    let copy = |value: RawJson| RawJson::parse(value.to_string()).ok();
    let speech = Speech {
        info: params.get("clientInfo").and_then(copy),
        capabilities: copy(capabilities.into()).and_then(JsonObject::new),
        ..Speech::of(era)
    };
    let n_max = front.limits.sessions_max;
    let session = front.sessions.open(&front.gateway, speech, revision, principal, n_max);
    let session = session.ok_or_else(|| {
        let message = format!("{n_max} sessions are open, and none of them is idle");
        Fault::new(Code::RateLimited).message(message).retry_after(RETRY)
    })?;
    Ok((hello::initialized(&said, revision), session.id.clone()))
}

/// The line of a client that has no session yet.
struct Deaf;

impl Line for Deaf {
    fn put(&self, _: Bytes) -> Result<(), Unheard> {
        Err(Unheard)
    }
}

/// The session that a request belongs to.
pub(super) fn session(front: &Front, head: &Head) -> Result<Arc<Session>, Refused> {
    let refuse = |status, message: &str| {
        Err(Box::new(reply::refused(status, Code::InvalidEnvelope, message)))
    };
    if !is_told_legacy(head) {
        let message = "MCP-Protocol-Version must be the revision that was agreed on";
        return refuse(StatusCode::BAD_REQUEST, message);
    }
    let Some(id) = head.header(SESSION_ID) else {
        let message = "Mcp-Session-Id is required: say `initialize` first, which gives one";
        return refuse(StatusCode::BAD_REQUEST, message);
    };
    match front.sessions.get(id, head.principal()) {
        Some(session) => Ok(session),
        None => refuse(StatusCode::NOT_FOUND, "there is no such session: say `initialize` again"),
    }
}

/// A client listens to what belongs to none of its requests, or takes a stream up again.
pub(super) fn get(front: &Front, head: &Head) -> Result<Reply, Refused> {
    let session = session(front, head)?;
    if !Takes::of(&head.headers).has_events() {
        let message = "the header Accept must have text/event-stream";
        let status = StatusCode::NOT_ACCEPTABLE;
        return Ok(reply::refused(status, Code::InvalidEnvelope, message));
    }
    let last_id = head.header("last-event-id");
    let reader = last_id.map_or_else(|| Some(session.reader()), |last_id| session.resumed(last_id));
    let Some(reader) = reader else {
        let message = "Last-Event-ID must be of a stream that is still kept";
        return Ok(reply::refused(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message));
    };
    Ok(reply::events(Events::new(reader, Ids::Written, front.limits.keep_alive)))
}

/// A client says goodbye.
pub(super) fn delete(front: &Front, head: &Head) -> Result<Reply, Refused> {
    let session = session(front, head)?;
    front.sessions.end(&session.id);
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// A client tells something.
pub(super) fn told(
    front: &Front,
    head: &Head,
    notification: &Notification,
) -> Result<Reply, Refused> {
    let about = || Malformed::read(&notification.frame.to_bytes(), None);
    let session =
        session(front, head).map_err(|refused| Box::new(reply::about(*refused, about())))?;
    hear(front, &session, notification);
    if notification.method == "tools/call" {
        let message = "a call must have an id, or nobody could answer it";
        let status = StatusCode::BAD_REQUEST;
        let refused = reply::refused(status, Code::InvalidEnvelope, message);
        let refused = reply::because(refused, malformed::without_id());
        return Ok(reply::about(refused, about()));
    }
    Ok(reply::empty(StatusCode::ACCEPTED))
}

/// Takes what a client of a session tells.
pub(super) fn hear(front: &Front, session: &Session, notification: &Notification) {
    match notification.method.as_str() {
        "notifications/cancelled" => {
            let params = notification.params.clone().unwrap_or_default();
            if let Some(id) = params.get("requestId") {
                session.open.cancel(&id, params);
            }
        }
        // The server was greeted by us, and has heard it.
        "notifications/initialized" => {}
        "tools/call" => {
            let why = "a `tools/call` without an id, which nobody could answer";
            front.gateway.tell(Event::Refused(why.to_owned()));
        }
        _ => front.gateway.hand_on(notification, session.client.era()),
    }
}

/// A client answers what the server asked.
pub(super) fn answered(
    front: &Front,
    head: &Head,
    response: &ClientResponse,
) -> Result<Reply, Refused> {
    // The journal records requests, not responses.
    let unrecorded = |refused: Refused| Box::new(reply::recorded(*refused));
    let session = session(front, head).map_err(unrecorded)?;
    if take_answer(front, &session, response) {
        return Ok(reply::empty(StatusCode::ACCEPTED));
    }
    let message = "nobody has asked that";
    let refused = reply::refused(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message);
    Err(unrecorded(Box::new(refused)))
}

/// Takes a client's answer to what the server asked; returns whether the server asked it.
pub(super) fn take_answer(front: &Front, session: &Session, response: &ClientResponse) -> bool {
    let is_asked = front.gateway.audience.questions.answer(&session.client, response);
    if !is_asked {
        front.gateway.tell(Event::Refused("an answer to no question".to_owned()));
    }
    is_asked
}

/// Whether several messages may come at once: one revision has that.
pub(super) fn has_batches(front: &Front, head: &Head) -> bool {
    session(front, head).is_ok_and(|it| it.revision == Revision::V2025_03_26)
}
