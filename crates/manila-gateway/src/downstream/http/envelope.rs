//! A call in a strict request envelope (Q1): the answer is one of JSON-RPC, with the numbers and
//! words of the plain column (Q4).

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use hyper::StatusCode;
use manila::request_envelope::Request;
use manila::stage::validate::check_unique;
use manila::{Code, JsonObject, RawJson, Violation};

use super::Front;
use super::head::Head;
use super::plain::{asking_as, caller, not_null, status, tell};
use super::reply::{self, Reply};
use crate::backend::{Answer, Refusal};
use crate::downstream::malformed::{self, Malformed};
use crate::gateway::dispatch::{Arrival, dispatch_with, refuse};
use crate::gateway::response::Response;
use crate::protocol::caller::Caller;
use crate::protocol::presentation::Shape;

/// Whether a body is a request envelope, and not arguments.
pub(super) fn is_one(body: &Bytes) -> bool {
    let value = RawJson::parse_payload(body.clone()).ok();
    value.and_then(JsonObject::new).is_some_and(|object| object.get("jsonrpc").is_some())
}

/// Calls the tool of this path as the envelope says.
pub(super) async fn call(
    front: &Arc<Front>,
    head: &Head,
    body: Bytes,
    path: &str,
    tool: &str,
    shape: Option<Shape>,
) -> Reply {
    let gateway = &front.gateway;
    let n_bytes = body.len();
    let request = match Request::from_json_strict(body.clone()) {
        Ok(request) => request,
        Err(refused) => {
            let (fault, id) = malformed::fault(refused);
            let text = id.as_ref().and_then(RawJson::as_text);
            let malformed = Malformed::read(&body, id.clone());
            let caller = caller(shape, head, path, malformed.meta(), text.as_deref());
            malformed::tell(gateway, &fault);
            let encode = |response: &Response| encode(malformed.id.as_ref(), response, &caller);
            let response = Response::Refused(fault);
            return refuse(gateway, &malformed.arrival(), &caller.origin, &response, encode);
        }
    };
    let (id, meta) = (&request.id, request.meta.as_ref());
    let caller = caller(shape, head, path, meta, id.as_text().as_deref());
    let encode = |response: &Response| encode(Some(id), response, &caller);
    let invalid = |broken| Refusal::new(Code::InvalidToolInput).violation(broken);
    let parsed = match request.method.as_str() {
        "tools/call" => arguments(&request, tool)
            .map_err(invalid)
            .and_then(|arguments| asking_as(id, tool, &arguments, meta)),
        _ => Err(Refusal::new(Code::MethodNotFound)),
    };
    let (asked, refusal) = match parsed {
        Ok(asked) => (asked, None),
        Err(refusal) => (named(&request, tool), Some(refusal)),
    };
    let answering = pin!(async {
        match refusal {
            Some(refusal) => Response::Refused(refusal.fault),
            None => Response::Tool(gateway.call_tool(&asked, &caller).await),
        }
    });
    let arrival = Arrival { n_bytes, ..Arrival::of(&asked) };
    let answered = dispatch_with(gateway, &asked, arrival, &caller, answering, encode).await;
    answered.into_encoded().unwrap_or_else(|| reply::empty(StatusCode::NO_CONTENT))
}

/// The arguments, in MCP's words or in those of tool I/O (Q3). The tool that they name must be the
/// one of the path.
fn arguments(request: &Request, tool: &str) -> Result<RawJson, Violation> {
    check_unique(request)?;
    let part = |key: &str| request.params.as_ref().and_then(|params| params.get(key));
    let (key, name, input) = match part("tool") {
        Some(name) => ("tool", Some(name), part("input")),
        None => ("name", request.name.clone(), request.arguments.clone()),
    };
    if name.is_some_and(|name| name.as_text().is_none_or(|name| name != tool)) {
        let pointer = format!("/params/{key}");
        return Err(Violation::new(pointer, "const", "must be the tool of the path"));
    }
    input.map_or_else(|| Ok(JsonObject::default().into()), not_null)
}

/// The request that the journal records for a refused call. The path names the tool, not the body.
fn named(request: &Request, tool: &str) -> Request {
    if request.method != "tools/call" {
        return request.clone();
    }
    let named = asking_as(&request.id, tool, &JsonObject::default(), request.meta.as_ref());
    named.unwrap_or_else(|_| request.clone())
}

/// A response of JSON-RPC, with the numbers and words of the plain column (Q4).
fn encode(id: Option<&RawJson>, response: &Response, caller: &Caller) -> Reply {
    // A result that is passed on as it came says itself that its tool failed.
    let passed_on = match response {
        Response::Tool(Answer::AsItCame(answered)) => answered.answer().ok(),
        Response::Tool(_)
        | Response::Task(_)
        | Response::Forwarded(_)
        | Response::Result(_)
        | Response::Refused(_)
        | Response::Breach(_)
        | Response::Error(..) => None,
    };
    let failure = response.failure().filter(|_| passed_on.is_none()).map(|failure| failure.code);
    let body = JsonObject::build(|object| {
        object.member("jsonrpc", "2.0");
        object.member("id", &id);
        match (failure, response) {
            (Some(code), _) => object.member("error", &code.jsonrpc_error_plain()),
            (None, _) if passed_on.is_some() => object.member("result", &passed_on),
            (None, Response::Tool(Answer::Sealed(sealed))) => {
                object.member("result", &sealed.reply.envelope);
            }
            (None, Response::Tool(Answer::Plain { result, .. })) => {
                object.member("result", result);
            }
            (None, _) => {
                object.member("error", &Code::InternalError.jsonrpc_error_plain());
            }
        }
    });
    let mut reply = reply::json(status(failure), RawJson::from(body).to_bytes());
    tell(&mut reply, response, failure, caller);
    reply
}
