//! Calls that wait: for time, for the client's answer, or until they are cancelled.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;

use super::answer;
use super::dispatch::Request;
use super::message::Reply;
use super::output::{Output, Part};
use super::session::Session;

/// The calls that wait, and the questions that they have put to the client.
#[derive(Default)]
pub(super) struct Waiting {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the raw text of the call's id.
    calls: HashMap<String, Sender<Event>>,
    questions: HashMap<u64, Sender<Event>>,
    last_question: u64,
}

/// What can happen to a call while it waits.
enum Event {
    Cancelled,
    Replied(Reply),
}

/// The client wants no answer any more, or is gone.
#[derive(Debug)]
pub(super) struct Cancelled;

impl Waiting {
    /// Notes that the call `request` waits; what happens to it arrives at its [`Wait`].
    pub(super) fn begin(&self, request: &Request<'_>) -> Wait {
        let (sender, events) = mpsc::channel();
        self.state().calls.insert(request.id.get().to_owned(), sender.clone());
        let (session, output) = (Arc::clone(request.session), Arc::clone(request.output));
        Wait { session, output, sender, events }
    }

    /// Ends the waiting of the call `id`; false when it was cancelled and wants no answer.
    pub(super) fn finish(&self, id: &RawValue) -> bool {
        self.state().calls.remove(id.get()).is_some()
    }

    /// Cancels the call `id`, if it waits.
    pub(super) fn cancel(&self, id: &RawValue) {
        if let Some(call) = self.state().calls.remove(id.get()) {
            // A call that has just ended no longer listens, and need not.
            let _ = call.send(Event::Cancelled);
        }
    }

    /// Cancels everything.
    pub(super) fn end(&self) {
        for (_, call) in self.state().calls.drain() {
            let _ = call.send(Event::Cancelled);
        }
    }

    /// Hands the client's answer to the call that asked; an answer that nobody awaits is dropped.
    pub(super) fn reply(&self, id: &RawValue, reply: Reply) {
        let question = id.get().parse().ok().and_then(|id: u64| self.state().questions.remove(&id));
        if let Some(call) = question {
            let _ = call.send(Event::Replied(reply));
        }
    }

    fn ask(&self, sender: Sender<Event>) -> u64 {
        let mut state = self.state();
        state.last_question += 1;
        let id = state.last_question;
        state.questions.insert(id, sender);
        id
    }

    fn forget(&self, question: u64) {
        self.state().questions.remove(&question);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The waiting of one call.
pub(super) struct Wait {
    /// Where the call came from.
    pub(super) session: Arc<Session>,
    /// Where its answer goes, and notifications on the way.
    pub(super) output: Arc<Output>,
    sender: Sender<Event>,
    events: Receiver<Event>,
}

impl Wait {
    /// Lets this much time pass.
    pub(super) fn pause(&self, pause_ms: u64) -> Result<(), Cancelled> {
        match self.events.recv_timeout(Duration::from_millis(pause_ms)) {
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Ok(Event::Cancelled | Event::Replied(_)) | Err(RecvTimeoutError::Disconnected) => {
                Err(Cancelled)
            }
        }
    }

    /// Sends a notification on the way; `params` is JSON text on one line.
    pub(super) fn notify(&self, method: &str, params: &str) -> Result<(), Cancelled> {
        let mut line = Vec::new();
        answer::notification(&mut line, method, params);
        Ok(self.output.send(Part::Aside, &line)?)
    }

    /// Asks the client and waits for its answer; `params` is JSON text on one line.
    pub(super) fn ask(&self, method: &str, params: &str) -> Result<Reply, Cancelled> {
        let question = self.session.waiting.ask(self.sender.clone());
        let mut line = Vec::new();
        answer::request(&mut line, question, method, params);
        self.output.send(Part::Aside, &line)?;
        match self.events.recv() {
            Ok(Event::Replied(reply)) => Ok(reply),
            Ok(Event::Cancelled) | Err(mpsc::RecvError) => {
                self.session.waiting.forget(question);
                Err(Cancelled)
            }
        }
    }
}

/// A client that cannot be written to is gone.
impl From<io::Error> for Cancelled {
    fn from(_: io::Error) -> Cancelled {
        Cancelled
    }
}
