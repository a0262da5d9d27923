//! Clients of the modern era on HTTP: what a message says stands in headers, too, and must be true.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use manila::RawJson;
use manila::request_envelope::Request;

use super::exchange::{Exchange, Takes, modern_status};
use super::mcp::{PROTOCOL_VERSION, header};
use super::reply::{self, Reply};
use super::stream::Stream;
use super::{Front, Written};
use crate::caller::{Caller, Client, Line};
use crate::clock;
use crate::era::{self, Era, meta};
use crate::jsonrpc;
use crate::receive::answering::{answered, text_of};
use crate::receive::modern::{Breach, admitted, is_removed};
use crate::tools::decoded;

/// A request that says everything.
pub(super) async fn post(
    front: &Arc<Front>,
    headers: &HeaderMap,
    request: Request,
    takes: Takes,
) -> Reply {
    let caller = match caller(front, headers, &request) {
        Ok(caller) => caller,
        Err(Refused::Breach(breach)) => return refuse(&request, &breach),
        Err(Refused::Reply(reply)) => return *reply,
    };
    let (stream, caller) = caller;
    if let Err(breach) = check_arguments(front, headers, &request, &caller).await {
        return refuse(&request, &breach);
    }
    let handling = handling(Arc::clone(front), request, caller);
    let exchange =
        Exchange { handling: Box::pin(handling), stream, takes, era: Era::Modern, lent: None };
    exchange.reply(front).await
}

/// Handles a request. Dropped before the end, it was cancelled.
async fn handling(front: Arc<Front>, request: Request, caller: Arc<Caller>) -> Option<Written> {
    let _open = front.opened();
    let cancelled = Cancelled { front: &front, request: Some(&request), started: clock::now() };
    let answer = answered(&front.gateway, &request, &caller).await;
    cancelled.is_not();
    Some(answer)
}

/// Tells of a call whose client went away before it was answered.
struct Cancelled<'a> {
    front: &'a Front,
    request: Option<&'a Request>,
    started: tokio::time::Instant,
}

impl Cancelled<'_> {
    fn is_not(mut self) {
        self.request = None;
    }
}

impl Drop for Cancelled<'_> {
    fn drop(&mut self) {
        if let Some(request) = self.request.filter(|request| request.method == "tools/call") {
            self.front.gateway.call_cancelled(request, self.started);
        }
    }
}

fn refuse(request: &Request, breach: &Breach) -> Reply {
    let frame = jsonrpc::error(Some(&request.id), breach);
    reply::json(StatusCode::BAD_REQUEST, frame)
}

enum Refused {
    Breach(Breach),
    Reply(Box<Reply>),
}

impl From<Breach> for Refused {
    fn from(breach: Breach) -> Refused {
        Refused::Breach(breach)
    }
}

/// Who asks, if its headers are true.
fn caller(
    front: &Front,
    headers: &HeaderMap,
    request: &Request,
) -> Result<(Arc<Stream>, Arc<Caller>), Refused> {
    check_version(headers, request)?;
    let speech = admitted(request)?;
    match header(headers, "mcp-method") {
        Some(told) if told == request.method => {}
        Some(_) => return Err(Breach::header("Mcp-Method must be the method of the body").into()),
        None => return Err(Breach::header("Mcp-Method is required").into()),
    }
    if is_removed(&request.method) {
        let fault = jsonrpc::Fault::new(manila::Code::MethodNotFound);
        let frame = jsonrpc::error(Some(&request.id), &fault);
        let reply = reply::json(modern_status(Some(-32601)), frame);
        return Err(Refused::Reply(Box::new(reply)));
    }
    check_name(headers, request)?;
    let stream = Arc::new(Stream::new(0, front.gateway.settings.queue_bytes_max));
    let line: Arc<dyn Line> = Arc::clone(&stream) as Arc<dyn Line>;
    let client = Arc::new(Client::speaking(speech, Arc::clone(&line)));
    let mut caller = Caller::of(&client, line).asking(request);
    caller.wishes.shape = front.wanted_shape(headers).map_err(|it| Refused::Reply(Box::new(it)))?;
    Ok((stream, Arc::new(caller)))
}

fn check_version(headers: &HeaderMap, request: &Request) -> Result<(), Breach> {
    let said = request.params.as_ref().and_then(|params| params.get("_meta"));
    let said = text_of(said.as_ref(), meta::PROTOCOL_VERSION);
    match (header(headers, PROTOCOL_VERSION), said) {
        (Some(told), Some(said)) if told == said => Ok(()),
        (Some(_), Some(_)) => {
            Err(Breach::header("MCP-Protocol-Version must be the version in the body's _meta"))
        }
        (None, Some(_)) => Err(Breach::header("MCP-Protocol-Version is required")),
        // That is a fault of the body.
        (_, None) => Ok(()),
    }
}

fn check_name(headers: &HeaderMap, request: &Request) -> Result<(), Breach> {
    let Some(key) = era::name_member(&request.method) else { return Ok(()) };
    let params = request.params.as_ref().map(manila::JsonObject::as_raw);
    let Some(name) = text_of(params, key) else { return Ok(()) };
    let told = headers.get("mcp-name").and_then(|told| decoded(told.as_bytes()));
    match told {
        Some(told) if told == name => Ok(()),
        Some(_) => Err(Breach::header(format!("Mcp-Name must be `{key}` of the body's params"))),
        None => Err(Breach::header("Mcp-Name is required")),
    }
}

/// Checks what a tool wants to be told in headers, too.
async fn check_arguments(
    front: &Front,
    headers: &HeaderMap,
    request: &Request,
    caller: &Caller,
) -> Result<(), Breach> {
    if request.method != "tools/call" {
        return Ok(());
    }
    let params = request.params.as_ref().map(manila::JsonObject::as_raw);
    let Some(name) = text_of(params, "name") else { return Ok(()) };
    let Some(tool) = front.gateway.known_tool(&name, caller).await else { return Ok(()) };
    let arguments = params.and_then(|params: &RawJson| params.get("arguments"));
    let given = |name: &str| headers.get(name).map(hyper::header::HeaderValue::as_bytes);
    match tool.mismatch(arguments.as_ref(), given) {
        Some(header) => {
            Err(Breach::header(format!("{header} must be the argument of the body")))
        }
        None => Ok(()),
    }
}
