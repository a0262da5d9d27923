//! The session of a client on a pipe of its own. A legacy client performs a handshake; a modern
//! client describes itself in each request.

mod handshake;

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request, Response as ClientResponse};
use manila::stage::record::Transport;
use manila::{Code, RawJson, Violation};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use handshake::HandshakeState;

use super::encode::{encode, encode_era_independent};
use super::open_requests::OpenRequests;
use super::partial_message::{self, Malformed, PartialMessage};
use crate::gateway::Gateway;
use crate::gateway::answer::answer;
use crate::gateway::dispatch::{Arrival, Dispatched, dispatch_refusal, dispatch_with};
use crate::gateway::response::Response;
use crate::notifications::SubscriberGuard;
use crate::protocol::caller::{Caller, Client, ClientInfo, Outbound, Undelivered};
use crate::protocol::era::Era;
use crate::protocol::frames::Frame;
use crate::protocol::id_scan::ScannedMessage;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::modern;
use crate::protocol::outgoing::Outgoing;
use crate::protocol::request_source::RequestSource;
use crate::rt::offload::{self, Offloadable, Work, return_to_reactor};
use crate::rt::queue::{PushError, Sender};

/// The client has disconnected, or does not read.
#[derive(Debug)]
pub(super) struct ClientDisconnected;

/// A client and its open requests.
pub(super) struct Session {
    pub(super) gateway: Arc<Gateway>,
    pub(super) open: OpenRequests,
    transport: Transport,
    client: Arc<Client>,
    pipe: Arc<Pipe>,
    handshake: watch::Sender<HandshakeState>,
    /// The subscription to the server's notifications, since the handshake.
    subscription: OnceLock<SubscriberGuard>,
}

/// The handling of a request, which sends the response.
type Handling = Offloadable<Result<(), ClientDisconnected>>;

/// The queue of frames to the client.
struct Pipe {
    to_client: Sender<Outgoing>,
    is_muted: AtomicBool,
    /// Whether a frame was lost because the client left too much unread.
    has_overflowed: AtomicBool,
    /// The task that writes to the client, if an overflow ends it.
    writer: OnceLock<AbortHandle>,
}

impl Pipe {
    /// Sends a frame for which the caller has already waited for room.
    fn send(&self, frame: Outgoing) -> Result<(), Undelivered> {
        if self.is_muted.load(Ordering::Relaxed) {
            return Err(Undelivered);
        }
        self.to_client.push_after_wait(frame).map_err(|_| Undelivered)
    }
}

impl Outbound for Pipe {
    fn put(&self, frame: Bytes) -> Result<(), Undelivered> {
        // The reader of the server's messages has already waited for room.
        self.send(frame.into())
    }
}

impl Session {
    pub(super) fn new(
        gateway: Arc<Gateway>,
        transport: Transport,
        to_client: Sender<Outgoing>,
    ) -> Session {
        if gateway.has_one_listener() {
            gateway.notifications.set_backpressure(to_client.room_watcher());
        }
        let pipe = Arc::new(Pipe {
            to_client,
            is_muted: AtomicBool::new(false),
            has_overflowed: AtomicBool::new(false),
            writer: OnceLock::new(),
        });
        let outbound: Arc<dyn Outbound> = Arc::clone(&pipe) as Arc<dyn Outbound>;
        let client = Arc::new(Client::new(outbound));
        Session {
            gateway,
            open: OpenRequests::default(),
            transport,
            client,
            pipe,
            handshake: watch::Sender::new(HandshakeState::NotStarted),
            subscription: OnceLock::new(),
        }
    }

    /// Queues a small frame for the client without waiting. A client that lets the queue overflow
    /// counts as disconnected.
    fn push(&self, frame: Outgoing) -> Result<(), ClientDisconnected> {
        self.pipe.to_client.push(frame).map_err(|error| {
            if error == PushError::Full {
                self.pipe.has_overflowed.store(true, Ordering::Relaxed);
                if let Some(writer) = self.pipe.writer.get() {
                    writer.abort();
                }
            }
            ClientDisconnected
        })
    }

    /// Ends this task when the client has left too much unread.
    pub(super) fn end_on_overflow(&self, writer: AbortHandle) {
        let _ = self.pipe.writer.set(writer);
    }

    /// Returns whether the client has left too much unread.
    pub(super) fn has_overflowed(&self) -> bool {
        self.pipe.has_overflowed.load(Ordering::Relaxed)
    }

    /// Sends a frame to the client as soon as the queue has room.
    async fn send(&self, frame: Outgoing) -> Result<(), ClientDisconnected> {
        self.pipe.to_client.wait_for_room().await;
        self.pipe.send(frame).map_err(|_| ClientDisconnected)
    }

    /// Stops all sending to the client.
    pub(super) fn mute(&self) {
        self.pipe.is_muted.store(true, Ordering::Relaxed);
    }

    /// Handles a frame from the client, without waiting for the server or for the client.
    pub(super) async fn receive(
        self: &Arc<Session>,
        frame: Frame,
    ) -> Result<(), ClientDisconnected> {
        match frame {
            Frame::Line(raw) | Frame::Unterminated(raw) => {
                // `parse` would copy every message once more, into its future.
                let parsed = if partial_message::work_of_parsing(&raw).is_long() {
                    partial_message::parse(raw).await
                } else {
                    partial_message::parse_here(raw)
                };
                match parsed {
                    Ok(Message::Request(request)) => {
                        poll_then_spawn(self.handle_request(request)).await
                    }
                    Ok(Message::Notification(notification)) => {
                        let (session, work) = (Arc::clone(self), work_of(&notification.frame));
                        offload::run(work, move || session.handle_notification(&notification))
                            .await;
                        Ok(())
                    }
                    Ok(Message::Response(response)) => {
                        let (session, work) = (Arc::clone(self), work_of(&response.frame));
                        offload::run(work, move || session.handle_response(&response)).await;
                        Ok(())
                    }
                    Err(malformed) => {
                        let Malformed { fault, partial, is_response, .. } = *malformed;
                        self.refuse_frame(&partial, is_response, fault)
                    }
                }
            }
            Frame::TooLong(ScannedMessage { id, is_response, .. }) => {
                let limit = self.gateway.settings().message_bytes_max;
                let fault = partial_message::too_large(limit);
                self.refuse_frame(&PartialMessage::from_size(id, limit), is_response, fault)
            }
        }
    }

    /// Delivers the client's response to a server's request.
    fn handle_response(&self, response: &ClientResponse) {
        if !self.gateway.notifications.server_requests.answer(&self.client, response) {
            partial_message::report_unmatched_response(&self.gateway, response.id.as_ref());
        }
    }

    /// Refuses a malformed message. If it is a response, the server's request fails; otherwise the
    /// client gets an error response.
    fn refuse_frame(
        &self,
        partial: &PartialMessage,
        is_response: bool,
        fault: Fault,
    ) -> Result<(), ClientDisconnected> {
        if let Some(id) = partial.id.as_ref().filter(|_| is_response) {
            partial_message::report(&self.gateway, &fault);
            self.gateway.notifications.server_requests.answer_invalid(&self.client, id, &fault);
            return Ok(());
        }
        let id = partial.id.as_ref().and_then(|id| self.unused_id(id));
        let source = RequestSource::pipe(self.transport, partial.meta());
        let encode = |response: &Response| encode_era_independent(id, response);
        self.push(partial.refuse(&self.gateway, &source, fault, encode).frame)
    }

    /// Returns the id, unless a request with this id is open: the client would mistake a refusal
    /// for that request's response.
    fn unused_id<'a>(&self, id: &'a RawJson) -> Option<&'a RawJson> {
        (!self.open.has(id)).then_some(id)
    }

    fn handle_request(self: &Arc<Session>, request: Request) -> Handling {
        let caller = match self.caller(&request) {
            Ok(caller) => Arc::new(caller),
            Err(response) => {
                let outbound: Arc<dyn Outbound> = Arc::clone(&self.pipe) as Arc<dyn Outbound>;
                let source = RequestSource::pipe(self.transport, request.meta.as_ref());
                // `Response::ProtocolViolation` occurs only in the modern era.
                let client = if matches!(*response, Response::ProtocolViolation(_)) {
                    let info = ClientInfo::of(Era::Modern);
                    Arc::new(Client::with_info(info, Arc::clone(&outbound)))
                } else {
                    Arc::clone(&self.client)
                };
                let caller = Arc::new(Caller::of(&client, outbound, source));
                return self.refuse(request, caller, *response);
            }
        };
        match self.open.add(&request, &caller) {
            Ok(()) => self.dispatch_and_send(request, caller),
            Err(fault) => self.refuse(request, caller, Response::Refused(fault)),
        }
    }

    /// Refuses a request that the session does not accept in its current state.
    fn refuse(
        self: &Arc<Session>,
        request: Request,
        caller: Arc<Caller>,
        response: Response,
    ) -> Handling {
        let session = Arc::clone(self);
        // While another request with this id is open, the refusal must not contain the id.
        let id = self.unused_id(&request.id).cloned();
        Offloadable::from_box(Box::pin(async move {
            let gateway = &session.gateway;
            let encode = |response: &Response| match (&id, response.failure()) {
                (None, Some(failure)) => {
                    encode_era_independent(None, &Response::Refused(failure.into_fault()))
                }
                (Some(_), _) | (None, None) => encode(gateway, &request, &caller, response),
            };
            let refused = dispatch_refusal(gateway, &request, &caller, response, encode).await;
            return_to_reactor().await;
            refused.into_encoded().map_or(Ok(()), |encoded| session.push(encoded.frame))
        }))
    }

    /// Returns the caller of a request, or the refusal of a request that is not allowed now.
    fn caller(&self, request: &Request) -> Result<Caller, Box<Response>> {
        let outbound: Arc<dyn Outbound> = Arc::clone(&self.pipe) as Arc<dyn Outbound>;
        let source = RequestSource::pipe(self.transport, request.meta.as_ref());
        let handshake = *self.handshake.borrow();
        if handshake == HandshakeState::NotStarted && modern::is_modern(request, None) {
            let info = modern::RequestMeta::of(request).into_client_info();
            let info =
                info.map_err(|violation| Box::new(Response::ProtocolViolation(violation)))?;
            let client = Arc::new(Client::with_info(info, Arc::clone(&outbound)));
            return Ok(Caller::of(&client, outbound, source).with_subscription_of(request));
        }
        match (request.method.as_str(), handshake) {
            ("ping", _) | ("initialize", HandshakeState::NotStarted) => {}
            ("initialize", HandshakeState::Pending | HandshakeState::Done) => {
                return Err(Box::new(out_of_order(ALREADY_INITIALIZED)));
            }
            (_, HandshakeState::NotStarted) => {
                return Err(Box::new(out_of_order(NOT_INITIALIZED)));
            }
            (_, HandshakeState::Pending | HandshakeState::Done) => {}
        }
        Ok(Caller::of(&self.client, outbound, source))
    }

    /// Dispatches a request, and sends the response to the client.
    fn dispatch_and_send(self: &Arc<Session>, request: Request, caller: Arc<Caller>) -> Handling {
        let session = Arc::clone(self);
        Offloadable::from_box(Box::pin(async move {
            let gateway = &session.gateway;
            let arrival = Arrival::of(&request);
            let answering = pin!(session.answer(&request, &caller));
            let encode = |response: &Response| encode(gateway, &request, &caller, response);
            let answered =
                dispatch_with(gateway, &request, arrival, &caller, answering, encode).await;
            // The client may use the id again as soon as it has the response.
            return_to_reactor().await;
            let sent = match answered {
                // Pings and refusals are small and need no server, so they are queued without
                // waiting for room.
                Dispatched::Answered(encoded, _) if request.method == "ping" => {
                    session.push(encoded.frame)
                }
                Dispatched::Refused(encoded) => session.push(encoded.frame),
                Dispatched::Answered(encoded, _permit) => session.send(encoded.frame).await,
                Dispatched::Cancelled => Ok(()),
            };
            session.open.remove(&request);
            sent
        }))
    }

    /// Answers a request, after the client's handshake if its era has one.
    async fn answer(&self, request: &Request, caller: &Arc<Caller>) -> Response {
        match (request.method.as_str(), caller.era()) {
            (_, Era::Modern) => answer(&self.gateway, request, caller).await,
            // `begin_handshake` runs in the first poll, so the state is `Pending` before the next
            // message is handled.
            ("initialize", Era::Legacy(_)) => {
                let handshake = self.begin_handshake(request);
                self.finish_handshake(handshake).await
            }
            // A ping may precede the handshake.
            ("ping", Era::Legacy(_)) => Response::empty(),
            (_, Era::Legacy(_)) if self.wait_for_handshake().await => {
                answer(&self.gateway, request, caller).await
            }
            (_, Era::Legacy(_)) => out_of_order(HANDSHAKE_FAILED),
        }
    }

    fn handle_notification(&self, notification: &Notification) {
        match notification.method.as_str() {
            "notifications/cancelled" => {
                let params = notification.params.clone().unwrap_or_default();
                if let Some(id) = params.get("requestId") {
                    self.open.cancel(&id, params);
                }
            }
            "notifications/initialized" => {
                let servers = self.gateway.servers();
                if let Some(backend) = self.gateway.dedicated_child(&servers) {
                    backend.upstream.send_initialized(&notification.frame.to_bytes());
                }
            }
            // The server would run the call unchecked, and there would be no response.
            "tools/call" => {
                let reason = "a `tools/call` without an id, to which there can be no response";
                partial_message::report_refused_message(&self.gateway, reason);
                let source = |meta: Option<&RawJson>| RequestSource::pipe(self.transport, meta);
                let frame = notification.frame.to_bytes();
                partial_message::record_call_without_id(&self.gateway, source, &frame);
            }
            // A server that is not running misses the notification. When the gateway restarts the
            // server, it repeats the handshake and restores the subscriptions.
            _ => self.gateway.forward_notification(notification, self.client.era()),
        }
    }
}

/// Returns the work of forwarding a message.
fn work_of(frame: &RawJson) -> Work {
    Work::Process(frame.as_bytes().len())
}

/// Polls `handling` once, then spawns the rest, so that messages reach the server in the order in
/// which the client sent them.
async fn poll_then_spawn(mut handling: Handling) -> Result<(), ClientDisconnected> {
    if let Some(sent) = handling.poll_first().await {
        return sent;
    }
    // If the client has disconnected, the result does not matter.
    tokio::spawn(async move { drop(handling.await) });
    Ok(())
}

/// The rules for the method of a request, by the state of the handshake.
const NOT_INITIALIZED: &str =
    "must be `initialize`, or the request must have the `_meta` of the modern era";
const ALREADY_INITIALIZED: &str = "must not be `initialize`: the session is already initialized";
const HANDSHAKE_FAILED: &str = "must be `initialize`: the handshake failed";

/// Returns the refusal of a request that the handshake's state does not allow.
fn out_of_order(message: &str) -> Response {
    let violation = Violation::new("/method", "const", message);
    Response::Refused(Fault::new(Code::InvalidEnvelope).violation(violation))
}
