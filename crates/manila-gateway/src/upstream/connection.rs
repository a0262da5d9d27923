//! One conversation with a running server.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::request_envelope::{Notification, Request};
use manila::{JsonObject, RawJson};
use tokio::time::Instant;

use super::pending::{Arrived, Pending};
use super::{Gone, Waiting};
use crate::cancellation::Cancellation;
use crate::clock;
use crate::era::Era;
use crate::event::{Event, Events};
use crate::jsonrpc;
use crate::queue::{NotPut, Sender};

/// One conversation with a running server.
pub(crate) struct Connection {
    to_server: Sender<Bytes>,
    pub(super) pending: Pending,
    next_id: AtomicU64,
    era: OnceLock<Era>,
    /// Whether the server has heard that the handshake is over.
    is_confirmed: AtomicBool,
    /// When progress was last reported, by token, and how many requests share the token.
    progress: Mutex<HashMap<Bytes, (Instant, usize)>>,
    /// How many of the server's own questions are open.
    n_questions: AtomicUsize,
    /// How much of what it sent was of no use.
    n_useless: AtomicU64,
    events: Events,
}

impl Connection {
    pub(super) fn new(to_server: Sender<Bytes>, events: Events) -> Connection {
        Connection {
            to_server,
            pending: Pending::default(),
            next_id: AtomicU64::new(1),
            era: OnceLock::new(),
            is_confirmed: AtomicBool::new(false),
            progress: Mutex::default(),
            n_questions: AtomicUsize::new(0),
            n_useless: AtomicU64::new(0),
            events,
        }
    }

    /// Asks something of our own.
    pub(crate) async fn ask(
        self: &Arc<Connection>,
        method: &str,
        params: &RawJson,
    ) -> Result<Waiting, Gone> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = jsonrpc::request(id, method, params);
        self.request(id, frame, None, Arc::default()).await
    }

    /// Hands a client's request on, with an id of ours.
    pub(crate) async fn forward(
        self: &Arc<Connection>,
        request: &Request,
        cancellation: Arc<Cancellation>,
    ) -> Result<Waiting, Gone> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = jsonrpc::replaced(&request.frame, &request.id, id.to_string().as_bytes());
        let token = request.params.as_ref().and_then(progress_token);
        self.request(id, frame, token, cancellation).await
    }

    async fn request(
        self: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        progress_token: Option<Bytes>,
        cancellation: Arc<Cancellation>,
    ) -> Result<Waiting, Gone> {
        // Whoever gives up before it is sent has asked nothing.
        self.to_server.room().await;
        let receiver = self.pending.add(id)?;
        if let (Some(token), Ok(mut progress)) = (&progress_token, self.progress.lock()) {
            progress.entry(token.clone()).or_insert_with(|| (clock::now(), 0)).1 += 1;
        }
        let connection = Arc::clone(self);
        let waiting =
            Waiting { connection, id, receiver, is_over: false, progress_token, cancellation };
        match self.to_server.send(frame).await {
            Ok(()) => Ok(waiting),
            Err(_) => Err(self.pending.why_gone().await),
        }
    }

    /// Hands on a message that nobody waits for an answer to. It is lost if the server has not
    /// read for so long that nothing more can be kept for it.
    pub(crate) fn push(&self, frame: Bytes) {
        if self.to_server.push(frame) == Err(NotPut::Full) {
            self.complain("nothing: it does not read what it is sent");
        }
    }

    /// Answers a question of the server's, or notes that it was taken back.
    pub(crate) fn question_closed(&self, answer: Option<Bytes>) {
        self.n_questions.fetch_sub(1, Ordering::Relaxed);
        if let Some(answer) = answer {
            self.push(answer);
        }
    }

    /// Notes a question of the server's.
    pub(super) fn question_opened(&self) {
        self.n_questions.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells the server once that the handshake is over.
    pub(super) fn confirm(&self, confirmation: Bytes) {
        if !self.is_confirmed.swap(true, Ordering::Relaxed) {
            self.push(confirmation);
        }
    }

    /// Tells the server that a request is taken back, and what its caller said about that.
    pub(super) fn cancelled(&self, id: u64, said: Option<&JsonObject>) {
        let params = JsonObject::build(|object| {
            object.member("requestId", &id);
            let members = said.iter().flat_map(|said| said.members());
            for member in members.filter(|member| !member.is("requestId")) {
                object.token_member(member.key_token(), &member.value());
            }
        });
        self.push(jsonrpc::notification("notifications/cancelled", &params));
    }

    /// Remembers how the server speaks.
    pub(super) fn learn(&self, era: Era) {
        let _ = self.era.set(era);
    }

    /// How the server speaks, once it has been greeted.
    pub(super) fn era(&self) -> Option<Era> {
        self.era.get().copied()
    }

    /// Hands an answer to whoever waits for it.
    pub(super) fn arrived(&self, id: u64, arrived: Arrived) {
        // Nobody waits for what was cancelled.
        let is_given_out = id < self.next_id.load(Ordering::Relaxed);
        if !self.pending.arrived(id, arrived) && !is_given_out {
            self.complain("an answer to a request that was never made");
        }
    }

    /// When the server last gave a sign of life: progress, or a question that is still open.
    pub(super) fn last_sign(&self, token: Option<&Bytes>) -> Option<Instant> {
        if self.n_questions.load(Ordering::Relaxed) > 0 {
            return Some(clock::now());
        }
        self.progress.lock().ok()?.get(token?).map(|(last, _)| *last)
    }

    pub(super) fn end_progress(&self, token: &Bytes) {
        if let Ok(mut progress) = self.progress.lock()
            && let Some((_, n_users)) = progress.get_mut(token)
        {
            *n_users -= 1;
            if *n_users == 0 {
                progress.remove(token);
            }
        }
    }

    pub(super) fn note_progress(&self, notification: &Notification) {
        if notification.method != "notifications/progress" {
            return;
        }
        let token = notification.params.as_ref().and_then(|params| params.get("progressToken"));
        if let (Some(token), Ok(mut progress)) = (token, self.progress.lock())
            && let Some((last, _)) = progress.get_mut(&token.compact())
        {
            *last = clock::now();
        }
    }

    /// A server that sends useless things is told of a few times, then ever more rarely.
    pub(super) fn complain(&self, what: &str) {
        let n_useless = self.n_useless.fetch_add(1, Ordering::Relaxed) + 1;
        if n_useless.is_power_of_two() {
            let again = if n_useless > 1 {
                format!("; {n_useless} useless messages so far")
            } else {
                String::new()
            };
            (self.events)(Event::Unusable(format!("{what}{again}")));
        }
    }
}

/// The token under which a caller wants to hear of progress, as it was written.
fn progress_token(params: &JsonObject) -> Option<Bytes> {
    Some(params.get("_meta")?.get("progressToken")?.compact())
}
