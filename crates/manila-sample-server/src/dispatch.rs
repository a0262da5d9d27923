//! Dispatch: from a message to the method that handles it, and from its conduct to an answer.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::conduct::{Conduct, Job, Stop};
use super::era::{self, Era, Opening};
use super::message::{self, Message};
use super::methods;
use super::output::{Output, Part};
use super::rpc_error::RpcError;
use super::session::Session;
use super::shape::{self, OwnMeta, Shape};
use super::{answer, arguments};

/// A request on its way to its method.
pub(super) struct Request<'a> {
    /// Whose it is.
    pub(super) session: &'a Arc<Session>,
    /// Where its answer goes.
    pub(super) output: &'a Arc<Output>,
    /// The era that it is served in.
    pub(super) era: &'a Era,
    /// What is put around its result.
    pub(super) shape: Shape,
    /// Its id, as it was written.
    pub(super) id: &'a RawValue,
    /// Its params, as they were written.
    pub(super) params: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
    /// The params as the method wants them.
    pub(super) fn params<T: Deserialize<'a>>(&self) -> Result<T, RpcError> {
        arguments::read(self.params.map_or("{}", RawValue::get))
    }

    /// Refuses any cursor, for lists that have one page only.
    pub(super) fn no_cursor(&self) -> Result<(), RpcError> {
        match self.params::<ListParams<'_>>()?.cursor {
            Some(_) => Err(RpcError::unknown_cursor()),
            None => Ok(()),
        }
    }
}

/// The params of every method that lists.
#[derive(Deserialize)]
pub(super) struct ListParams<'a> {
    #[serde(borrow)]
    pub(super) cursor: Option<&'a RawValue>,
}

/// A request of which only the id, the method and the params are known.
pub(super) struct Raw<'a> {
    pub(super) id: &'a RawValue,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Option<&'a RawValue>,
}

/// Handles one line; `out` is an empty buffer. An error means that the client is gone.
pub(super) fn receive(session: &Arc<Session>, line: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    if line.trim_ascii().is_empty() {
        return Ok(());
    }
    match message::read(line) {
        Ok(Message::Request { id, method, params }) => {
            let raw = Raw { id, method, params };
            let era = match era::opening(session.server.eras, &raw) {
                Opening::Legacy => Ok(Era::Legacy),
                Opening::Modern(meta) => meta.checked(&raw).map(Era::Modern),
            };
            match era {
                Ok(era) => handle(session, &session.output, &raw, &era, out),
                Err(error) => refuse(&session.output, Some(id), &error, error.status),
            }
        }
        Ok(Message::Notification { method, params }) => {
            notice(session, &method, params);
            Ok(())
        }
        Ok(Message::Answer { id, reply }) => {
            session.waiting.reply(id, reply);
            Ok(())
        }
        Err(rejected) => refuse(&session.output, rejected.id, &rejected.error, 400),
    }
}

/// Serves a request; `out` is an empty buffer. An error means that the client is gone.
pub(super) fn handle(
    session: &Arc<Session>,
    output: &Arc<Output>,
    raw: &Raw<'_>,
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
        session.hear_legacy();
    }
    let Raw { id, params, .. } = *raw;
    let request = Request { session, output, era, shape, id, params };
    let opened = shape.open(out, id.get());
    let conduct = (method.run)(&request, out);
    match conduct {
        Ok(Conduct::Answer) => {
            shape.join(out, opened);
            shape.close(out, OwnMeta::Absent);
            output.send(Part::Answer, out)
        }
        Ok(Conduct::AnswerWithMeta) => {
            shape.join(out, opened);
            shape.close(out, OwnMeta::Present);
            output.send(Part::Answer, out)
        }
        Ok(Conduct::Long { text, rest }) => {
            shape.join(out, opened);
            let mut tail = rest.as_bytes().to_vec();
            shape.close(&mut tail, OwnMeta::Absent);
            output.send_in_pieces(Part::Answer, |writer| {
                writer.write_all(out)?;
                text(writer)?;
                writer.write_all(&tail)
            })
        }
        Ok(Conduct::Unfinished { kind, members }) => {
            out.clear();
            shape::unfinished(out, id.get(), kind, &members);
            output.send(Part::Answer, out)
        }
        Ok(Conduct::Nothing) => Ok(()),
        Ok(Conduct::Later(job)) => start(&request, job),
        Err(Stop::Refused(error)) => refuse(output, Some(id), &error, status(&error)),
        Err(Stop::Broken(error)) => Err(error),
    }
}

/// Sends an error answer.
pub(super) fn refuse(
    output: &Output,
    id: Option<&RawValue>,
    error: &RpcError,
    status: u16,
) -> io::Result<()> {
    let mut line = Vec::new();
    answer::error(&mut line, id, error);
    output.send(Part::Refusal(status), &line)
}

/// Runs `job` on a thread of its own, which sends the answer unless the call is cancelled.
fn start(request: &Request<'_>, job: Job) -> io::Result<()> {
    let (id, shape) = (request.id.to_owned(), request.shape);
    let wait = request.session.waiting.begin(request);
    let run = move || {
        let mut out = Vec::new();
        let opened = shape.open(&mut out, id.get());
        let done = job(&wait, &mut out);
        let is_wanted = wait.session.waiting.finish(&id) && done.is_ok();
        // When the client is gone, whoever reads from it learns it too.
        let _ = if is_wanted {
            shape.join(&mut out, opened);
            shape.close(&mut out, OwnMeta::Absent);
            wait.output.send(Part::Answer, &out)
        } else {
            wait.session.server.cancelled.fetch_add(1, Ordering::Relaxed);
            wait.output.leave()
        };
    };
    match thread::Builder::new().name("waiting call".to_owned()).spawn(run) {
        Ok(_) => Ok(()),
        Err(error) => {
            request.session.waiting.cancel(request.id);
            let error = RpcError::internal(format!("no thread for the call: {error}"));
            refuse(request.output, Some(request.id), &error, error.status)
        }
    }
}

#[derive(Deserialize)]
struct CancelParams<'a> {
    #[serde(borrow, rename = "requestId")]
    request_id: &'a RawValue,
}

/// Takes note of a notification; one that cannot be read is ignored, as it has no answer.
pub(super) fn notice(session: &Session, method: &str, params: Option<&RawValue>) {
    if method != "notifications/cancelled" {
        return;
    }
    let params = arguments::read::<CancelParams<'_>>(params.map_or("{}", RawValue::get));
    if let Ok(params) = params {
        session.cancel(params.request_id);
    }
}
