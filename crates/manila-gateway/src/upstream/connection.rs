//! One conversation with a running server.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::request_envelope::{Notification, Request};
use manila::{JsonObject, RawJson};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::pending::{Arrived, Pending};
use super::wire::{Outgoing, SentAs, Wire};
use super::{Gone, Waiting};
use crate::protocol::caller::{Caller, Line};
use crate::protocol::era::{self, Era};
use crate::protocol::jsonrpc;
use crate::rt::clock;
use crate::telemetry::event::{Event, Events};

/// One conversation with a running server.
pub(crate) struct Connection {
    pub(super) wire: Wire,
    pub(super) pending: Pending,
    next_id: AtomicU64,
    era: OnceLock<Era>,
    /// No two connections have the same.
    number: u64,
    /// Whether the server has heard that the handshake is over.
    is_confirmed: AtomicBool,
    /// Who wants to hear of progress, by the id of the request.
    progress: Mutex<BTreeMap<u64, Progress>>,
    /// Who waits to hear what of its wishes is granted, by the id of the request.
    acknowledging: Mutex<BTreeMap<u64, oneshot::Sender<JsonObject>>>,
    /// How much of what it sent was of no use.
    n_useless: AtomicU64,
    events: Events,
}

/// Somebody who wants to hear of progress.
struct Progress {
    /// The token under which it wants to hear it, as it was written.
    token: RawJson,
    caller: Arc<Caller>,
    /// When some was last reported, if any was.
    last: Option<Instant>,
    /// Whether more may come after the answer.
    is_task: bool,
}

/// Whose request it is, and what it wants to hear meanwhile.
struct From<'a> {
    caller: &'a Arc<Caller>,
    expects: Option<Expected>,
}

/// Progress that somebody wants to hear of.
struct Expected {
    /// The token under which it wants to hear it.
    token: RawJson,
    is_task: bool,
}

/// The id of the first request, and its progress token.
const FIRST_ID: u64 = 1;

/// How many tasks are remembered for their progress.
const TASKS_MAX: usize = 4_096;

impl Connection {
    pub(super) fn new(wire: Wire, events: Events) -> Connection {
        static N_CONNECTIONS: AtomicU64 = AtomicU64::new(0);
        Connection {
            wire,
            number: N_CONNECTIONS.fetch_add(1, Ordering::Relaxed),
            pending: Pending::default(),
            next_id: AtomicU64::new(FIRST_ID),
            era: OnceLock::new(),
            is_confirmed: AtomicBool::new(false),
            progress: Mutex::default(),
            acknowledging: Mutex::default(),
            n_useless: AtomicU64::new(0),
            events,
        }
    }

    /// The number of this connection, which no other has.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Asks something of our own.
    pub(crate) async fn ask(
        self: &Arc<Connection>,
        method: &str,
        params: &JsonObject,
    ) -> Result<Waiting, Gone> {
        let era = self.era_or_plainest();
        match era {
            Era::Legacy(_) => self.ask_in(era, method, params).await,
            Era::Modern => self.ask_in(era, method, &era::modern_request(params)).await,
        }
    }

    /// Asks to hear of changes, in the modern era. What is given back beside the request brings
    /// what of these wishes the server grants.
    pub(super) async fn listen(
        self: &Arc<Connection>,
        params: &JsonObject,
    ) -> Result<(Waiting, oneshot::Receiver<JsonObject>), Gone> {
        let (sender, granted) = oneshot::channel();
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        if let Ok(mut acknowledging) = self.acknowledging.lock() {
            acknowledging.retain(|_, sender| !sender.is_closed());
            acknowledging.insert(id, sender);
        }
        let params = era::modern_request(params);
        let waiting = self.ask_as(id, Era::Modern, "subscriptions/listen", &params).await?;
        Ok((waiting, granted))
    }

    /// Notes what of the wishes of this request is granted.
    pub(crate) fn acknowledged(&self, id: u64, granted: JsonObject) {
        let acknowledging = self.acknowledging.lock().ok();
        if let Some(sender) = acknowledging.and_then(|mut it| it.remove(&id)) {
            // Whoever waits no more needs no news.
            let _ = sender.send(granted);
        }
    }

    /// Asks something of our own that is written in the words of this era.
    pub(super) async fn ask_in(
        self: &Arc<Connection>,
        era: Era,
        method: &str,
        params: &JsonObject,
    ) -> Result<Waiting, Gone> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.ask_as(id, era, method, params).await
    }

    async fn ask_as(
        self: &Arc<Connection>,
        id: u64,
        era: Era,
        method: &str,
        params: &JsonObject,
    ) -> Result<Waiting, Gone> {
        let frame = jsonrpc::request(id, method, params);
        let (params, sent) = (Some(params), &SentAs::default());
        let about = Outgoing { era, method, name: None, params, sent };
        self.request(id, frame, &about, None).await
    }

    /// Hands a client's request on, with an id of ours and in the words of the server's era.
    pub(crate) async fn forward(
        self: &Arc<Connection>,
        request: &Request,
        caller: &Arc<Caller>,
        sent: &SentAs,
    ) -> Result<Waiting, Gone> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let era = self.era_or_plainest();
        let (frame, token) = era::outgoing(request, id, caller, era, sent.name.as_deref());
        let params = request.params.as_ref();
        let about =
            Outgoing { era, method: &request.method, name: request.name.as_ref(), params, sent };
        let is_task = || params.is_some_and(|params| params.get("task").is_some());
        let expects = token.map(|token| Expected { token, is_task: is_task() });
        self.request(id, frame, &about, Some(From { caller, expects })).await
    }

    /// Notes who wants to hear of the progress of a request.
    fn expect_progress(&self, id: u64, expected: &Expected, caller: &Arc<Caller>) {
        let Expected { token, is_task } = expected;
        // A token of its own: a slice would keep the whole frame.
        let Ok(token) = RawJson::parse(token.as_str().to_owned()) else { return };
        let Ok(mut progress) = self.progress.lock() else { return };
        if *is_task && progress.values().filter(|it| it.is_task).count() >= TASKS_MAX {
            let oldest = progress.iter().find(|(_, it)| it.is_task).map(|(id, _)| *id);
            oldest.and_then(|oldest| progress.remove(&oldest));
        }
        let caller = Arc::clone(caller);
        progress.insert(id, Progress { token, caller, last: None, is_task: *is_task });
    }

    async fn request(
        self: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        about: &Outgoing<'_>,
        from: Option<From<'_>>,
    ) -> Result<Waiting, Gone> {
        // Whoever gives up before it is sent has asked nothing.
        self.wire.room().await;
        let caller = from.as_ref().map(|from| Arc::clone(from.caller));
        let receiver = self.pending.add(id, caller.clone())?;
        // Progress may come as soon as it is sent.
        if let Some(From { caller, expects: Some(expected) }) = &from {
            self.expect_progress(id, expected, caller);
        }
        let connection = Arc::clone(self);
        let mut waiting =
            Waiting { connection, id, receiver, is_over: false, caller, exchange: None };
        match self.wire.send(self, id, frame, about).await {
            Ok(exchange) => {
                waiting.exchange = exchange;
                Ok(waiting)
            }
            Err(_) => Err(self.pending.why_gone().await),
        }
    }

    /// Whether somebody waits for an answer.
    pub(crate) fn is_asked(&self) -> bool {
        !self.callers().is_empty()
    }

    /// Hands on a message that nobody waits for an answer to. It is lost if the server has not
    /// read for so long that nothing more can be kept for it.
    pub(crate) fn push(self: &Arc<Connection>, frame: Bytes) {
        if self.wire.push(self, frame).is_err() {
            self.complain("nothing: it does not read what it is sent");
        }
    }

    /// Ends what the server does not want to go on: a subscription.
    pub(crate) fn ended_by_server(&self, id: &RawJson) {
        if let Some(id) = number(id).filter(|id| self.pending.has(*id)) {
            self.arrived(id, Arrived::Unusable("the server has ended it".to_owned()));
        }
    }

    /// Ends a request whose caller cannot be asked what the server asks.
    pub(crate) fn asked_back(self: &Arc<Connection>, id: u64, asked: Arrived) {
        let reason = JsonObject::build(|object| {
            object.member("reason", "the client cannot be asked");
        });
        self.cancelled(id, Some(&reason));
        self.arrived(id, asked);
    }

    /// Tells the server once that the handshake is over.
    pub(super) fn confirm(self: &Arc<Connection>, confirmation: Bytes) {
        if !self.is_confirmed.swap(true, Ordering::Relaxed) {
            self.push(confirmation);
        }
    }

    /// Tells the server that a request is taken back, and what its caller said about that.
    pub(super) fn cancelled(self: &Arc<Connection>, id: u64, said: Option<&JsonObject>) {
        if !self.wire.tells_cancellation(self.era_or_plainest()) {
            return;
        }
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
    pub(crate) fn era(&self) -> Option<Era> {
        self.era.get().copied()
    }

    /// How the server speaks; before it is greeted, what everybody understands.
    pub(crate) fn era_or_plainest(&self) -> Era {
        self.era().unwrap_or(Era::PLAINEST)
    }

    /// Whose request this is, if it is open and not our own.
    pub(crate) fn caller(&self, id: u64) -> Option<Arc<Caller>> {
        self.pending.caller(id)
    }

    /// The requests that are open and not our own.
    pub(crate) fn callers(&self) -> Vec<(u64, Arc<Caller>)> {
        self.pending.callers()
    }

    /// The numbers of the clients whose requests were taken back a short while ago, and not
    /// answered.
    pub(crate) fn taken_back(&self) -> Vec<u64> {
        self.pending.taken_back()
    }

    /// Hands an answer to whoever waits for it.
    pub(super) fn arrived(&self, id: u64, arrived: Arrived) {
        // Nobody waits for what was cancelled.
        let is_given_out = id < self.next_id.load(Ordering::Relaxed);
        if !self.pending.arrived(id, arrived) && !is_given_out {
            self.complain("an answer to a request that was never made");
        }
    }

    /// When the server last gave a sign of life: progress, or a question to the same client that is
    /// still open.
    pub(super) fn last_sign(&self, id: u64) -> Option<Instant> {
        let caller = self.pending.caller(id);
        if caller.is_some_and(|caller| caller.client.has_questions()) {
            return Some(clock::now());
        }
        self.progress.lock().ok()?.get(&id)?.last
    }

    pub(super) fn end_progress(&self, id: u64) {
        if let Ok(mut progress) = self.progress.lock()
            && progress.get(&id).is_some_and(|progress| !progress.is_task)
        {
            progress.remove(&id);
        }
    }

    pub(super) fn note_progress(&self, notification: &Notification) {
        if notification.method != "notifications/progress" {
            return;
        }
        let token = notification.params.as_ref().and_then(|params| params.get("progressToken"));
        if let (Some(id), Ok(mut progress)) =
            (token.as_ref().and_then(number), self.progress.lock())
            && let Some(progress) = progress.get_mut(&id)
        {
            progress.last = Some(clock::now());
        }
    }

    /// Who wants to hear of the progress that the server reports under this token of ours, and
    /// under which token of its own.
    pub(crate) fn progressed(&self, token: &RawJson) -> Option<(Arc<dyn Line>, RawJson)> {
        let id = number(token)?;
        let progress = self.progress.lock().ok()?;
        let Progress { token, caller, .. } = progress.get(&id)?;
        let is_open = self.pending.has(id);
        let line = if is_open { &caller.line } else { &caller.client.line };
        Some((Arc::clone(line), token.clone()))
    }

    /// Whether a token is, or was, one that we have given to the server.
    pub(crate) fn is_ours(&self, token: &RawJson) -> bool {
        let next = self.next_id.load(Ordering::Relaxed);
        number(token).is_some_and(|id| (FIRST_ID..next).contains(&id))
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

fn number(token: &RawJson) -> Option<u64> {
    token.as_str().parse().ok()
}
