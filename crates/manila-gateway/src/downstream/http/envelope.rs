//! A call in a strict request envelope (Q1): the answer is one of JSON-RPC, with the numbers and
//! words of the plain column (Q4).

use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::{Refused, Request};
use manila::stage::record::Transport;
use manila::{Code, JsonObject, RawJson, Violation};

use super::Front;
use super::cancelled::Cancelled;
use super::plain::{asking_as, called, status, tell};
use super::reply::{self, Reply};
use crate::backend::{Answer, Refusal};
use crate::downstream::encode::Fate;
use crate::gateway::record::{Over, record, record_refused};
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::rt::clock;
use crate::telemetry::event::Event;

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
    let request = match Request::from_json_strict(body) {
        Ok(request) => request,
        Err(Refused { code, violation, id }) => {
            front.gateway.tell(Event::Refused(violation.to_string()));
            let fate = Fate::of_fault(&Fault::new(code).violation(violation));
            let way = (Transport::Http, &*caller.route);
            record_refused(&front.gateway, way, id.as_ref(), n_bytes, 0, &fate);
            return failed(id.as_ref(), code);
        }
    };
    let (id, meta) = (&request.id, request.meta.as_ref());
    let refuse = |asked: &Request, fault: &Fault| {
        let fate = Fate::of_fault(fault);
        let over = Over::asked(asked, caller, clock::now(), 0, &fate);
        record(&front.gateway, &Over { input_bytes: n_bytes, ..over });
        failed(Some(id), fault.code)
    };
    if request.method != "tools/call" {
        return refuse(&request, &Fault::new(Code::MethodNotFound));
    }
    let invalid = |broken| Refusal::new(Code::InvalidToolInput).violation(broken);
    let arguments = arguments(&request, tool).map_err(invalid);
    let asked = match arguments.and_then(|it| asking_as(id, tool, &it, meta)) {
        Ok(asked) => asked,
        Err(refusal) => {
            // Whatever it says, the path names the tool.
            let named = asking_as(id, tool, &JsonObject::default(), meta);
            return refuse(named.as_ref().unwrap_or(&request), &refusal.fault);
        }
    };
    let Some(_open) = front.opened(n_bytes) else {
        return refuse(&asked, &Fault::new(Code::RateLimited));
    };
    let cancelled = Cancelled::unless_answered(front, &asked, caller);
    let answer = called(&front.gateway, &asked, tool, caller, n_bytes).await;
    cancelled.forget();
    match answer {
        Answer::Sealed(sealed) => match sealed.failure {
            None => done(id, &sealed.reply.envelope, sealed.contract.id()),
            Some(code) => failed(Some(id), code),
        },
        Answer::AsItCame(answered) => match answered.answer() {
            Ok(result) => done(id, result, crate::protocol::presentation::Shape::NONE),
            Err(_) => failed(Some(id), Code::ToolFailed),
        },
        Answer::Plain(_, Some(code)) => failed(Some(id), code),
        Answer::Plain(result, None) => {
            done(id, &result, crate::protocol::presentation::Shape::NONE)
        }
        Answer::Refused(refusal) => failed(Some(id), refusal.code()),
    }
}

/// The arguments, in MCP's words or in those of tool I/O (Q3). The tool that they name must be the
/// one of the path.
fn arguments(request: &Request, tool: &str) -> Result<JsonObject, Violation> {
    let params = request.params.clone().unwrap_or_default();
    let is_tool_io = params.get("tool").is_some();
    let (name, input) = if is_tool_io { ("tool", "input") } else { ("name", "arguments") };
    let is_other = |name: RawJson| name.as_text().is_none_or(|name| name != tool);
    if params.get(name).is_some_and(is_other) {
        let pointer = format!("/params/{name}");
        return Err(Violation::new(pointer, "const", "must be the tool of the path"));
    }
    let Some(value) = params.get(input) else { return Ok(JsonObject::default()) };
    JsonObject::new(value).ok_or_else(|| {
        let message = "must be an object: the arguments by name";
        Violation::new(format!("/params/{input}"), "type", message)
    })
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
