//! Clients of the modern era on HTTP: headers repeat parts of each message, and must match them.

use std::pin::pin;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use manila::Code;
use manila::request_envelope::Request;

use super::exchange::{Accepts, Exchange, modern_status};
use super::head::Head;
use super::mcp::PROTOCOL_VERSION;
use super::reply::{self, HttpReply, RefusalReply};
use super::stream::Stream;
use super::{HttpState, requested_format};
use crate::backend::tools::decode_value;
use crate::downstream::encode::{Encoded, encode};
use crate::gateway::answer::answer;
use crate::gateway::dispatch::{Arrival, Dispatched, dispatch_refusal, dispatch_with};
use crate::gateway::response::Response;
use crate::protocol::caller::{Caller, Client, ClientInfo, Outbound};
use crate::protocol::era::{self, Era};
use crate::protocol::jsonrpc::Fault;
use crate::protocol::modern::{ProtocolViolation, RequestMeta, is_removed};
use crate::rt::offload::Offloadable;

/// Handles a request, which contains the client's information.
pub(super) async fn post(
    state: &Arc<HttpState>,
    head: &Head,
    request: Request,
    accepts: Accepts,
) -> Result<HttpReply, RefusalReply> {
    let (client_info, name) = match check_head(head, &request) {
        Ok(checked) => checked,
        Err(response) => {
            return Ok(Box::pin(refuse_request(state, head, &request, *response)).await);
        }
    };
    if request.method == "subscriptions/listen" && !accepts.has_events() {
        let message = "the header Accept must contain text/event-stream";
        let status = StatusCode::NOT_ACCEPTABLE;
        let refused = reply::refusal(status, Code::InvalidEnvelope, message);
        return Err(reply::with_request(Box::new(refused), &request));
    }
    let (stream, caller) = caller(state, head, &request, client_info)?;
    let headers = head.headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-param-"));
    let headers: HeaderMap = headers.map(|(name, value)| (name.clone(), value.clone())).collect();
    let tool = name.filter(|_| request.method == "tools/call");
    let handling = run_request(Arc::clone(state), request, caller, CallHeaders { tool, headers });
    let exchange = Exchange {
        handling: Offloadable::new(handling),
        stream,
        accepts,
        era: Era::Modern,
        lease: None,
    };
    Ok(exchange.reply(state).await)
}

/// Refuses a request that violates the rules of its era.
async fn refuse_request(
    state: &HttpState,
    head: &Head,
    request: &Request,
    response: Response,
) -> HttpReply {
    let mut caller = Caller::without_client(|_| ());
    caller.client.set_info(ClientInfo::of(Era::Modern));
    caller.source = head.request_source("/mcp", request.meta.as_ref(), None);
    // The request is refused either way, so an unknown contract is ignored.
    caller.preferences.format = requested_format(state, head).ok().flatten();
    let (gateway, caller) = (&state.gateway, Arc::new(caller));
    let is_violation = matches!(response, Response::ProtocolViolation(_));
    let encode = |response: &Response| encode(gateway, request, &caller, response);
    let refused = dispatch_refusal(gateway, request, &caller, response, encode).await;
    match refused {
        Dispatched::Answered(Encoded { frame, .. }, _) if is_violation => {
            reply::json(StatusCode::BAD_REQUEST, frame)
        }
        Dispatched::Answered(Encoded { frame, error }, _)
        | Dispatched::Refused(Encoded { frame, error }) => reply::json(modern_status(error), frame),
        Dispatched::Cancelled => reply::empty(StatusCode::ACCEPTED),
    }
}

/// Checks a request against the rules of the modern era. Returns the client's information and the
/// name of the requested tool, prompt or resource.
fn check_head(
    head: &Head,
    request: &Request,
) -> Result<(ClientInfo, Option<String>), Box<Response>> {
    let refuse = |violation| Box::new(Response::ProtocolViolation(violation));
    let client_info = check_client_info(head, request).map_err(refuse)?;
    if is_removed(&request.method) {
        return Err(Box::new(Response::Refused(Fault::new(Code::MethodNotFound))));
    }
    let name = check_name(head, request).map_err(refuse)?;
    Ok((client_info, name))
}

/// The parts of a call that its headers repeat.
struct CallHeaders {
    /// The name of the called tool.
    tool: Option<String>,
    /// The headers for arguments.
    headers: HeaderMap,
}

/// Handles a request. Dropping the future cancels the request.
async fn run_request(
    state: Arc<HttpState>,
    request: Request,
    caller: Arc<Caller>,
    call_headers: CallHeaders,
) -> Option<Encoded> {
    let gateway = &state.gateway;
    let answering = pin!(async {
        match check_arguments(&state, &call_headers, &request, &caller).await {
            Ok(()) => answer(gateway, &request, &caller).await,
            Err(violation) => Response::ProtocolViolation(violation),
        }
    });
    let arrival = Arrival::of(&request);
    let encode = |response: &Response| encode(gateway, &request, &caller, response);
    let dispatched = dispatch_with(gateway, &request, arrival, &caller, answering, encode).await;
    dispatched.into_encoded()
}

/// Returns the client's information from a request, if the headers match the body.
fn check_client_info(head: &Head, request: &Request) -> Result<ClientInfo, ProtocolViolation> {
    let meta = RequestMeta::of(request);
    check_version(head, &meta)?;
    let client_info = meta.into_client_info()?;
    for name in ["mcp-method", "mcp-name", PROTOCOL_VERSION] {
        // An intermediary might use a different value than the gateway does.
        if head.headers.get_all(name).iter().count() > 1 {
            return Err(ProtocolViolation::header(format!("{name} must not be given twice")));
        }
    }
    match head.header("mcp-method") {
        Some(method) if method == request.method => Ok(client_info),
        Some(_) => Err(ProtocolViolation::header("Mcp-Method must equal `method` in the body")),
        None => Err(ProtocolViolation::header("Mcp-Method is required")),
    }
}

/// Returns the caller, and the stream for the messages that precede the response.
fn caller(
    state: &HttpState,
    head: &Head,
    request: &Request,
    client_info: ClientInfo,
) -> Result<(Arc<Stream>, Arc<Caller>), RefusalReply> {
    let stream = Stream::once(state.gateway.settings().queue_bytes_max);
    let outbound: Arc<dyn Outbound> = Arc::clone(&stream) as Arc<dyn Outbound>;
    let client = Arc::new(Client::with_info(client_info, Arc::clone(&outbound)));
    let source = head.request_source("/mcp", request.meta.as_ref(), None);
    let mut caller = Caller::of(&client, outbound, source).with_subscription_of(request);
    let format =
        requested_format(state, head).map_err(|refused| reply::with_request(refused, request))?;
    caller.preferences.format = format;
    Ok((stream, Arc::new(caller)))
}

fn check_version(head: &Head, meta: &RequestMeta) -> Result<(), ProtocolViolation> {
    match (head.header(PROTOCOL_VERSION), &meta.version) {
        (Some(header), Some(version)) if header == version => Ok(()),
        (Some(_), Some(_)) => Err(ProtocolViolation::header(
            "MCP-Protocol-Version must equal the version in `_meta` of the body",
        )),
        (None, Some(_)) => Err(ProtocolViolation::header("MCP-Protocol-Version is required")),
        // This is an error of the body, which is reported later.
        (_, None) => Ok(()),
    }
}

/// Returns the name of the requested tool, prompt or resource, if the header matches the body.
fn check_name(head: &Head, request: &Request) -> Result<Option<String>, ProtocolViolation> {
    let named = era::name_of(&request.method, request.name.as_ref(), request.params.as_ref());
    let Some((key, name)) = named else { return Ok(None) };
    let header = head.headers.get("mcp-name").and_then(|value| decode_value(value.as_bytes()));
    match header {
        Some(header) if header == name => Ok(Some(name)),
        Some(_) => {
            let message = format!("Mcp-Name must equal `params.{key}` in the body");
            Err(ProtocolViolation::header(message))
        }
        None => Err(ProtocolViolation::header(
            "Mcp-Name is required, as printable ASCII or base64 (`=?base64?...?=`)",
        )),
    }
}

/// Checks the headers that repeat arguments, for a tool that requires such headers.
async fn check_arguments(
    state: &HttpState,
    call_headers: &CallHeaders,
    request: &Request,
    caller: &Caller,
) -> Result<(), ProtocolViolation> {
    let Some(name) = &call_headers.tool else { return Ok(()) };
    // If the server does not list its tools in time, the call will time out as well.
    let tool = state.gateway.find_tool_before_timeout(name, caller).await;
    let Some(tool) = tool else { return Ok(()) };
    let arguments = || request.arguments.clone();
    let given = |name: &str| {
        let mut values = call_headers.headers.get_all(name).iter();
        let first = values.next().map(hyper::header::HeaderValue::as_bytes);
        first.filter(|_| values.next().is_none())
    };
    match tool.find_mismatch(arguments, given) {
        Some(header) => {
            Err(ProtocolViolation::header(format!("{header} must equal the argument in the body")))
        }
        None => Ok(()),
    }
}
