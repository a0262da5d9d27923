//! `manila wrap --http`: refusals of addresses, origins, headers, and malformed or large requests.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::http_client::{HttpProgram, JSON, VERSION, modern_request};
use crate::program::manila;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn only_a_free_loopback_address_is_accepted() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let ran = manila(&["wrap", "--http", address, "--", "true"], b"");
        assert_eq!(ran.code, 2, "{address}");
        assert!(ran.stderr.contains("not a loopback address"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: use a loopback address"), "{}", ran.stderr);
    }
    let occupied = HttpProgram::sample(&[]);
    let ran = manila(&["wrap", "--http", &occupied.address, "--", "true"], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot listen on"), "{}", ran.stderr);
    let ran = manila(&["wrap", "--http", "here", "--", "true"], b"");
    assert!(ran.stderr.contains("use an address and a port"), "{}", ran.stderr);
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let served = HttpProgram::sample(&[]);
    let own_host = format!("Host: {}", served.address);
    for (host, origin, status) in [
        ("Host: evil.example", None, 403),
        ("Host: evil.example:80", Some("Origin: http://evil.example"), 403),
        ("Host: 127.0.0.1.evil.example", None, 403),
        ("Host: localhost@evil.example", None, 403),
        (own_host.as_str(), Some("Origin: http://evil.example"), 403),
        (own_host.as_str(), Some("Origin: null"), 403),
        (own_host.as_str(), Some("Origin: http://localhost.evil.example"), 403),
        (own_host.as_str(), Some("Origin: file://localhost"), 403),
        (own_host.as_str(), Some("Origin: http://localhost:3000"), 200),
        (own_host.as_str(), Some("Origin: https://127.0.0.1"), 200),
        ("Host: localhost:1", None, 200),
        ("Host: [::1]:1", None, 200),
    ] {
        for path in ["/healthz", "/tools", "/readyz"] {
            let head: Vec<&str> = [host].into_iter().chain(origin).collect();
            let reply = served.request("GET", path, &head, "");
            assert_eq!(reply.status, status, "{path} {host} {origin:?}: {reply:?}");
        }
    }
    // A target in absolute form names a host, too.
    let address = &served.address;
    for (target, status) in [
        ("http://evil.example/healthz", 403),
        ("http://evil.example:80/tools", 403),
        ("http://127.0.0.1.evil.example/mcp", 403),
        ("http://localhost@evil.example/healthz", 403),
        ("http://evil.example@localhost/healthz", 403),
        ("http://192.0.2.1/healthz", 403),
        ("http://localhost/healthz", 200),
        ("http://[::1]:1/healthz", 200),
        (&format!("http://{address}/healthz"), 200),
    ] {
        let reply = served.request("GET", target, &[&own_host], "");
        assert_eq!(reply.status, status, "{target}: {reply:?}");
    }
    let twice = served.request("GET", "/healthz", &[&own_host, "Host: evil.example"], "");
    assert!((400..=403).contains(&twice.status), "{twice:?}");
}

#[test]
fn malformed_requests_are_refused_with_the_rule() {
    let served = HttpProgram::sample(&[]);
    let client = served.connect("2025-11-25");
    let session = client.head();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{deep}}}}}"#);
    let many: Vec<String> = (0..200).map(|n| format!("X-{n}: y")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = format!("X-Long: {}", "y".repeat(200_000));
    let post = |head: &[&str], body: &str| served.request("POST", "/mcp", head, body);
    for (reply, status, expected) in [
        (post(&[JSON[0], &session], "{"), 400, "-32700"),
        (post(&[JSON[0], &session], "7"), 400, "-32600"),
        (post(&[JSON[0], &session], r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#), 400, "-32600"),
        (post(&[JSON[0], &session], "[]"), 400, "is a batch"),
        (post(&[JSON[0], &session], &deep), 400, "-32700"),
        (post(&["Content-Type: text/plain", &session], PING), 415, "application/json"),
        (post(&[JSON[0], "Accept: text/html", &session], PING), 406, "text/event-stream"),
        (post(&many, PING), 431, ""),
        (post(&[&long], PING), 431, ""),
        (served.request("PUT", "/mcp", &[], ""), 405, "POST, GET, DELETE"),
        (served.request("GET", "/mcp", &[VERSION], ""), 405, "POST"),
        (served.request("GET", "/mcp", &[], ""), 400, "Mcp-Session-Id"),
        (served.request("GET", "/mcp", &[&session, "Accept: text/html"], ""), 406, "event-stream"),
        (served.request("GET", "/nowhere", &[], ""), 404, "/tools"),
        (served.request("DELETE", "/tools/echo", &[], ""), 405, "GET, POST"),
        (served.request("POST", "/healthz", &[], ""), 405, "GET"),
    ] {
        assert_eq!(reply.status, status, "{expected}: {reply:.300?}");
        assert!(reply.body.contains(expected) || expected.is_empty(), "{expected}: {reply:?}");
    }
    // A message over HTTP may contain line breaks; one over stdio may not.
    let spread = "{\"jsonrpc\": \"2.0\",\r\n \"id\": 1, \"method\": \"tools/call\",\n\"params\": \
        {\"name\": \"echo\", \"arguments\": {\"message\": \"a\\nb\"}}}\n";
    let reply = post(&[JSON[0], &session], spread);
    assert_eq!(reply.json()["result"]["structuredContent"]["data"]["result"], "a\nb");
}

#[test]
fn headers_of_the_modern_era_must_match_the_body() {
    let served = HttpProgram::sample(&[]);
    let call = modern_request(1, "tools/call", &json!({"name": "text", "arguments": {}}));
    let other = call.replace("2026-07-28", "2099-01-01");
    let method = "Mcp-Method: tools/call";
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let removed = modern_request(1, "ping", &json!({}));
    let unknown = modern_request(1, "no/such", &json!({}));
    let future = "MCP-Protocol-Version: 2099-01-01";
    for (head, body, status, code) in [
        (vec![VERSION, method, "Mcp-Name: text"], &*call, 200, None),
        (vec![VERSION, method, "Mcp-Name: =?base64?dGV4dA==?="], &call, 200, None),
        (vec![VERSION, "mcp-method:   tools/call  ", "MCP-NAME: text"], &call, 200, None),
        (vec![method, "Mcp-Name: text"], &call, 400, Some(-32020)),
        (vec![VERSION, "Mcp-Name: text"], &call, 400, Some(-32020)),
        (vec![VERSION, "Mcp-Method: tools/list", "Mcp-Name: text"], &call, 400, Some(-32020)),
        (vec![VERSION, "Mcp-Method: TOOLS/CALL", "Mcp-Name: text"], &call, 400, Some(-32020)),
        (vec![VERSION, method], &call, 400, Some(-32020)),
        (vec![VERSION, method, "Mcp-Name: echo"], &call, 400, Some(-32020)),
        (vec![VERSION, method, "Mcp-Name: =?base64?!!?="], &call, 400, Some(-32020)),
        (vec![VERSION, method, "Mcp-Name: text"], &other, 400, Some(-32020)),
        (vec![future, method, "Mcp-Name: text"], &other, 400, Some(-32022)),
        (vec![VERSION, "Mcp-Method: tools/list"], bare, 400, Some(-32602)),
        (vec![VERSION, "Mcp-Method: ping"], &removed, 404, Some(-32601)),
        (vec![VERSION, "Mcp-Method: no/such"], &unknown, 404, Some(-32601)),
    ] {
        let head = [&JSON[..], &head].concat();
        let reply = served.request("POST", "/mcp", &head, body);
        assert_eq!(reply.status, status, "{head:?} {body}: {reply:?}");
        let answer = reply.json();
        assert_eq!(answer["id"], 1, "{answer}");
        assert_eq!(answer["error"]["code"].as_i64(), code, "{head:?}: {answer}");
    }
    let refused =
        served.request("POST", "/mcp", &[JSON[0], future, method, "Mcp-Name: text"], &other);
    let data = refused.json()["error"]["data"].clone();
    assert_eq!(data["requested"], "2099-01-01");
    assert_eq!(data["supported"][0], "2026-07-28");
}

#[test]
fn arguments_in_headers_must_match_the_body() {
    let served = HttpProgram::sample(&[]);
    let params = json!({"name": "route", "arguments": {"region": "eu"}});
    let call = modern_request(1, "tools/call", &params);
    let head = [JSON[0], JSON[1], VERSION, "Mcp-Method: tools/call", "Mcp-Name: route"];
    let tools = served.request("GET", "/tools/route", &[], "").json();
    let header = tools["inputSchema"]["properties"]["region"]["x-mcp-header"].as_str().unwrap();
    let send_with = |value: &str| {
        let line = format!("Mcp-Param-{header}: {value}");
        served.request("POST", "/mcp", &[&head[..], &[&line]].concat(), &call)
    };
    assert_eq!(send_with("eu").status, 200, "{:?}", send_with("eu"));
    assert_eq!(send_with("=?base64?ZXU=?=").status, 200);
    let (matching, other) = (format!("Mcp-Param-{header}: eu"), format!("Mcp-Param-{header}: us"));
    let twice = [&head[..], &[matching.as_str(), other.as_str()]].concat();
    let twice = served.request("POST", "/mcp", &twice, &call);
    for reply in [send_with("us"), twice, served.request("POST", "/mcp", &head, &call)] {
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32020)));
    }
}

#[test]
fn a_body_over_the_limit_is_not_read() {
    let served = HttpProgram::sample(&["--message-bytes-max", "1MiB"]);
    let client = served.connect("2025-11-25");
    for (path, head) in [("/mcp", client.head()), ("/tools/echo", "X: y".to_owned())] {
        let reply = served.request("POST", path, &[JSON[0], &head], &" ".repeat(100_000_000));
        assert_eq!(reply.status, 413, "{reply:?}");
        assert!(reply.body.contains("exceeds the limit of 1048576 bytes"), "{reply:?}");
    }
    // A body without a declared length is not read to its end, either.
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let head = format!(
        "POST /tools/echo HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..200 {
        if stream.write_all(piece.as_bytes()).is_err() {
            break;
        }
    }
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut reply = [0; 12];
    // The connection may be reset before the reply is read.
    if stream.read_exact(&mut reply).is_ok() {
        assert_eq!(&reply, b"HTTP/1.1 413");
    }
    assert_eq!(served.call("text", &json!({})).status, 200);
}

#[test]
fn incomplete_requests_do_not_block_others() {
    let served = HttpProgram::sample(&[]);
    let incomplete: Vec<TcpStream> = (0..50)
        .map(|n| {
            let mut stream = TcpStream::connect(&served.address).unwrap();
            let text = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{";
            stream.write_all(&text.as_bytes()[..text.len() - n]).unwrap();
            stream
        })
        .collect();
    assert_eq!(served.call("add", &json!({"a": 1, "b": 1})).status, 200);
    drop(incomplete);
}
