//! A client that has a pipe to itself: one that says hello and then asks, or one that says
//! everything with each request.

mod handshake;

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request};
use manila::stage::record::Transport;
use manila::{Code, RawJson, Violation};
use tokio::sync::watch;

use handshake::Opening;

use super::encode::{encode, encode_own};
use super::malformed::{self, Malformed};
use super::open_requests::OpenRequests;
use crate::gateway::Gateway;
use crate::gateway::answer::answer;
use crate::gateway::dispatch::{Arrival, Dispatched, dispatch_refusal, dispatch_with};
use crate::gateway::response::Response;
use crate::notifications::Listening;
use crate::protocol::caller::{Caller, Client, Line, Speech, Unheard};
use crate::protocol::era::Era;
use crate::protocol::frames::Frame;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::modern;
use crate::protocol::origin::Origin;
use crate::protocol::skim::{Skim, Skimmed};
use crate::rt::queue::Sender;
use crate::telemetry::event::Event;

/// The client is gone, or does not read.
#[derive(Debug)]
pub(super) struct ClientGone;

/// A client and what it has open.
pub(super) struct Session {
    pub(super) gateway: Arc<Gateway>,
    pub(super) open: OpenRequests,
    transport: Transport,
    client: Arc<Client>,
    pipe: Arc<Pipe>,
    opening: watch::Sender<Opening>,
    /// Once it has said hello, it hears all that the server says.
    listening: OnceLock<Listening>,
}

/// What carries frames to the client.
struct Pipe {
    to_client: Sender<Bytes>,
    is_muted: AtomicBool,
}

impl Line for Pipe {
    fn put(&self, frame: Bytes) -> Result<(), Unheard> {
        if self.is_muted.load(Ordering::Relaxed) {
            return Err(Unheard);
        }
        // Whoever listens to the server has waited for room before.
        self.to_client.put_waited(frame).map_err(|_| Unheard)
    }
}

impl Session {
    pub(super) fn new(
        gateway: Arc<Gateway>,
        transport: Transport,
        to_client: Sender<Bytes>,
    ) -> Session {
        if gateway.has_one_door() {
            gateway.audience.wait_for(to_client.watched());
        }
        let pipe = Arc::new(Pipe { to_client, is_muted: AtomicBool::new(false) });
        let line: Arc<dyn Line> = Arc::clone(&pipe) as Arc<dyn Line>;
        let client = Arc::new(Client::new(line));
        Session {
            gateway,
            open: OpenRequests::default(),
            transport,
            client,
            pipe,
            opening: watch::Sender::new(Opening::Closed),
            listening: OnceLock::new(),
        }
    }

    /// Sends a small frame to the client, at once. Whoever asks for more of them than can be
    /// kept without reading any is as good as gone.
    fn push(&self, frame: Bytes) -> Result<(), ClientGone> {
        self.pipe.to_client.push(frame).map_err(|_| ClientGone)
    }

    /// Sends a frame to the client as soon as it has read enough.
    async fn send(&self, frame: Bytes) -> Result<(), ClientGone> {
        self.pipe.to_client.room().await;
        self.pipe.put(frame).map_err(|_| ClientGone)
    }

    /// From now on nothing is sent.
    pub(super) fn mute(&self) {
        self.pipe.is_muted.store(true, Ordering::Relaxed);
    }

    /// Takes what the client sent. Nothing here waits, for the server or for the client.
    pub(super) fn receive(self: &Arc<Session>, frame: Frame) -> Result<(), ClientGone> {
        match frame {
            Frame::Line(line) | Frame::Rest(line) => match Message::from_json(line.clone()) {
                Ok(Message::Request(request)) => self.asked(request),
                Ok(Message::Notification(notification)) => {
                    self.told(&notification);
                    Ok(())
                }
                Ok(Message::Response(response)) => {
                    if !self.gateway.audience.questions.answer(&self.client, &response) {
                        self.gateway.tell(Event::Refused("an answer to no question".to_owned()));
                    }
                    Ok(())
                }
                Err(refused) => {
                    let (fault, _) = malformed::fault(refused);
                    let Skimmed { id, is_answer, .. } = Skim::whole(&line);
                    self.refuse_frame(&Malformed::read(&line, id), is_answer, fault)
                }
            },
            Frame::TooLong(Skimmed { id, is_answer, .. }) => {
                let limit = self.gateway.settings().frame_bytes_max;
                let fault = malformed::too_large(limit);
                self.refuse_frame(&Malformed::unread(id, limit), is_answer, fault)
            }
        }
    }

    /// Refuses what is no message. Whoever waits for it learns it: the client if it asked
    /// something, the server if it was to be an answer.
    fn refuse_frame(
        &self,
        malformed: &Malformed,
        is_answer: bool,
        fault: Fault,
    ) -> Result<(), ClientGone> {
        if let Some(id) = malformed.id.as_ref().filter(|_| is_answer) {
            malformed::tell(&self.gateway, &fault);
            self.gateway.audience.questions.answer_uselessly(&self.client, id, &fault);
            return Ok(());
        }
        let id = malformed.id.as_ref().and_then(|id| self.free(id));
        let origin = Origin::pipe(self.transport, malformed.meta());
        let encode = |response: &Response| encode_own(id, response);
        self.push(malformed.refuse(&self.gateway, &origin, fault, encode).frame)
    }

    /// The id, unless a request of this id is open: a refusal would pass for its answer.
    fn free<'a>(&self, id: &'a RawJson) -> Option<&'a RawJson> {
        (!self.open.has(id)).then_some(id)
    }

    fn asked(self: &Arc<Session>, request: Request) -> Result<(), ClientGone> {
        let caller = match self.caller(&request) {
            Ok(caller) => Arc::new(caller),
            Err(response) => {
                let line: Arc<dyn Line> = Arc::clone(&self.pipe) as Arc<dyn Line>;
                let origin = Origin::pipe(self.transport, request.meta.as_ref());
                // Breaches exist only in the modern era.
                let client = if matches!(*response, Response::Breach(_)) {
                    let speech = Speech::of(Era::Modern);
                    Arc::new(Client::speaking(speech, Arc::clone(&line)))
                } else {
                    Arc::clone(&self.client)
                };
                let caller = Arc::new(Caller::of(&client, line, origin));
                return self.refuse(request, caller, *response);
            }
        };
        match self.open.add(&request, &caller) {
            Ok(()) => self.handle(request, caller),
            Err(fault) => self.refuse(request, caller, Response::Refused(fault)),
        }
    }

    /// Refuses a request that the session does not take now.
    fn refuse(
        self: &Arc<Session>,
        request: Request,
        caller: Arc<Caller>,
        response: Response,
    ) -> Result<(), ClientGone> {
        let session = Arc::clone(self);
        // While another request with this id is open, the refusal must not carry the id.
        let id = self.free(&request.id).cloned();
        poll_then_spawn(Box::pin(async move {
            let gateway = &session.gateway;
            let encode = |response: &Response| match (&id, response.failure()) {
                (None, Some(failure)) => encode_own(None, &Response::Refused(failure.into_fault())),
                (Some(_), _) | (None, None) => encode(gateway, &request, &caller, response),
            };
            let refused = dispatch_refusal(gateway, &request, &caller, response, encode).await;
            refused.into_encoded().map_or(Ok(()), |encoded| session.push(encoded.frame))
        }))
    }

    /// Who asks, if it may ask this now.
    fn caller(&self, request: &Request) -> Result<Caller, Box<Response>> {
        let line: Arc<dyn Line> = Arc::clone(&self.pipe) as Arc<dyn Line>;
        let origin = Origin::pipe(self.transport, request.meta.as_ref());
        let opening = *self.opening.borrow();
        if opening == Opening::Closed && modern::is_modern(request, None) {
            let speech = modern::Said::by(request).speech();
            let speech = speech.map_err(|breach| Box::new(Response::Breach(breach)))?;
            let client = Arc::new(Client::speaking(speech, Arc::clone(&line)));
            return Ok(Caller::of(&client, line, origin).asking(request));
        }
        match (request.method.as_str(), opening) {
            ("ping", _) | ("initialize", Opening::Closed) => {}
            ("initialize", Opening::Asked | Opening::Open) => {
                return Err(Box::new(not_now("must not be `initialize` a second time")));
            }
            (_, Opening::Closed) => {
                return Err(Box::new(not_now("must be `initialize` at first")));
            }
            (_, Opening::Asked | Opening::Open) => {}
        }
        Ok(Caller::of(&self.client, line, origin))
    }

    fn handle(
        self: &Arc<Session>,
        request: Request,
        caller: Arc<Caller>,
    ) -> Result<(), ClientGone> {
        let session = Arc::clone(self);
        poll_then_spawn(Box::pin(async move {
            let gateway = &session.gateway;
            let arrival = Arrival::of(&request);
            let answering = pin!(session.answer(&request, &caller));
            let encode = |response: &Response| encode(gateway, &request, &caller, response);
            let answered =
                dispatch_with(gateway, &request, arrival, &caller, answering, encode).await;
            let sent = match answered {
                // Neither takes anything away from others, so neither is limited otherwise.
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

    /// Answers a request, once the client's hello has been answered.
    async fn answer(&self, request: &Request, caller: &Arc<Caller>) -> Response {
        match (request.method.as_str(), caller.era()) {
            (_, Era::Modern) => answer(&self.gateway, request, caller).await,
            // What the client says next finds that its hello is on the way.
            ("initialize", Era::Legacy(_)) => {
                let hello = self.greet(request);
                self.greeted(hello).await
            }
            // It may come before the hello.
            ("ping", Era::Legacy(_)) => Response::empty(),
            (_, Era::Legacy(_)) if self.is_opened().await => {
                answer(&self.gateway, request, caller).await
            }
            (_, Era::Legacy(_)) => not_now("must be `initialize` at first, and that has failed"),
        }
    }

    fn told(&self, notification: &Notification) {
        match notification.method.as_str() {
            "notifications/cancelled" => {
                let params = notification.params.clone().unwrap_or_default();
                if let Some(id) = params.get("requestId") {
                    self.open.cancel(&id, params);
                }
            }
            "notifications/initialized" => {
                let servers = self.gateway.servers();
                if let Some(own) = self.gateway.own_child(&servers) {
                    own.upstream.confirm(&notification.frame.to_bytes());
                }
            }
            // The server would do it, unchecked and with nobody to tell what came of it.
            "tools/call" => {
                let why = "a `tools/call` without an id, which nobody could answer";
                self.gateway.tell(Event::Refused(why.to_owned()));
                let origin = |meta: Option<&RawJson>| Origin::pipe(self.transport, meta);
                let frame = notification.frame.to_bytes();
                malformed::record_call_without_id(&self.gateway, origin, &frame);
            }
            // A server that is down will be told what matters when it is started again.
            _ => self.gateway.hand_on(notification, self.client.era()),
        }
    }
}

/// Polls `handling` once, then spawns the rest, so that messages reach the server in the client's
/// order.
fn poll_then_spawn(
    mut handling: Pin<Box<impl Future<Output = Result<(), ClientGone>> + Send + 'static>>,
) -> Result<(), ClientGone> {
    let mut no_news = Context::from_waker(Waker::noop());
    let mut at_once = tokio::task::unconstrained(handling.as_mut());
    match Pin::new(&mut at_once).poll(&mut no_news) {
        Poll::Ready(sent) => sent,
        Poll::Pending => {
            // A client that is gone has no use for it.
            tokio::spawn(async move { drop(handling.await) });
            Ok(())
        }
    }
}

/// The refusal of a request that does not come at its time.
fn not_now(message: &str) -> Response {
    let violation = Violation::new("/method", "const", message);
    Response::Refused(Fault::new(Code::InvalidEnvelope).violation(violation))
}
