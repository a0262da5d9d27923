//! Dispatch: from a line to the method that handles it, and from its conduct to an answer.

use std::io;
use std::sync::Arc;
use std::thread;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::conduct::{Conduct, Job, Stop};
use super::message::{self, Message};
use super::rpc_error::RpcError;
use super::session::Session;
use super::{answer, arguments, handshake, prompts, resources, tools};

/// A request on its way to its method.
pub(super) struct Request<'a> {
    /// The connection that it came from.
    pub(super) session: &'a Arc<Session>,
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

type Method = fn(&Request<'_>, &mut Vec<u8>) -> Result<Conduct, Stop>;

/// Every method; the one that benchmarks call comes first.
const METHODS: &[(&str, Method)] = &[
    ("tools/call", tools::call),
    ("tools/list", tools::list),
    ("ping", handshake::ping),
    ("initialize", handshake::initialize),
    ("logging/setLevel", handshake::set_level),
    ("resources/list", resources::list),
    ("resources/read", resources::read),
    ("resources/templates/list", resources::list_templates),
    ("prompts/list", prompts::list),
    ("prompts/get", prompts::get),
    ("completion/complete", prompts::complete),
];

/// Handles one line; `out` is an empty buffer. An error means that the client is gone.
pub(super) fn receive(session: &Arc<Session>, line: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    if line.trim_ascii().is_empty() {
        return Ok(());
    }
    match message::read(line) {
        Ok(Message::Request { id, method, params }) => {
            handle(&Request { session, id, params }, &method, out)
        }
        Ok(Message::Notification { method, params }) => {
            if method == "notifications/cancelled" {
                cancel(session, params);
            }
            Ok(())
        }
        Ok(Message::Answer { id, reply }) => {
            session.waiting.reply(id, reply);
            Ok(())
        }
        Err(rejected) => session.refuse(rejected.id, &rejected.error),
    }
}

fn handle(request: &Request<'_>, method: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let Some((_, run)) = METHODS.iter().find(|(name, _)| *name == method) else {
        return request.session.refuse(Some(request.id), &RpcError::method_not_found());
    };
    answer::open(out, request.id.get());
    match run(request, out) {
        Ok(Conduct::Answer) => {
            answer::close(out);
            request.session.output.send(out)
        }
        Ok(Conduct::Nothing) => Ok(()),
        Ok(Conduct::Later(job)) => start(request, job),
        Err(Stop::Refused(error)) => request.session.refuse(Some(request.id), &error),
        Err(Stop::Broken(error)) => Err(error),
    }
}

/// Runs `job` on a thread of its own, which sends the answer unless the call is cancelled.
fn start(request: &Request<'_>, job: Job) -> io::Result<()> {
    let id = request.id.to_owned();
    let wait = request.session.waiting.begin(request.session, request.id);
    let run = move || {
        let mut out = Vec::new();
        answer::open(&mut out, id.get());
        let done = job(&wait, &mut out);
        answer::close(&mut out);
        if wait.session.waiting.finish(&id) && done.is_ok() {
            // When the client is gone, the reading thread learns it too, and ends the server.
            let _ = wait.session.output.send(&out);
        }
    };
    match thread::Builder::new().name("waiting call".to_owned()).spawn(run) {
        Ok(_) => Ok(()),
        Err(error) => {
            request.session.waiting.cancel(request.id);
            let error = RpcError::internal(format!("no thread for the call: {error}"));
            request.session.refuse(Some(request.id), &error)
        }
    }
}

#[derive(Deserialize)]
struct CancelParams<'a> {
    #[serde(borrow, rename = "requestId")]
    request_id: &'a RawValue,
}

/// A cancellation that cannot be read is ignored, as it has no answer.
fn cancel(session: &Session, params: Option<&RawValue>) {
    let params = arguments::read::<CancelParams<'_>>(params.map_or("{}", RawValue::get));
    if let Ok(params) = params {
        session.waiting.cancel(params.request_id);
    }
}
