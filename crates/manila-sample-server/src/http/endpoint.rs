//! The endpoint: from an HTTP request to the message in it, and to whom it belongs.

use std::io;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::super::dispatch::{self, Raw};
use super::super::era::{self, Era, MODERN_REVISION, Meta, Modern, Opening};
use super::super::eras::Eras;
use super::super::handshake::REVISIONS;
use super::super::message::{self, Message};
use super::super::output::{Output, Part};
use super::super::rpc_error::RpcError;
use super::super::session::Session;
use super::incoming::{Incoming, Refused};
use super::presence::Presence;
use super::response::Response;
use super::{ENDPOINT, Site, guard, mirror};

/// The header with the version.
const VERSION: &str = "mcp-protocol-version";

/// What stays with the client while an answer is open.
pub(super) enum Held {
    /// A legacy request: it goes on without its client.
    Legacy(#[expect(dead_code, reason = "an answer that is dropped is cut off")] Arc<Output>),
    /// A modern request: it ends with its client.
    Modern(Arc<Session>),
    /// The stream of a legacy session: another one may follow.
    Stream(Arc<Session>),
}

impl Held {
    /// The client has closed the connection before its answer.
    pub(super) fn client_is_gone(&self) {
        match self {
            Held::Legacy(_) => {}
            Held::Modern(session) => session.end(),
            Held::Stream(session) => session.output.close(),
        }
    }
}

/// What is done about a request.
enum Verdict<'a> {
    /// Nothing but a status is answered.
    Status(u16),
    /// It opens the stream of a session.
    Stream(Arc<Session>),
    /// Its message is refused.
    Refuse { id: Option<&'a RawValue>, error: RpcError },
    /// Its message is served.
    Serve { raw: Raw<'a>, client: Client },
}

/// Who sent a request.
enum Client {
    /// A client that begins a session, with the id of it.
    New(String, Arc<Session>),
    /// A client with a session.
    Known(Arc<Session>),
    /// A client that needs none.
    Modern(Modern),
}

/// Serves one request into `response`; `presence` tells what its client's end means.
pub(super) fn serve(
    site: &Site,
    request: &Incoming,
    mut response: Response,
    presence: &Presence,
) -> io::Result<()> {
    let wrapped = |response| Output::new(Some(Box::new(response)), &site.server.muted);
    match judge(site, request) {
        Ok(Verdict::Status(status)) => response.status(status),
        Ok(Verdict::Stream(session)) => open_stream(session, response, presence),
        Ok(Verdict::Refuse { id, error }) => {
            dispatch::refuse(&wrapped(response), id, &error, error.status)
        }
        Ok(Verdict::Serve { raw, client }) => {
            if let Client::New(id, _) = &client {
                response.begin_session(id.clone());
            }
            answer(site, &raw, client, &Arc::new(wrapped(response)), presence)
        }
        Err(refused) => response.refuse(&refused),
    }
}

fn judge<'a>(site: &Site, request: &'a Incoming) -> Result<Verdict<'a>, Refused> {
    guard::check_site(request)?;
    if request.path != ENDPOINT {
        return Err(Refused::new(404, "the only path is /mcp"));
    }
    let has_session = request.header("mcp-session-id").is_some();
    match (request.method.as_str(), site.server.eras) {
        ("POST", _) => {
            guard::check_post(request)?;
            judge_message(site, request)
        }
        ("GET", Eras::Legacy | Eras::Both) if has_session => {
            guard::check_get(request)?;
            site.sessions.of(request).map(Verdict::Stream)
        }
        ("DELETE", Eras::Legacy | Eras::Both) => {
            site.sessions.end(request).map(|()| Verdict::Status(204))
        }
        (_, _) => Err(Refused::new(405, "the method has no place here")),
    }
}

fn judge_message<'a>(site: &Site, request: &'a Incoming) -> Result<Verdict<'a>, Refused> {
    let eras = site.server.eras;
    let says_modern = request.header(VERSION) == Some(MODERN_REVISION.as_bytes());
    match message::read(&request.body) {
        Ok(Message::Request { id, method, params }) => {
            let raw = Raw { id, method, params };
            let meta = match era::opening(eras, &raw) {
                Opening::Modern(meta) => Some(meta),
                Opening::Legacy if says_modern && eras == Eras::Both => Some(Meta::read(params)),
                Opening::Legacy => None,
            };
            // A handshake is one of its era unless the message itself says otherwise.
            let is_handshake = |meta: &Meta<'_>| {
                eras == Eras::Both && raw.method == "initialize" && !meta.names_version()
            };
            match meta.filter(|meta| !is_handshake(meta)) {
                Some(meta) => Ok(judge_modern(request, raw, &meta)),
                None => judge_legacy(site, request, raw),
            }
        }
        Ok(Message::Notification { method, params }) => {
            // Modern clients have nothing to say by notifications, but may do so.
            if eras == Eras::Legacy || (eras == Eras::Both && !says_modern) {
                dispatch::notice(&*site.sessions.of(request)?, &method, params);
            }
            Ok(Verdict::Status(202))
        }
        Ok(Message::Answer { id, reply }) => {
            site.sessions.of(request)?.waiting.reply(id, reply);
            Ok(Verdict::Status(202))
        }
        Err(rejected) => Ok(Verdict::Refuse { id: rejected.id, error: rejected.error }),
    }
}

fn judge_modern<'a>(request: &Incoming, raw: Raw<'a>, meta: &Meta<'_>) -> Verdict<'a> {
    let checked = || {
        mirror::check_version(request, meta)?;
        let client = meta.checked(&raw)?;
        mirror::check_method(request, &raw)?;
        mirror::check_names(request, &raw)?;
        Ok(client)
    };
    match checked() {
        Ok(client) => Verdict::Serve { raw, client: Client::Modern(client) },
        Err(error) => Verdict::Refuse { id: Some(raw.id), error },
    }
}

fn judge_legacy<'a>(site: &Site, request: &Incoming, raw: Raw<'a>) -> Result<Verdict<'a>, Refused> {
    if raw.method == "initialize" {
        let (id, session) = site.sessions.begin(&site.server)?;
        return Ok(Verdict::Serve { raw, client: Client::New(id, session) });
    }
    let version = request.header(VERSION);
    if version.is_some_and(|version| !REVISIONS.iter().any(|it| it.as_bytes() == version)) {
        return Err(Refused::new(400, "the MCP-Protocol-Version is none that is spoken here"));
    }
    let client = Client::Known(site.sessions.of(request)?);
    Ok(Verdict::Serve { raw, client })
}

fn answer(
    site: &Site,
    raw: &Raw<'_>,
    client: Client,
    output: &Arc<Output>,
    presence: &Presence,
) -> io::Result<()> {
    let (session, era, held) = match client {
        Client::New(_, session) | Client::Known(session) => {
            (session, Era::Legacy, Held::Legacy(Arc::clone(output)))
        }
        Client::Modern(client) => {
            let session = Session::new(&site.server, Arc::clone(output));
            (Arc::clone(&session), Era::Modern(client), Held::Modern(session))
        }
    };
    dispatch::handle(&session, output, raw, &era, &mut Vec::new())?;
    // Only now is there something that can end with its client.
    presence.hold(held);
    Ok(())
}

/// Opens the stream of a session, of which there is one at a time.
fn open_stream(session: Arc<Session>, response: Response, presence: &Presence) -> io::Result<()> {
    match session.output.attach(response) {
        Ok(()) => {
            // Nothing is said, but by that the stream begins.
            let begun = session.output.send(Part::Aside, b"");
            presence.hold(Held::Stream(session));
            begun
        }
        Err(response) => response.refuse(&Refused::new(409, "the session has its stream already")),
    }
}
