//! Requests that wait for the server's answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use manila::request_envelope::Response;
use tokio::sync::oneshot;
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
}

impl Pending {
    /// Notes a request. If the connection has ended, its answer will never come.
    pub(super) fn add(&self, id: u64) -> Result<oneshot::Receiver<Arrived>, Gone> {
        let (sender, receiver) = oneshot::channel();
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.insert(id, sender);
        }
        match self.gone.get() {
            None => Ok(receiver),
            Some(down) => {
                self.remove(id);
                Err(Gone(Arc::clone(down)))
            }
        }
    }

    /// Hands an answer to whoever waits for it. `false` if nobody does.
    pub(super) fn arrived(&self, id: u64, answer: Arrived) -> bool {
        self.remove(id).is_some_and(|waiting| waiting.send(answer).is_ok())
    }

    /// Tells all who wait that no answer will come.
    pub(super) fn end(&self, down: Arc<Down>) {
        // The reason is known before anybody is woken.
        let _ = self.gone.set(down);
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.clear();
        }
    }

    pub(super) fn gone(&self) -> Option<Gone> {
        self.gone.get().map(|down| Gone(Arc::clone(down)))
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
    pub(super) progress_token: Option<bytes::Bytes>,
    /// Says why, where it is cancelled.
    pub(super) cancellation: Arc<Cancellation>,
}

impl Waiting {
    /// Waits for the answer.
    pub(crate) async fn arrived(&mut self) -> Result<Arrived, Gone> {
        let arrived = (&mut self.receiver).await;
        self.is_over = true;
        arrived.map_err(|_| self.connection.why_gone())
    }

    /// Waits for an answer of ordinary size.
    pub(crate) async fn answer(mut self) -> Result<Response, Gone> {
        match self.arrived().await? {
            Arrived::Response(response) => Ok(response),
            Arrived::TooLarge => Err(useless("the server's answer is too large".to_owned())),
            Arrived::Unusable(why) => {
                Err(useless(format!("the server's answer is useless: {why}")))
            }
        }
    }

    /// When the server last gave a sign of life for this request.
    pub(crate) fn last_sign(&self) -> Option<Instant> {
        self.connection.last_sign(self.progress_token.as_ref())
    }
}

fn useless(reason: String) -> Gone {
    Gone(Arc::new(Down { reason, last_words: Vec::new(), next_start: None }))
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(token) = &self.progress_token {
            self.connection.end_progress(token);
        }
        if !self.is_over {
            self.connection.pending.remove(self.id);
            self.connection.cancelled(self.id, self.cancellation.reason().as_ref());
        }
    }
}
