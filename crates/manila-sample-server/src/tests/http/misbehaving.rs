//! Misbehaviour over HTTP, and faults from the start.

use super::super::super::{Ending, Fault, Options};
use super::super::conversation::expand;
use super::client::{Connection, TestServer, check};

#[test]
fn sends_extra_and_invalid_messages() {
    check(
        Options::default(),
        r#"
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: misbehave | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META},"name":"misbehave","arguments":{"how":"answer_twice"}}}
        a< 200 stream
        a< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"the first response"}],SERVER_INFO}}
        a< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"the second response"}],SERVER_INFO}}
        a< end
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: misbehave | {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{META},"name":"misbehave","arguments":{"how":"garbage"}}}
        a< 200 stream
        a< DEBUG berth 4 is free
        a< <html>
        a< {"jsonrpc":
        a< }{][
        a< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"the response after the garbage"}],SERVER_INFO}}
        a< end
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: misbehave | {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{META},"name":"misbehave","arguments":{"how":"wrong_id"}}}
        a< 200 stream
        a< {"jsonrpc":"2.0","id":999999,"result":{"resultType":"complete","content":[{"type":"text","text":"for another request"}],SERVER_INFO}}
        a!
        "#,
    );
}

#[test]
fn fails_internally_and_streams_endlessly() {
    let server = TestServer::start(Options::default());
    let mut client = server.connect();
    call(&mut client, "misbehave", r#"{"how":"internal_error"}"#);
    let reply = client.reply();
    assert_eq!(reply.status, 500);
    assert!(reply.body.unwrap().contains(r#""error":{"code":-32603,"#));
    // An endless stream ends when its client disconnects.
    call(&mut client, "misbehave", r#"{"how":"endless"}"#);
    assert_eq!(client.reply().status, 200);
    for _ in 0..3 {
        assert!(client.event().unwrap().contains("the tide is rising"));
    }
}

#[test]
fn sends_huge_responses() {
    let server = TestServer::start(Options::default());
    let mut client = server.connect();
    for n_bytes in [1, 65_000, 66_000, 3_000_000] {
        call(&mut client, "huge", &format!(r#"{{"bytes":{n_bytes}}}"#));
        let body = client.reply().body.unwrap();
        let response: serde_json::Value = serde_json::from_str(&body).unwrap();
        let text = response["result"]["content"][0]["text"].as_str();
        assert_eq!(text.map(str::len), Some(n_bytes));
    }
}

#[test]
fn serves_after_a_flood() {
    let server = TestServer::start(Options::default());
    let mut client = server.connect();
    call(&mut client, "misbehave", r#"{"how":"flood"}"#);
    let reply = client.reply();
    assert_eq!(reply.body, None);
    drop(client);
    // The server has detected the disconnect by now, or will detect it.
    let mut client = server.connect();
    call(&mut client, "echo", r#"{"message":"hi"}"#);
    assert_eq!(client.reply().status, 200);
}

#[test]
fn stops_responding() {
    let server = TestServer::start(Options::default());
    let (mut first, mut second) = (server.connect(), server.connect());
    call(&mut first, "misbehave", r#"{"how":"hang_all"}"#);
    call(&mut first, "echo", r#"{"message":"hi"}"#);
    drop(first);
    // A request that is refused before its message is parsed still gets a response.
    second.send("PUT");
    assert_eq!(second.reply().status, 405);
}

#[test]
fn has_faults_from_the_start() {
    let mut server = TestServer::start(Options::from(Some(Fault::Exit)));
    assert_eq!(server.stop(), Some(Ending::GaveUp));

    let server = TestServer::start(Options::from(Some(Fault::Noise)));
    let mut client = server.connect();
    call(&mut client, "misbehave", r#"{"how":"wrong_id"}"#);
    assert_eq!(client.reply().status, 200);
    assert_eq!(client.event().as_deref(), Some("manila-sample is warming up ..."));
}

fn call(client: &mut Connection, tool: &str, arguments: &str) {
    client.send(&expand(&format!(
        r#"POST MCP-Protocol-Version: 2026-07-28; Mcp-Method: tools/call; Mcp-Name: {tool} | {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{META}},"name":"{tool}","arguments":{arguments}}}}}"#
    )));
}
