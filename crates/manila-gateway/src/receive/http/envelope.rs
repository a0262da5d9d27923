//! A call in a strict request envelope (Q1): the answer is one of JSON-RPC, with the numbers and
//! words of the plain column (Q4).

use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::{Refused, Request};
use manila::stage::record::Transport;
use manila::{Code, JsonObject, RawJson};

use super::Front;
use super::cancelled::Cancelled;
use super::plain::{asking, called, status, tell};
use super::reply::{self, Reply};
use crate::caller::Caller;
use crate::event::Event;
use crate::handle::Answer;
use crate::receive::encode::Fate;
use crate::receive::record::record_refused;

/// Whether a body is a request envelope, and not arguments.
pub(super) fn is_one(body: &Bytes) -> bool {
    let value = RawJson::parse_payload(body.clone()).ok();
    value.and_then(JsonObject::new).is_some_and(|object| object.get("jsonrpc").is_some())
}

/// Calls the tool of this path as the envelope says.
pub(super) async fn call(
    front: &Arc<Front>,
    body: Bytes,
    tool: &str,
    caller: &Arc<Caller>,
) -> Reply {
    let n_bytes = body.len();
    let refuse = |id: Option<&RawJson>, code: Code, message: Option<String>| {
        let fate = Fate { failure: Some(code), message, contract: None };
        record_refused(&front.hub, (Transport::Http, &*caller.route), n_bytes, 0, &fate);
        failed(id, code)
    };
    let request = match Request::from_json_strict(body) {
        Ok(request) => request,
        Err(Refused { code, violation, id }) => {
            front.hub.tell(Event::Refused(violation.to_string()));
            return refuse(id.as_ref(), code, Some(violation.to_string()));
        }
    };
    let id = &request.id;
    if request.method != "tools/call" {
        return refuse(Some(id), Code::MethodNotFound, None);
    }
    let asked = match arguments(&request, tool).map(|arguments| asking(tool, &arguments)) {
        Some(Ok(asked)) => asked,
        Some(Err(refusal)) => return refuse(Some(id), refusal.code(), None),
        None => return refuse(Some(id), Code::InvalidToolInput, None),
    };
    let Some(_open) = front.opened(request.frame.as_bytes().len()) else {
        return refuse(Some(id), Code::RateLimited, None);
    };
    let cancelled = Cancelled::unless_answered(front, &asked, caller);
    let answer = called(&front.hub, &asked, tool, caller).await;
    cancelled.forget();
    match answer {
        Answer::Sealed(sealed) => match sealed.failure {
            None => done(id, &sealed.reply.envelope, sealed.contract.id()),
            Some(code) => failed(Some(id), code),
        },
        Answer::AsItCame(answered) => match answered.answer() {
            Ok(result) => done(id, result, crate::gateway::Shape::NONE),
            Err(_) => failed(Some(id), Code::ToolFailed),
        },
        Answer::Plain(_, code) => failed(Some(id), code),
        Answer::Refused(refusal) => failed(Some(id), refusal.code()),
    }
}

/// The arguments, in MCP's words or in those of tool I/O (Q3). The tool that they name must be the
/// one of the path.
fn arguments(request: &Request, tool: &str) -> Option<JsonObject> {
    let params = request.params.clone().unwrap_or_default();
    let (name, input) = match params.get("tool") {
        Some(name) => (Some(name), params.get("input")),
        None => (params.get("name"), params.get("arguments")),
    };
    if name.is_some_and(|name| name.as_text().is_none_or(|name| name != tool)) {
        return None;
    }
    input.map_or(Some(JsonObject::default()), JsonObject::new)
}

fn done(id: &RawJson, result: &RawJson, contract: &'static str) -> Reply {
    let body = JsonObject::build(|object| {
        object.member("jsonrpc", "2.0");
        object.member("id", id);
        object.member("result", result);
    });
    let mut reply = reply::json(status(None), RawJson::from(body).to_bytes());
    tell(&mut reply, Some(contract), None);
    reply
}

fn failed(id: Option<&RawJson>, code: Code) -> Reply {
    let error = code.jsonrpc_error_plain();
    let body = match id {
        Some(id) => JsonObject::build(|object| {
            object.member("jsonrpc", "2.0");
            object.member("id", id);
            object.member("error", &error);
        }),
        None => JsonObject::build(|object| {
            object.member("jsonrpc", "2.0");
            object.member("error", &error);
        }),
    };
    let mut reply = reply::json(status(Some(code)), RawJson::from(body).to_bytes());
    tell(&mut reply, None, Some(code));
    reply
}
