//! A client of the legacy era: it says hello, then asks.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Refused, Request};
use manila::{Code, JsonObject, RawJson, Violation};
use tokio::sync::watch;

use super::in_flight::{InFlight, NotTaken};
use super::questions::Questions;
use super::{encode, hello};
use crate::cancellation::Cancellation;
use crate::clock;
use crate::era::{Era, Revision};
use crate::event::Event;
use crate::frames::Frame;
use crate::gateway::Gateway;
use crate::handle::{Placement, forward};
use crate::jsonrpc::{self, Fault};
use crate::queue::Sender;
use crate::skim::{Skim, Skimmed};
use crate::upstream::{Down, Greeted, Greeting};

/// The client is gone, or does not read.
#[derive(Debug)]
pub(super) struct ClientGone;

/// A client and what it has open.
pub(super) struct Session {
    pub(super) gateway: Arc<Gateway>,
    pub(super) questions: Questions,
    pub(super) in_flight: InFlight,
    to_client: Sender<Bytes>,
    is_muted: AtomicBool,
    opening: watch::Sender<Opening>,
}

/// How far the client's hello has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// It has not said hello.
    Closed,
    /// Its hello is on the way.
    Asked,
    /// It has been answered, and this is how it speaks.
    Open(Era),
}

impl Session {
    pub(super) fn new(gateway: Arc<Gateway>, to_client: Sender<Bytes>) -> Session {
        let in_flight = InFlight::new(&gateway.settings);
        Session {
            gateway,
            questions: Questions::default(),
            in_flight,
            to_client,
            is_muted: AtomicBool::new(false),
            opening: watch::Sender::new(Opening::Closed),
        }
    }

    /// Sends a small frame to the client, at once. Whoever asks for more of them than can be
    /// kept without reading any is as good as gone.
    fn push(&self, frame: Bytes) -> Result<(), ClientGone> {
        self.to_client.push(frame).map_err(|_| ClientGone)
    }

    /// Sends a frame to the client as soon as it has read enough.
    pub(super) async fn send(&self, frame: Bytes) -> Result<(), ClientGone> {
        self.to_client.room().await;
        if self.is_muted.load(Ordering::Relaxed) {
            return Err(ClientGone);
        }
        self.to_client.send(frame).await.map_err(|_| ClientGone)
    }

    /// Waits until the client has read enough for more.
    pub(super) async fn room(&self) {
        self.to_client.room().await;
    }

    /// From now on nothing is sent.
    pub(super) fn mute(&self) {
        self.is_muted.store(true, Ordering::Relaxed);
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
                    if !self.questions.answer(&response) {
                        self.gateway.tell(Event::Refused("an answer to no question".to_owned()));
                    }
                    Ok(())
                }
                Err(Refused { code, violation, .. }) => {
                    let fault = Fault::new(code).violation(violation);
                    self.refuse_frame(&Skim::whole(&line), &fault)
                }
            },
            Frame::TooLong(seen) => {
                let limit = self.gateway.settings.frame_bytes_max;
                let message = format!("has more than {limit} bytes, the most that is read");
                let violation = Violation::new("", "maxLength", message);
                let fault = Fault::new(Code::TooLarge).violation(violation);
                self.refuse_frame(&seen, &fault)
            }
        }
    }

    /// Refuses what is no message. Whoever waits for it learns it: the client if it asked
    /// something, the server if it was to be an answer.
    fn refuse_frame(&self, seen: &Skimmed, fault: &Fault) -> Result<(), ClientGone> {
        let why = fault.violations.first().map(Violation::to_string).unwrap_or_default();
        self.gateway.tell(Event::Refused(why));
        match &seen.id {
            Some(id) if seen.is_answer => {
                self.questions.answer_uselessly(id, fault);
                Ok(())
            }
            id => self.push(jsonrpc::error(id.as_ref().and_then(|id| self.free(id)), fault)),
        }
    }

    /// The id, unless a request of this id is open: a refusal would pass for its answer.
    fn free<'a>(&self, id: &'a RawJson) -> Option<&'a RawJson> {
        (!self.in_flight.has(id)).then_some(id)
    }

    fn asked(self: &Arc<Session>, request: Request) -> Result<(), ClientGone> {
        if let Err(fault) = self.may_ask(&request) {
            return self.push(jsonrpc::error(self.free(&request.id), &fault));
        }
        if request.method == "ping" && !self.in_flight.has(&request.id) {
            return self.push(jsonrpc::result(&request.id, &JsonObject::default()));
        }
        let cancellation = match self.in_flight.add(&request) {
            Ok(cancellation) => cancellation,
            Err(NotTaken::SameId) => {
                let id = &request.id;
                let message = format!("{id} is the id of a request that is still open");
                let violation = Violation::new("/id", "unique", message);
                let fault = Fault::new(Code::InvalidEnvelope).violation(violation);
                return self.push(jsonrpc::error(None, &fault));
            }
            Err(NotTaken::TooMany) => {
                return self.push(self.turned_away(&request));
            }
        };
        let greeted = (request.method == "initialize").then(|| self.greet(&request));
        let session = Arc::clone(self);
        let mut handling = Box::pin(async move {
            let started = clock::now();
            tokio::select! {
                biased;
                // The handling below is dropped, and that tells the server. A hello is not
                // cancelled, as MCP says.
                () = cancellation.cancelled(), if request.method != "initialize" => {
                    if request.method == "tools/call" {
                        session.gateway.call_cancelled(&request, started);
                    }
                }
                // A client that is gone has no use for it.
                _ = session.answered(&request, greeted, &cancellation) => {}
            }
            session.in_flight.remove(&request);
        });
        // What can go on at once does so now: messages reach the server in the client's order.
        let mut no_news = Context::from_waker(Waker::noop());
        let mut at_once = tokio::task::unconstrained(handling.as_mut());
        if Pin::new(&mut at_once).poll(&mut no_news).is_pending() {
            tokio::spawn(handling);
        }
        Ok(())
    }

    /// The answer to a request that is not even looked into.
    fn turned_away(&self, request: &Request) -> Bytes {
        let message = "Too many or too large requests are open already";
        match *self.opening.borrow() {
            Opening::Open(era) if request.method == "tools/call" => {
                let answer = self.gateway.turn_call_away(request, message);
                encode::tool_answer(&request.id, &answer, self.placement(era))
            }
            Opening::Open(_) | Opening::Asked | Opening::Closed => {
                let fault = Fault::new(Code::RateLimited).message(message);
                jsonrpc::error(Some(&request.id), &fault)
            }
        }
    }

    /// Whether a request may be made at all now.
    fn may_ask(&self, request: &Request) -> Result<(), Fault> {
        let opening = *self.opening.borrow();
        let refuse = |message: &str| {
            let violation = Violation::new("/method", "const", message);
            Err(Fault::new(Code::InvalidEnvelope).violation(violation))
        };
        match (request.method.as_str(), opening) {
            ("ping", _) | ("initialize", Opening::Closed) => Ok(()),
            // The modern era's opening; who gets this answer falls back to `initialize`.
            ("server/discover", _) => Err(Fault::new(Code::MethodNotFound)),
            ("initialize", Opening::Asked | Opening::Open(_)) => {
                refuse("must not be `initialize` a second time")
            }
            (_, Opening::Closed) => refuse("must be `initialize` at first"),
            (_, Opening::Asked | Opening::Open(_)) => Ok(()),
        }
    }

    /// Notes the client's hello at once, so that what it says next finds it.
    fn greet(&self, request: &Request) -> Hello {
        self.opening.send_replace(Opening::Asked);
        let params = request.params.clone().unwrap_or_default();
        let date = params.get("protocolVersion");
        let date = date.as_ref().and_then(RawJson::as_text).unwrap_or_default();
        let revision = Revision::negotiated(&date);
        let greeting = Greeting { params: params.clone(), confirmation: None };
        Hello { greeted: self.gateway.upstream.greet(greeting), revision }
    }

    /// Handles a request and sends the answer.
    async fn answered(
        &self,
        request: &Request,
        hello: Option<Hello>,
        cancellation: &Arc<Cancellation>,
    ) -> Result<(), ClientGone> {
        let frame = self.handled(request, hello, cancellation).await;
        self.send(frame).await
    }

    /// The answer to a request.
    async fn handled(
        &self,
        request: &Request,
        hello: Option<Hello>,
        cancellation: &Arc<Cancellation>,
    ) -> Bytes {
        let id = &request.id;
        if let Some(hello) = hello {
            return self.greeted(id, hello).await;
        }
        let Some(era) = self.opened().await else {
            let message = "must be `initialize` at first, and that has failed";
            let violation = Violation::new("/method", "const", message);
            let fault = Fault::new(Code::InvalidEnvelope).violation(violation);
            return jsonrpc::error(Some(id), &fault);
        };
        let placement = self.placement(era);
        match request.method.as_str() {
            "tools/call" => {
                let answer = self.gateway.call_tool(request, cancellation).await;
                encode::tool_answer(id, &answer, placement)
            }
            "tasks/result" => {
                let answer = self.gateway.task_result(request, cancellation).await;
                encode::tool_answer(id, &answer, placement)
            }
            "tools/list" => {
                let listed = self.gateway.list_tools(request, cancellation, placement).await;
                encode::forwarded(id, &listed)
            }
            _ => encode::forwarded(id, &forward(&self.gateway, request, cancellation).await),
        }
    }

    fn told(&self, notification: &Notification) {
        match notification.method.as_str() {
            "notifications/cancelled" => {
                let params = notification.params.clone().unwrap_or_default();
                if let Some(id) = params.get("requestId") {
                    self.in_flight.cancel(&id, params);
                }
            }
            "notifications/initialized" => {
                self.gateway.upstream.confirm(&notification.frame.to_bytes());
            }
            // The server would do it, unchecked and with nobody to tell what came of it.
            "tools/call" => {
                let why = "a `tools/call` without an id, which nobody could answer";
                self.gateway.tell(Event::Refused(why.to_owned()));
            }
            // A server that is down will be told what matters when it is started again.
            _ => {
                if let Some(ready) = self.gateway.upstream.ready_now() {
                    ready.connection.push(notification.frame.to_bytes());
                }
            }
        }
    }

    async fn greeted(&self, id: &RawJson, hello: Hello) -> Bytes {
        let Hello { greeted, revision } = hello;
        let down = match greeted.answer(&self.gateway.upstream).await {
            Ok(ready) => {
                self.opening.send_replace(Opening::Open(Era::Legacy(revision)));
                return jsonrpc::result(id, &hello::shown(&ready.greeting, revision));
            }
            Err(down) => down,
        };
        // The client may try again.
        self.opening.send_replace(Opening::Closed);
        let Down { reason, refusal, .. } = &*down;
        if let Some(error) = refusal {
            let error = self.gateway.settings.hiding.part(error.clone());
            return jsonrpc::error(Some(id), &error);
        }
        let message = format!("The server is not available: {reason}");
        jsonrpc::error(Some(id), &Fault::new(Code::UpstreamUnavailable).message(message))
    }

    /// Whether the client's hello has not been answered yet.
    pub(super) fn is_opening(&self) -> bool {
        *self.opening.borrow() == Opening::Asked
    }

    /// How the client speaks, once its hello has been answered; `None` if that failed.
    pub(super) async fn opened(&self) -> Option<Era> {
        if let Opening::Open(era) = *self.opening.borrow() {
            return Some(era);
        }
        let mut opening = self.opening.subscribe();
        let opening = opening.wait_for(|opening| *opening != Opening::Asked).await;
        match opening.as_deref() {
            Ok(Opening::Open(era)) => Some(*era),
            Ok(Opening::Closed | Opening::Asked) | Err(_) => None,
        }
    }

    /// Where the envelope goes: as configured, as far as the client understands it.
    fn placement(&self, era: Era) -> Placement {
        match self.gateway.settings.placement {
            Placement::Structured if era.has_structured_results() => Placement::Structured,
            Placement::Structured | Placement::Text => Placement::Text,
        }
    }
}

/// A client's hello on its way to the server.
struct Hello {
    greeted: Greeted,
    revision: Revision,
}
