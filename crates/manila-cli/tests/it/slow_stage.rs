//! A slow stage of the pipeline, in a gateway within the test process: others are served meanwhile.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use manila_gateway::downstream::http::{self, Listener};
use manila_gateway::{Address, Event, Gateway, Limits, Server, Settings};
use serde_json::json;

use crate::http_client::{HttpProgram, JSON};
use crate::mcp::WAIT_MAX;

/// A stage that waits: the report of redactions is part of it.
struct SlowStage {
    entered: Sender<()>,
    released: Mutex<Receiver<()>>,
}

/// Starts a gateway whose redaction waits until the test releases it.
fn serve(upstream: &HttpProgram, stage: SlowStage) -> HttpProgram {
    let server = Server::Remote(Address::new(&upstream.url(), &[]).unwrap());
    let (listening, address) = channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let events = move |event: Event| {
                if matches!(event, Event::Redacted { .. }) {
                    stage.entered.send(()).unwrap();
                    stage.released.lock().unwrap().recv_timeout(WAIT_MAX).unwrap();
                }
            };
            let gateway = Gateway::with_server(server, Settings::default(), Arc::new(events));
            let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
            let listener = Listener::open(any_port).await.unwrap();
            listening.send(listener.address()).unwrap();
            http::serve(gateway, listener, Limits::default()).await;
        });
    });
    HttpProgram::running_at(address.recv_timeout(WAIT_MAX).unwrap())
}

#[test]
fn a_slow_stage_of_a_large_result_delays_no_other_client() {
    let upstream = HttpProgram::sample_server(&[]);
    let (entered, entries) = channel();
    let (release, released) = channel();
    let served = serve(&upstream, SlowStage { entered, released: Mutex::new(released) });
    let secret = format!("password: {} {}", "hunter2-hunter2", "x".repeat(1_000_000));
    let large = json!({"message": secret}).to_string();
    let large = served.send("POST", "/tools/echo", &JSON, &large);
    entries.recv_timeout(WAIT_MAX).unwrap();
    // The stage of the large result has begun, and does not end before it is released.
    let small = json!({"message": "hello"}).to_string();
    let reply = served.request("POST", "/tools/echo", &JSON, &small);
    assert_eq!(reply.json()["data"]["result"], "hello", "{reply:?}");
    let client = served.connect("2025-11-25");
    assert_eq!(client.call("echo", &json!({"message": "hi"}))["isError"], false);
    assert_eq!(served.request("GET", "/healthz", &[], "").status, 200);
    release.send(()).unwrap();
    let reply = large.read_reply();
    assert_eq!(reply.status, 200, "{reply:.300?}");
    assert!(reply.body.contains("[REDACTED]") && !reply.body.contains("hunter2"));
}
