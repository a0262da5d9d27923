//! Plain HTTP: the path names a tool, the body has its arguments, and the reply is its envelope.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use manila::json::Emit;
use manila::request_envelope::{Message, Request};
use manila::{Code, JsonObject, RawJson, Violation};

use super::body::RequestBody;
use super::exchange::Accepts;
use super::head::Head;
use super::reply::{self, HttpReply, RefusalReply};
use super::{HttpState, envelope, requested_format};
use crate::backend::{Answer, Refusal};
use crate::downstream::partial_message::PartialMessage;
use crate::gateway::Gateway;
use crate::gateway::dispatch::{Arrival, dispatch_with};
use crate::gateway::response::Response;
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::{Placement, ResultFormat, TextMode};
use crate::rt::clock;
use crate::rt::offload::{Work, leave_reactor};

/// Lists all tools, as MCP clients see them.
pub(super) async fn list(state: &HttpState, head: &Head) -> Result<HttpReply, RefusalReply> {
    reply_with_tools(state, head, "/tools".to_owned(), |tools| {
        Response::Result(JsonObject::build(|object| object.member("tools", &tools)))
    })
    .await
}

/// Describes one tool.
pub(super) async fn describe(
    state: &HttpState,
    head: &Head,
    path: &str,
) -> Result<HttpReply, RefusalReply> {
    let name = decode_path(path);
    let has_name = |tool: &RawJson| {
        let given = tool.get("name");
        given.as_ref().and_then(RawJson::as_text).is_some_and(|it| Some(&*it) == name.as_deref())
    };
    reply_with_tools(state, head, format!("/tools/{path}"), |tools| {
        let unknown = || {
            let message = "Unknown tool; GET /tools lists them";
            Response::Refused(Fault::new(Code::ToolNotFound).message(message))
        };
        let tool = tools.into_iter().find(has_name).and_then(JsonObject::new);
        tool.map_or_else(unknown, Response::Result)
    })
    .await
}

/// Lists the tools, and replies with the response that `respond` builds from them.
async fn reply_with_tools(
    state: &HttpState,
    head: &Head,
    route: String,
    respond: impl FnOnce(Vec<RawJson>) -> Response,
) -> Result<HttpReply, RefusalReply> {
    let format = requested_format(state, head)?;
    let gateway = &state.gateway;
    let request = build_request("tools/list", &*fresh_id(), &JsonObject::default());
    let request = request.map_err(|_| invalid_name())?;
    let mut caller = Caller::without_client(|_| ());
    caller.source = head.request_source(route, None, None);
    let listing = pin!(async {
        match gateway.tools_in_format(format, Placement::Structured).await {
            Ok(tools) => respond(tools),
            Err(reason) => {
                let reason = gateway.settings().redaction.redact_text(reason);
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
                reply::mark_recorded(reply::refusal(status, fault.code, message))
            }
            Response::Tool(_)
            | Response::Task(_)
            | Response::Forwarded(_)
            | Response::ProtocolViolation(_)
            | Response::Error(..) => reply::empty(StatusCode::INTERNAL_SERVER_ERROR),
        };
        set_headers(&mut reply, response, None, &caller);
        reply
    };
    // There is no message, only the path.
    let arrival = Arrival { method: Some(&request.method), ..Arrival::default() };
    let dispatched = dispatch_with(gateway, &request, arrival, &caller, listing, encode).await;
    Ok(dispatched.into_encoded().unwrap_or_else(|| reply::empty(StatusCode::NO_CONTENT)))
}

/// Calls a tool. A client cancels its call by disconnecting.
pub(super) async fn call(
    state: &Arc<HttpState>,
    head: &Head,
    body: RequestBody,
    path: &str,
) -> Result<HttpReply, RefusalReply> {
    let body = state.read(body).await?;
    leave_reactor(Work::Process(body.len())).await;
    let name = decode_path(path).unwrap_or_default();
    let with_call = |refused: RefusalReply| {
        let call = call_request(&name, &JsonObject::default()).ok();
        let description = call.map(|call| PartialMessage::of_plain_call(&call, body.len()));
        Box::new(reply::with_message(*refused, description.unwrap_or_default()))
    };
    let format = requested_format(state, head).map_err(with_call)?;
    if envelope::is_request_envelope(&body) {
        return Ok(envelope::call(state, head, body, path, &name, format).await);
    }
    let caller = caller(format, head, path, None, None);
    let n_bytes = body.len();
    let parsed = parse_arguments(body).and_then(|arguments| call_request(&name, &arguments));
    let (request, refusal) = match parsed {
        Ok(request) => (request, None),
        // The path names the tool even if the body is invalid.
        Err(refusal) => (
            call_request(&name, &JsonObject::default()).map_err(|_| invalid_name())?,
            Some(refusal),
        ),
    };
    let answering = pin!(async {
        Response::Tool(match refusal {
            Some(refusal) => state.gateway.seal_or_refuse(&refusal, &name, &caller, &request),
            None => call_or_seal(&state.gateway, &request, &name, &caller).await,
        })
    });
    // The gateway has generated the id; the client sent none.
    let arrival = Arrival { id: None, n_bytes, ..Arrival::of(&request) };
    let encode = |response: &Response| encode_reply(response, &caller);
    let gateway = &state.gateway;
    let dispatched = dispatch_with(gateway, &request, arrival, &caller, answering, encode).await;
    Ok(dispatched.into_encoded().unwrap_or_else(|| reply::empty(StatusCode::NO_CONTENT)))
}

/// Returns the refusal of a tool name that cannot be written into a message.
fn invalid_name() -> RefusalReply {
    let message = "Unknown tool; GET /tools lists them";
    Box::new(reply::refusal(StatusCode::NOT_FOUND, Code::ToolNotFound, message))
}

/// Returns the caller, which has no session and may accept plain text. `meta` and `id` are those
/// of a strict envelope.
pub(super) fn caller(
    format: Option<ResultFormat>,
    head: &Head,
    path: &str,
    meta: Option<&RawJson>,
    id: Option<&str>,
) -> Arc<Caller> {
    let accepts = Accepts::of(&head.headers);
    let mut caller = Caller::without_client(|_| ());
    caller.source = head.request_source(format!("/tools/{path}"), meta, id);
    caller.preferences.format = format;
    let is_text = accepts.text && !accepts.json;
    let text = if is_text { TextMode::Requested } else { TextMode::Envelope };
    caller.preferences.text = Some(text);
    Arc::new(caller)
}

/// Calls a tool. A refusal becomes an envelope as well.
async fn call_or_seal(
    gateway: &Gateway,
    request: &Request,
    tool: &str,
    caller: &Arc<Caller>,
) -> Answer {
    match gateway.call_tool(request, caller).await {
        Answer::Refused(refusal) => gateway.seal_or_refuse(&refusal, tool, caller, request),
        other @ (Answer::Sealed(_) | Answer::Passthrough(_) | Answer::Plain { .. }) => other,
    }
}

/// Parses the body as arguments; an empty body means no arguments. `call_tool` checks their type.
fn parse_arguments(body: Bytes) -> Result<RawJson, Refusal> {
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

/// Builds a `tools/call` request of MCP, with a generated id.
fn call_request(tool: &str, arguments: &impl Emit) -> Result<Request, Refusal> {
    call_request_with_id(&*fresh_id(), tool, arguments, None)
}

/// Builds a `tools/call` request of MCP, with the caller's id and `_meta`.
pub(super) fn call_request_with_id(
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
    build_request("tools/call", id, &params)
}

fn fresh_id() -> String {
    uuid::Uuid::from_bytes(clock::random_id()).to_string()
}

fn build_request(
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
        // The arguments are nested too deeply to be forwarded.
        Err(refused) => Err(Refusal::new(Code::InvalidToolInput).violation(refused.violation)),
    }
}

/// Encodes a response with its HTTP status.
fn encode_reply(response: &Response, caller: &Caller) -> HttpReply {
    let failure = response.failure().map(|failure| failure.code);
    let status = status(failure);
    let mut reply = match response {
        Response::Tool(Answer::Sealed(sealed)) => match &sealed.text {
            Some(text) => reply::text(status, text.clone()),
            None => reply::json(status, sealed.reply.envelope.compact()),
        },
        Response::Tool(Answer::Passthrough(response)) => {
            let (Ok(value) | Err(value)) = response.answer();
            reply::json(status, value.compact())
        }
        Response::Tool(Answer::Plain { result, .. }) => reply::json(status, result.compact()),
        Response::Tool(Answer::Refused(_))
        | Response::Task(_)
        | Response::Forwarded(_)
        | Response::Result(_)
        | Response::Refused(_)
        | Response::ProtocolViolation(_)
        | Response::Error(..) => {
            let code = failure.unwrap_or(Code::InternalError);
            reply::mark_recorded(reply::refusal(status, code, code.entry().message))
        }
    };
    set_headers(&mut reply, response, failure, caller);
    reply
}

/// Returns the catalogue's HTTP status for a failure; 200 without one.
pub(super) fn status(failure: Option<Code>) -> StatusCode {
    let status = failure.map_or(200, Code::http_status);
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Adds headers for scripts: contract, canonical code, request id and retry delay.
pub(super) fn set_headers(
    reply: &mut HttpReply,
    response: &Response,
    failure: Option<Code>,
    caller: &Caller,
) {
    let request_id = caller.source.request_id.effective_id(response.request_id());
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
        reply::set_retry_after(reply, retry_after);
    }
}

/// Decodes a tool's name in a path. Returns `None` if the encoding is invalid.
fn decode_path(path: &str) -> Option<String> {
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
