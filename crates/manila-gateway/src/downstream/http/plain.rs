//! Plain HTTP: a tool is a path, its arguments are the body, and its envelope is the answer.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use manila::json::Emit;
use manila::request_envelope::{Message, Request};
use manila::{Code, JsonObject, RawJson, Violation};

use super::body::Arriving;
use super::exchange::Takes;
use super::head::Head;
use super::reply::{self, Refused, Reply};
use super::{Front, envelope, wanted_shape};
use crate::backend::{Answer, Refusal};
use crate::downstream::malformed::Malformed;
use crate::gateway::Gateway;
use crate::gateway::dispatch::{Arrival, dispatch_with};
use crate::gateway::response::Response;
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::{Placement, Shape, TextMode};
use crate::rt::clock;

/// All tools, as clients of MCP see them.
pub(super) async fn list(front: &Front, head: &Head) -> Result<Reply, Refused> {
    show_tools(front, head, "/tools".to_owned(), |tools| {
        Response::Result(JsonObject::build(|object| object.member("tools", &tools)))
    })
    .await
}

/// One tool.
pub(super) async fn describe(front: &Front, head: &Head, path: &str) -> Result<Reply, Refused> {
    let name = decoded(path);
    let is_it = |tool: &RawJson| {
        let own = tool.get("name");
        own.as_ref().and_then(RawJson::as_text).is_some_and(|own| Some(&*own) == name.as_deref())
    };
    show_tools(front, head, format!("/tools/{path}"), |tools| {
        let unknown = || {
            let message = "Unknown tool; GET /tools lists them";
            Response::Refused(Fault::new(Code::ToolNotFound).message(message))
        };
        let tool = tools.into_iter().find(is_it).and_then(JsonObject::new);
        tool.map_or_else(unknown, Response::Result)
    })
    .await
}

/// Lists the tools, and shows what `shown` makes of them.
async fn show_tools(
    front: &Front,
    head: &Head,
    route: String,
    shown: impl FnOnce(Vec<RawJson>) -> Response,
) -> Result<Reply, Refused> {
    let shape = wanted_shape(head)?;
    let gateway = &front.gateway;
    let request = message("tools/list", &*fresh_id(), &JsonObject::default());
    let request = request.map_err(|_| unnamed())?;
    let mut caller = Caller::without_client(|_| ());
    caller.origin = head.origin(route, None, None);
    let listing = pin!(async {
        match gateway.tools_shaped(shape, Placement::Structured).await {
            Ok(tools) => shown(tools),
            Err(reason) => {
                let reason = gateway.settings().hiding.text(reason);
                Response::Refused(Fault::new(Code::UpstreamUnavailable).message(reason))
            }
        }
    });
    let caller = Arc::new(caller);
    let encode = |response: &Response| {
        let mut reply = match response {
            Response::Result(result) => reply::json(StatusCode::OK, result.as_raw().compact()),
            Response::Refused(fault) => {
                let message = fault.message.as_deref().unwrap_or(fault.code.entry().message);
                let status = status(Some(fault.code));
                reply::recorded(reply::refused(status, fault.code, message))
            }
            Response::Tool(_)
            | Response::Task(_)
            | Response::Forwarded(_)
            | Response::Breach(_)
            | Response::Error(..) => reply::empty(StatusCode::INTERNAL_SERVER_ERROR),
        };
        tell(&mut reply, response, None, &caller);
        reply
    };
    // There is no message: only the path.
    let arrival = Arrival { method: Some(&request.method), ..Arrival::default() };
    let answered = dispatch_with(gateway, &request, arrival, &caller, listing, encode).await;
    Ok(answered.into_encoded().unwrap_or_else(|| reply::empty(StatusCode::NO_CONTENT)))
}

/// Calls a tool. A client that goes away has cancelled its call.
pub(super) async fn call(
    front: &Arc<Front>,
    head: &Head,
    body: Arriving,
    path: &str,
) -> Result<Reply, Refused> {
    let body = front.read(body).await?;
    let name = decoded(path).unwrap_or_default();
    let about = |refused: Refused| {
        let asked = asking(&name, &JsonObject::default()).ok();
        let about = asked.map(|asked| Malformed::plain(&asked, body.len()));
        Box::new(reply::about(*refused, about.unwrap_or_default()))
    };
    let shape = wanted_shape(head).map_err(about)?;
    if envelope::is_one(&body) {
        return Ok(envelope::call(front, head, body, path, &name, shape).await);
    }
    let caller = caller(shape, head, path, None, None);
    let n_bytes = body.len();
    let parsed = arguments(body).and_then(|arguments| asking(&name, &arguments));
    let (request, refusal) = match parsed {
        Ok(request) => (request, None),
        // Whatever it says, the path names the tool.
        Err(refusal) => {
            (asking(&name, &JsonObject::default()).map_err(|_| unnamed())?, Some(refusal))
        }
    };
    let answering = pin!(async {
        Response::Tool(match refusal {
            Some(refusal) => front.gateway.seal_or_refuse(&refusal, &name, &caller, &request),
            None => called(&front.gateway, &request, &name, &caller).await,
        })
    });
    // The id is ours: nobody sent one.
    let arrival = Arrival { id: None, n_bytes, ..Arrival::of(&request) };
    let encode = |response: &Response| shown(response, &caller);
    let gateway = &front.gateway;
    let answered = dispatch_with(gateway, &request, arrival, &caller, answering, encode).await;
    Ok(answered.into_encoded().unwrap_or_else(|| reply::empty(StatusCode::NO_CONTENT)))
}

/// The refusal of a tool whose name cannot be written into a message.
fn unnamed() -> Refused {
    let message = "Unknown tool; GET /tools lists them";
    Box::new(reply::refused(StatusCode::NOT_FOUND, Code::ToolNotFound, message))
}

/// Who asks: somebody without a session, who may read text. `meta` and `id` are those of a strict
/// envelope.
pub(super) fn caller(
    shape: Option<Shape>,
    head: &Head,
    path: &str,
    meta: Option<&RawJson>,
    id: Option<&str>,
) -> Arc<Caller> {
    let takes = Takes::of(&head.headers);
    let mut caller = Caller::without_client(|_| ());
    caller.origin = head.origin(format!("/tools/{path}"), meta, id);
    caller.preferences.shape = shape;
    let is_text = takes.text && !takes.json;
    let text = if is_text { TextMode::Requested } else { TextMode::Envelope };
    caller.preferences.text = Some(text);
    Arc::new(caller)
}

/// Calls a tool; a refusal is an envelope here, too.
async fn called(gateway: &Gateway, request: &Request, tool: &str, caller: &Arc<Caller>) -> Answer {
    match gateway.call_tool(request, caller).await {
        Answer::Refused(refusal) => gateway.seal_or_refuse(&refusal, tool, caller, request),
        other @ (Answer::Sealed(_) | Answer::AsItCame(_) | Answer::Plain { .. }) => other,
    }
}

/// Parses the body as arguments; an empty body means no arguments. `call_tool` checks their type.
fn arguments(body: Bytes) -> Result<RawJson, Refusal> {
    if body.trim_ascii().is_empty() {
        return Ok(JsonObject::default().into());
    }
    let value = RawJson::parse_payload(body).map_err(|error| {
        let violation = Violation::new("", "json", error.to_string());
        Refusal::new(Code::ParseError).message(error.to_string()).violation(violation)
    })?;
    not_null(value).map_err(|violation| Refusal::new(Code::InvalidToolInput).violation(violation))
}

/// Rejects `null` arguments. MCP treats them as absent; plain HTTP has the empty body for that.
pub(super) fn not_null(arguments: RawJson) -> Result<RawJson, Violation> {
    match arguments.as_bytes() {
        b"null" => Err(Violation::new("", "type", "must be an object: the arguments by name")),
        _ => Ok(arguments),
    }
}

/// A call in the words of MCP, as everything else takes it.
fn asking(tool: &str, arguments: &impl Emit) -> Result<Request, Refusal> {
    asking_as(&*fresh_id(), tool, arguments, None)
}

/// The same under an id of the caller's, with what it says beside its arguments.
pub(super) fn asking_as(
    id: &(impl Emit + ?Sized),
    tool: &str,
    arguments: &impl Emit,
    meta: Option<&RawJson>,
) -> Result<Request, Refusal> {
    let params = JsonObject::build(|object| {
        object.member("name", tool);
        object.member("arguments", arguments);
        object.member("_meta", &meta);
    });
    message("tools/call", id, &params)
}

fn fresh_id() -> String {
    uuid::Uuid::from_bytes(clock::fresh()).to_string()
}

fn message(
    method: &str,
    id: &(impl Emit + ?Sized),
    params: &JsonObject,
) -> Result<Request, Refusal> {
    let frame = JsonObject::build(|object| {
        object.member("jsonrpc", "2.0");
        object.member("id", id);
        object.member("method", method);
        object.member("params", params);
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

/// A response with its status.
fn shown(response: &Response, caller: &Caller) -> Reply {
    let failure = response.failure().map(|failure| failure.code);
    let status = status(failure);
    let mut shown = match response {
        Response::Tool(Answer::Sealed(sealed)) => match &sealed.text {
            Some(text) => reply::text(status, text.clone()),
            None => reply::json(status, sealed.reply.envelope.compact()),
        },
        Response::Tool(Answer::AsItCame(answered)) => {
            let (Ok(value) | Err(value)) = answered.answer();
            reply::json(status, value.compact())
        }
        Response::Tool(Answer::Plain { result, .. }) => reply::json(status, result.compact()),
        Response::Tool(Answer::Refused(_))
        | Response::Task(_)
        | Response::Forwarded(_)
        | Response::Result(_)
        | Response::Refused(_)
        | Response::Breach(_)
        | Response::Error(..) => {
            let code = failure.unwrap_or(Code::InternalError);
            reply::recorded(reply::refused(status, code, code.entry().message))
        }
    };
    tell(&mut shown, response, failure, caller);
    shown
}

/// The status that the catalogue has for a failure.
pub(super) fn status(failure: Option<Code>) -> StatusCode {
    let status = failure.map_or(200, Code::http_status);
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Tells contract, canonical code and request id in headers, for scripts.
pub(super) fn tell(reply: &mut Reply, response: &Response, failure: Option<Code>, caller: &Caller) {
    let request_id = caller.origin.request_id.known_as(response.request_id());
    let headers = reply.headers_mut();
    if let Some(contract) = response.contract() {
        let name = HeaderName::from_static("manila-contract");
        headers.insert(name, HeaderValue::from_static(contract));
    }
    if let Some(code) = failure {
        let name = HeaderName::from_static("manila-code");
        headers.insert(name, HeaderValue::from_static(code.name()));
    }
    if let Ok(request_id) = HeaderValue::from_str(&request_id) {
        headers.insert(reply::REQUEST_ID, request_id);
    }
    if let Some(retry_after) = response.failure().and_then(|failure| failure.retry_after) {
        reply::retry_after(reply, retry_after);
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
