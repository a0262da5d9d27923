//! Q5: the same request gets the same response on every transport.

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, modern_request};
use crate::mcp::{Client, manila_path};

/// Tool, arguments as JSON text, and the canonical code of the expected failure.
const CALLS: [(&str, &str, Option<&str>); 15] = [
    ("echo", r#"{"message":"hello"}"#, None),
    ("add", r#"{"a":1,"b":2}"#, None),
    ("structured", "{}", None),
    ("json", "{}", None),
    ("wrong_output", "{}", None),
    ("secrets", "{}", None),
    ("echo", "{}", Some("INVALID_TOOL_INPUT")),
    ("echo", r#"{"message":7}"#, Some("INVALID_TOOL_INPUT")),
    ("echo", r#"{"message":"a","message":"b"}"#, Some("INVALID_TOOL_INPUT")),
    ("fail", r#"{"how":"text"}"#, Some("TOOL_FAILED")),
    ("fail", r#"{"how":"not_found"}"#, Some("NOT_FOUND")),
    ("fail", r#"{"how":"permission"}"#, Some("FORBIDDEN")),
    ("fail", r#"{"how":"rate_limit"}"#, Some("RATE_LIMITED")),
    ("wait", r#"{"ms":60000}"#, Some("TIMEOUT")),
    ("no_such_tool", "{}", Some("TOOL_NOT_FOUND")),
];

/// The result of a call: the canonical code, and the envelope without volatile members.
#[derive(Debug, PartialEq)]
struct CallResult {
    code: Option<String>,
    envelope: Value,
}

fn without_volatile(mut envelope: Value) -> Value {
    for member in ["request_id", "telemetry"] {
        envelope["meta"].as_object_mut().map(|meta| meta.remove(member));
    }
    envelope
}

/// Parses the response to an MCP client.
fn mcp_result(answer: &Value) -> CallResult {
    if let Some(error) = answer.get("error") {
        let code = error["data"]["canonicalCode"].as_str().map(str::to_owned);
        return CallResult { code, envelope: Value::Null };
    }
    let result = &answer["result"];
    let code = result["_meta"]["dev.manila/code"].as_str().map(str::to_owned);
    CallResult { code, envelope: without_volatile(result["structuredContent"].clone()) }
}

#[test]
fn the_same_call_has_the_same_result_on_every_transport() {
    let timeout = ["--timeout", "400ms"];
    let served = HttpProgram::sample(&timeout);
    let legacy = served.connect("2025-11-25");
    let mut pipe = Client::sample(&timeout);
    let mut modern_pipe = Client::start(&timeout, &[manila_path(), "sample-server"]);
    for (tool, arguments, code) in CALLS {
        let name = format!("{tool} {arguments}");
        // Written as text, because duplicate members must stay.
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        let call = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{params}}}"#);
        pipe.send_line(&call);
        let first = mcp_result(&pipe.answer(&json!(5)));
        assert_eq!(first.code.as_deref(), code, "{name}: {first:?}");
        let session = legacy.head();
        let head = ["Content-Type: application/json", session.as_str()];
        let over_http = mcp_result(&served.request("POST", "/mcp", &head, &call).json());
        assert_eq!(over_http, first, "{name}, legacy over HTTP");
        let modern = modern_request(5, "tools/call", &json!({"name": tool, "arguments": "HERE"}));
        let modern = modern.replace("\"HERE\"", arguments);
        modern_pipe.send_line(&modern);
        assert_eq!(mcp_result(&modern_pipe.answer(&json!(5))), first, "{name}, modern on a pipe");
        let name_header = format!("Mcp-Name: {tool}");
        let head = [
            "Content-Type: application/json",
            "MCP-Protocol-Version: 2026-07-28",
            "Mcp-Method: tools/call",
            &name_header,
        ];
        let reply = served.request("POST", "/mcp", &head, &modern);
        assert_eq!(reply.status, 200, "{name}: {reply:?}");
        assert_eq!(mcp_result(&reply.json()), first, "{name}, modern over HTTP");
        check_plain(&served, tool, arguments, &first);
    }
}

/// Returns the HTTP status of a canonical code in the catalogue.
fn status(code: Option<&str>) -> u16 {
    code.map_or(200, |code| manila::Code::from_name(code).unwrap().http_status())
}

fn check_plain(served: &HttpProgram, tool: &str, arguments: &str, first: &CallResult) {
    let name = format!("{tool} {arguments}, plain HTTP");
    let path = format!("/tools/{tool}");
    let reply = served.request("POST", &path, &[], arguments);
    assert_eq!(reply.status, status(first.code.as_deref()), "{name}: {reply:?}");
    assert_eq!(reply.header("manila-code"), first.code, "{name}");
    let envelope = without_volatile(reply.json());
    if first.envelope != Value::Null {
        assert_eq!(envelope, first.envelope, "{name}");
    }
    // A strict JSON-RPC request gets a JSON-RPC error and the same code.
    let strict = format!(
        r#"{{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{{"tool":"{tool}","input":{arguments}}}}}"#
    );
    let answer = served.request("POST", &path, &[], &strict);
    assert_eq!(answer.status, reply.status, "{name}: {answer:?}");
    assert_eq!(answer.header("manila-code"), first.code, "{name}");
    match &first.code {
        None => {
            assert_eq!(without_volatile(answer.json()["result"].clone()), first.envelope, "{name}");
        }
        Some(code) => {
            let code = manila::Code::from_name(code).unwrap();
            let expected = code.jsonrpc_error_plain().to_string();
            let expected: Value = serde_json::from_str(&expected).unwrap();
            assert_eq!(answer.json(), json!({"jsonrpc": "2.0", "id": "x", "error": expected}));
        }
    }
}

/// Malformed requests, with the canonical code that each gets on every transport.
const WRONG: [(&str, &str); 6] = [
    ("{", "PARSE_ERROR"),
    (r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":[]}"#, "INVALID_ENVELOPE"),
    (r#"{"jsonrpc":"1.0","id":"a","method":"tools/call","params":{}}"#, "INVALID_ENVELOPE"),
    (r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{}}"#, "INVALID_ENVELOPE"),
    (r#"{"jsonrpc":"2.0","id":"a","method":"","params":{}}"#, "INVALID_ENVELOPE"),
    (r#"{"jsonrpc":"2.0","id":"a","id":"b","method":"x","params":{}}"#, "INVALID_ENVELOPE"),
];

#[test]
fn the_same_malformed_request_gets_the_same_error_on_every_transport() {
    let served = HttpProgram::sample(&[]);
    let legacy = served.connect("2025-11-25");
    let mut pipe = Client::sample(&[]);
    for (wrong, code) in WRONG {
        pipe.send_line(wrong);
        let refused: Value = serde_json::from_str(&pipe.line()).unwrap();
        assert_eq!(refused["error"]["data"]["canonicalCode"], code, "{wrong}: {refused}");
        let session = legacy.head();
        for head in [session.as_str(), "MCP-Protocol-Version: 2026-07-28"] {
            let head = ["Content-Type: application/json", head];
            let reply = served.request("POST", "/mcp", &head, wrong);
            assert_eq!(reply.status, 400, "{wrong}: {reply:?}");
            assert_eq!(reply.json()["error"], refused["error"], "{wrong}");
        }
        let plain = served.request("POST", "/tools/echo", &[], wrong);
        assert_eq!(plain.header("manila-code").as_deref(), Some(code), "{wrong}: {plain:?}");
        assert_eq!(plain.status, status(Some(code)), "{wrong}");
    }
}

#[test]
fn plain_http_also_returns_plain_text() {
    let served = HttpProgram::sample(&[]);
    let text = |tool: &str, arguments: &str| {
        let reply =
            served.request("POST", &format!("/tools/{tool}"), &["Accept: text/plain"], arguments);
        assert_eq!(reply.header("content-type").as_deref(), Some("text/plain; charset=utf-8"));
        (reply.status, reply.body)
    };
    assert_eq!(text("echo", r#"{"message":"hello"}"#), (200, "hello".to_owned()));
    assert_eq!(text("add", r#"{"a":1,"b":2}"#), (200, r#"{"sum":3}"#.to_owned()));
    let (status, body) = text("fail", r#"{"how":"not_found"}"#);
    assert!(status == 404 && body.starts_with("Error: "), "{body}");
    let (status, body) = text("echo", "{}");
    assert!(status == 422 && body.starts_with("Error: Validation failed"), "{body}");
    let listed = served.request("GET", "/tools", &[], "").json();
    let first = listed["tools"][0].clone();
    assert_eq!(first["name"], "echo");
    assert_eq!(served.request("GET", "/tools/echo", &[], "").json(), first);
    assert_eq!(served.request("GET", "/tools/nope", &[], "").status, 404);
    let other = ["Manila-Contract: envelope-v1"];
    let reply = served.request("POST", "/tools/text", &other, "");
    assert_eq!(reply.json()["tool_id"], "text");
    assert_eq!(reply.header("manila-contract").as_deref(), Some("envelope-v1"));
    assert_eq!(served.request("GET", "/healthz", &[], "").body, "ok\n");
    // The payload contains the media.
    let image = served.request("POST", "/tools/image", &[], "").json();
    assert!(image.to_string().contains(r#""mimeType":"image/png""#), "{image}");
}
