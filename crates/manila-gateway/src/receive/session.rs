//! A client of the legacy era: it says hello, then asks.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Refused, Request};
use manila::{Code, JsonObject, RawJson, Violation};
use tokio::sync::mpsc;

use super::encode;
use super::in_flight::{InFlight, NotTaken};
use super::questions::Questions;
use crate::cancellation::Cancellation;
use crate::clock;
use crate::era::{Era, Revision};
use crate::event::Event;
use crate::frames::Frame;
use crate::gateway::Gateway;
use crate::handle::{Placement, forward};
use crate::jsonrpc::{self, Fault};
use crate::skim::Skim;
use crate::upstream::{Down, Greeting};

/// The client is gone.
#[derive(Debug)]
pub(super) struct ClientGone;

/// A client and what it has open.
pub(super) struct Session {
    pub(super) gateway: Arc<Gateway>,
    pub(super) questions: Questions,
    pub(super) in_flight: InFlight,
    to_client: mpsc::Sender<Bytes>,
    /// How the client speaks, once it has said hello.
    era: Mutex<Option<Era>>,
}

impl Session {
    pub(super) fn new(gateway: Arc<Gateway>, to_client: mpsc::Sender<Bytes>) -> Session {
        let in_flight = InFlight::new(gateway.settings.in_flight_max);
        let (questions, era) = (Questions::default(), Mutex::default());
        Session { gateway, questions, in_flight, to_client, era }
    }

    /// Sends a frame to the client.
    pub(super) async fn send(&self, frame: Bytes) -> Result<(), ClientGone> {
        self.to_client.send(frame).await.map_err(|_| ClientGone)
    }

    /// Takes what the client sent. Nothing here waits for the server.
    pub(super) async fn receive(self: &Arc<Session>, frame: Frame) -> Result<(), ClientGone> {
        let message = match frame {
            Frame::Line(line) => Message::from_json(line.clone()).map_err(|refused| {
                let id = refused.id.clone().or_else(|| Skim::whole(&line).id);
                Refused { id, ..refused }
            }),
            Frame::TooLong(seen) => {
                let limit = self.gateway.settings.frame_bytes_max;
                let message = format!("has more than {limit} bytes, the most that is read");
                let violation = Violation::new("", "maxLength", message);
                Err(Refused { code: Code::TooLarge, violation, id: seen.id })
            }
        };
        match message {
            Ok(Message::Request(request)) => self.asked(request).await,
            Ok(Message::Notification(notification)) => {
                self.told(notification).await;
                Ok(())
            }
            Ok(Message::Response(response)) => {
                if !self.questions.answer(&response).await {
                    self.gateway.tell(Event::Refused("an answer to no question".to_owned()));
                }
                Ok(())
            }
            Err(Refused { code, violation, id }) => {
                self.gateway.tell(Event::Refused(violation.to_string()));
                let fault = Fault::new(code).violation(violation);
                self.send(jsonrpc::error(id.as_ref(), &fault)).await
            }
        }
    }

    async fn asked(self: &Arc<Session>, request: Request) -> Result<(), ClientGone> {
        let refuse = |fault: Fault| self.send(jsonrpc::error(Some(&request.id), &fault));
        if request.method == "ping" {
            return self.send(jsonrpc::result(&request.id, &JsonObject::default())).await;
        }
        // The modern era's opening; who gets this answer falls back to `initialize`.
        if request.method == "server/discover" {
            return refuse(Fault::new(Code::MethodNotFound)).await;
        }
        if request.method != "initialize" && self.era().is_none() {
            let violation = Violation::new("/method", "const", "must be `initialize` at first");
            return refuse(Fault::new(Code::InvalidEnvelope).violation(violation)).await;
        }
        let cancellation = match self.in_flight.add(&request.id) {
            Ok(cancellation) => cancellation,
            Err(NotTaken::SameId) => {
                let message = "is the id of a request that is still open";
                let violation = Violation::new("/id", "unique", message);
                return refuse(Fault::new(Code::InvalidEnvelope).violation(violation)).await;
            }
            Err(NotTaken::TooMany) => {
                let limit = self.gateway.settings.in_flight_max;
                let fault = Fault::new(Code::RateLimited);
                return refuse(fault.message(format!("{limit} requests are open already"))).await;
            }
        };
        let session = Arc::clone(self);
        tokio::spawn(async move {
            let started = clock::now();
            tokio::select! {
                biased;
                // The handling below is dropped, and that tells the server.
                () = cancellation.cancelled() => {
                    if request.method == "tools/call" {
                        session.gateway.call_cancelled(&request, started);
                    }
                }
                frame = session.handled(&request, &cancellation) => {
                    // A client that is gone has no use for it.
                    let _ = session.send(frame).await;
                }
            }
            session.in_flight.remove(&request.id);
        });
        Ok(())
    }

    /// The answer to a request.
    async fn handled(&self, request: &Request, cancellation: &Arc<Cancellation>) -> Bytes {
        let id = &request.id;
        let placement = self.placement();
        match request.method.as_str() {
            "initialize" => self.initialized(request).await,
            "tools/call" => {
                let answer = self.gateway.call_tool(request, cancellation).await;
                encode::tool_answer(id, &answer, placement)
            }
            "tools/list" => {
                let listed = self.gateway.list_tools(request, cancellation, placement).await;
                encode::forwarded(id, &listed)
            }
            _ => encode::forwarded(id, &forward(&self.gateway, request, cancellation).await),
        }
    }

    async fn told(&self, notification: Notification) {
        match notification.method.as_str() {
            "notifications/cancelled" => {
                let get = |name| notification.params.as_ref().and_then(|it| it.get(name));
                if let Some(id) = get("requestId") {
                    self.in_flight.cancel(&id, get("reason"));
                }
                return;
            }
            "notifications/initialized" => self.gateway.upstream.confirm(),
            _ => {}
        }
        // A server that is down will be told what matters when it is started again.
        if let Some(ready) = self.gateway.upstream.ready_now() {
            let _ = ready.connection.send(notification.frame.compact()).await;
        }
    }

    async fn initialized(&self, request: &Request) -> Bytes {
        let params = request.params.clone().unwrap_or_default();
        let date = params.get("protocolVersion");
        let date = date.as_ref().and_then(RawJson::as_text).unwrap_or_default().into_owned();
        let greeting = Greeting { params, is_confirmed: false };
        match self.gateway.upstream.greet(greeting).await {
            Ok(ready) => {
                let revision = Revision::negotiated(&date);
                if let Ok(mut era) = self.era.lock() {
                    *era = Some(Era::Legacy(revision));
                }
                jsonrpc::result(&request.id, &hello(&ready.greeting, revision))
            }
            Err(down) => {
                let Down { reason, .. } = &*down;
                let fault = Fault::new(Code::UpstreamUnavailable);
                let message = format!("The server is not available: {reason}");
                jsonrpc::error(Some(&request.id), &fault.message(message))
            }
        }
    }

    fn era(&self) -> Option<Era> {
        self.era.lock().ok().and_then(|era| *era)
    }

    /// Where the envelope goes: as configured, as far as the client understands it.
    fn placement(&self) -> Placement {
        match (self.gateway.settings.placement, self.era()) {
            (Placement::Structured, Some(era)) if era.has_structured_results() => {
                Placement::Structured
            }
            (Placement::Structured | Placement::Text, _) => Placement::Text,
        }
    }
}

/// The server's own hello, in the client's revision. Since we can tell when the tools of a
/// server that was started again differ, we promise it.
fn hello(greeting: &RawJson, revision: Revision) -> JsonObject {
    JsonObject::build(|object| {
        for member in greeting.members() {
            match member.key().as_ref() {
                "protocolVersion" => object.member("protocolVersion", revision.date()),
                "capabilities" => object.member("capabilities", &promising(&member.value())),
                "_meta" => {}
                _ => object.token_member(member.key_token(), &member.value()),
            }
        }
        let own = greeting.get("_meta").and_then(JsonObject::new).unwrap_or_default();
        let meta = JsonObject::build(|meta| {
            for member in own.members() {
                meta.token_member(member.key_token(), &member.value());
            }
            meta.member("dev.manila/gateway", &encode::gateway_info());
        });
        object.member("_meta", &meta);
    })
}

fn promising(capabilities: &RawJson) -> JsonObject {
    JsonObject::build(|object| {
        for member in capabilities.members() {
            match JsonObject::new(member.value()) {
                Some(tools) if member.is("tools") => {
                    let others = tools.without("listChanged");
                    let promised = JsonObject::build(|object| {
                        for member in others.members() {
                            object.token_member(member.key_token(), &member.value());
                        }
                        object.member("listChanged", &true);
                    });
                    object.member("tools", &promised);
                }
                Some(_) | None => object.token_member(member.key_token(), &member.value()),
            }
        }
    })
}
