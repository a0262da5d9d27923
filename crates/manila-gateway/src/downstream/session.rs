//! A client that has a pipe to itself: one that says hello and then asks, or one that says
//! everything with each request.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request};
use manila::stage::record::Transport;
use manila::{Code, JsonObject, RawJson, Violation};
use tokio::sync::watch;

use super::encode::{encode, encode_own};
use super::malformed::{self, Malformed};
use super::open_requests::OpenRequests;
use crate::backend::Backend;
use crate::gateway::answer::{answer, not_available};
use crate::gateway::dispatch::{Arrival, Dispatched, dispatch_with, refuse};
use crate::gateway::response::Response;
use crate::gateway::{Gateway, Hello, hello};
use crate::notifications::{Listener, Listening, Resources, Wants};
use crate::protocol::caller::{Caller, Client, Line, Speech, Unheard};
use crate::protocol::era::{Era, Revision};
use crate::protocol::frames::Frame;
use crate::protocol::jsonrpc::{Fault, text_of};
use crate::protocol::modern;
use crate::protocol::origin::Origin;
use crate::protocol::skim::{Skim, Skimmed};
use crate::rt::queue::Sender;
use crate::telemetry::event::Event;
use crate::upstream::{Greeted, Greeting, Opening as HowToOpen};

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

/// How far the client's hello has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// It has not said hello.
    Closed,
    /// Its hello is on the way.
    Asked,
    /// It has been answered.
    Open,
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
            let why = fault.violations.first().map(Violation::to_string).unwrap_or_default();
            self.gateway.tell(Event::Refused(why));
            self.gateway.audience.questions.answer_uselessly(&self.client, id, &fault);
            return Ok(());
        }
        let id = malformed.id.as_ref().and_then(|id| self.free(id));
        let origin = Origin::pipe(self.transport, None);
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
            Err(response) => return self.refuse(&request, &response),
        };
        match self.open.add(&request, &caller) {
            Ok(()) => self.handle(request, caller),
            Err(fault) => self.refuse(&request, &Response::Refused(fault)),
        }
    }

    /// Refuses a request that is not dispatched.
    fn refuse(&self, request: &Request, response: &Response) -> Result<(), ClientGone> {
        let (arrival, id) = (Arrival::of(request), self.free(&request.id));
        let origin = Origin::pipe(self.transport, request.meta.as_ref());
        let encode = |response: &Response| encode_own(id, response);
        self.push(refuse(&self.gateway, &arrival, &origin, response, encode).frame)
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
        let mut handling = Box::pin(async move {
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
        });
        // What can go on at once does so now: messages reach the server in the client's order.
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

    /// Notes the client's hello at once, so that what it says next finds it.
    fn greet(&self, request: &Request) -> OwnHello {
        self.opening.send_replace(Opening::Asked);
        let params = request.params.clone().unwrap_or_default();
        let date = text_of(Some(params.as_raw()), "protocolVersion").unwrap_or_default();
        let revision = Revision::negotiated(&date);
        let info = params.get("clientInfo");
        // A server of our own hears the client's words, and knows what it may ask.
        let servers = self.gateway.servers();
        let own = self.gateway.own_child(&servers);
        let capabilities = match own {
            Some(_) => None,
            None => Some(params.get("capabilities").and_then(JsonObject::new).unwrap_or_default()),
        };
        self.client.learn(Speech { capabilities, info, ..Speech::of(Era::Legacy(revision)) });
        self.listening.get_or_init(|| {
            let (client, line) = (Arc::clone(&self.client), Arc::clone(&self.client.line));
            // What others watch does not concern it.
            let is_shared = self.gateway.is_shared();
            let resources = if is_shared { Resources::Watched } else { Resources::All };
            let wants = Wants { resources, ..Wants::everything() };
            self.gateway.audience.add(Listener { client, line, wants })
        });
        let greeting = Greeting { opening: HowToOpen::Initialize, params, confirmation: None };
        let greeted = own.map(|own| (own.upstream.greet(greeting), Arc::clone(own)));
        OwnHello { greeted, revision }
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
                malformed::record_call_without_id(
                    &self.gateway,
                    &Origin::pipe(self.transport, None),
                    &notification.frame.to_bytes(),
                );
            }
            // A server that is down will be told what matters when it is started again.
            _ => self.gateway.hand_on(notification, self.client.era()),
        }
    }

    async fn greeted(&self, hello: OwnHello) -> Response {
        let OwnHello { greeted, revision } = hello;
        let heard = match greeted {
            Some((greeted, own)) => greeted.answer(&own.upstream).await.map(Hello::Of),
            None => self.gateway.hello(Era::Legacy(revision)).await,
        };
        let down = match heard {
            Ok(heard) => {
                self.opening.send_replace(Opening::Open);
                return Response::Result(hello::initialized(&heard, revision));
            }
            Err(down) => down,
        };
        // The client may try again.
        self.opening.send_replace(Opening::Closed);
        match &down.refusal {
            Some(error) => {
                let error = self.gateway.settings().hiding.part(error.clone());
                Response::Error(error, Some(Code::UpstreamUnavailable))
            }
            None => Response::Refused(not_available(&down)),
        }
    }

    /// Whether the client's hello has not been answered yet.
    pub(super) fn is_opening(&self) -> bool {
        *self.opening.borrow() == Opening::Asked
    }

    /// Whether the client's hello has been answered, once that is known.
    pub(super) async fn is_opened(&self) -> bool {
        if *self.opening.borrow() == Opening::Open {
            return true;
        }
        let mut opening = self.opening.subscribe();
        let opening = opening.wait_for(|opening| *opening != Opening::Asked).await;
        opening.is_ok_and(|opening| *opening == Opening::Open)
    }
}

/// The refusal of a request that does not come at its time.
fn not_now(message: &str) -> Response {
    let violation = Violation::new("/method", "const", message);
    Response::Refused(Fault::new(Code::InvalidEnvelope).violation(violation))
}

/// A client's hello on its way.
struct OwnHello {
    /// To a server of our own that hears the client's words, where there is one.
    greeted: Option<(Greeted, Arc<Backend>)>,
    revision: Revision,
}
