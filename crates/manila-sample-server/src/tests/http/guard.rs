//! Requests that the server refuses before it parses the message.

use super::super::super::Options;
use super::super::super::line::LINE_BYTES_MAX;
use super::client::{TestServer, check};

const PING: &str = r#"| {"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn accepts_only_local_hosts_and_origins() {
    for (headers, status) in [
        ("Host: 127.0.0.1:8000", 400),
        ("Host: LOCALHOST:1", 400),
        ("Host: [::1]:80", 400),
        ("Host: 127.1.2.3", 400),
        ("Host: localhost; Origin: http://localhost:5173", 400),
        ("Host: localhost; Origin: https://127.0.0.1", 400),
        ("Host: localhost; Origin: http://[::1]:3", 400),
        ("Host: none", 400),
        ("Host: example.com", 403),
        ("Host: localhost.example.com", 403),
        ("Host: 192.168.0.1:80", 403),
        ("Host: 127.0.0.1.example.com:80", 403),
        ("Host: localhost; Origin: https://example.com", 403),
        ("Host: localhost; Origin: http://localhost.example.com", 403),
        ("Host: localhost; Origin: null", 403),
        ("Host: localhost; Origin: file://", 403),
    ] {
        let server = TestServer::start(Options::default());
        let mut client = server.connect();
        client.send(&format!("POST {headers} {PING}"));
        // A request that passes the guard gets 400, because it has no session.
        let reply = client.reply();
        assert_eq!(reply.status, status, "{headers}: {:?}", reply.body);
    }
}

#[test]
fn refuses_other_paths_methods_and_media_types() {
    check(
        Options::default(),
        r#"
        a> POST Path: /other | {}
        a< 404 the only path is /mcp
        a> POST Path: /mcp?a=b; Content-Type: text/plain | {}
        a< 415 the body must be application/json
        a> POST Content-Type: none | {}
        a< 415 the body must be application/json
        a> POST Accept: application/json | {}
        a< 406 Accept must have both application/json and text/event-stream
        a> POST Accept: */*; Content-Type: Application/JSON; charset=utf-8 | {"jsonrpc":"2.0","id":1,"method":"ping"}
        a< 400 the Mcp-Session-Id is missing: send initialize first
        a> GET Accept: application/json; Mcp-Session-Id: x
        a< 406 Accept must have text/event-stream
        a> PUT | {}
        a< 405 the method is not allowed
        a> OPTIONS Host: localhost
        a< 405 the method is not allowed
        "#,
    );
}

#[test]
fn refuses_malformed_and_oversized_requests() {
    let long = format!("X: {}\r\n", "x".repeat(1000)).repeat(40);
    let many = "X: x\r\n".repeat(65);
    let chunk = format!("fffffff\r\n{}", "x".repeat(LINE_BYTES_MAX + 1));
    for (request, status) in [
        ("hello\r\n\r\n".to_owned(), 400),
        ("POST /mcp HTTP/1.0\r\n\r\n".to_owned(), 400),
        (format!("POST /mcp HTTP/1.1\r\n{long}\r\n"), 431),
        (format!("POST /mcp HTTP/1.1\r\n{many}\r\n"), 431),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), 411),
        ("POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n".to_owned(), 400),
        ("POST /mcp HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx".to_owned(), 400),
        ("POST /mcp HTTP/1.1\r\nHost: a\r\nHost: a\r\nContent-Length: 0\r\n\r\n".to_owned(), 400),
        ("POST /mcp HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n".to_owned(), 400),
        ("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n".to_owned(), 400),
        ("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz".to_owned(), 400),
        (format!("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}"), 413),
        (format!("POST /mcp HTTP/1.1\r\nContent-Length: {}\r\n\r\nx", LINE_BYTES_MAX + 1), 413),
        (format!("POST /mcp HTTP/1.1\r\nContent-Length: {}0\r\n\r\nx", u64::MAX), 400),
    ] {
        let server = TestServer::start(Options::default());
        let mut client = server.connect();
        client.send_bytes(request.as_bytes());
        let reply = client.reply();
        assert_eq!(reply.status, status, "{}", &request[..request.len().min(100)]);
        assert_eq!(reply.header("connection"), Some("close"));
    }
}

#[test]
fn reads_bodies_in_pieces() {
    let server = TestServer::start(Options::default());
    let mut client = server.connect();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Accept: */*\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
    let (first, rest) = head.split_at(40);
    client.send_bytes(first.as_bytes());
    client.send_bytes(rest.as_bytes());
    assert_eq!(client.reply().status, 100);
    client.send_bytes(b"8\r\n{\"jsonrp\r\n5;a=b\r\nc\":1}\r\n0\r\n\r\n");
    let refusal = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"#;
    let body = client.reply().body.unwrap();
    assert!(body.starts_with(refusal), "{body}");
}

#[test]
fn serves_pipelined_requests_in_order() {
    let server = TestServer::start(Options::default());
    let mut client = server.connect();
    let meta = r#""_meta":{META}"#;
    let wait = format!(
        r#"POST MCP-Protocol-Version: 2026-07-28; Mcp-Method: tools/call; Mcp-Name: wait | {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{meta},"name":"wait","arguments":{{"ms":20}}}}}}"#
    );
    client.send(&super::super::conversation::expand(&wait));
    client.send("POST Connection: close; Path: /elsewhere | {}");
    assert!(client.reply().body.unwrap().contains("waited 20 ms"));
    assert_eq!(client.reply().status, 404);
    assert_eq!(client.rest(), "");
}
