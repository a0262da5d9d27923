//! The endpoint: from an HTTP request to its message and its session.

use std::io;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::super::dispatch::{self, RawRequest};
use super::super::era::{self, Era, MODERN_REVISION, Meta, Modern, RequestEra};
use super::super::eras::Eras;
use super::super::handshake::REVISIONS;
use super::super::message::{self, Message};
use super::super::output::{Output, Part};
use super::super::rpc_error::RpcError;
use super::super::session::Session;
use super::incoming::{Incoming, Refused};
use super::presence::Presence;
use super::response::Response;
use super::{ENDPOINT, HttpState, guard, header_check};

/// The name of the header with the protocol version.
const VERSION: &str = "mcp-protocol-version";

/// The state that depends on the client while a response is open.
pub(super) enum OpenResponse {
    /// A legacy request, which continues after its client disconnects.
    Legacy(#[expect(dead_code, reason = "dropping a response truncates it")] Arc<Output>),
    /// A modern request, which ends when its client disconnects.
    Modern(Arc<Session>),
    /// The stream of a legacy session, which another stream may replace later.
    Stream(Arc<Session>),
}

impl OpenResponse {
    /// Handles a disconnect of the client.
    pub(super) fn on_disconnect(&self) {
        match self {
            OpenResponse::Legacy(_) => {}
            OpenResponse::Modern(session) => session.end(),
            OpenResponse::Stream(session) => session.output.close(),
        }
    }
}

/// The way in which the endpoint handles a request.
enum Action<'a> {
    /// Respond with only a status.
    Status(u16),
    /// Open the stream of a session.
    Stream(Arc<Session>),
    /// Refuse its message.
    Refuse { id: Option<&'a RawValue>, error: RpcError },
    /// Serve its message.
    Serve { raw: RawRequest<'a>, client: Client },
}

/// The sender of a request.
enum Client {
    /// A client that starts a session, with the session's id.
    New(String, Arc<Session>),
    /// A client with an existing session.
    Known(Arc<Session>),
    /// A modern client, which has no session.
    Modern(Modern),
}

/// Serves a request and writes its response; `presence` handles a disconnect of the client.
pub(super) fn serve(
    state: &HttpState,
    request: &Incoming,
    mut response: Response,
    presence: &Presence,
) -> io::Result<()> {
    let wrapped = |response| Output::new(Some(Box::new(response)), &state.server.muted);
    match classify(state, request) {
        Ok(Action::Status(status)) => response.send_status(status),
        Ok(Action::Stream(session)) => open_stream(session, response, presence),
        Ok(Action::Refuse { id, error }) => {
            dispatch::refuse(&wrapped(response), id, &error, error.status)
        }
        Ok(Action::Serve { raw, client }) => {
            if let Client::New(id, _) = &client {
                response.begin_session(id.clone());
            }
            respond(state, &raw, client, &Arc::new(wrapped(response)), presence)
        }
        Err(refused) => response.refuse(&refused),
    }
}

fn classify<'a>(state: &HttpState, request: &'a Incoming) -> Result<Action<'a>, Refused> {
    guard::check_host_and_origin(request)?;
    if request.path != ENDPOINT {
        return Err(Refused::new(404, "the only path is /mcp"));
    }
    let has_session = request.header("mcp-session-id").is_some();
    match (request.method.as_str(), state.server.eras) {
        ("POST", _) => {
            guard::check_post(request)?;
            classify_message(state, request)
        }
        ("GET", Eras::Legacy | Eras::Both) if has_session => {
            guard::check_get(request)?;
            state.sessions.find(request).map(Action::Stream)
        }
        ("DELETE", Eras::Legacy | Eras::Both) => {
            state.sessions.end(request).map(|()| Action::Status(204))
        }
        (_, _) => Err(Refused::new(405, "the method is not allowed")),
    }
}

fn classify_message<'a>(state: &HttpState, request: &'a Incoming) -> Result<Action<'a>, Refused> {
    let eras = state.server.eras;
    let has_modern_version = request.header(VERSION) == Some(MODERN_REVISION.as_bytes());
    match message::read(&request.body) {
        Ok(Message::Request { id, method, params }) => {
            let raw = RawRequest { id, method, params };
            let meta = match era::detect_era(eras, &raw) {
                RequestEra::Modern(meta) => Some(meta),
                RequestEra::Legacy if has_modern_version && eras == Eras::Both => {
                    Some(Meta::read(params))
                }
                RequestEra::Legacy => None,
            };
            // `initialize` is a legacy request unless the message itself declares a modern version.
            let is_handshake = |meta: &Meta<'_>| {
                eras == Eras::Both && raw.method == "initialize" && !meta.has_version()
            };
            match meta.filter(|meta| !is_handshake(meta)) {
                Some(meta) => Ok(check_modern(request, raw, &meta)),
                None => check_legacy(state, request, raw),
            }
        }
        Ok(Message::Notification { method, params }) => {
            // Modern clients need no notifications, but may send them.
            if eras == Eras::Legacy || (eras == Eras::Both && !has_modern_version) {
                dispatch::receive_notification(&*state.sessions.find(request)?, &method, params);
            }
            Ok(Action::Status(202))
        }
        Ok(Message::Response { id, reply }) => {
            state.sessions.find(request)?.pending_calls.reply(id, reply);
            Ok(Action::Status(202))
        }
        Err(rejected) => Ok(Action::Refuse { id: rejected.id, error: rejected.error }),
    }
}

fn check_modern<'a>(request: &Incoming, raw: RawRequest<'a>, meta: &Meta<'_>) -> Action<'a> {
    let checked = || {
        header_check::check_version(request, meta)?;
        let client = meta.check(&raw)?;
        header_check::check_method(request, &raw)?;
        header_check::check_names(request, &raw)?;
        Ok(client)
    };
    match checked() {
        Ok(client) => Action::Serve { raw, client: Client::Modern(client) },
        Err(error) => Action::Refuse { id: Some(raw.id), error },
    }
}

fn check_legacy<'a>(
    state: &HttpState,
    request: &Incoming,
    raw: RawRequest<'a>,
) -> Result<Action<'a>, Refused> {
    if raw.method == "initialize" {
        let (id, session) = state.sessions.begin(&state.server)?;
        return Ok(Action::Serve { raw, client: Client::New(id, session) });
    }
    let version = request.header(VERSION);
    if version.is_some_and(|version| !REVISIONS.iter().any(|it| it.as_bytes() == version)) {
        return Err(Refused::new(400, "the MCP-Protocol-Version is not supported"));
    }
    let client = Client::Known(state.sessions.find(request)?);
    Ok(Action::Serve { raw, client })
}

fn respond(
    state: &HttpState,
    raw: &RawRequest<'_>,
    client: Client,
    output: &Arc<Output>,
    presence: &Presence,
) -> io::Result<()> {
    let (session, era, held) = match client {
        Client::New(_, session) | Client::Known(session) => {
            (session, Era::Legacy, OpenResponse::Legacy(Arc::clone(output)))
        }
        Client::Modern(client) => {
            let session = Session::new(&state.server, Arc::clone(output));
            (Arc::clone(&session), Era::Modern(client), OpenResponse::Modern(session))
        }
    };
    dispatch::handle(&session, output, raw, &era, &mut Vec::new())?;
    // Only now is there state that depends on the client.
    presence.hold(held);
    Ok(())
}

/// Opens the stream of a session, which has at most one stream at a time.
fn open_stream(session: Arc<Session>, response: Response, presence: &Presence) -> io::Result<()> {
    match session.output.attach(response) {
        Ok(()) => {
            // An empty message starts the stream.
            let sent = session.output.send(Part::Other, b"");
            presence.hold(OpenResponse::Stream(session));
            sent
        }
        Err(response) => response.refuse(&Refused::new(409, "the session already has a stream")),
    }
}
