//! `manila wrap --http` with many clients, and with clients that disconnect.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::serve::wait_until;

/// A client that sends one call after the other over the same connection.
struct KeepAliveClient {
    reader: BufReader<TcpStream>,
    address: String,
}

impl KeepAliveClient {
    fn new(address: &str) -> KeepAliveClient {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(crate::mcp::WAIT_MAX)).unwrap();
        KeepAliveClient { reader: BufReader::new(stream), address: address.to_owned() }
    }

    fn request(&mut self, head: &str, body: &str) -> Value {
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{head}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.reader.get_mut().write_all(request.as_bytes()).unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.reader.read_line(&mut head).unwrap() > 0, "connection closed: {head}");
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.unwrap_or_else(|| panic!("{head}")).parse().unwrap();
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}

#[test]
fn calls_of_many_clients_are_not_lost_mixed_up_or_duplicated() {
    const N_CLIENTS: u64 = 64;
    const N_CALLS: u64 = 200;
    let served = HttpProgram::sample(&[]);
    let address = served.address.clone();
    let sessions: Vec<String> =
        (0..N_CLIENTS).map(|_| served.connect("2025-11-25").session.clone()).collect();
    let before = served.call("about", &json!({})).json()["data"]["calls"].as_u64().unwrap();
    let clients: Vec<_> = (0..N_CLIENTS)
        .zip(sessions)
        .map(|(n, session)| {
            let address = address.clone();
            std::thread::spawn(move || {
                let mut client = KeepAliveClient::new(&address);
                for k in 0..N_CALLS {
                    // All clients use the same ids.
                    let message = format!("client {n} call {k}");
                    let params = json!({"name": "echo", "arguments": {"message": message}});
                    let (head, body) = if n % 2 == 0 {
                        let call = json!({"jsonrpc": "2.0", "id": k, "method": "tools/call",
                            "params": params});
                        (format!("Mcp-Session-Id: {session}\r\n"), call.to_string())
                    } else {
                        let head = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
                            Mcp-Name: echo\r\n";
                        (
                            head.to_owned(),
                            crate::http_client::modern_request(k, "tools/call", &params),
                        )
                    };
                    let answer = client.request(&head, &body);
                    assert_eq!(answer["id"], k);
                    let data = &answer["result"]["structuredContent"]["data"];
                    assert_eq!(data["result"], message.as_str(), "{answer}");
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
    let after = served.call("about", &json!({})).json()["data"]["calls"].as_u64().unwrap();
    assert_eq!(after - before, N_CLIENTS * N_CALLS + 1);
}

#[test]
fn a_thousand_idle_connections_do_not_block_others() {
    let served = HttpProgram::sample(&[]);
    let idle: Vec<TcpStream> =
        (0..1000).map_while(|_| TcpStream::connect(&served.address).ok()).collect();
    assert!(idle.len() > 900, "only {} connections could be opened", idle.len());
    for n in 0..20 {
        let reply = served.call("add", &json!({"a": n, "b": 1}));
        assert_eq!(reply.json()["data"]["sum"], n + 1);
    }
    drop(idle);
    assert_eq!(served.call("text", &json!({})).status, 200);
}

#[test]
fn a_client_of_the_modern_era_cancels_its_call_by_disconnecting() {
    let served = HttpProgram::sample(&["-v"]);
    let wait = json!({"name": "wait", "arguments": {"ms": 60_000}});
    // One call has no response yet, one is in the middle of a stream, and one uses plain HTTP.
    let silent = served.send_modern("tools/call", &wait);
    let params = json!({"name": "progress", "arguments": {"steps": 1000, "delay_ms": 20},
        "_meta": {"progressToken": 1}});
    let mut streaming = served.send_modern("tools/call", &params);
    streaming.wait(|it| it["method"] == "notifications/progress");
    let plain = served.send("POST", "/tools/wait", &[], &json!({"ms": 60_000}).to_string());
    served.wait_for_calls(3);
    drop((silent, streaming, plain));
    for _ in 0..200 {
        let about = served.call("about", &json!({})).json();
        if about["data"]["cancelled"] == 3 {
            wait_until("they are logged", || served.stderr().contains("called wait: CANCELLED"));
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("the calls were not cancelled; {}", served.call("about", &json!({})).body);
}

#[test]
fn a_client_that_does_not_read_does_not_block_others() {
    let served = HttpProgram::sample(&[]);
    let client = served.connect("2025-11-25");
    let params = json!({"name": "huge", "arguments": {"bytes": 20_000_000}});
    let unread: Vec<_> =
        (0..4).map(|n| client.start_request(&json!(n), "tools/call", &params)).collect();
    for n in 0..20 {
        assert_eq!(served.call("add", &json!({"a": n, "b": 1})).json()["data"]["sum"], n + 1);
    }
    for (n, unread) in unread.into_iter().enumerate() {
        let answer = unread.read_reply().answer(&json!(n));
        let result = &answer["result"]["structuredContent"]["data"]["result"];
        assert!(result.as_str().unwrap().len() >= 20_000_000);
    }
}

#[test]
fn a_server_that_crashes_is_restarted_for_all_clients() {
    let served = HttpProgram::sample(&[]);
    let client = served.connect("2025-11-25");
    let params = json!({"name": "wait", "arguments": {"ms": 60_000}});
    let open = client.start_request(&json!(1), "tools/call", &params);
    let modern = served.send_modern("tools/call", &params);
    served.wait_for_calls(2);
    let crashed = served.call("crash", &json!({}));
    assert_eq!(crashed.status, 503, "{crashed:?}");
    assert_eq!(crashed.header("manila-code").as_deref(), Some("UPSTREAM_UNAVAILABLE"));
    for reply in [open.read_reply(), modern.read_reply()] {
        let result = reply.answer(&json!(1))["result"].clone();
        assert_eq!(result["_meta"]["dev.manila/code"], "UPSTREAM_UNAVAILABLE", "{result}");
    }
    for _ in 0..200 {
        if served.call("text", &json!({})).status == 200 {
            assert_eq!(client.call("text", &json!({}))["isError"], false);
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("the server was not restarted; {}", served.stderr());
}
