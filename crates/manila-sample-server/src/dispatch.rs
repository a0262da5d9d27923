//! Dispatch: from a message to the method that handles it, and from its disposition to a response.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::disposition::{Disposition, HandlerError, Job};
use super::era::{self, Era, RequestEra};
use super::message::{self, Message};
use super::methods;
use super::output::{Output, Part};
use super::rpc_error::RpcError;
use super::session::Session;
use super::shape::{self, HandlerMeta, Shape};
use super::{arguments, jsonrpc};

/// A request for a method.
pub(super) struct Request<'a> {
    /// The session that it belongs to.
    pub(super) session: &'a Arc<Session>,
    /// The output for its response.
    pub(super) output: &'a Arc<Output>,
    /// The era of the request.
    pub(super) era: &'a Era,
    /// The format of its result.
    pub(super) shape: Shape,
    /// Its id, as written.
    pub(super) id: &'a RawValue,
    /// Its params, as written.
    pub(super) params: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
    /// Parses the params into the type of the method.
    pub(super) fn params<T: Deserialize<'a>>(&self) -> Result<T, RpcError> {
        arguments::read(self.params.map_or("{}", RawValue::get))
    }

    /// Refuses any cursor, for lists with a single page.
    pub(super) fn reject_cursor(&self) -> Result<(), RpcError> {
        match self.params::<ListParams<'_>>()?.cursor {
            Some(_) => Err(RpcError::unknown_cursor()),
            None => Ok(()),
        }
    }
}

/// The params of all list methods.
#[derive(Deserialize)]
pub(super) struct ListParams<'a> {
    #[serde(borrow)]
    pub(super) cursor: Option<&'a RawValue>,
}

/// A request before its era is known.
pub(super) struct RawRequest<'a> {
    pub(super) id: &'a RawValue,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Option<&'a RawValue>,
}

/// Handles a line; `out` is an empty buffer. Fails if the client cannot be written to.
pub(super) fn receive(session: &Arc<Session>, line: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    if line.trim_ascii().is_empty() {
        return Ok(());
    }
    match message::read(line) {
        Ok(Message::Request { id, method, params }) => {
            let raw = RawRequest { id, method, params };
            let era = match era::detect_era(session.server.eras, &raw) {
                RequestEra::Legacy => Ok(Era::Legacy),
                RequestEra::Modern(meta) => meta.check(&raw).map(Era::Modern),
            };
            match era {
                Ok(era) => handle(session, &session.output, &raw, &era, out),
                Err(error) => refuse(&session.output, Some(id), &error, error.status),
            }
        }
        Ok(Message::Notification { method, params }) => {
            receive_notification(session, &method, params);
            Ok(())
        }
        Ok(Message::Response { id, reply }) => {
            session.pending_calls.reply(id, reply);
            Ok(())
        }
        Err(rejected) => refuse(&session.output, rejected.id, &rejected.error, 400),
    }
}

/// Serves a request; `out` is an empty buffer. Fails if the client cannot be written to.
pub(super) fn handle(
    session: &Arc<Session>,
    output: &Arc<Output>,
    raw: &RawRequest<'_>,
    era: &Era,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let status = |error: &RpcError| match era {
        Era::Legacy if error.status < 500 => 200,
        Era::Legacy | Era::Modern(_) => error.status,
    };
    let Some(method) = methods::find(&raw.method, era) else {
        let error = RpcError::method_not_found();
        return refuse(output, Some(raw.id), &error, status(&error));
    };
    let shape = match era {
        Era::Legacy => Shape::Legacy,
        Era::Modern(_) => Shape::Modern { hints: method.hints },
    };
    if let Era::Legacy = era {
        session.set_legacy();
    }
    let RawRequest { id, params, .. } = *raw;
    let request = Request { session, output, era, shape, id, params };
    let opened = shape.open(out, id.get());
    let disposition = (method.run)(&request, out);
    match disposition {
        Ok(Disposition::Answer) => {
            shape.join(out, opened);
            shape.close(out, HandlerMeta::Absent);
            output.send(Part::Answer, out)
        }
        Ok(Disposition::AnswerWithMeta) => {
            shape.join(out, opened);
            shape.close(out, HandlerMeta::Present);
            output.send(Part::Answer, out)
        }
        Ok(Disposition::Long { text, rest }) => {
            shape.join(out, opened);
            let mut tail = rest.as_bytes().to_vec();
            shape.close(&mut tail, HandlerMeta::Absent);
            output.send_in_pieces(Part::Answer, |writer| {
                writer.write_all(out)?;
                text(writer)?;
                writer.write_all(&tail)
            })
        }
        Ok(Disposition::Unfinished { kind, members }) => {
            out.clear();
            shape::push_unfinished(out, id.get(), kind, &members);
            output.send(Part::Answer, out)
        }
        Ok(Disposition::Nothing) => Ok(()),
        Ok(Disposition::Later(job)) => start(&request, job),
        Err(HandlerError::Refused(error)) => refuse(output, Some(id), &error, status(&error)),
        Err(HandlerError::Broken(error)) => Err(error),
    }
}

/// Sends an error response.
pub(super) fn refuse(
    output: &Output,
    id: Option<&RawValue>,
    error: &RpcError,
    status: u16,
) -> io::Result<()> {
    let mut line = Vec::new();
    jsonrpc::error(&mut line, id, error);
    output.send(Part::Refusal(status), &line)
}

/// Runs `job` on its own thread, which sends the response unless the call is cancelled.
fn start(request: &Request<'_>, job: Job) -> io::Result<()> {
    let (id, shape) = (request.id.to_owned(), request.shape);
    let pending = request.session.pending_calls.begin(request);
    let run = move || {
        let mut out = Vec::new();
        let opened = shape.open(&mut out, id.get());
        let done = job(&pending, &mut out);
        let is_wanted = pending.session.pending_calls.finish(&id) && done.is_ok();
        // The reader of the connection detects a disconnect.
        let _ = if is_wanted {
            shape.join(&mut out, opened);
            shape.close(&mut out, HandlerMeta::Absent);
            pending.output.send(Part::Answer, &out)
        } else {
            pending.session.server.cancelled.fetch_add(1, Ordering::Relaxed);
            pending.output.abandon()
        };
    };
    match thread::Builder::new().name("waiting call".to_owned()).spawn(run) {
        Ok(_) => Ok(()),
        Err(error) => {
            request.session.pending_calls.cancel(request.id);
            let error = RpcError::internal(format!("cannot start a thread for the call: {error}"));
            refuse(request.output, Some(request.id), &error, error.status)
        }
    }
}

#[derive(Deserialize)]
struct CancelParams<'a> {
    #[serde(borrow, rename = "requestId")]
    request_id: &'a RawValue,
}

/// Handles a notification. An invalid one is ignored, because a notification has no response.
pub(super) fn receive_notification(session: &Session, method: &str, params: Option<&RawValue>) {
    if method != "notifications/cancelled" {
        return;
    }
    let params = arguments::read::<CancelParams<'_>>(params.map_or("{}", RawValue::get));
    if let Ok(params) = params {
        session.cancel(params.request_id);
    }
}
