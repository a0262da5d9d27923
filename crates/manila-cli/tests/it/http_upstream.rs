//! Upstream servers over HTTP, including servers that misbehave.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::http_server::{ScriptedServer, answer_handshake, reply, reply_json, result};
use crate::program::manila;

/// Calls the tool of a scripted server. Returns the envelope and the exit code.
fn call_tool(server: &ScriptedServer, options: &[&str]) -> (Value, i32) {
    let ran = manila(&[&["call", "t", "--url", &server.url], options].concat(), b"");
    let envelope = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    (envelope, ran.code)
}

#[test]
fn only_configured_credentials_are_sent_with_each_request() {
    let server = ScriptedServer::start(|request, stream| {
        if !answer_handshake(request, stream, "s1") {
            reply_json(
                stream,
                "",
                &result(request, &json!({"content": [{"type": "text", "text": "x"}]})),
            );
        }
    });
    let header = "Authorization: Bearer sesame-open-now";
    let gateway = HttpProgram::at(&server.url, &["--header", header, "--header", "X-Team: blue"]);
    let client = gateway.connect("2025-11-25");
    let head = ["Authorization: Bearer of-the-client", &client.head(), "Cookie: a=b"];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "t", "arguments": {}}});
    let head = [&head[..], &crate::http_client::JSON].concat();
    let answer = gateway.request("POST", "/mcp", &head, &body.to_string()).json();
    assert_eq!(answer["result"]["structuredContent"]["data"]["result"], "x", "{answer}");
    let requests = server.requests();
    for request in &requests {
        assert_eq!(request.header("authorization"), Some("Bearer sesame-open-now"), "{request:?}");
        assert_eq!(request.header("x-team"), Some("blue"));
        assert_eq!(request.header("cookie"), None);
    }
    let call = requests.iter().find(|it| it.message["method"] == "tools/call").unwrap();
    assert_eq!(call.header("mcp-session-id"), Some("s1"));
    assert_eq!(call.header("mcp-protocol-version"), Some("2025-11-25"));
    assert!(!gateway.stderr().contains("sesame"), "{}", gateway.stderr());
}

#[test]
fn wrong_headers_and_urls_are_refused() {
    for (header, expected) in [
        ("Authorization: Bearer ${MANILA_NO_SUCH_VARIABLE}", "is not set in the environment"),
        ("just words", "a header must be `Name: value`"),
        ("Mcp-Session-Id: x", "is reserved for Manila"),
        ("Bad Name: x", "invalid header name `Bad...`"),
    ] {
        let args = ["tools", "--url", "http://127.0.0.1:9/mcp", "--header", header];
        let ran = manila(&args, b"");
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(expected) && ran.stderr.contains("hint:"), "{}", ran.stderr);
    }
    for (url, expected) in [
        ("ftp://127.0.0.1/", "must start with http://"),
        ("nonsense", "is not a URL"),
        ("http://u:hunter2@[bad", "is not a URL"),
        ("http://127.0.0.1:9/mcp", "the server is not available"),
    ] {
        let ran = manila(&["tools", "--url", url], b"");
        assert_eq!(ran.code, 2, "{url}");
        assert!(ran.stderr.contains(expected) && ran.stderr.contains("hint:"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);
    }
    let ran = manila(&["tools", "--url", "http://127.0.0.1:9/mcp", "--", "x"], b"");
    assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
}

#[test]
fn an_expired_session_is_reopened_without_losing_the_call() {
    // Some servers report it as the specification requires, some in another way.
    for (status, body) in [
        ("404 Not Found", ""),
        (
            "400 Bad Request",
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
        ),
    ] {
        let n_opened = AtomicUsize::new(0);
        let server = ScriptedServer::start(move |request, stream| {
            let n_sessions = n_opened.load(Ordering::SeqCst);
            if request.message["method"] == "initialize" {
                n_opened.fetch_add(1, Ordering::SeqCst);
                answer_handshake(request, stream, &format!("s{n_sessions}"));
            } else if request.message["method"] == "tools/call" {
                match request.header("mcp-session-id") {
                    Some("s0") => {
                        reply(stream, status, "Content-Type: application/json\r\n", body);
                    }
                    session => {
                        let text = format!("in {}", session.unwrap_or_default());
                        let content = json!([{"type": "text", "text": text}]);
                        reply_json(stream, "", &result(request, &json!({"content": content})));
                    }
                }
            } else {
                answer_handshake(request, stream, "");
            }
        });
        let gateway = HttpProgram::at(&server.url, &[]);
        let client = gateway.connect("2025-11-25");
        for _ in 0..2 {
            let envelope = client.call("t", &json!({}))["structuredContent"].clone();
            assert_eq!(envelope["data"]["result"], "in s1", "{status}: {envelope}");
        }
    }
}

/// A wrong reaction of a server to a call.
#[derive(Clone, Copy)]
enum Misbehavior {
    /// Responds with this status, these headers and this body.
    Reply(&'static str, &'static str, &'static str),
    /// Writes this text and disconnects.
    BreaksOff(&'static str),
    /// Writes the first text, and then the second one over and over.
    Endless(&'static str, &'static str),
    /// Never responds.
    Hangs,
}

const AS_JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
    Connection: close\r\n\r\n";
const TRUNCATED: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
    Content-Length: 1000\r\n\r\n{\"jsonrpc\"";
const UNRELATED: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n";
const WRONG_ID: &str = r#"{"jsonrpc":"2.0","id":77777,"result":{}}"#;

/// The code in the envelope, a part of its message, and the server's misbehavior.
const MISBEHAVIORS: [(&str, &str, Misbehavior); 14] = [
    (
        "UNAVAILABLE",
        "responded with HTTP 500",
        Misbehavior::Reply("500 Internal Server Error", "", "boom"),
    ),
    ("UNAVAILABLE", "responded with HTTP 401", Misbehavior::Reply("401 Unauthorized", "", "")),
    (
        "UNAVAILABLE",
        "responded with HTTP 302",
        Misbehavior::Reply("302 Found", "Location: /\r\n", ""),
    ),
    (
        "RATE_LIMIT_EXCEEDED",
        "limiting requests",
        Misbehavior::Reply("429 Too Many Requests", "Retry-After: 7\r\n", ""),
    ),
    (
        "INTERNAL_ERROR",
        "cannot be read",
        Misbehavior::Reply("200 OK", AS_JSON, r#"{"jsonrpc":"2.0","#),
    ),
    ("INTERNAL_ERROR", "another request", Misbehavior::Reply("200 OK", AS_JSON, WRONG_ID)),
    (
        "INTERNAL_ERROR",
        "its `Content-Type` is `text/html`",
        Misbehavior::Reply("200 OK", "Content-Type: text/html\r\n", "<p>"),
    ),
    ("INTERNAL_ERROR", "HTTP 202 is not allowed", Misbehavior::Reply("202 Accepted", "", "")),
    ("INTERNAL_ERROR", "before the end of the body", Misbehavior::BreaksOff(TRUNCATED)),
    ("INTERNAL_ERROR", "ended before the response", Misbehavior::BreaksOff(": hello\n\n")),
    ("INTERNAL_ERROR", "ended before the response", Misbehavior::BreaksOff("data: what?\n\n")),
    ("UNAVAILABLE", "timed out after 1000 ms", Misbehavior::Endless("", UNRELATED)),
    ("UNAVAILABLE", "timed out after 1000 ms", Misbehavior::Hangs),
    (
        "VALIDATION_ERROR",
        "exceeds the limit of 1048576 bytes",
        Misbehavior::Endless("data: ", "xxxxxxxxxxxxxxxx"),
    ),
];

fn misbehave(wrong: Misbehavior, stream: &mut std::net::TcpStream) {
    // A client that has disconnected needs no response.
    match wrong {
        Misbehavior::Reply(status, head, body) => reply(stream, status, head, body),
        Misbehavior::BreaksOff(text) => {
            let head = if text == TRUNCATED { "" } else { EVENTS };
            let _ = stream.write_all([head, text].concat().as_bytes());
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        Misbehavior::Endless(begin, unit) => {
            let _ = stream.write_all([EVENTS, begin].concat().as_bytes());
            let piece = unit.repeat(1_000);
            while stream.write_all(piece.as_bytes()).is_ok() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        Misbehavior::Hangs => std::thread::sleep(Duration::from_secs(20)),
    }
}

#[test]
fn misbehavior_of_a_server_is_reported_in_an_envelope() {
    for (code, expected, wrong) in MISBEHAVIORS {
        let server = ScriptedServer::start(move |request, stream| {
            if !answer_handshake(request, stream, "s") {
                misbehave(wrong, stream);
            }
        });
        let (envelope, exit) =
            call_tool(&server, &["--timeout", "1s", "--message-bytes-max", "1MiB"]);
        assert_eq!(envelope["data"]["error_code"], code, "{expected}: {envelope}");
        let error = envelope["error"].as_str().unwrap();
        assert!(error.contains(expected), "{expected}: {envelope}");
        assert_eq!(exit, 1);
        if code == "RATE_LIMIT_EXCEEDED" {
            assert_eq!(envelope["data"]["retry_after_seconds"], 7, "{envelope}");
        }
    }
}

#[test]
fn responses_may_be_events_over_several_lines() {
    let server = ScriptedServer::start(|request, stream| {
        if answer_handshake(request, stream, "s") {
            return;
        }
        let id = &request.message["id"];
        let text = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
             : comment\r\nid: 1\r\ndata:\r\n\r\nevent: message\r\ndata: {{\"jsonrpc\": \"2.0\",\r\n\
             data:  \"id\": {id}, \"result\":\r\ndata: {{\"content\": [], \"structuredContent\": \
             {{\"n\":\r\ndata: 1.0}}}}}}\r\n\r\n"
        );
        let _ = stream.write_all(text.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Both);
    });
    let (envelope, exit) = call_tool(&server, &[]);
    assert_eq!((envelope["data"].to_string().as_str(), exit), (r#"{"n":1.0}"#, 0));
}

#[test]
fn a_server_may_become_available_later() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let served = HttpProgram::at(&format!("http://{address}/mcp"), &[]);
    let early = served.call("echo", &json!({"message": "x"}));
    assert_eq!(early.status, 503, "{early:?}");
    let ready = served.request("GET", "/readyz", &[], "");
    assert_eq!(ready.status, 503, "{ready:?}");
    let _server = HttpProgram::sample_server_at(&address.to_string());
    for _ in 0..200 {
        let reply = served.call("echo", &json!({"message": "x"}));
        if reply.status == 200 {
            assert_eq!(served.request("GET", "/readyz", &[], "").status, 200);
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("the server was not found: {}", served.stderr());
}

#[test]
fn a_server_that_changes_its_era_is_reconnected() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let gateway = HttpProgram::at(&format!("http://{address}/mcp"), &[]);
    for era in ["legacy", "modern", "legacy"] {
        let server = HttpProgram::start(&["sample-server", "--http", &address, "--era", era]);
        let is_found = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            gateway.call("text", &json!({})).status == 200
        });
        assert!(is_found, "{era}: {}", gateway.call("text", &json!({})).body);
        drop(server);
    }
}

#[test]
fn credentials_are_not_disclosed() {
    let server = ScriptedServer::start(|request, stream| {
        let credentials = request.header("authorization").unwrap_or_default();
        reply(stream, "401 Unauthorized", "", &format!("bad credentials {credentials}"));
    });
    let url = server.url.replace("http://", "http://alice:swordfish9@");
    for (url, header) in [(server.url.as_str(), "Authorization: Token zq81-lmno"), (&url, "X: y")] {
        let gateway = HttpProgram::at(url, &["--header", header]);
        let called = gateway.call("t", &json!({}));
        assert_eq!(called.status, 503, "{called:?}");
        assert!(called.body.contains("bad credentials"), "{called:?}");
        let ready = gateway.request("GET", "/readyz", &[], "");
        assert_eq!(ready.status, 503, "{ready:?}");
        for output in [called.body, ready.body, gateway.stderr()] {
            for secret in ["zq81", "swordfish9", "YWxpY2U6c3dvcmRmaXNoOQ"] {
                assert!(!output.contains(secret), "{secret}: {output}");
            }
        }
    }
}
