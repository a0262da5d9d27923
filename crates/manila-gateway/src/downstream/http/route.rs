//! Which path leads where.

use std::sync::Arc;
use std::time::Duration;

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, StatusCode};
use manila::Code;

use super::body::Arriving;
use super::head::Head;
use super::reply::{self, Declined, Refused, Reply};
use super::{Front, host_check, mcp, plain};
use crate::gateway::dispatch::refuse;
use crate::gateway::response::Response;
use crate::telemetry::journal::{Journal, Trouble};
use crate::telemetry::metrics::Now;

/// Answers a request.
///
/// What is made of a request is moved several times until it is where it stays, so whatever is not
/// a call of MCP has a place of its own.
pub(super) async fn handle(front: &Arc<Front>, request: Request<Arriving>) -> Reply {
    let (parts, body) = request.into_parts();
    let head = Head::read(parts, &front.gateway.limits);
    let mut reply = routed(front, &head, body).await.unwrap_or_else(|refused| *refused);
    let Some(Declined { fault, about }) = reply.extensions_mut().remove() else {
        return reply;
    };
    let response = Response::Refused(fault);
    let origin = head.origin(head.path.clone(), about.meta(), None);
    if let Ok(request_id) = HeaderValue::from_str(&origin.request_id.known_as(None)) {
        reply.headers_mut().insert(reply::REQUEST_ID, request_id);
    }
    refuse(&front.gateway, &about.arrival(), &origin, &response, |_| reply)
}

async fn routed(front: &Arc<Front>, head: &Head, body: Arriving) -> Result<Reply, Refused> {
    host_check::check(&head.headers)?;
    // Health probes have no credentials.
    let is_open = matches!(head.path.as_str(), "/healthz" | "/readyz");
    if let Some(fault) = head.refusal().filter(|_| !is_open) {
        let message = fault.message.as_deref().unwrap_or(fault.code.entry().message);
        let status = plain::status(Some(fault.code));
        return Ok(reply::refused(status, fault.code, message));
    }
    let is_get = head.is_get();
    match head.path.as_str() {
        "/mcp" => mcp::handle(front, head, body).await,
        "/tools" | "/tools/" if is_get => Box::pin(plain::list(front, head)).await,
        "/healthz" if is_get => Ok(reply::text(StatusCode::OK, "ok\n")),
        "/readyz" if is_get => Ok(Box::pin(ready(front)).await),
        "/metrics" if is_get => Ok(metrics(front)),
        "/tools" | "/tools/" | "/healthz" | "/readyz" | "/metrics" => Ok(reply::not_allowed("GET")),
        path => {
            let Some(name) = path.strip_prefix("/tools/") else {
                let message = "there is nothing here; MCP is at /mcp, plain HTTP at /tools";
                return Ok(reply::refused(StatusCode::NOT_FOUND, Code::MethodNotFound, message));
            };
            match head.method {
                Method::GET | Method::HEAD => Box::pin(plain::describe(front, head, name)).await,
                Method::POST => Box::pin(plain::call(front, head, body, name)).await,
                _ => Ok(reply::not_allowed("GET, POST")),
            }
        }
    }
}

/// Figures for whoever watches us.
fn metrics(front: &Front) -> Reply {
    const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let now = Now {
        n_in_flight: front.gateway.limits.in_flight.n_requests(),
        n_sessions: front.sessions.n_open(),
    };
    let mut reply = reply::text(StatusCode::OK, front.gateway.metrics.shown(now));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TYPE));
    reply
}

/// Whether the servers behind us can be asked.
async fn ready(front: &Front) -> Reply {
    const LONGEST: Duration = Duration::from_secs(5);
    // Nobody knows of a server at a URL before it is asked. What comes of it is told below.
    let _ = tokio::time::timeout(LONGEST, front.gateway.try_remote()).await;
    let mut troubles = front.gateway.troubles();
    let is_ready = troubles.len() < front.gateway.servers().all().len();
    let n_sessions = front.sessions.n_open();
    if let Some(trouble) = front.gateway.journal().and_then(Journal::trouble) {
        let Trouble { reason, n_lost } = trouble;
        troubles.push(("journal".to_owned(), format!("{reason}; {n_lost} lines lost")));
    }
    if troubles.is_empty() {
        return reply::text(StatusCode::OK, format!("ready; {n_sessions} sessions\n"));
    }
    let told = troubles.into_iter().map(|(name, reason)| match name.as_str() {
        "" => reason,
        name => format!("{name}: {reason}"),
    });
    let told = front.gateway.settings().hiding.text(told.collect::<Vec<_>>().join("\n"));
    // One server that is down is no reason to send nobody to the others.
    if is_ready {
        return reply::text(StatusCode::OK, format!("ready; {n_sessions} sessions\n{told}\n"));
    }
    reply::text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {told}\n"))
}
