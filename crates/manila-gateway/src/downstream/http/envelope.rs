//! A call in a strict request envelope (Q1). The response is JSON-RPC, with the catalogue's codes
//! and messages for plain HTTP (Q4).

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use hyper::StatusCode;
use manila::request_envelope::{RefusedMessage, Request};
use manila::stage::validate::check_unique;
use manila::{Code, JsonObject, RawJson, Violation};

use super::HttpState;
use super::head::Head;
use super::plain::{call_request_with_id, caller, not_null, set_headers, status};
use super::reply::{self, HttpReply};
use crate::backend::{Answer, Refusal};
use crate::downstream::encode::encode_result;
use crate::downstream::partial_message::{self, PartialMessage};
use crate::gateway::dispatch::{Arrival, dispatch_with, refuse};
use crate::gateway::response::Response;
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::ResultFormat;

/// Returns whether a body is a request envelope instead of arguments.
pub(super) fn is_request_envelope(body: &Bytes) -> bool {
    let value = RawJson::parse_payload(body.clone()).ok();
    value.and_then(JsonObject::new).is_some_and(|object| object.get("jsonrpc").is_some())
}

/// Calls the tool of this path with the arguments of the envelope.
pub(super) async fn call(
    state: &Arc<HttpState>,
    head: &Head,
    body: Bytes,
    path: &str,
    tool: &str,
    format: Option<ResultFormat>,
) -> HttpReply {
    let gateway = &state.gateway;
    let n_bytes = body.len();
    let request = match Request::from_json_strict(body.clone()) {
        Ok(request) => request,
        Err(refused) => {
            let RefusedMessage { code, violation, id } = refused;
            let fault = Fault::new(code).violation(violation);
            let text = id.as_ref().and_then(RawJson::as_text);
            let partial = PartialMessage::read(&body, id.clone());
            let caller = caller(format, head, path, partial.meta(), text.as_deref());
            partial_message::report(gateway, &fault);
            let encode = |response: &Response| encode(partial.id.as_ref(), response, &caller);
            let response = Response::Refused(fault);
            return refuse(gateway, &partial.arrival(), &caller.source, &response, encode);
        }
    };
    let (id, meta) = (&request.id, request.meta.as_ref());
    let caller = caller(format, head, path, meta, id.as_text().as_deref());
    let encode = |response: &Response| encode(Some(id), response, &caller);
    let invalid = |violation| Refusal::new(Code::InvalidToolInput).violation(violation);
    let parsed = match request.method.as_str() {
        "tools/call" => parse_arguments(&request, tool)
            .map_err(invalid)
            .and_then(|arguments| call_request_with_id(id, tool, &arguments, meta)),
        _ => Err(Refusal::new(Code::MethodNotFound)),
    };
    let (call, refusal) = match parsed {
        Ok(call) => (call, None),
        Err(refusal) => (request_for_tool(&request, tool), Some(refusal)),
    };
    let answer = pin!(async {
        match refusal {
            Some(refusal) => Response::Refused(refusal.fault),
            None => Response::Tool(gateway.call_tool(&call, &caller).await),
        }
    });
    let arrival = Arrival { n_bytes, ..Arrival::of(&call) };
    let dispatched = dispatch_with(gateway, &call, arrival, &caller, answer, encode).await;
    dispatched.into_encoded().unwrap_or_else(|| reply::empty(StatusCode::NO_CONTENT))
}

/// Returns the arguments, from `name` and `arguments` (MCP) or `tool` and `input` (Q3). The tool's
/// name in the body must be that in the path, or absent.
fn parse_arguments(request: &Request, tool: &str) -> Result<RawJson, Violation> {
    check_unique(request)?;
    let part = |key: &str| request.params.as_ref().and_then(|params| params.get(key));
    let (key, name, input) = match part("tool") {
        Some(name) => ("tool", Some(name), part("input")),
        None => ("name", request.name.clone(), request.arguments.clone()),
    };
    if name.is_some_and(|name| name.as_text().is_none_or(|name| name != tool)) {
        let pointer = format!("/params/{key}");
        let message = "must be the tool's name in the URL path, or absent";
        return Err(Violation::new(pointer, "const", message));
    }
    input.map_or_else(|| Ok(JsonObject::default().into()), not_null)
}

/// Returns the request that the journal records for a refused call. The tool's name is taken from
/// the path, not from the body.
fn request_for_tool(request: &Request, tool: &str) -> Request {
    if request.method != "tools/call" {
        return request.clone();
    }
    let named =
        call_request_with_id(&request.id, tool, &JsonObject::default(), request.meta.as_ref());
    named.unwrap_or_else(|_| request.clone())
}

/// Encodes a JSON-RPC response, with the catalogue's codes and messages for plain HTTP (Q4).
fn encode(id: Option<&RawJson>, response: &Response, caller: &Caller) -> HttpReply {
    // A result that is forwarded unchanged reports the failure of its tool itself.
    let passthrough = match response {
        Response::Tool(Answer::Passthrough(response)) => response.answer().ok(),
        Response::Tool(_)
        | Response::Task(_)
        | Response::Forwarded(_)
        | Response::Result(_)
        | Response::Refused(_)
        | Response::ProtocolViolation(_)
        | Response::Error(..) => None,
    };
    let failure = response.failure().filter(|_| passthrough.is_none()).map(|failure| failure.code);
    let result = match (failure, response) {
        (Some(_), _) => None,
        (None, Response::Tool(Answer::Sealed(sealed))) => Some(&sealed.reply.envelope),
        (None, Response::Tool(Answer::Plain { result, .. })) => Some(result),
        (None, _) => passthrough,
    };
    let body = if let (Some(result), Some(id)) = (result, id) {
        encode_result(id, result)
    } else {
        let code = failure.unwrap_or(Code::InternalError);
        let body = JsonObject::build(|object| {
            object.member("jsonrpc", "2.0");
            object.member("id", &id);
            object.member("error", &code.jsonrpc_error_plain());
        });
        RawJson::from(body).to_bytes().into()
    };
    let mut reply = reply::json(status(failure), body);
    set_headers(&mut reply, response, failure, caller);
    reply
}
