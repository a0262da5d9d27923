//! Misbehaviour over HTTP, and faults from the start.

use super::super::super::{Ending, Fault, Options};
use super::super::conversation::written_out;
use super::client::{Connection, Site, check};

#[test]
fn says_more_than_it_should() {
    check(
        Options::default(),
        r#"
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: misbehave | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META},"name":"misbehave","arguments":{"how":"answer_twice"}}}
        a< 200 stream
        a< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"the first answer"}],SERVER_INFO}}
        a< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"the second answer"}],SERVER_INFO}}
        a< end
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: misbehave | {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{META},"name":"misbehave","arguments":{"how":"garbage"}}}
        a< 200 stream
        a< DEBUG berth 4 is free
        a< <html>
        a< {"jsonrpc":
        a< }{][
        a< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"answered after the garbage"}],SERVER_INFO}}
        a< end
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: misbehave | {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{META},"name":"misbehave","arguments":{"how":"wrong_id"}}}
        a< 200 stream
        a< {"jsonrpc":"2.0","id":999999,"result":{"resultType":"complete","content":[{"type":"text","text":"for somebody else"}],SERVER_INFO}}
        a!
        "#,
    );
}

#[test]
fn fails_as_a_whole() {
    let site = Site::start(Options::default());
    let mut client = site.connect();
    call(&mut client, "misbehave", r#"{"how":"internal_error"}"#);
    let reply = client.reply();
    assert_eq!(reply.status, 500);
    assert!(reply.body.unwrap().contains(r#""error":{"code":-32603,"#));
    // A stream without end ends with its client.
    call(&mut client, "misbehave", r#"{"how":"endless"}"#);
    assert_eq!(client.reply().status, 200);
    for _ in 0..3 {
        assert!(client.event().unwrap().contains("the tide is rising"));
    }
}

#[test]
fn answers_hugely() {
    let site = Site::start(Options::default());
    let mut client = site.connect();
    for n_bytes in [1, 65_000, 66_000, 3_000_000] {
        call(&mut client, "huge", &format!(r#"{{"bytes":{n_bytes}}}"#));
        let body = client.reply().body.unwrap();
        let answer: serde_json::Value = serde_json::from_str(&body).unwrap();
        let text = answer["result"]["content"][0]["text"].as_str();
        assert_eq!(text.map(str::len), Some(n_bytes));
    }
}

#[test]
fn answers_after_a_flood() {
    let site = Site::start(Options::default());
    let mut client = site.connect();
    call(&mut client, "misbehave", r#"{"how":"flood"}"#);
    let answer = client.reply();
    assert_eq!(answer.body, None);
    drop(client);
    // The server has noticed by now that nobody reads, or will.
    let mut client = site.connect();
    call(&mut client, "echo", r#"{"message":"hi"}"#);
    assert_eq!(client.reply().status, 200);
}

#[test]
fn falls_silent() {
    let site = Site::start(Options::default());
    let (mut first, mut second) = (site.connect(), site.connect());
    call(&mut first, "misbehave", r#"{"how":"hang_all"}"#);
    call(&mut first, "echo", r#"{"message":"hi"}"#);
    drop(first);
    // A request that is refused before its message is looked at is still answered.
    second.send("PUT");
    assert_eq!(second.reply().status, 405);
}

#[test]
fn has_faults_from_the_start() {
    let mut site = Site::start(Options::from(Some(Fault::Exit)));
    assert_eq!(site.stop(), Some(Ending::GaveUp));

    let site = Site::start(Options::from(Some(Fault::Noise)));
    let mut client = site.connect();
    call(&mut client, "misbehave", r#"{"how":"wrong_id"}"#);
    assert_eq!(client.reply().status, 200);
    assert_eq!(client.event().as_deref(), Some("manila-sample is warming up ..."));
}

fn call(client: &mut Connection, tool: &str, arguments: &str) {
    client.send(&written_out(&format!(
        r#"POST MCP-Protocol-Version: 2026-07-28; Mcp-Method: tools/call; Mcp-Name: {tool} | {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{META}},"name":"{tool}","arguments":{arguments}}}}}"#
    )));
}
