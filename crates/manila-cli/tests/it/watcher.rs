//! A client that subscribes to resources, of either era and over either transport.

use std::cell::RefCell;

use serde_json::{Value, json};

use crate::http_client::{Exchange, HttpProgram, LegacyClient, modern_request};
use crate::mcp::Client;

/// The kinds of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    HttpLegacy,
    HttpModern,
    PipeLegacy,
    PipeModern,
}

/// A client that subscribes to resources, and the updates that it has received.
pub(crate) struct Watcher<'a> {
    client: AnyClient<'a>,
    /// The URIs in the received updates, in order.
    pub(crate) updates: Vec<String>,
}

enum AnyClient<'a> {
    HttpLegacy(LegacyClient<'a>, Exchange),
    HttpModern(&'a HttpProgram, Option<Exchange>),
    PipeLegacy(&'a RefCell<Client>),
    PipeModern(&'a RefCell<Client>),
}

/// The id of the request with which a modern client on a pipe subscribes.
const LISTEN: u64 = 41;

const TAG: &str = "io.modelcontextprotocol/subscriptionId";

impl<'a> Watcher<'a> {
    /// Connects a client of this kind; `pipe` is the client over stdio, if that kind needs it.
    pub(crate) fn new(
        kind: Kind,
        served: &'a HttpProgram,
        pipe: Option<&'a RefCell<Client>>,
    ) -> Watcher<'a> {
        let pipe = || pipe.expect("this kind needs a pipe");
        let client = match kind {
            Kind::HttpLegacy => {
                let client = served.connect("2025-11-25");
                let mut stream = client.listen(None);
                assert!(stream.head().contains(" 200 "), "{}", stream.head());
                AnyClient::HttpLegacy(client, stream)
            }
            Kind::HttpModern => AnyClient::HttpModern(served, None),
            Kind::PipeLegacy => {
                pipe().borrow_mut().handshake("2025-11-25");
                AnyClient::PipeLegacy(pipe())
            }
            Kind::PipeModern => AnyClient::PipeModern(pipe()),
        };
        Watcher { client, updates: Vec::new() }
    }

    /// Subscribes to a resource; returns the error if the gateway refuses.
    pub(crate) fn try_subscribe(&mut self, uri: &str) -> Result<(), Value> {
        let legacy = json!({"uri": uri});
        let listen = json!({"notifications": {"resourceSubscriptions": [uri]}});
        let answer = match &mut self.client {
            AnyClient::HttpLegacy(client, _) => client.request("s", "resources/subscribe", &legacy),
            AnyClient::PipeLegacy(pipe) => {
                pipe.borrow_mut().request("s", "resources/subscribe", &legacy)
            }
            AnyClient::HttpModern(served, listening) => {
                let mut stream = served.send_modern("subscriptions/listen", &listen);
                let first = stream.event().unwrap().data;
                *listening = Some(stream);
                return check_acknowledgement(&first, &json!(1), uri);
            }
            AnyClient::PipeModern(pipe) => {
                let mut pipe = pipe.borrow_mut();
                pipe.send_line(&modern_request(LISTEN, "subscriptions/listen", &listen));
                let first = pipe.wait(|it| {
                    it["id"] == LISTEN || it["method"] == "notifications/subscriptions/acknowledged"
                });
                return check_acknowledgement(&first, &json!(LISTEN), uri);
            }
        };
        if let Some(error) = answer.get("error") {
            return Err(error.clone());
        }
        assert_eq!(answer["result"], json!({}), "{answer}");
        Ok(())
    }

    #[track_caller]
    pub(crate) fn subscribe(&mut self, uri: &str) {
        self.try_subscribe(uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
    }

    #[track_caller]
    pub(crate) fn unsubscribe(&mut self, uri: &str) {
        let params = json!({"uri": uri});
        match &mut self.client {
            AnyClient::HttpLegacy(client, _) => {
                let answer = client.request("u", "resources/unsubscribe", &params);
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            AnyClient::PipeLegacy(pipe) => {
                let answer = pipe.borrow_mut().request("u", "resources/unsubscribe", &params);
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            AnyClient::HttpModern(_, listening) => *listening = None,
            AnyClient::PipeModern(pipe) => pipe.borrow_mut().send(&json!({"jsonrpc": "2.0",
                "method": "notifications/cancelled", "params": {"requestId": LISTEN}})),
        }
    }

    /// Waits for an update of this resource, and records all updates before it.
    #[track_caller]
    pub(crate) fn wait_for_update(&mut self, uri: &str) {
        loop {
            let update = self.next();
            let updated = update["params"]["uri"].as_str().unwrap().to_owned();
            let is_expected = updated == uri;
            self.updates.push(updated);
            if is_expected {
                return;
            }
        }
    }

    /// Waits for the next update.
    fn next(&mut self) -> Value {
        let is_update = |it: &Value| it["method"] == "notifications/resources/updated";
        let (update, tag) = match &mut self.client {
            AnyClient::HttpLegacy(_, stream) => (stream.wait(is_update).data, Value::Null),
            AnyClient::HttpModern(_, listening) => {
                (listening.as_mut().unwrap().wait(is_update).data, json!(1))
            }
            AnyClient::PipeLegacy(pipe) => (pipe.borrow_mut().wait(is_update), Value::Null),
            AnyClient::PipeModern(pipe) => (pipe.borrow_mut().wait(is_update), json!(LISTEN)),
        };
        // Updates for modern clients contain their own subscription's id; others contain none.
        assert_eq!(update["params"]["_meta"][TAG], tag, "{update}");
        update
    }

    /// Disconnects, without stopping the gateway.
    pub(crate) fn leave(self, served: &HttpProgram) {
        match self.client {
            AnyClient::HttpLegacy(client, _) => {
                assert_eq!(served.request("DELETE", "/mcp", &[&client.head()], "").status, 204);
            }
            AnyClient::HttpModern(..) => {}
            AnyClient::PipeLegacy(_) | AnyClient::PipeModern(_) => {
                panic!("a client over stdio ends with the gateway")
            }
        }
    }
}

/// Returns the acknowledgement as an error if it does not grant the resource.
fn check_acknowledgement(first: &Value, id: &Value, uri: &str) -> Result<(), Value> {
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(first["params"]["_meta"][TAG], *id, "{first}");
    let granted = &first["params"]["notifications"]["resourceSubscriptions"];
    if *granted == json!([uri]) { Ok(()) } else { Err(first.clone()) }
}
