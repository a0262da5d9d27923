//! Servers that are reached over HTTP, and what they may do wrong.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::http_client::Served;
use crate::http_server::{Scripted, reply, result, say, usual};
use crate::program::manila;

/// Calls the tool of a scripted server, and gives the envelope and the exit code.
fn called(server: &Scripted, options: &[&str]) -> (Value, i32) {
    let ran = manila(&[&["call", "t", "--url", &server.url], options].concat(), b"");
    let envelope = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    (envelope, ran.code)
}

#[test]
fn credentials_are_ours_and_go_with_each_request() {
    let server = Scripted::start(|request, stream| {
        if !usual(request, stream, "s1") {
            say(stream, "", &result(request, &json!({"content": [{"type": "text", "text": "x"}]})));
        }
    });
    let header = "Authorization: Bearer sesame-open-now";
    let gateway = Served::at(&server.url, &["--header", header, "--header", "X-Team: blue"]);
    let client = gateway.greeted("2025-11-25");
    let head = ["Authorization: Bearer of-the-client", &client.head(), "Cookie: a=b"];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "t", "arguments": {}}});
    let head = [&head[..], &crate::http_client::JSON].concat();
    let answer = gateway.ask("POST", "/mcp", &head, &body.to_string()).json();
    assert_eq!(answer["result"]["structuredContent"]["data"]["result"], "x", "{answer}");
    let requests = server.heard();
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
fn a_header_comes_from_the_environment_and_wrong_ones_are_refused() {
    for (header, words) in [
        ("Authorization: Bearer ${MANILA_NO_SUCH_VARIABLE}", "is not set in the environment"),
        ("just words", "a header must be `Name: value`"),
        ("Mcp-Session-Id: x", "is written by Manila itself"),
        ("Bad Name: x", "a header must be `Name: value`"),
    ] {
        let args = ["tools", "--url", "http://127.0.0.1:9/mcp", "--header", header];
        let ran = manila(&args, b"");
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(words) && ran.stderr.contains("hint:"), "{}", ran.stderr);
    }
    for (url, words) in [
        ("ftp://127.0.0.1/", "must start with http://"),
        ("nonsense", "is no URL"),
        ("http://u:hunter2@[bad", "is no URL"),
        ("http://127.0.0.1:9/mcp", "the server is not available"),
    ] {
        let ran = manila(&["tools", "--url", url], b"");
        assert_eq!(ran.code, 2, "{url}");
        assert!(ran.stderr.contains(words) && ran.stderr.contains("hint:"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);
    }
    let ran = manila(&["tools", "--url", "http://127.0.0.1:9/mcp", "--", "x"], b"");
    assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
}

#[test]
fn a_session_that_the_server_forgot_is_opened_again_and_the_call_is_not_lost() {
    // Some say it as the specification has it, some in their own way.
    for (status, body) in [
        ("404 Not Found", ""),
        (
            "400 Bad Request",
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
        ),
    ] {
        let n_opened = AtomicUsize::new(0);
        let server = Scripted::start(move |request, stream| {
            let n_sessions = n_opened.load(Ordering::SeqCst);
            if request.message["method"] == "initialize" {
                n_opened.fetch_add(1, Ordering::SeqCst);
                usual(request, stream, &format!("s{n_sessions}"));
            } else if request.message["method"] == "tools/call" {
                match request.header("mcp-session-id") {
                    Some("s0") => {
                        reply(stream, status, "Content-Type: application/json\r\n", body);
                    }
                    session => {
                        let text = format!("in {}", session.unwrap_or_default());
                        let content = json!([{"type": "text", "text": text}]);
                        say(stream, "", &result(request, &json!({"content": content})));
                    }
                }
            } else {
                usual(request, stream, "");
            }
        });
        let gateway = Served::at(&server.url, &[]);
        let client = gateway.greeted("2025-11-25");
        for _ in 0..2 {
            let envelope = client.call("t", &json!({}))["structuredContent"].clone();
            assert_eq!(envelope["data"]["result"], "in s1", "{status}: {envelope}");
        }
    }
}

/// What a server does wrong with a call.
#[derive(Clone, Copy)]
enum Wrong {
    /// It answers with this status, these headers and this body.
    Reply(&'static str, &'static str, &'static str),
    /// It begins to write this, and is gone.
    BreaksOff(&'static str),
    /// It begins to write this, and then writes this over and over.
    Endless(&'static str, &'static str),
    /// It never answers.
    Hangs,
}

const AS_JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
    Connection: close\r\n\r\n";
const HALF: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
    Content-Length: 1000\r\n\r\n{\"jsonrpc\"";
const NOTHING_MUCH: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n";
const OTHER: &str = r#"{"jsonrpc":"2.0","id":77777,"result":{}}"#;

/// The code in the envelope, words of its message, and what the server did.
const WRONG: [(&str, &str, Wrong); 14] = [
    ("UNAVAILABLE", "answered HTTP 500", Wrong::Reply("500 Internal Server Error", "", "boom")),
    ("UNAVAILABLE", "answered HTTP 401", Wrong::Reply("401 Unauthorized", "", "")),
    ("UNAVAILABLE", "answered HTTP 302", Wrong::Reply("302 Found", "Location: /\r\n", "")),
    (
        "RATE_LIMIT_EXCEEDED",
        "asked too often",
        Wrong::Reply("429 Too Many Requests", "Retry-After: 7\r\n", ""),
    ),
    ("INTERNAL_ERROR", "cannot be read", Wrong::Reply("200 OK", AS_JSON, r#"{"jsonrpc":"2.0","#)),
    ("INTERNAL_ERROR", "another request", Wrong::Reply("200 OK", AS_JSON, OTHER)),
    (
        "INTERNAL_ERROR",
        "neither JSON nor",
        Wrong::Reply("200 OK", "Content-Type: text/html\r\n", "<p>"),
    ),
    ("INTERNAL_ERROR", "accepted, and not answered", Wrong::Reply("202 Accepted", "", "")),
    ("INTERNAL_ERROR", "broke off", Wrong::BreaksOff(HALF)),
    ("INTERNAL_ERROR", "ended before the answer", Wrong::BreaksOff(": hello\n\n")),
    ("INTERNAL_ERROR", "ended before the answer", Wrong::BreaksOff("data: what?\n\n")),
    ("UNAVAILABLE", "timed out after 1000 ms", Wrong::Endless("", NOTHING_MUCH)),
    ("UNAVAILABLE", "timed out after 1000 ms", Wrong::Hangs),
    ("VALIDATION_ERROR", "more than 1048576 bytes", Wrong::Endless("data: ", "xxxxxxxxxxxxxxxx")),
];

fn do_wrong(wrong: Wrong, stream: &mut std::net::TcpStream) {
    // A client that is gone needs no reply.
    match wrong {
        Wrong::Reply(status, head, body) => reply(stream, status, head, body),
        Wrong::BreaksOff(text) => {
            let begun = if text == HALF { "" } else { EVENTS };
            let _ = stream.write_all([begun, text].concat().as_bytes());
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        Wrong::Endless(begin, unit) => {
            let _ = stream.write_all([EVENTS, begin].concat().as_bytes());
            let piece = unit.repeat(1_000);
            while stream.write_all(piece.as_bytes()).is_ok() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        Wrong::Hangs => std::thread::sleep(Duration::from_secs(20)),
    }
}

#[test]
fn what_a_server_does_wrong_is_told_in_an_envelope() {
    for (code, words, wrong) in WRONG {
        let server = Scripted::start(move |request, stream| {
            if !usual(request, stream, "s") {
                do_wrong(wrong, stream);
            }
        });
        let (envelope, exit) = called(&server, &["--timeout", "1s", "--message-bytes-max", "1MiB"]);
        assert_eq!(envelope["data"]["error_code"], code, "{words}: {envelope}");
        let error = envelope["error"].as_str().unwrap();
        assert!(error.contains(words), "{words}: {envelope}");
        assert_eq!(exit, 1);
        if code == "RATE_LIMIT_EXCEEDED" {
            assert_eq!(envelope["data"]["retry_after_seconds"], 7, "{envelope}");
        }
    }
}

#[test]
fn answers_come_as_json_or_as_events_and_over_several_lines() {
    let server = Scripted::start(|request, stream| {
        if usual(request, stream, "s") {
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
    let (envelope, exit) = called(&server, &[]);
    assert_eq!((envelope["data"].to_string().as_str(), exit), (r#"{"n":1.0}"#, 0));
}

#[test]
fn a_server_that_is_not_there_may_come_later() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let served = Served::at(&format!("http://{address}/mcp"), &[]);
    let early = served.call("echo", &json!({"message": "x"}));
    assert_eq!(early.status, 503, "{early:?}");
    let ready = served.ask("GET", "/readyz", &[], "");
    assert_eq!(ready.status, 503, "{ready:?}");
    let _server = Served::sample_server_at(&address.to_string());
    for _ in 0..200 {
        let reply = served.call("echo", &json!({"message": "x"}));
        if reply.status == 200 {
            assert_eq!(served.ask("GET", "/readyz", &[], "").status, 200);
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("it was not found: {}", served.stderr());
}

#[test]
fn a_server_that_changes_its_era_is_found_again() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let gateway = Served::at(&format!("http://{address}/mcp"), &[]);
    for era in ["legacy", "modern", "legacy"] {
        let server = Served::start(&["sample-server", "--http", &address, "--era", era]);
        let is_found = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            gateway.call("text", &json!({})).status == 200
        });
        assert!(is_found, "{era}: {}", gateway.call("text", &json!({})).body);
        drop(server);
    }
}

#[test]
fn what_we_tell_a_server_in_confidence_is_told_to_nobody() {
    let server = Scripted::start(|request, stream| {
        let said = request.header("authorization").unwrap_or_default();
        reply(stream, "401 Unauthorized", "", &format!("bad credentials {said}"));
    });
    let url = server.url.replace("http://", "http://alice:swordfish9@");
    for (url, header) in [(server.url.as_str(), "Authorization: Token zq81-lmno"), (&url, "X: y")] {
        let gateway = Served::at(url, &["--header", header]);
        let called = gateway.call("t", &json!({}));
        assert_eq!(called.status, 503, "{called:?}");
        assert!(called.body.contains("bad credentials"), "{called:?}");
        let ready = gateway.ask("GET", "/readyz", &[], "");
        assert_eq!(ready.status, 503, "{ready:?}");
        for told in [called.body, ready.body, gateway.stderr()] {
            for secret in ["zq81", "swordfish9", "YWxpY2U6c3dvcmRmaXNoOQ"] {
                assert!(!told.contains(secret), "{secret}: {told}");
            }
        }
    }
}
