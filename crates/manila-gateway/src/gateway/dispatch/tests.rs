use std::sync::{Arc, Mutex};

use manila::request_envelope::{Message, Request};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Metadata, Subscriber};

use super::{Dispatched, EncodedResponse, dispatch};
use crate::config::{Address, Server, Settings};
use crate::gateway::Gateway;
use crate::protocol::caller::Caller;

/// Collects the names of spans, and numbers them.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<&'static str>>>);

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == "manila"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut names = self.0.lock().unwrap();
        names.push(span.metadata().name());
        Id::from_u64(names.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Nothing;

impl EncodedResponse for Nothing {
    fn n_bytes(&self) -> usize {
        0
    }
}

fn request(method: &str) -> Request {
    let frame =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"name":"x"}}}}"#);
    match Message::from_json(frame) {
        Ok(Message::Request(request)) => request,
        other => panic!("{other:?}"),
    }
}

/// How a request should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Answered,
    Refused,
}

/// Dispatches a request to an unreachable server, and checks how it ends and the spans it creates.
#[track_caller]
fn check(method: &str, settings: Settings, ends: Ends, expected: &[&str]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let spans = Spans::default();
    with_default(spans.clone(), || {
        runtime.block_on(async {
            // No server listens on port 9, the discard protocol.
            let server = Server::Remote(Address::new("http://127.0.0.1:9/mcp", &[]).unwrap());
            let gateway = Gateway::with_server(server, settings, Arc::new(|_| ()));
            let caller = Arc::new(Caller::without_client(|_| ()));
            let dispatched = dispatch(&gateway, &request(method), &caller, |_| Nothing).await;
            let is_refused = matches!(dispatched, Dispatched::Refused(_));
            assert_eq!(is_refused, ends == Ends::Refused);
            assert_eq!(
                gateway.limits.in_flight.n_requests(),
                usize::from(!is_refused && method != "ping")
            );
            drop(dispatched);
            assert_eq!(gateway.limits.in_flight.n_requests(), 0);
        });
    });
    assert_eq!(*spans.0.lock().unwrap(), expected);
}

#[test]
fn creates_spans_for_a_request_and_its_upstream_request() {
    check("prompts/list", Settings::default(), Ends::Answered, &["request", "upstream"]);
    // The gateway lists the server's tools first, which already fails.
    check("tools/call", Settings::default(), Ends::Answered, &["request", "upstream"]);
    check("ping", Settings::default(), Ends::Answered, &["request"]);
}

#[test]
fn a_full_gateway_refuses_all_but_pings() {
    let full = || Settings { in_flight_max: 0, ..Settings::default() };
    // The gateway sends no request to the server.
    check("prompts/list", full(), Ends::Refused, &["request"]);
    check("ping", full(), Ends::Answered, &["request"]);
}
