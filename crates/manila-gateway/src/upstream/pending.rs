//! Requests that wait for the server's answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::JsonObject;
use manila::request_envelope::Response;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::{Connection, Down};
use crate::cancellation::Cancellation;

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
}

/// Requests by the ids that we gave them.
#[derive(Default)]
pub(super) struct Pending {
    waiting: Mutex<HashMap<u64, oneshot::Sender<Arrived>>>,
    gone: OnceLock<Arc<Down>>,
    /// Told when the connection has ended.
    end: Notify,
}

impl Pending {
    /// Notes a request. If the connection has ended, its answer will never come.
    pub(super) fn add(&self, id: u64) -> Result<oneshot::Receiver<Arrived>, Gone> {
        let (sender, receiver) = oneshot::channel();
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.insert(id, sender);
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
        self.remove(id).is_some_and(|waiting| waiting.send(answer).is_ok())
    }

    /// Whether a request of this id waits.
    pub(super) fn has(&self, id: u64) -> bool {
        self.waiting.lock().is_ok_and(|waiting| waiting.contains_key(&id))
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

    fn remove(&self, id: u64) -> Option<oneshot::Sender<Arrived>> {
        self.waiting.lock().ok()?.remove(&id)
    }
}

/// A request that waits for its answer. Dropped before that, it is cancelled.
pub(crate) struct Waiting {
    pub(super) connection: Arc<Connection>,
    pub(super) id: u64,
    pub(super) receiver: oneshot::Receiver<Arrived>,
    pub(super) is_over: bool,
    /// The token by which the server reports progress, as it was written.
    pub(super) progress_token: Option<Bytes>,
    /// Says why, where its caller cancels it.
    pub(super) cancellation: Arc<Cancellation>,
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

    /// When the server last gave a sign of life for this request.
    pub(crate) fn last_sign(&self) -> Option<Instant> {
        self.connection.last_sign(self.progress_token.as_ref())
    }

    /// Tells the server that nobody waits any more, and why.
    pub(crate) fn give_up(mut self, reason: &str) {
        self.cancel(Some(&JsonObject::build(|object| object.member("reason", reason))));
    }

    /// Takes the request back. `said` goes with that.
    fn cancel(&mut self, said: Option<&JsonObject>) {
        if !self.is_over {
            self.is_over = true;
            self.connection.pending.remove(self.id);
            self.connection.cancelled(self.id, said);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(token) = &self.progress_token {
            self.connection.end_progress(token);
        }
        let cancellation = Arc::clone(&self.cancellation);
        self.cancel(cancellation.params());
    }
}
