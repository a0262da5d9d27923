//! A client that watches resources, of either era and over either transport.

use std::cell::RefCell;

use serde_json::{Value, json};

use crate::http_client::{Exchange, Legacy, Served, modern};
use crate::mcp::Client;

/// The kinds of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    HttpLegacy,
    HttpModern,
    PipeLegacy,
    PipeModern,
}

/// A client that watches resources, and what it has heard of them.
pub(crate) struct Watcher<'a> {
    way: Way<'a>,
    /// The URIs of which it has heard, in order.
    pub(crate) heard: Vec<String>,
}

enum Way<'a> {
    HttpLegacy(Legacy<'a>, Exchange),
    HttpModern(&'a Served, Option<Exchange>),
    PipeLegacy(&'a RefCell<Client>),
    PipeModern(&'a RefCell<Client>),
}

/// The id of the request by which a modern client on a pipe listens.
const LISTEN: u64 = 41;

const TAG: &str = "io.modelcontextprotocol/subscriptionId";

impl<'a> Watcher<'a> {
    /// A client of this kind; `pipe` is the one that is there for those who want it.
    pub(crate) fn new(
        kind: Kind,
        served: &'a Served,
        pipe: Option<&'a RefCell<Client>>,
    ) -> Watcher<'a> {
        let pipe = || pipe.expect("this kind needs a pipe");
        let way = match kind {
            Kind::HttpLegacy => {
                let client = served.greeted("2025-11-25");
                let mut stream = client.listen(None);
                assert!(stream.head().contains(" 200 "), "{}", stream.head());
                Way::HttpLegacy(client, stream)
            }
            Kind::HttpModern => Way::HttpModern(served, None),
            Kind::PipeLegacy => {
                pipe().borrow_mut().greet("2025-11-25");
                Way::PipeLegacy(pipe())
            }
            Kind::PipeModern => Way::PipeModern(pipe()),
        };
        Watcher { way, heard: Vec::new() }
    }

    /// Wants to hear of changes; gives the error if it may not.
    pub(crate) fn try_subscribe(&mut self, uri: &str) -> Result<(), Value> {
        let legacy = json!({"uri": uri});
        let listen = json!({"notifications": {"resourceSubscriptions": [uri]}});
        let answer = match &mut self.way {
            Way::HttpLegacy(client, _) => client.ask("s", "resources/subscribe", &legacy),
            Way::PipeLegacy(pipe) => pipe.borrow_mut().ask("s", "resources/subscribe", &legacy),
            Way::HttpModern(served, listening) => {
                let mut stream = served.modern("subscriptions/listen", &listen);
                let first = stream.event().unwrap().data;
                *listening = Some(stream);
                return acknowledged(&first, &json!(1), uri);
            }
            Way::PipeModern(pipe) => {
                let mut pipe = pipe.borrow_mut();
                pipe.send_line(&modern(LISTEN, "subscriptions/listen", &listen));
                let first = pipe.wait(|it| {
                    it["id"] == LISTEN || it["method"] == "notifications/subscriptions/acknowledged"
                });
                return acknowledged(&first, &json!(LISTEN), uri);
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
        match &mut self.way {
            Way::HttpLegacy(client, _) => {
                let answer = client.ask("u", "resources/unsubscribe", &params);
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            Way::PipeLegacy(pipe) => {
                let answer = pipe.borrow_mut().ask("u", "resources/unsubscribe", &params);
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            Way::HttpModern(_, listening) => *listening = None,
            Way::PipeModern(pipe) => pipe.borrow_mut().send(&json!({"jsonrpc": "2.0",
                "method": "notifications/cancelled", "params": {"requestId": LISTEN}})),
        }
    }

    /// Waits until it hears of a resource, and takes note of what it hears before that.
    #[track_caller]
    pub(crate) fn hears(&mut self, uri: &str) {
        loop {
            let told = self.next();
            let heard = told["params"]["uri"].as_str().unwrap().to_owned();
            let is_it = heard == uri;
            self.heard.push(heard);
            if is_it {
                return;
            }
        }
    }

    /// The next change that it hears of.
    fn next(&mut self) -> Value {
        let is_it = |it: &Value| it["method"] == "notifications/resources/updated";
        let (told, tag) = match &mut self.way {
            Way::HttpLegacy(_, stream) => (stream.wait(is_it).data, Value::Null),
            Way::HttpModern(_, listening) => {
                (listening.as_mut().unwrap().wait(is_it).data, json!(1))
            }
            Way::PipeLegacy(pipe) => (pipe.borrow_mut().wait(is_it), Value::Null),
            Way::PipeModern(pipe) => (pipe.borrow_mut().wait(is_it), json!(LISTEN)),
        };
        // Whoever has a subscription hears which it is, and nobody hears of anybody else's.
        assert_eq!(told["params"]["_meta"][TAG], tag, "{told}");
        told
    }

    /// Goes away, as far as a client can without the program that serves it.
    pub(crate) fn leave(self, served: &Served) {
        match self.way {
            Way::HttpLegacy(client, _) => {
                assert_eq!(served.ask("DELETE", "/mcp", &[&client.head()], "").status, 204);
            }
            Way::HttpModern(..) => {}
            Way::PipeLegacy(_) | Way::PipeModern(_) => panic!("it goes with the program"),
        }
    }
}

/// What was granted: the resource, or nothing.
fn acknowledged(first: &Value, id: &Value, uri: &str) -> Result<(), Value> {
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(first["params"]["_meta"][TAG], *id, "{first}");
    let granted = &first["params"]["notifications"]["resourceSubscriptions"];
    if *granted == json!([uri]) { Ok(()) } else { Err(first.clone()) }
}
