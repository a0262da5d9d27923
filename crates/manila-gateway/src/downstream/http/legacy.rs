//! Clients of the legacy era on HTTP: they say hello, get a session, and may come back.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Body as _;
use hyper::header::{HeaderMap, HeaderValue};
use manila::request_envelope::{Notification, Request, Response};
use manila::stage::record::Transport;
use manila::{Code, JsonObject, RawJson, Violation};

use super::body::{Events, Ids};
use super::exchange::{Exchange, Takes};
use super::mcp::{SESSION_ID, header, is_told_legacy};
use super::reply::{self, Refused, Reply};
use super::sessions::{Lent, Session};
use super::{Front, Written, wanted_shape};
use crate::admit::in_flight::NotTaken;
use crate::downstream::encode::Fate;
use crate::gateway::dispatch::{answered as handled, not_available, text_of, turned_away};
use crate::gateway::hello;
use crate::gateway::record::{Over, record, record_cancelled};
use crate::protocol::caller::{Caller, Line, Speech};
use crate::protocol::era::{Era, Revision};
use crate::protocol::jsonrpc::{self, Fault};
use crate::rt::clock;
use crate::telemetry::event::Event;

/// A request.
pub(super) async fn post(
    front: &Arc<Front>,
    headers: &HeaderMap,
    request: Request,
    takes: Takes,
) -> Result<Reply, Refused> {
    if request.method == "initialize" {
        return Ok(Box::pin(recorded_hello(front, &request)).await);
    }
    let session = session(front, headers)?;
    let shape = wanted_shape(headers)?;
    let stream = session.stream();
    if !takes.has_events() {
        // Nobody would read what is told there.
        stream.finish(None);
    }
    let lent = Some(Lent::new(&session, &stream));
    let line: Arc<dyn Line> = Arc::clone(&stream) as Arc<dyn Line>;
    let mut caller = Caller::of(&session.client, line).over_http("/mcp");
    caller.wishes.shape = shape;
    let caller = Arc::new(caller);
    if let Err(not_taken) = session.in_flight.add(&request, &caller) {
        let frame = not_added(front, &request, &caller, &not_taken);
        return Ok(reply::json(StatusCode::OK, frame));
    }
    let era = Era::Legacy(session.revision);
    let handling = handling(Arc::clone(front), session, request, caller);
    let exchange = Exchange { handling: Box::pin(handling), stream, takes, era, lent };
    Ok(exchange.lasting_reply(front).await)
}

/// The answer to a request that is not taken.
pub(super) fn not_added(
    front: &Front,
    request: &Request,
    caller: &Arc<Caller>,
    why: &NotTaken,
) -> bytes::Bytes {
    match why {
        NotTaken::SameId => {
            let message = format!("{} is the id of a request that is still open", request.id);
            let violation = Violation::new("/id", "unique", message);
            let fault = Fault::new(Code::InvalidEnvelope).violation(violation);
            jsonrpc::error(Some(&request.id), &fault)
        }
        NotTaken::TooMany => turned_away(&front.gateway, request, caller).frame,
    }
}

/// Handles a request of a session, until it is answered or cancelled.
pub(super) async fn handling(
    front: Arc<Front>,
    session: Arc<Session>,
    request: Request,
    caller: Arc<Caller>,
) -> Option<Written> {
    // A session has limits of its own; all of them together have the same.
    let Some(_open) = front.opened(request.frame.as_bytes().len()) else {
        session.in_flight.remove(&request);
        return Some(turned_away(&front.gateway, &request, &caller));
    };
    let started = clock::now();
    let answer = tokio::select! {
        biased;
        // The handling below is dropped, and that tells the server.
        () = caller.cancellation.cancelled() => {
            record_cancelled(&front.gateway, &request, &caller, started);
            None
        }
        answer = handled(&front.gateway, &request, &caller) => Some(answer),
    };
    session.in_flight.remove(&request);
    answer
}

/// A hello, of which a record is kept.
async fn recorded_hello(front: &Front, request: &Request) -> Reply {
    let started = clock::now();
    let reply = hello(front, request).await;
    let failure = match reply.headers().contains_key(SESSION_ID) {
        true => None,
        false if reply.status() == StatusCode::OK => Some(Code::UpstreamUnavailable),
        false => Some(Code::RateLimited),
    };
    let fate = Fate { failure, ..Fate::default() };
    let output_bytes = reply.body().size_hint().lower();
    record(
        &front.gateway,
        &Over {
            transport: Transport::Http,
            route: "/mcp",
            request: Some(request),
            id: Some(&request.id),
            started,
            input_bytes: request.frame.as_bytes().len(),
            output_bytes: usize::try_from(output_bytes).unwrap_or(usize::MAX),
            fate: &fate,
        },
    );
    reply
}

/// A hello opens a session.
async fn hello(front: &Front, request: &Request) -> Reply {
    let params = request.params.clone().unwrap_or_default();
    let date = text_of(Some(params.as_raw()), "protocolVersion").unwrap_or_default();
    let revision = Revision::negotiated(&date);
    let era = Era::Legacy(revision);
    let said = match front.gateway.hello(era).await {
        Ok(said) => said,
        Err(down) => {
            let frame = jsonrpc::error(Some(&request.id), &not_available(&down));
            return reply::json(StatusCode::OK, frame);
        }
    };
    let capabilities = params.get("capabilities").and_then(JsonObject::new).unwrap_or_default();
    // Copies: a slice would keep the whole message as long as the session.
    let copy = |value: RawJson| RawJson::parse(value.to_string()).ok();
    let speech = Speech {
        info: params.get("clientInfo").and_then(copy),
        capabilities: copy(capabilities.into()).and_then(JsonObject::new),
        ..Speech::of(era)
    };
    let n_max = front.limits.sessions_max;
    let Some(session) = front.sessions.open(&front.gateway, speech, revision, n_max) else {
        let message = format!("{n_max} sessions are open, and none of them is idle");
        let mut refused =
            reply::refused(StatusCode::SERVICE_UNAVAILABLE, Code::RateLimited, &message);
        reply::retry_after(&mut refused, 5);
        return refused;
    };
    let frame = jsonrpc::result(&request.id, &hello::initialized(&said, revision));
    let mut reply = reply::json(StatusCode::OK, frame);
    if let Ok(id) = HeaderValue::from_str(&session.id) {
        reply.headers_mut().insert(SESSION_ID, id);
    }
    reply
}

/// The session that a request belongs to.
pub(super) fn session(front: &Front, headers: &HeaderMap) -> Result<Arc<Session>, Refused> {
    let refuse = |status, message: &str| {
        Err(Box::new(reply::refused(status, Code::InvalidEnvelope, message)))
    };
    if !is_told_legacy(headers) {
        let message = "MCP-Protocol-Version must be the revision that was agreed on";
        return refuse(StatusCode::BAD_REQUEST, message);
    }
    let Some(id) = header(headers, SESSION_ID) else {
        let message = "Mcp-Session-Id is required: say `initialize` first, which gives one";
        return refuse(StatusCode::BAD_REQUEST, message);
    };
    match front.sessions.get(id) {
        Some(session) => Ok(session),
        None => refuse(StatusCode::NOT_FOUND, "there is no such session: say `initialize` again"),
    }
}

/// A client listens to what belongs to none of its requests, or takes a stream up again.
pub(super) fn get(front: &Front, headers: &HeaderMap) -> Result<Reply, Refused> {
    let session = session(front, headers)?;
    if !Takes::of(headers).has_events() {
        let message = "the header Accept must have text/event-stream";
        let status = StatusCode::NOT_ACCEPTABLE;
        return Ok(reply::refused(status, Code::InvalidEnvelope, message));
    }
    let last_id = header(headers, "last-event-id");
    let reader = last_id.map_or_else(|| Some(session.reader()), |last_id| session.resumed(last_id));
    let Some(reader) = reader else {
        let message = "Last-Event-ID must be of a stream that is still kept";
        return Ok(reply::refused(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message));
    };
    Ok(reply::events(Events::new(reader, Ids::Written, front.limits.keep_alive)))
}

/// A client says goodbye.
pub(super) fn delete(front: &Front, headers: &HeaderMap) -> Result<Reply, Refused> {
    let session = session(front, headers)?;
    front.sessions.end(&session.id);
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// A client tells something.
pub(super) fn told(
    front: &Front,
    headers: &HeaderMap,
    notification: &Notification,
) -> Result<Reply, Refused> {
    let session = session(front, headers)?;
    hear(front, &session, notification);
    if notification.method == "tools/call" {
        let message = "a call must have an id, or nobody could answer it";
        return Ok(reply::refused(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message));
    }
    Ok(reply::empty(StatusCode::ACCEPTED))
}

/// Takes what a client of a session tells.
pub(super) fn hear(front: &Front, session: &Session, notification: &Notification) {
    match notification.method.as_str() {
        "notifications/cancelled" => {
            let params = notification.params.clone().unwrap_or_default();
            if let Some(id) = params.get("requestId") {
                session.in_flight.cancel(&id, params);
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
    headers: &HeaderMap,
    response: &Response,
) -> Result<Reply, Refused> {
    let session = session(front, headers)?;
    if front.gateway.audience.questions.answer(&session.client, response) {
        return Ok(reply::empty(StatusCode::ACCEPTED));
    }
    front.gateway.tell(Event::Refused("an answer to no question".to_owned()));
    let message = "nobody has asked that";
    Ok(reply::refused(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message))
}

/// Whether several messages may come at once: one revision has that.
pub(super) fn has_batches(front: &Front, headers: &HeaderMap) -> bool {
    session(front, headers).is_ok_and(|it| it.revision == Revision::V2025_03_26)
}
