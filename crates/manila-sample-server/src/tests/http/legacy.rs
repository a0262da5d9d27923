//! The legacy era over HTTP: sessions, and streams for additional messages.

use super::super::super::{Eras, Options};
use super::client::{TestServer, check};

const INITIALIZE: &str = r#"POST | {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

/// Returns the response to [`INITIALIZE`].
fn initialize_response() -> String {
    format!(
        r#"200 {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{"listChanged":true}},"resources":{{"subscribe":true}},"prompts":{{}},"logging":{{}},"completions":{{}},"tasks":{{"list":{{}},"cancel":{{}},"requests":{{"tools":{{"call":{{}}}}}}}}}},"serverInfo":{{"name":"manila-sample","version":"{}"}},"instructions":"Call any tool freely: nothing here touches real data, and some tools fail on purpose."}}}}"#,
        env!("CARGO_PKG_VERSION")
    )
}

/// Starts a session, then runs `script`.
#[track_caller]
fn check_session(script: &str) {
    let (initialize, initialized) = (INITIALIZE, initialize_response());
    check(Options::default(), &format!("a> {initialize}\na< {initialized}\n{script}"));
}

#[test]
fn responds_with_one_object() {
    check_session(
        r#"
        a> POST LEGACY | {"jsonrpc":"2.0","method":"notifications/initialized"}
        a< 202
        a> POST LEGACY | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
        a< 200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]}}
        b> POST LEGACY | {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x:"}}
        b< 200 {"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"there is no such resource","data":{"uri":"x:"}}}
        b> POST LEGACY | {"jsonrpc":"2.0","id":3,"method":"nonsense"}
        b< 200 {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"the method is unknown"}}
        b> POST Mcp-Session-Id: SESSION | {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wait","arguments":{"ms":3}}}
        b< 200 {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"waited 3 ms"}]}}
        "#,
    );
}

#[test]
fn responds_with_a_stream() {
    check_session(
        r#"
        a> POST LEGACY | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","arguments":{"steps":2,"delay_ms":1},"_meta":{"progressToken":7}}}
        a< 200 stream
        a< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2,"message":"step 1 of 2"}}
        a< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":2,"total":2,"message":"step 2 of 2"}}
        a< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"finished 2 steps"}]}}
        a< end
        a> POST LEGACY | {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log","arguments":{"message":"m"}}}
        a< 200 stream
        a< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"manila-sample","data":"m"}}
        a< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"logged as info"}]}}
        a< end
        "#,
    );
}

#[test]
fn sends_requests_on_the_stream_of_the_call() {
    check_session(
        r#"
        a> POST LEGACY | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots"}}
        a< 200 stream
        a< {"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}
        b> POST LEGACY | {"jsonrpc":"2.0","id":1,"result":{"roots":[]}}
        b< 202
        a< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the client has no roots"}],"structuredContent":{"roots":[]}}}
        a< end
        "#,
    );
}

#[test]
fn cancels_by_a_notification() {
    check_session(
        r#"
        a> POST LEGACY | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots"}}
        a< 200 stream
        a< {"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}
        b> POST LEGACY | {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        b< 202
        a< end
        a> POST LEGACY | {"jsonrpc":"2.0","id":2,"method":"ping"}
        a< 200 {"jsonrpc":"2.0","id":2,"result":{}}
        "#,
    );
}

#[test]
fn has_one_stream_for_the_session() {
    check_session(
        r#"
        s> GET LEGACY
        s< 200 stream
        b> GET LEGACY
        b< 409 the session already has a stream
        a> POST LEGACY | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"change_tools"}}
        s< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        a< 200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"added `extra`"}]}}
        a> POST LEGACY | {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"sample://shelf"}}
        a< 200 {"jsonrpc":"2.0","id":2,"result":{}}
        a> POST LEGACY | {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"touch"}}
        s< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"sample://shelf/top"}}
        a< 200 {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"sample://shelf/top has changed"}]}}
        a> DELETE LEGACY
        a< 204
        s< end
        a> POST LEGACY | {"jsonrpc":"2.0","id":2,"method":"ping"}
        a< 404 there is no such session
        b> DELETE LEGACY
        b< 404 there is no such session
        b> GET LEGACY
        b< 404 there is no such session
        "#,
    );
}

#[test]
fn serves_a_request_after_its_client_disconnects() {
    check_session(
        r#"
        s> GET LEGACY
        s< 200 stream
        b> POST LEGACY | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"change_tools"}}
        b!
        s< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        "#,
    );
}

#[test]
fn reopens_the_stream() {
    let server = TestServer::start(Options::default());
    let mut client = server.connect();
    client.send(INITIALIZE);
    let reply = client.reply();
    let session = reply.header("mcp-session-id").unwrap();
    for _ in 0..3 {
        // The server may not have detected yet that the last stream is closed.
        loop {
            let mut stream = server.connect();
            stream.send(&format!("GET Mcp-Session-Id: {session}"));
            let reply = stream.reply();
            if reply.status == 200 {
                assert_eq!(reply.body, None);
                break;
            }
            assert_eq!(reply.status, 409);
        }
    }
}

#[test]
fn requires_a_session() {
    check(
        Options::default(),
        r#"
        a> POST | {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        a< 400 the Mcp-Session-Id is missing: send initialize first
        a> POST | {"jsonrpc":"2.0","method":"notifications/initialized"}
        a< 400 the Mcp-Session-Id is missing: send initialize first
        a> POST | {"jsonrpc":"2.0","id":1,"result":{}}
        a< 400 the Mcp-Session-Id is missing: send initialize first
        a> POST Mcp-Session-Id: nobody | {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        a< 404 there is no such session
        a> POST MCP-Protocol-Version: 1900-01-01 | {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        a< 400 the MCP-Protocol-Version is not supported
        a> POST | {"jsonrpc":"2.0","id":1,"method":"initialize"}
        a< 200 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing field `protocolVersion` at line 1 column 2"}}
        a> GET
        a< 405 the method is not allowed
        a> DELETE
        a< 400 the Mcp-Session-Id is missing: send initialize first
        "#,
    );
    check(
        Options { eras: Eras::Legacy, fault: None },
        r#"
        a> POST MODERN; Mcp-Method: server/discover | {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{META}}}
        a< 400 the MCP-Protocol-Version is not supported
        "#,
    );
}
