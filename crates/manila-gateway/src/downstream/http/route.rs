//! Routes a request by its path.

use std::sync::Arc;
use std::time::Duration;

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode};
use manila::Code;

use super::body::RequestBody;
use super::head::Head;
use super::reply::{self, HttpRefusal, HttpReply, RefusalReply};
use super::{HttpState, host_check, mcp, plain};
use crate::gateway::dispatch::refuse;
use crate::gateway::response::Response;
use crate::rt::offload::Offloadable;
use crate::telemetry::journal::{Journal, Problem};
use crate::telemetry::metrics::Gauges;

/// The path of MCP.
const MCP: &str = "/mcp";

/// Handles a request.
///
/// A future is moved several times before it is pinned. The futures for everything except `/mcp`
/// are therefore boxed.
pub(super) async fn handle(state: &Arc<HttpState>, request: Request<RequestBody>) -> HttpReply {
    let (parts, body) = request.into_parts();
    let head = Head::read(parts, &state.gateway.limits);
    let mut reply = route(state, &head, body).await.unwrap_or_else(|refused| *refused);
    let Some(HttpRefusal { fault, message }) = reply.extensions_mut().remove() else {
        return reply;
    };
    let response = Response::Refused(fault);
    let source = head.request_source(head.path.clone(), message.meta(), None);
    if let Ok(request_id) = HeaderValue::from_str(&source.request_id.effective_id(None)) {
        reply.headers_mut().insert(reply::REQUEST_ID, request_id);
    }
    refuse(&state.gateway, &message.arrival(), &source, &response, |_| reply)
}

/// Handles a request to any path except `/mcp`, where only the handling of a message may move to
/// the pool.
pub(super) fn handle_offloadable(
    state: Arc<HttpState>,
    request: Request<RequestBody>,
) -> Offloadable<HttpReply> {
    Offloadable::new(async move { handle(&state, request).await })
}

/// Returns whether a request is to `/mcp`.
pub(super) fn is_mcp(request: &Request<RequestBody>) -> bool {
    request.uri().path() == MCP
}

async fn route(
    state: &Arc<HttpState>,
    head: &Head,
    body: RequestBody,
) -> Result<HttpReply, RefusalReply> {
    host_check::check(head)?;
    // Health probes have no credentials.
    let is_open = matches!(head.path.as_str(), "/healthz" | "/readyz");
    if let Some(fault) = head.refusal().filter(|_| !is_open) {
        let message = fault.message.as_deref().unwrap_or(fault.code.entry().message);
        let status = plain::status(Some(fault.code));
        return Ok(reply::refusal(status, fault.code, message));
    }
    let is_get = head.is_get();
    match head.path.as_str() {
        MCP => mcp::handle(state, head, body).await,
        "/tools" | "/tools/" if is_get => Box::pin(plain::list(state, head)).await,
        "/healthz" if is_get => Ok(reply::text(StatusCode::OK, "ok\n")),
        "/readyz" if is_get => Ok(Box::pin(ready(state)).await),
        "/metrics" if is_get => Ok(metrics(state)),
        "/tools" | "/tools/" | "/healthz" | "/readyz" | "/metrics" => Ok(reply::not_allowed("GET")),
        path => {
            let Some(name) = path.strip_prefix("/tools/") else {
                let message = "Unknown path; MCP is at /mcp, plain HTTP at /tools";
                return Ok(reply::refusal(StatusCode::NOT_FOUND, Code::MethodNotFound, message));
            };
            match head.method {
                Method::GET | Method::HEAD => Box::pin(plain::describe(state, head, name)).await,
                Method::POST => Box::pin(plain::call(state, head, body, name)).await,
                _ => Ok(reply::not_allowed("GET, POST")),
            }
        }
    }
}

/// Returns the metrics in the `OpenMetrics` format.
fn metrics(state: &HttpState) -> HttpReply {
    const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let gauges = Gauges {
        n_in_flight: state.gateway.limits.in_flight.n_requests(),
        n_sessions: state.sessions.n_open(),
    };
    let mut reply = reply::text(StatusCode::OK, state.gateway.metrics.encode(gauges));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TYPE));
    reply
}

/// Reports whether servers are available, and the problems of servers and the journal.
async fn ready(state: &HttpState) -> HttpReply {
    const TIMEOUT: Duration = Duration::from_secs(5);
    // The state of a remote server is known only after a request to it.
    let _ = tokio::time::timeout(TIMEOUT, state.gateway.check_remote()).await;
    let mut problems = state.gateway.unavailable_servers();
    let is_ready = problems.len() < state.gateway.servers().all().len();
    let n_sessions = state.sessions.n_open();
    if let Some(problem) = state.gateway.journal().and_then(Journal::problem) {
        let Problem { reason, n_lost } = problem;
        problems.push(("journal".to_owned(), format!("{reason}; {n_lost} lines lost")));
    }
    if problems.is_empty() {
        return reply::text(StatusCode::OK, format!("ready; {n_sessions} sessions\n"));
    }
    let lines = problems.into_iter().map(|(name, reason)| match name.as_str() {
        "" => reason,
        name => format!("{name}: {reason}"),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = state.gateway.settings().redaction.redact_text(text);
    // The gateway stays ready as long as one server is available.
    if is_ready {
        return reply::text(StatusCode::OK, format!("ready; {n_sessions} sessions\n{text}\n"));
    }
    reply::text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {text}\n"))
}
