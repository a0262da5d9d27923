//! Clients of the modern era on HTTP: what a message says stands in headers, too, and must be true.

use std::pin::pin;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use manila::Code;
use manila::request_envelope::Request;

use super::exchange::{Exchange, Takes, modern_status};
use super::head::Head;
use super::mcp::PROTOCOL_VERSION;
use super::reply::{self, Refused, Reply};
use super::stream::Stream;
use super::{Front, wanted_shape};
use crate::backend::tools::decoded;
use crate::downstream::encode::{Encoded, encode};
use crate::gateway::answer::answer;
use crate::gateway::dispatch::{Arrival, Dispatched, dispatch_refusal, dispatch_with};
use crate::gateway::response::Response;
use crate::protocol::caller::{Caller, Client, Line, Speech};
use crate::protocol::era::{self, Era};
use crate::protocol::jsonrpc::Fault;
use crate::protocol::modern::{Breach, Said, is_removed};

/// A request that says everything.
pub(super) async fn post(
    front: &Arc<Front>,
    head: &Head,
    request: Request,
    takes: Takes,
) -> Result<Reply, Refused> {
    let (speech, name) = match check_head(head, &request) {
        Ok(checked) => checked,
        Err(response) => return Ok(Box::pin(refused(front, head, &request, *response)).await),
    };
    if request.method == "subscriptions/listen" && !takes.has_events() {
        let message = "the header Accept must have text/event-stream";
        let status = StatusCode::NOT_ACCEPTABLE;
        let declined = reply::refused(status, Code::InvalidEnvelope, message);
        return Err(reply::of(Box::new(declined), &request));
    }
    let (stream, caller) = caller(front, head, &request, speech)?;
    let told = head.headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-param-"));
    let told: HeaderMap = told.map(|(name, value)| (name.clone(), value.clone())).collect();
    let tool = name.filter(|_| request.method == "tools/call");
    let handling = handling(Arc::clone(front), request, caller, Told { tool, headers: told });
    let exchange =
        Exchange { handling: Box::pin(handling), stream, takes, era: Era::Modern, lent: None };
    Ok(exchange.reply(front).await)
}

/// Refuses a request that breaks the rules of its era.
async fn refused(front: &Front, head: &Head, request: &Request, response: Response) -> Reply {
    let mut caller = Caller::without_client(|_| ());
    caller.client.learn(Speech::of(Era::Modern));
    caller.origin = head.origin("/mcp", request.meta.as_ref(), None);
    // The request is refused either way, so an unknown contract is ignored.
    caller.preferences.shape = wanted_shape(head).ok().flatten();
    let (gateway, caller) = (&front.gateway, Arc::new(caller));
    let is_breach = matches!(response, Response::Breach(_));
    let encode = |response: &Response| encode(gateway, request, &caller, response);
    let refused = dispatch_refusal(gateway, request, &caller, response, encode).await;
    match refused {
        Dispatched::Answered(Encoded { frame, .. }, _) if is_breach => {
            reply::json(StatusCode::BAD_REQUEST, frame)
        }
        Dispatched::Answered(Encoded { frame, error }, _)
        | Dispatched::Refused(Encoded { frame, error }) => reply::json(modern_status(error), frame),
        Dispatched::Cancelled => reply::empty(StatusCode::ACCEPTED),
    }
}

/// Checks a request against the rules of the modern era. Returns its client's capabilities and the
/// name of the tool, prompt or resource that it asks for.
fn check_head(head: &Head, request: &Request) -> Result<(Speech, Option<String>), Box<Response>> {
    let breach = |breach| Box::new(Response::Breach(breach));
    let speech = admit(head, request).map_err(breach)?;
    if is_removed(&request.method) {
        return Err(Box::new(Response::Refused(Fault::new(Code::MethodNotFound))));
    }
    let name = check_name(head, request).map_err(breach)?;
    Ok((speech, name))
}

/// What stands in the headers of a call, too.
struct Told {
    /// The tool that is called.
    tool: Option<String>,
    /// Those for arguments.
    headers: HeaderMap,
}

/// Handles a request. Dropped before the end, it was cancelled.
async fn handling(
    front: Arc<Front>,
    request: Request,
    caller: Arc<Caller>,
    told: Told,
) -> Option<Encoded> {
    let gateway = &front.gateway;
    let answering = pin!(async {
        match check_arguments(&front, &told, &request, &caller).await {
            Ok(()) => answer(gateway, &request, &caller).await,
            Err(breach) => Response::Breach(breach),
        }
    });
    let arrival = Arrival::of(&request);
    let encode = |response: &Response| encode(gateway, &request, &caller, response);
    let answered = dispatch_with(gateway, &request, arrival, &caller, answering, encode).await;
    answered.into_encoded()
}

/// What a request says of its client, if its headers say the same.
fn admit(head: &Head, request: &Request) -> Result<Speech, Breach> {
    let said = Said::by(request);
    check_version(head, &said)?;
    let speech = said.speech()?;
    for name in ["mcp-method", "mcp-name", PROTOCOL_VERSION] {
        // Somebody on the way may take the other one.
        if head.headers.get_all(name).iter().count() > 1 {
            return Err(Breach::header(format!("{name} must not be given twice")));
        }
    }
    match head.header("mcp-method") {
        Some(told) if told == request.method => Ok(speech),
        Some(_) => Err(Breach::header("Mcp-Method must be the method of the body")),
        None => Err(Breach::header("Mcp-Method is required")),
    }
}

/// Who asks, and where it hears what comes before the answer.
fn caller(
    front: &Front,
    head: &Head,
    request: &Request,
    speech: Speech,
) -> Result<(Arc<Stream>, Arc<Caller>), Refused> {
    let stream = Arc::new(Stream::new(0, front.gateway.settings().queue_bytes_max));
    let line: Arc<dyn Line> = Arc::clone(&stream) as Arc<dyn Line>;
    let client = Arc::new(Client::speaking(speech, Arc::clone(&line)));
    let origin = head.origin("/mcp", request.meta.as_ref(), None);
    let mut caller = Caller::of(&client, line, origin).asking(request);
    let shape = wanted_shape(head).map_err(|refused| reply::of(refused, request))?;
    caller.preferences.shape = shape;
    Ok((stream, Arc::new(caller)))
}

fn check_version(head: &Head, said: &Said) -> Result<(), Breach> {
    match (head.header(PROTOCOL_VERSION), &said.version) {
        (Some(told), Some(said)) if told == said => Ok(()),
        (Some(_), Some(_)) => {
            Err(Breach::header("MCP-Protocol-Version must be the version in the body's _meta"))
        }
        (None, Some(_)) => Err(Breach::header("MCP-Protocol-Version is required")),
        // That is a fault of the body.
        (_, None) => Ok(()),
    }
}

/// The name of what is asked for, where there is one and the headers say the same.
fn check_name(head: &Head, request: &Request) -> Result<Option<String>, Breach> {
    let named = era::name_of(&request.method, request.name.as_ref(), request.params.as_ref());
    let Some((key, name)) = named else { return Ok(None) };
    let told = head.headers.get("mcp-name").and_then(|told| decoded(told.as_bytes()));
    match told {
        Some(told) if told == name => Ok(Some(name)),
        Some(_) => Err(Breach::header(format!("Mcp-Name must be `{key}` of the body's params"))),
        None => Err(Breach::header("Mcp-Name is required")),
    }
}

/// Checks what a tool wants to be told in headers, too.
async fn check_arguments(
    front: &Front,
    told: &Told,
    request: &Request,
    caller: &Caller,
) -> Result<(), Breach> {
    let Some(name) = &told.tool else { return Ok(()) };
    // A server that does not list its tools in time will be late with the call, too.
    let Some(tool) = front.gateway.known_tool_in_time(name, caller).await else { return Ok(()) };
    let arguments = || request.arguments.clone();
    let given = |name: &str| {
        let mut values = told.headers.get_all(name).iter();
        let first = values.next().map(hyper::header::HeaderValue::as_bytes);
        first.filter(|_| values.next().is_none())
    };
    match tool.mismatch(arguments, given) {
        Some(header) => Err(Breach::header(format!("{header} must be the argument of the body"))),
        None => Ok(()),
    }
}
