//! The modern era over HTTP: requests without sessions.

use super::super::super::{Ending, Eras, Options};
use super::super::conversation::expand;
use super::client::{TestServer, check};

#[test]
fn serves_without_a_session() {
    check(
        Options::default(),
        r#"
        a> POST MODERN; Mcp-Method: server/discover | {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{META}}}
        a< 200 {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"instructions":"Call any tool freely: nothing here touches real data, and some tools fail on purpose.","ttlMs":300000,"cacheScope":"public",SERVER_INFO}}
        a> POST MODERN; Mcp-Session-Id: old; Mcp-Method: tools/call; Mcp-Name: echo | {"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"_meta":{META},"name":"echo","arguments":{"message":"hi"}}}
        a< 200 {"jsonrpc":"2.0","id":"\u0061","result":{"resultType":"complete","content":[{"type":"text","text":"hi"}],SERVER_INFO}}
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: progress | {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{META,"progressToken":1},"name":"progress","arguments":{"steps":1,"delay_ms":1}}}
        a< 200 stream
        a< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":1,"message":"step 1 of 1"}}
        a< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"finished 1 steps"}],SERVER_INFO}}
        a< end
        a> POST MODERN | {"jsonrpc":"2.0","method":"notifications/anything"}
        a< 202
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: roots | {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{META_ABLE},"name":"roots"}}
        a< 200 {"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{"roots":{"method":"roots/list","params":{}}},"requestState":"asked-6e085d4ade98be40",SERVER_INFO}}
        "#,
    );
}

#[test]
fn responds_with_the_status_of_the_error() {
    check(
        Options::default(),
        r#"
        a> POST MODERN; Mcp-Method: nonsense | {"jsonrpc":"2.0","id":1,"method":"nonsense","params":{"_meta":{META}}}
        a< 404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method is unknown"}}
        a> POST MODERN; Mcp-Method: ping | {"jsonrpc":"2.0","id":2,"method":"ping"}
        a< 400 {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"`_meta` must have a valid `io.modelcontextprotocol/protocolVersion`"}}
        a> POST MCP-Protocol-Version: 1900-01-01; Mcp-Method: tools/list | {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}
        a< 400 {"jsonrpc":"2.0","id":3,"error":{"code":-32022,"message":"unsupported protocol version; supported: 2026-07-28","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}}
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: roots | {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"_meta":{META},"name":"roots"}}
        a< 400 {"jsonrpc":"2.0","id":4,"error":{"code":-32021,"message":"the call needs a capability that the client did not declare","data":{"requiredCapabilities":{"roots":{}}}}}
        a> POST MODERN; Mcp-Method: resources/read; Mcp-Name: x: | {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"_meta":{META},"uri":"x:"}}
        a< 200 {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"there is no such resource","data":{"uri":"x:"}}}
        a> POST MODERN; Mcp-Method: initialize | {"jsonrpc":"2.0","id":6,"method":"initialize","params":{"_meta":{META},"protocolVersion":"2025-11-25"}}
        a< 404 {"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"the method is unknown"}}
        a> POST MODERN | [1]
        a< 400 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}
        a> POST MODERN | {"jsonrpc"
        a< 400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"EOF while parsing an object at line 1 column 10"}}
        "#,
    );
}

#[test]
fn serves_only_the_modern_era() {
    check(
        Options { eras: Eras::Modern, fault: None },
        r#"
        a> POST | {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
        a< 400 {"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"unsupported protocol version; supported: 2026-07-28","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}
        a> POST | {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        a< 400 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`_meta` must have a valid `io.modelcontextprotocol/protocolVersion`"}}
        a> GET Mcp-Session-Id: x
        a< 405 the method is not allowed
        a> DELETE Mcp-Session-Id: x
        a< 405 the method is not allowed
        "#,
    );
}

#[test]
fn notifies_subscriptions_on_other_connections() {
    check(
        Options::default(),
        r#"
        l> POST MODERN; Mcp-Method: subscriptions/listen | {"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"_meta":{META},"notifications":{"toolsListChanged":true}}}
        l< 200 stream
        l< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"},"notifications":{"toolsListChanged":true}}}
        a> POST MODERN; Mcp-Method: tools/call; Mcp-Name: change_tools | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META},"name":"change_tools"}}
        l< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}
        a< 200 {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"added `extra`"}],SERVER_INFO}}
        l!
        "#,
    );
}

#[test]
fn a_disconnect_cancels_the_request() {
    let server = TestServer::start(Options::default());
    for (method, name, params, member) in [
        ("tools/call", "wait", r#""name":"wait","arguments":{"ms":600000}"#, "cancelled"),
        (
            "tools/call",
            "progress",
            r#""name":"progress","arguments":{"delay_ms":9999}"#,
            "cancelled",
        ),
        ("subscriptions/listen", "none", r#""notifications":{}"#, "subscriptions"),
    ] {
        let mut client = server.connect();
        let before = about(&server, member);
        client.send(&expand(&format!(
            r#"POST MCP-Protocol-Version: 2026-07-28; Mcp-Method: {method}; Mcp-Name: {name} | {{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{{META}},{params}}}}}"#
        )));
        if member == "subscriptions" {
            assert_eq!(client.reply().status, 200);
            client.event();
            assert_eq!(about(&server, member), before + 1);
            drop(client);
            while about(&server, member) != before {}
        } else {
            drop(client);
            while about(&server, member) == before {}
        }
    }
}

/// Returns a member of the result of the tool `about`.
fn about(server: &TestServer, member: &str) -> u64 {
    let mut client = server.connect();
    client.send(&expand(
        r#"POST MCP-Protocol-Version: 2026-07-28; Mcp-Method: tools/call; Mcp-Name: about | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META},"name":"about"}}"#,
    ));
    let body = client.reply().body.unwrap();
    let response: serde_json::Value = serde_json::from_str(&body).unwrap();
    response["result"]["structuredContent"][member].as_u64().expect(&body)
}

#[test]
fn ends_subscriptions_when_the_server_stops() {
    let mut server = TestServer::start(Options::default());
    let mut client = server.connect();
    client.send(&expand(
        r#"POST MCP-Protocol-Version: 2026-07-28; Mcp-Method: subscriptions/listen | {"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"_meta":{META},"notifications":{}}}"#,
    ));
    assert_eq!(client.reply().header("x-accel-buffering"), Some("no"));
    client.event();
    assert_eq!(about(&server, "subscriptions"), 1);
    assert_eq!(server.stop(), Some(Ending::Stopped));
    let end = r#"{"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":5}}}"#;
    assert_eq!(client.event().as_deref(), Some(end));
    assert_eq!(client.event(), None);
}
