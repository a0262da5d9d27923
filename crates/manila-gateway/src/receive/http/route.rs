//! Which path leads where.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode};
use manila::Code;

use super::reply::{self, Reply};
use super::{Front, admit, mcp, plain};

/// Answers a request.
pub(super) async fn handle(front: &Arc<Front>, request: Request<Incoming>) -> Reply {
    if let Err(refused) = admit::check(request.headers()) {
        return refused;
    }
    // The path is taken as it was written: only a tool's name is decoded.
    match request.uri().path() {
        "/mcp" => mcp::handle(front, request).await,
        "/tools" | "/tools/" => match *request.method() {
            Method::GET => plain::list(front, &request).await,
            _ => reply::not_allowed("GET"),
        },
        "/healthz" => match *request.method() {
            Method::GET => reply::text(StatusCode::OK, "ok\n"),
            _ => reply::not_allowed("GET"),
        },
        "/readyz" => match *request.method() {
            Method::GET => ready(front),
            _ => reply::not_allowed("GET"),
        },
        path => match path.strip_prefix("/tools/").map(str::to_owned) {
            Some(name) => match *request.method() {
                Method::GET => plain::describe(front, &request, &name).await,
                Method::POST => plain::call(front, request, &name).await,
                _ => reply::not_allowed("GET, POST"),
            },
            None => {
                let message = "there is nothing here; MCP is at /mcp, plain HTTP at /tools";
                reply::refused(StatusCode::NOT_FOUND, Code::MethodNotFound, message)
            }
        },
    }
}

/// Whether the server behind us can be asked.
fn ready(front: &Front) -> Reply {
    match front.gateway.upstream.trouble() {
        None => {
            let n_sessions = front.sessions.n_open();
            reply::text(StatusCode::OK, format!("ready; {n_sessions} sessions\n"))
        }
        Some(reason) => {
            let reason = front.gateway.settings.hiding.text(reason);
            reply::text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n"))
        }
    }
}
