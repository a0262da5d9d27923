//! The handshake of a client over a pipe.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject};

use super::Session;
use crate::backend::Backend;
use crate::gateway::answer::not_available;
use crate::gateway::response::Response;
use crate::gateway::{Hello, hello};
use crate::notifications::{Listener, Resources, Wants};
use crate::protocol::caller::Speech;
use crate::protocol::era::{Era, Revision};
use crate::protocol::jsonrpc::text_of;
use crate::upstream::{Greeted, Greeting, Opening as HowToOpen};

/// How far the client's hello has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// It has not said hello.
    Closed,
    /// Its hello is on the way.
    Asked,
    /// It has been answered.
    Open,
}

/// A client's hello on its way.
pub(super) struct OwnHello {
    /// To a server of our own that hears the client's words, where there is one.
    greeted: Option<(Greeted, Arc<Backend>)>,
    revision: Revision,
}

impl Session {
    /// Notes the client's hello at once, so that what it says next finds it.
    pub(super) fn greet(&self, request: &Request) -> OwnHello {
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

    /// Answers the client's handshake.
    pub(super) async fn greeted(&self, hello: OwnHello) -> Response {
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
    pub(in crate::downstream) fn is_opening(&self) -> bool {
        *self.opening.borrow() == Opening::Asked
    }

    /// Whether the client's hello has been answered, once that is known.
    pub(in crate::downstream) async fn is_opened(&self) -> bool {
        if *self.opening.borrow() == Opening::Open {
            return true;
        }
        let mut opening = self.opening.subscribe();
        let opening = opening.wait_for(|opening| *opening != Opening::Asked).await;
        opening.is_ok_and(|opening| *opening == Opening::Open)
    }
}
