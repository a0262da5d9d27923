//! Plain HTTP: a tool is a path, its arguments are the body, and its envelope is the answer.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Request as HttpRequest, StatusCode};
use manila::json::{Emit, Kind};
use manila::request_envelope::{Message, Request};
use manila::stage::classify::Media;
use manila::stage::record::Transport;
use manila::{Code, JsonObject, RawJson, Violation};
use tokio::time::Instant;

use super::body::Arriving;
use super::cancelled::Cancelled;
use super::exchange::Takes;
use super::reply::{self, Refused, Reply};
use super::{Front, envelope, wanted_shape};
use crate::backend::{Answer, Refusal, Sealed};
use crate::downstream::encode::Fate;
use crate::gateway::Gateway;
use crate::gateway::record::{Over, record, record_refused};
use crate::protocol::caller::{Caller, Form};
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::Shape;
use crate::rt::clock;

/// All tools, as clients of MCP see them.
pub(super) async fn list(front: &Front, headers: &HeaderMap) -> Result<Reply, Refused> {
    let tools = listed(front, headers).await?;
    let body = JsonObject::build(|object| object.member("tools", &tools));
    Ok(reply::json(StatusCode::OK, RawJson::from(body).to_bytes()))
}

/// One tool.
pub(super) async fn describe(
    front: &Front,
    headers: &HeaderMap,
    path: &str,
) -> Result<Reply, Refused> {
    let tools = listed(front, headers).await?;
    let name = decoded(path);
    let is_it = |tool: &RawJson| {
        let own = tool.get("name");
        own.as_ref().and_then(RawJson::as_text).is_some_and(|own| Some(&*own) == name.as_deref())
    };
    if let Some(tool) = tools.into_iter().find(is_it) {
        return Ok(reply::json(StatusCode::OK, tool.compact()));
    }
    let message = "Unknown tool; GET /tools lists them";
    Ok(reply::refused(StatusCode::NOT_FOUND, Code::ToolNotFound, message))
}

async fn listed(front: &Front, headers: &HeaderMap) -> Result<Vec<RawJson>, Refused> {
    let shape = wanted_shape(headers)?;
    let listed = front.gateway.tools_shaped(shape, Placement::Structured).await;
    listed.map_err(|reason| {
        let reason = front.gateway.settings().hiding.text(reason);
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Box::new(reply::refused(status, Code::UpstreamUnavailable, &reason))
    })
}

/// Calls a tool. A client that goes away has cancelled its call.
pub(super) async fn call(
    front: &Arc<Front>,
    request: HttpRequest<Arriving>,
    path: &str,
) -> Result<Reply, Refused> {
    let (head, body) = request.into_parts();
    let body = front.read(body).await?;
    let caller = caller(wanted_shape(&head.headers)?, &head.headers, path);
    let name = decoded(path).unwrap_or_default();
    if envelope::is_one(&body) {
        return Ok(envelope::call(front, body, &name, &caller).await);
    }
    let n_bytes = body.len();
    let asked = arguments(body).and_then(|arguments| asking(&name, &arguments));
    let answer = match (asked, front.opened(n_bytes)) {
        (Ok(request), Some(_open)) => {
            let cancelled = Cancelled::unless_answered(front, &request, &caller);
            let answer = called(&front.gateway, &request, &name, &caller, n_bytes).await;
            cancelled.forget();
            answer
        }
        (Ok(request), None) => {
            let started = clock::now();
            let answer = refused(&front.gateway, &Refusal::new(Code::RateLimited), &name, &caller);
            note(&front.gateway, &request, &caller, n_bytes, started, &answer);
            answer
        }
        (Err(refusal), _) => {
            let answer = refused(&front.gateway, &refusal, &name, &caller);
            let way = (Transport::Http, &*caller.route);
            record_refused(&front.gateway, way, None, n_bytes, 0, &Fate::of_call(&answer));
            answer
        }
    };
    Ok(shown(&answer, caller.wishes.form))
}

/// Who asks: somebody without a client, who may read text.
fn caller(shape: Option<Shape>, headers: &HeaderMap, path: &str) -> Arc<Caller> {
    let takes = Takes::of(headers);
    let mut caller = Caller::nobody(|_| ()).over_http(format!("/tools/{path}"));
    caller.wishes.shape = shape;
    caller.wishes.media = Media::Inline;
    caller.wishes.form = if takes.text && !takes.json { Form::Text } else { Form::Envelope };
    Arc::new(caller)
}

/// Calls a tool; a refusal is an envelope here, too. `n_bytes` is what was sent for it.
pub(super) async fn called(
    gateway: &Gateway,
    request: &Request,
    tool: &str,
    caller: &Arc<Caller>,
    n_bytes: usize,
) -> Answer {
    let started = clock::now();
    let answer = match gateway.call_tool(request, caller).await {
        Answer::Refused(refusal) => refused(gateway, &refusal, tool, caller),
        other @ (Answer::Sealed(_) | Answer::AsItCame(_) | Answer::Plain(..)) => other,
    };
    note(gateway, request, caller, n_bytes, started, &answer);
    answer
}

/// Keeps a record of a call.
fn note(
    gateway: &Gateway,
    request: &Request,
    caller: &Caller,
    input_bytes: usize,
    started: Instant,
    answer: &Answer,
) {
    let output_bytes = match answer {
        Answer::Sealed(sealed) => sealed.reply.envelope.as_bytes().len(),
        Answer::AsItCame(answered) => {
            let (Ok(shown) | Err(shown)) = answered.answer();
            shown.as_bytes().len()
        }
        Answer::Plain(result, _) => result.as_bytes().len(),
        Answer::Refused(_) => 0,
    };
    let fate = Fate::of_call(answer);
    let over = Over::asked(request, caller, started, output_bytes, &fate);
    record(gateway, &Over { input_bytes, ..over });
}

fn refused(gateway: &Gateway, refusal: &Refusal, tool: &str, caller: &Arc<Caller>) -> Answer {
    let shape = caller.wishes.shape.unwrap_or_else(|| gateway.shape_of(tool));
    match (shape, asking(tool, &JsonObject::default())) {
        (Shape::Contract(contract), Ok(request)) => {
            gateway.sealed_refusal(refusal, tool, contract, caller, &request)
        }
        (Shape::Contract(_) | Shape::AsItCame, _) => Answer::Refused(refusal.clone()),
    }
}

/// The arguments in a body; nothing is none.
fn arguments(body: Bytes) -> Result<JsonObject, Refusal> {
    if body.trim_ascii().is_empty() {
        return Ok(JsonObject::default());
    }
    let value = RawJson::parse_payload(body).map_err(|error| {
        let violation = Violation::new("", "json", error.to_string());
        Refusal::new(Code::ParseError).message(error.to_string()).violation(violation)
    })?;
    JsonObject::new(value).ok_or_else(|| {
        let violation = Violation::new("", "type", "must be an object: the arguments by name");
        Refusal::new(Code::InvalidToolInput).violation(violation)
    })
}

/// A call in the words of MCP, as everything else takes it.
fn asking(tool: &str, arguments: &JsonObject) -> Result<Request, Refusal> {
    let id = uuid::Uuid::from_bytes(clock::fresh()).to_string();
    asking_as(&*id, tool, arguments, None)
}

/// The same under an id of the caller's, with what it says beside its arguments.
pub(super) fn asking_as(
    id: &(impl Emit + ?Sized),
    tool: &str,
    arguments: &JsonObject,
    meta: Option<&RawJson>,
) -> Result<Request, Refusal> {
    let params = JsonObject::build(|object| {
        object.member("name", tool);
        object.member("arguments", arguments);
        object.member("_meta", &meta);
    });
    let frame = JsonObject::build(|object| {
        object.member("jsonrpc", "2.0");
        object.member("id", id);
        object.member("method", "tools/call");
        object.member("params", &params);
    });
    match Message::from_json(RawJson::from(frame).to_bytes()) {
        Ok(Message::Request(request)) => Ok(request),
        Ok(Message::Notification(_) | Message::Response(_)) => {
            Err(Refusal::new(Code::InternalError))
        }
        // It is nested too deeply to be handed on.
        Err(refused) => Err(Refusal::new(Code::InvalidToolInput).violation(refused.violation)),
    }
}

/// An answer with its status.
fn shown(answer: &Answer, form: Form) -> Reply {
    match answer {
        Answer::Sealed(sealed) => {
            let Sealed { reply, contract, failure, text, .. } = &**sealed;
            let status = status(*failure);
            let mut shown = match (form, text) {
                (Form::Text, Some(text)) => reply::text(status, text.clone()),
                (Form::Text | Form::Envelope, _) => reply::json(status, reply.envelope.compact()),
            };
            tell(&mut shown, Some(contract.id()), *failure);
            shown
        }
        Answer::AsItCame(answered) => match answered.answer() {
            Ok(result) => {
                let failure = is_error(result).then_some(Code::ToolFailed);
                let mut shown = reply::json(status(failure), result.compact());
                tell(&mut shown, Some(Shape::NONE), failure);
                shown
            }
            Err(error) => {
                let mut shown = reply::json(status(Some(Code::ToolFailed)), error.compact());
                tell(&mut shown, Some(Shape::NONE), Some(Code::ToolFailed));
                shown
            }
        },
        Answer::Plain(result, code) => {
            let mut shown = reply::json(status(*code), result.compact());
            tell(&mut shown, Some(Shape::NONE), *code);
            shown
        }
        Answer::Refused(refusal) => {
            let code = refusal.code();
            let mut shown = reply::refused(status(Some(code)), code, code.entry().message);
            tell(&mut shown, None, Some(code));
            shown
        }
    }
}

fn is_error(result: &RawJson) -> bool {
    result.get("isError").is_some_and(|it| it.kind() == Kind::Bool && it.as_bytes() == b"true")
}

/// The status that the catalogue has for a failure.
pub(super) fn status(failure: Option<Code>) -> StatusCode {
    let status = failure.map_or(200, Code::http_status);
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Tells the contract and the canonical code in headers, for scripts.
pub(super) fn tell(reply: &mut Reply, contract: Option<&'static str>, failure: Option<Code>) {
    let headers = reply.headers_mut();
    if let Some(contract) = contract {
        let name = HeaderName::from_static("manila-contract");
        headers.insert(name, HeaderValue::from_static(contract));
    }
    if let Some(code) = failure {
        let name = HeaderName::from_static("manila-code");
        headers.insert(name, HeaderValue::from_static(code.name()));
    }
}

/// A tool's name as it stands in a path.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
