//! Tools that respond at once: their output on the wire.

use serde_json::Value;

use super::conversation::{Client, call, check, check_tool};

#[test]
fn returns_text() {
    check_tool("echo", r#"{"message":"hé\n"}"#, r#"{"content":[{"type":"text","text":"hé\n"}]}"#);
    check_tool(
        "text",
        "{}",
        r#"{"content":[{"type":"text","text":"The harbour opens at six.\nTwo ships are waiting outside.\nThe tide is rising."}]}"#,
    );
    check_tool(
        "json",
        "{}",
        r#"{"content":[{"type":"text","text":"{\n  \"ship\": \"Aurora\",\n  \"berth\": 4,\n  \"cargo\": [\n    \"tea\",\n    \"paper\"\n  ],\n  \"pilot\": null\n}"}]}"#,
    );
    check_tool("list", r#"{"count":0}"#, r#"{"content":[{"type":"text","text":"[]"}]}"#);
    check_tool(
        "list",
        r#"{"count":2.0}"#,
        r#"{"content":[{"type":"text","text":"[{\"id\":1,\"name\":\"crate 1\",\"even\":false},{\"id\":2,\"name\":\"crate 2\",\"even\":true}]"}]}"#,
    );
}

#[test]
fn adds_numbers() {
    for (a, b, sum) in [
        ("1", "2", "3"),
        ("1.5", "2", "3.5"),
        ("9223372036854775807", "-1", "9223372036854775806"),
        ("9223372036854775807", "1", "9.223372036854775807e18"),
    ] {
        // Beyond 64 bits, only the value matters, not its spelling.
        let mut client = Client::connect(None);
        client.send(&call("add", &format!(r#"{{"a":{a},"b":{b}}}"#)));
        let response: Value = serde_json::from_str(&client.receive()).unwrap();
        let expected: Value = serde_json::from_str(sum).unwrap();
        assert_eq!(response["result"]["structuredContent"]["sum"], expected);
    }
    check_tool(
        "add",
        r#"{"a":1e308,"b":1e308}"#,
        r#"{"content":[{"type":"text","text":"the sum is too large for a number"}],"isError":true}"#,
    );
}

#[test]
fn returns_structured_content() {
    check_tool(
        "big_numbers",
        "{}",
        r#"{"content":[{"type":"text","text":"Six values that are easily damaged."}],"structuredContent":{"zulu":12345678901234567890123456789,"mike":1.0,"yankee":1e400,"alpha":-0.0,"kilo":0.1000,"path":"a\/b"}}"#,
    );
    check_tool(
        "wrong_output",
        "{}",
        r#"{"content":[{"type":"text","text":"{\"n\":\"seven\"}"}],"structuredContent":{"n":"seven"}}"#,
    );
    check_tool(
        "app",
        "{}",
        r#"{"content":[{"type":"text","text":"The view is ready."}],"structuredContent":{"view":"ready"},"_meta":{"ui":{"x":1}}}"#,
    );
    let structured = result_of("structured", "{}");
    assert_eq!(structured["structuredContent"]["ships"][1]["name"], "夕凪");
    assert_eq!(structured["structuredContent"]["flagship"], Value::Null);
    let about = result_of("about", "{}");
    assert_eq!(about["structuredContent"]["pid"], std::process::id());
    assert_eq!(about["structuredContent"]["calls"], 1);
}

#[test]
fn fails_in_every_way() {
    for (how, part) in [
        ("text", "out of paper"),
        (
            "json",
            r#"{\"success\":false,\"error\":\"the database is locked\",\"error_code\":\"DB_LOCKED\"}"#,
        ),
        ("not_found", "File not found"),
        ("permission", "EACCES"),
        ("timeout", "timed out"),
        ("rate_limit", "429"),
        ("too_large", "too large"),
        ("empty", r#"{"content":[],"isError":true}"#),
        ("traceback", r"\nKeyError: 312"),
        (
            "protocol_error",
            r#""error":{"code":-32603,"message":"the berth planner broke","data":{"component":"berth planner","retry":true}}"#,
        ),
        (
            "invalid_params",
            r#""error":{"code":-32602,"message":"the berth must be from 1 to 9, but is 12"}"#,
        ),
    ] {
        let mut client = Client::connect(None);
        client.send(&call("fail", &format!(r#"{{"how":"{how}"}}"#)));
        let response = client.receive();
        assert!(response.contains(part), "{how}: {response}");
        let is_tool_error = response.contains(r#""isError":true"#);
        assert!(is_tool_error != response.contains(r#""error":{"#), "{how}");
    }
}

#[test]
fn returns_media_blocks() {
    for (tool, types) in [
        ("image", "text image"),
        ("audio", "audio"),
        ("links", "text resource_link resource_link"),
        ("embedded", "resource resource"),
        ("mixed", "text image hologram text"),
    ] {
        let result = result_of(tool, "{}");
        let blocks = result["content"].as_array().unwrap().iter();
        let block_types: Vec<&str> = blocks.map(|block| block["type"].as_str().unwrap()).collect();
        assert_eq!(block_types.join(" "), types);
    }
}

#[test]
fn returns_fake_secrets() {
    let result = result_of("secrets", "{}");
    let text = result["content"][0]["text"].as_str().unwrap();
    for part in ["AKIAIOSFODNN7", ":not-a-real-pass", "ghp_", "Bearer ", "-----BEGIN "] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn returns_huge_texts() {
    for n_bytes in [1, 48, 49, 65_487, 65_536, 3_000_000] {
        let result = result_of("huge", &format!(r#"{{"bytes":{n_bytes}}}"#));
        assert_eq!(result["content"][0]["text"].as_str().map(str::len), Some(n_bytes));
    }
}

#[test]
fn has_side_effects() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log","arguments":{"message":"a \"b\""}}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"manila-sample","data":"a \"b\""}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"logged as info"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"warning"}}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"log","arguments":{"message":"m"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"not logged: the client accepts only higher levels"}]}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"log","arguments":{"message":"m","level":"warning"}}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"manila-sample","data":"m"}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"logged as warning"}]}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"stderr","arguments":{"text":"a line of the tests"}}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"written to stderr"}]}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"extra"}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"unknown tool: extra"}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"change_tools"}}
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        < {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"added `extra`"}]}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"extra"}}
        < {"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"You found the extra tool."}]}}
        "#,
    );
}

#[track_caller]
fn result_of(tool: &str, arguments: &str) -> Value {
    let mut client = Client::connect(None);
    client.send(&call(tool, arguments));
    let mut response: Value = serde_json::from_str(&client.receive()).unwrap();
    assert_eq!(client.disconnect().0, "");
    response["result"].take()
}
