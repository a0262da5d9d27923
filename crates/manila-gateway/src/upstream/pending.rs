//! Requests that wait for the server's answer.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use manila::JsonObject;
use manila::request_envelope::Response;
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::{Connection, Down};
use crate::protocol::caller::{Caller, Client};
use crate::rt::clock;

/// How many requests that were taken back are remembered, and for how long.
const TAKEN_BACK_MAX: usize = 1_024;
const TAKEN_BACK_LONGEST: Duration = Duration::from_secs(60);

/// The connection ended before the answer came.
#[derive(Debug, Clone)]
pub(crate) struct Gone(pub(crate) Arc<Down>);

/// What a request waits for.
pub(crate) enum Arrived {
    /// The answer.
    Response(Response),
    /// An answer over the size limit, which was not kept.
    TooLarge,
    /// An answer that cannot be read, and why.
    Unusable(String),
    /// No answer: the server asks something that its caller cannot be asked.
    AskedBack(String),
    /// No answer: the server, or something before it, refused on HTTP.
    Declined(Declined),
}

/// A refusal on HTTP that is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declined {
    /// Its status; `None` if the server could not be reached at all.
    pub(crate) status: Option<u16>,
    pub(crate) reason: String,
    /// After how long to try again, if it said so.
    pub(crate) retry_after: Option<Duration>,
}

impl std::fmt::Display for Declined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

/// Requests by the ids that we gave them.
#[derive(Default)]
pub(super) struct Pending {
    waiting: Mutex<BTreeMap<u64, Entry>>,
    /// Requests that were taken back and not answered: the server may still work on them, and ask.
    /// Each with when that was, and the number of its client.
    taken_back: Mutex<VecDeque<(u64, Instant, u64)>>,
    gone: OnceLock<Arc<Down>>,
    /// Told when the connection has ended.
    end: Notify,
}

/// A request that waits, and whose it is, if not our own.
struct Entry {
    sender: oneshot::Sender<Arrived>,
    caller: Option<Arc<Caller>>,
}

impl Pending {
    /// Notes a request. If the connection has ended, its answer will never come.
    pub(super) fn add(
        &self,
        id: u64,
        caller: Option<Arc<Caller>>,
    ) -> Result<oneshot::Receiver<Arrived>, Gone> {
        let (sender, receiver) = oneshot::channel();
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.insert(id, Entry { sender, caller });
        }
        match self.gone() {
            None => Ok(receiver),
            Some(gone) => {
                self.remove(id);
                Err(gone)
            }
        }
    }

    /// Hands an answer to whoever waits for it. `false` if nobody does.
    pub(super) fn arrived(&self, id: u64, answer: Arrived) -> bool {
        if let Ok(mut taken_back) = self.taken_back.lock()
            && !taken_back.is_empty()
        {
            taken_back.retain(|(own, ..)| *own != id);
        }
        self.remove(id).is_some_and(|waiting| waiting.sender.send(answer).is_ok())
    }

    /// Whether a request of this id waits.
    pub(super) fn has(&self, id: u64) -> bool {
        self.waiting.lock().is_ok_and(|waiting| waiting.contains_key(&id))
    }

    /// Whose request this is, if it waits and is not our own.
    pub(super) fn caller(&self, id: u64) -> Option<Arc<Caller>> {
        self.waiting.lock().ok()?.get(&id)?.caller.clone()
    }

    /// The requests that wait and are not our own.
    pub(super) fn callers(&self) -> Vec<(u64, Arc<Caller>)> {
        let waiting = self.waiting.lock().ok();
        let entries = waiting.iter().flat_map(|waiting| waiting.iter());
        entries.filter_map(|(id, entry)| Some((*id, entry.caller.clone()?))).collect()
    }

    /// Notes that a request of this client is taken back.
    fn take_back(&self, id: u64, client: &Client) {
        if let Ok(mut taken_back) = self.taken_back.lock() {
            if taken_back.len() >= TAKEN_BACK_MAX {
                taken_back.pop_front();
            }
            taken_back.push_back((id, clock::now(), client.number));
        }
    }

    /// The numbers of the clients whose requests were taken back a short while ago.
    pub(super) fn taken_back(&self) -> Vec<u64> {
        let Ok(mut taken_back) = self.taken_back.lock() else { return Vec::new() };
        let is_old = |at: &Instant| at.elapsed() > TAKEN_BACK_LONGEST;
        while taken_back.front().is_some_and(|(_, at, _)| is_old(at)) {
            taken_back.pop_front();
        }
        taken_back.iter().map(|(_, _, client)| *client).collect()
    }

    /// The id of the request that waits, if it is only one.
    pub(super) fn only(&self) -> Option<u64> {
        let waiting = self.waiting.lock().ok()?;
        let first = *waiting.keys().next()?;
        (waiting.len() == 1).then_some(first)
    }

    /// Tells all who wait that no answer will come.
    pub(super) fn end(&self, down: Arc<Down>) {
        // The reason is known before anybody is woken.
        let _ = self.gone.set(down);
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.clear();
        }
        self.end.notify_waiters();
    }

    /// Why the connection has ended, if it has.
    fn gone(&self) -> Option<Gone> {
        self.gone.get().map(|down| Gone(Arc::clone(down)))
    }

    /// Waits for the reason why the connection has ended. Its streams end before that is known.
    pub(super) async fn why_gone(&self) -> Gone {
        loop {
            let ended = self.end.notified();
            tokio::pin!(ended);
            // From here on no news is missed.
            ended.as_mut().enable();
            if let Some(gone) = self.gone() {
                return gone;
            }
            ended.await;
        }
    }

    fn remove(&self, id: u64) -> Option<Entry> {
        self.waiting.lock().ok()?.remove(&id)
    }
}

/// A request that waits for its answer. Dropped before that, it is cancelled.
pub(crate) struct Waiting {
    pub(super) connection: Arc<Connection>,
    pub(super) id: u64,
    pub(super) receiver: oneshot::Receiver<Arrived>,
    pub(super) is_over: bool,
    pub(super) caller: Option<Arc<Caller>>,
    /// What brings the answer, if it is not the one pipe for all.
    pub(super) exchange: Option<AbortHandle>,
}

impl Waiting {
    /// Waits for the answer.
    pub(crate) async fn arrived(&mut self) -> Result<Arrived, Gone> {
        let arrived = (&mut self.receiver).await;
        self.is_over = true;
        match arrived {
            Ok(arrived) => Ok(arrived),
            Err(_) => Err(self.connection.pending.why_gone().await),
        }
    }

    /// The conversation in which the answer comes.
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// When the server last gave a sign of life for this request.
    pub(crate) fn last_sign(&self) -> Option<Instant> {
        self.connection.last_sign(self.id)
    }

    /// Tells the server that nobody waits any more, and why.
    pub(crate) fn give_up(mut self, reason: &str) {
        self.cancel(Some(&JsonObject::build(|object| object.member("reason", reason))));
    }

    /// Tells the server that no more is to be done, and goes on waiting for what it answers to
    /// that.
    pub(crate) fn tell_cancelled(&self, reason: &str) {
        let said = JsonObject::build(|object| object.member("reason", reason));
        self.connection.cancelled(self.id, Some(&said));
    }

    /// Takes the request back. `said` goes with that.
    fn cancel(&mut self, said: Option<&JsonObject>) {
        if !self.is_over {
            self.is_over = true;
            let pending = &self.connection.pending;
            if let Some(entry) = pending.remove(self.id)
                && let Some(caller) = &entry.caller
            {
                pending.take_back(self.id, &caller.client);
            }
            self.connection.cancelled(self.id, said);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.connection.end_progress(self.id);
        let caller = self.caller.take();
        self.cancel(caller.as_ref().and_then(|caller| caller.cancellation.params()));
        if let Some(exchange) = &self.exchange {
            exchange.abort();
        }
    }
}
