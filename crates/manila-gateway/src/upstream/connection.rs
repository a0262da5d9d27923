//! A connection to a running server.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::request_envelope::{Notification, Request};
use manila::{JsonObject, RawJson};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::deep_lists::LeftOut;
use super::pending::{Pending, UpstreamReply};
use super::wire::{Outgoing, RequestOverrides, Wire};
use super::{Disconnected, Waiting};
use crate::protocol::caller::{Caller, Outbound};
use crate::protocol::era::{self, Era};
use crate::protocol::jsonrpc;
use crate::protocol::list_kind::ListKind;
use crate::rt::clock;
use crate::telemetry::event::{Event, Events};

/// A connection to a running server.
pub(crate) struct Connection {
    pub(super) wire: Wire,
    pub(super) pending: Pending,
    next_id: AtomicU64,
    era: OnceLock<Era>,
    /// A number that is unique to this connection.
    number: u64,
    /// Whether `notifications/initialized` was sent.
    has_sent_initialized: AtomicBool,
    /// The progress subscriptions, by request id.
    progress: Mutex<BTreeMap<u64, Progress>>,
    /// The subscriptions that wait for their acknowledgement, by request id.
    acknowledging: Mutex<BTreeMap<u64, oneshot::Sender<JsonObject>>>,
    /// The number of reports about unusable messages and undelivered notifications.
    n_unusable: AtomicU64,
    pub(super) left_out: LeftOut,
    events: Events,
}

/// A caller that requested progress.
struct Progress {
    /// The caller's progress token, as written.
    token: RawJson,
    caller: Arc<Caller>,
    /// When progress was last reported, if it was.
    last: Option<Instant>,
    /// Whether more may arrive after the response.
    is_task: bool,
}

/// The caller of a request, and the progress it expects.
struct RequestContext<'a> {
    caller: &'a Arc<Caller>,
    expects: Option<Expected>,
}

/// Progress that a caller requested.
struct Expected {
    /// The caller's progress token.
    token: RawJson,
    is_task: bool,
}

/// The id of the first request, and its progress token.
const FIRST_ID: u64 = 1;

/// The number of tasks whose progress is remembered.
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
            has_sent_initialized: AtomicBool::new(false),
            progress: Mutex::default(),
            acknowledging: Mutex::default(),
            n_unusable: AtomicU64::new(0),
            left_out: LeftOut::new(Arc::clone(&events)),
            events,
        }
    }

    /// Returns the number of this connection, which is unique.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Sends a request of the gateway's own.
    pub(crate) async fn send_request(
        self: &Arc<Connection>,
        method: &str,
        params: &JsonObject,
    ) -> Result<Waiting, Disconnected> {
        let era = self.era_or_fallback();
        match era {
            Era::Legacy(_) => self.send_request_in(era, method, params).await,
            Era::Modern => self.send_request_in(era, method, &era::modern_params(params)).await,
        }
    }

    /// Subscribes to changes, in the modern era. Also returns the receiver of what the server
    /// grants.
    pub(super) async fn listen(
        self: &Arc<Connection>,
        params: &JsonObject,
    ) -> Result<(Waiting, oneshot::Receiver<JsonObject>), Disconnected> {
        let (sender, granted) = oneshot::channel();
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        if let Ok(mut acknowledging) = self.acknowledging.lock() {
            acknowledging.retain(|_, sender| !sender.is_closed());
            acknowledging.insert(id, sender);
        }
        let params = era::modern_params(params);
        let waiting =
            self.send_request_as(id, Era::Modern, "subscriptions/listen", &params).await?;
        Ok((waiting, granted))
    }

    /// Delivers what the server grants to the subscription with this id.
    pub(crate) fn acknowledge(&self, id: u64, granted: JsonObject) {
        let acknowledging = self.acknowledging.lock().ok();
        if let Some(sender) = acknowledging.and_then(|mut it| it.remove(&id)) {
            // The receiver may be closed.
            let _ = sender.send(granted);
        }
    }

    /// Sends a request of the gateway's own in the format of this era.
    pub(super) async fn send_request_in(
        self: &Arc<Connection>,
        era: Era,
        method: &str,
        params: &JsonObject,
    ) -> Result<Waiting, Disconnected> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.send_request_as(id, era, method, params).await
    }

    async fn send_request_as(
        self: &Arc<Connection>,
        id: u64,
        era: Era,
        method: &str,
        params: &JsonObject,
    ) -> Result<Waiting, Disconnected> {
        let frame = jsonrpc::request(id, method, params);
        let (params, overrides) = (Some(params), &RequestOverrides::default());
        let outgoing = Outgoing { era, method, name: None, params, overrides };
        self.request(id, frame, &outgoing, None).await
    }

    /// Forwards a client's request, with the gateway's id and in the format of the server's era.
    pub(crate) async fn forward(
        self: &Arc<Connection>,
        request: &Request,
        caller: &Arc<Caller>,
        overrides: &RequestOverrides,
    ) -> Result<Waiting, Disconnected> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let era = self.era_or_fallback();
        let name = overrides.name.as_deref();
        let (frame, token) = era::translate_request(request, id, caller, era, name);
        let params = request.params.as_ref();
        let outgoing = Outgoing {
            era,
            method: &request.method,
            name: request.name.as_ref(),
            params,
            overrides,
        };
        let is_task = || params.is_some_and(|params| params.get("task").is_some());
        let expects = token.map(|token| Expected { token, is_task: is_task() });
        self.request(id, frame, &outgoing, Some(RequestContext { caller, expects })).await
    }

    /// Stores the caller that requested the progress of a request.
    fn expect_progress(&self, id: u64, expected: &Expected, caller: &Arc<Caller>) {
        let Expected { token, is_task } = expected;
        // A copy, because a slice would keep the whole frame.
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
        outgoing: &Outgoing<'_>,
        context: Option<RequestContext<'_>>,
    ) -> Result<Waiting, Disconnected> {
        // A caller that is dropped while it waits for room has sent nothing.
        self.wire.wait_for_room().await;
        let caller = context.as_ref().map(|context| Arc::clone(context.caller));
        let list = ListKind::from_method(outgoing.method);
        let receiver = self.pending.add(id, caller.clone(), list)?;
        // Progress may arrive as soon as the request is sent.
        if let Some(RequestContext { caller, expects: Some(expected) }) = &context {
            self.expect_progress(id, expected, caller);
        }
        let connection = Arc::clone(self);
        let mut waiting =
            Waiting { connection, id, receiver, is_over: false, caller, exchange: None };
        match self.wire.send(self, id, frame, outgoing).await {
            Ok(exchange) => {
                waiting.exchange = exchange;
                Ok(waiting)
            }
            Err(_) => Err(self.pending.wait_end_reason().await),
        }
    }

    /// Returns whether a client's request is in flight.
    pub(crate) fn has_open_requests(&self) -> bool {
        !self.callers().is_empty()
    }

    /// Sends a message that has no response. It is dropped if the queue to the server is full.
    pub(crate) fn push(self: &Arc<Connection>, frame: Bytes) {
        if self.wire.push(self, frame).is_err() {
            self.report_unusable("does not read its input");
        }
    }

    /// Ends a subscription that the server has closed.
    pub(crate) fn end_subscription(&self, id: &RawJson) {
        if let Some(id) = number(id).filter(|id| self.pending.has(*id)) {
            let reason = "the server has ended the subscription".to_owned();
            self.deliver(id, UpstreamReply::Unusable(reason));
        }
    }

    /// Fails a request because the server requests something that its caller does not support.
    pub(crate) fn fail_request(self: &Arc<Connection>, id: u64, reply: UpstreamReply) {
        let params = JsonObject::build(|object| {
            object.member("reason", "the client does not support the server's request");
        });
        self.send_cancelled(id, Some(&params));
        self.deliver(id, reply);
    }

    /// Sends `notifications/initialized` once.
    pub(super) fn send_initialized(self: &Arc<Connection>, initialized_frame: Bytes) {
        if !self.has_sent_initialized.swap(true, Ordering::Relaxed) {
            self.push(initialized_frame);
        }
    }

    /// Sends the cancellation of a request, with the caller's parameters.
    pub(super) fn send_cancelled(self: &Arc<Connection>, id: u64, given: Option<&JsonObject>) {
        if !self.wire.sends_cancellation(self.era_or_fallback()) {
            return;
        }
        let params = JsonObject::build(|object| {
            object.member("requestId", &id);
            let members = given.iter().flat_map(|given| given.members());
            for member in members.filter(|member| !member.is("requestId")) {
                object.token_member(member.key_token(), &member.value());
            }
        });
        self.push(jsonrpc::notification("notifications/cancelled", &params));
    }

    /// Stores the server's era.
    pub(super) fn set_era(&self, era: Era) {
        let _ = self.era.set(era);
    }

    /// Returns the server's era, once the handshake is complete.
    pub(crate) fn era(&self) -> Option<Era> {
        self.era.get().copied()
    }

    /// Returns the server's era, or the fallback before the handshake.
    pub(crate) fn era_or_fallback(&self) -> Era {
        self.era().unwrap_or(Era::FALLBACK)
    }

    /// Returns the caller of this request, if it is in flight and not the gateway's own.
    pub(crate) fn caller(&self, id: u64) -> Option<Arc<Caller>> {
        self.pending.caller(id)
    }

    /// Returns the requests in flight that are not the gateway's own.
    pub(crate) fn callers(&self) -> Vec<(u64, Arc<Caller>)> {
        self.pending.callers()
    }

    /// Returns the numbers of the clients whose requests were cancelled recently and got no
    /// response.
    pub(crate) fn cancelled_clients(&self) -> Vec<u64> {
        self.pending.cancelled_clients()
    }

    /// Delivers a reply to the request that waits for it.
    pub(super) fn deliver(&self, id: u64, reply: UpstreamReply) {
        // A cancelled request no longer waits.
        let was_sent = id < self.next_id.load(Ordering::Relaxed);
        if !self.pending.deliver(id, reply) && !was_sent {
            self.report_unusable("sent a response to a request that was never sent");
        }
    }

    /// Returns when the server last showed activity: progress, or a request to the same client that
    /// is still open.
    pub(super) fn last_activity(&self, id: u64) -> Option<Instant> {
        let caller = self.pending.caller(id);
        if caller.is_some_and(|caller| caller.client.has_server_requests()) {
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

    /// Returns the receiver of progress with this token, which is the gateway's, and the caller's
    /// token.
    pub(crate) fn progress_target(&self, token: &RawJson) -> Option<(Arc<dyn Outbound>, RawJson)> {
        let id = number(token)?;
        let progress = self.progress.lock().ok()?;
        let Progress { token, caller, .. } = progress.get(&id)?;
        let is_open = self.pending.has(id);
        let outbound = if is_open { &caller.outbound } else { &caller.client.outbound };
        Some((Arc::clone(outbound), token.clone()))
    }

    /// Returns whether a token is, or was, one of the gateway's.
    pub(crate) fn is_ours(&self, token: &RawJson) -> bool {
        let next = self.next_id.load(Ordering::Relaxed);
        number(token).is_some_and(|id| (FIRST_ID..next).contains(&id))
    }

    /// Reports an unusable message or an undelivered notification, if it is the 1st, 2nd, 4th, 8th
    /// and so on. `problem` continues a sentence about the server, such as "does not read its
    /// input".
    pub(super) fn report_unusable(&self, problem: &str) {
        let n_unusable = self.n_unusable.fetch_add(1, Ordering::Relaxed) + 1;
        if n_unusable.is_power_of_two() {
            let again = if n_unusable > 1 {
                format!("; {n_unusable} problems so far")
            } else {
                String::new()
            };
            (self.events)(Event::Unusable(format!("{problem}{again}")));
        }
    }
}

fn number(token: &RawJson) -> Option<u64> {
    token.as_str().parse().ok()
}
