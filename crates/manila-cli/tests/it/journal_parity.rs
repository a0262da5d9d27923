//! The same bad request produces the same journal line on every transport (Q5, Q6).

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, JSON};
use crate::journal::{config, wait_for_lines};
use crate::mcp::Client;
use crate::program::Scratch;

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Returns the parts of a line that must be the same on every transport.
#[track_caller]
fn comparable(line: &Value) -> Value {
    let metadata = &line["metadata"];
    json!({"method": line["method"], "tool": metadata["toolId"], "status": line["status"],
        "contract": metadata["schemaVersion"], "error": line["error"],
        "agent": line["agentId"], "trace": line["traceId"],
        "has response": line["outputBytes"] != 0, "has size": line["inputBytes"] != 0})
}

/// Returns the parameters of calls that are refused. All name an agent and a trace.
fn refused_calls() -> Vec<Value> {
    let meta = |more: &[(&str, Value)]| {
        let mut meta = json!({"dev.manila/agentId": "agent-7", "traceparent": TRACE});
        for (key, value) in more {
            meta[*key] = value.clone();
        }
        meta
    };
    vec![
        json!({"name": "ehco", "arguments": {}, "_meta": meta(&[])}),
        json!({"name": "echo", "arguments": {"mesage": "x"}, "_meta": meta(&[])}),
        json!({"name": "echo", "arguments": 7, "_meta": meta(&[])}),
        json!({"name": "echo", "arguments": {"message": "x"},
            "_meta": meta(&[("dev.manila/contract", json!("no-such-contract"))])}),
    ]
}

#[test]
fn the_same_bad_call_is_the_same_line_on_every_transport() {
    for params in refused_calls() {
        let call = json!({"jsonrpc": "2.0", "id": "call-1", "method": "tools/call",
            "params": params});
        let scratch = Scratch::new("same-line");
        let (config, folder) = config(&scratch, "");
        let mut client = Client::start_manila(&["serve", "--config", &config, "--stdio"]);
        client.handshake("2025-11-25");
        client.send(&call);
        client.answer(&call["id"]);
        assert_eq!(client.end().code, 0);
        let expected = comparable(&wait_for_lines(&folder, 2)[1]);
        assert_eq!(expected["agent"], "agent-7", "{expected}");
        assert_ne!(expected["error"], Value::Null, "{expected}");

        let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
        served.connect("2025-11-25").post(&call).read_reply();
        let batched = served.connect("2025-03-26");
        batched.post(&json!([call])).read_reply();
        served.send_modern("tools/call", &params).read_reply();
        let path = format!("/tools/{}", params["name"].as_str().unwrap());
        served.request("POST", &path, &[], &call.to_string());
        // Both handshakes are lines, too. Each start of the gateway begins a file.
        let lines = wait_for_lines(&folder, 6);
        let calls: Vec<&Value> =
            lines.iter().filter(|line| line["method"] == "tools/call").collect();
        let names = ["legacy", "batch", "modern", "strict"];
        assert_eq!(calls.len(), names.len());
        for (name, line) in names.iter().zip(calls) {
            assert_eq!(comparable(line), expected, "{name}");
        }
    }
}

#[test]
fn a_malformed_message_is_the_same_line_on_every_transport() {
    let meta = json!({"dev.manila/agentId": "agent-7", "traceparent": TRACE});
    // The method of the first is not a string. The second is a call without an id.
    let bad = [
        json!({"jsonrpc": "2.0", "id": "call-1", "method": 7, "params": {"_meta": meta}}),
        json!({"jsonrpc": "2.0", "method": "tools/call",
            "params": {"name": "echo", "arguments": {}, "_meta": meta}}),
    ];
    for message in bad {
        let scratch = Scratch::new("same-line-malformed");
        let (config, folder) = config(&scratch, "");
        let mut client = Client::start_manila(&["serve", "--config", &config, "--stdio"]);
        client.handshake("2025-11-25");
        client.send(&message);
        let expected = without_response(&wait_for_lines(&folder, 2)[1]);
        assert_eq!(expected["agent"], "agent-7", "{expected}");
        assert_eq!(client.end().code, 0);

        let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
        served.connect("2025-11-25").post(&message).read_reply();
        served.connect("2025-03-26").post(&json!([message])).read_reply();
        let lines = wait_for_lines(&folder, 4);
        let refused = lines.iter().filter(|line| line["method"] != "initialize");
        let refused: Vec<&Value> = refused.collect();
        assert_eq!(refused.len(), 2);
        for (name, line) in ["legacy", "batch"].iter().zip(refused) {
            assert_eq!(without_response(line), expected, "{name}");
        }
    }
}

/// Like `comparable`, but ignores the response: HTTP also responds to messages without an id.
fn without_response(line: &Value) -> Value {
    let mut same = comparable(line);
    same["has response"] = Value::Null;
    same
}

#[test]
fn an_unexpected_client_response_is_not_in_the_journal() {
    let scratch = Scratch::new("same-line-answer");
    let (config, folder) = config(&scratch, "");
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    let session = served.connect("2025-11-25");
    let answer = json!({"jsonrpc": "2.0", "id": 77, "result": {}});
    assert_eq!(session.post(&answer).read_reply().status, 400);
    let malformed = json!({"jsonrpc": "2.0", "id": 77, "result": {}, "error": {}});
    assert_eq!(session.post(&malformed).read_reply().status, 400);
    served.connect("2025-03-26").post(&json!([answer])).read_reply();
    served.request("GET", "/tools", &JSON, "");
    let lines = wait_for_lines(&folder, 3);
    let methods: Vec<&str> = lines.iter().map(|line| line["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["initialize", "initialize", "tools/list"]);
}

#[test]
fn a_full_gateway_refuses_a_duplicate_id_as_rate_limited() {
    let scratch = Scratch::new("same-line-twice");
    let (config, folder) = config(&scratch, "[limits]\nin_flight_max = 1\n");
    let mut client = Client::start_manila(&["serve", "--config", &config, "--stdio"]);
    client.handshake("2025-11-25");
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    client.start_request("open", "tools/call", &call("wait", json!({"ms": 600_000})));
    client.start_request("open", "tools/call", &call("echo", json!({"message": "x"})));
    // A response with the id would look like the response to the first call.
    let refused = client.answer(&Value::Null);
    assert_eq!(refused["error"]["data"]["canonicalCode"], "RATE_LIMITED", "{refused}");
    let lines = wait_for_lines(&folder, 2);
    assert_eq!(lines[1]["error"]["code"], "RATE_LIMITED", "{}", lines[1]);
}

#[test]
fn a_duplicate_parameter_is_the_same_line_on_every_transport() {
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":"call-1","method":"tools/call","params":{{"name":"echo",
        "arguments":{{"message":"x"}},"name":"echo","_meta":{{"traceparent":"{TRACE}"}}}}}}"#
    );
    let call = call.replace('\n', "");
    let scratch = Scratch::new("same-line-repeated");
    let (stdio, folder) = config(&scratch, "");
    let mut client = Client::start_manila(&["serve", "--config", &stdio, "--stdio"]);
    client.handshake("2025-11-25");
    client.send_line(&call);
    client.answer(&json!("call-1"));
    assert_eq!(client.end().code, 0);
    let expected = comparable(&wait_for_lines(&folder, 2)[1]);
    assert_eq!(expected["error"]["code"], "INVALID_TOOL_INPUT", "{expected}");

    let scratch = Scratch::new("same-line-repeated-http");
    let (http, folder) = config(&scratch, "");
    let served = HttpProgram::start(&["serve", "--config", &http, "--http", "127.0.0.1:0"]);
    assert_eq!(served.request("POST", "/tools/echo", &[], &call).status, 422);
    assert_eq!(comparable(&wait_for_lines(&folder, 1)[0]), expected);
}

#[test]
fn a_full_gateway_refuses_in_the_requested_contract() {
    let scratch = Scratch::new("same-line-full-contract");
    let (config, _) = config(&scratch, "[limits]\nin_flight_max = 1\n");
    let text = std::fs::read_to_string(&config).unwrap();
    let readable = text.replace("mcp.envelope.v0.1", "machine-readable-v1");
    std::fs::write(&config, readable).unwrap();
    let mut client = Client::start_manila(&["serve", "--config", &config, "--stdio"]);
    client.handshake("2025-11-25");
    client.start_request(
        "open",
        "tools/call",
        &json!({"name": "wait", "arguments": {"ms": 600_000}}),
    );
    // The tool does not exist, and a configured `machine-readable-v1` means plain text.
    let params = |meta: Value| json!({"name": "ehco", "arguments": {}, "_meta": meta});
    let plain = client.request(1, "tools/call", &params(json!({})));
    let text = plain["result"]["content"][0]["text"].as_str().unwrap();
    assert!(!text.starts_with('{'), "{plain}");
    let meta = json!({"dev.manila/contract": "response-v2"});
    let sealed = client.request(2, "tools/call", &params(meta));
    let envelope = &sealed["result"]["structuredContent"];
    assert_eq!(envelope["data"]["error_code"], "RATE_LIMIT_EXCEEDED", "{sealed}");
}

#[test]
fn a_full_gateway_refuses_every_call_as_rate_limited() {
    let scratch = Scratch::new("same-line-full");
    let (config, folder) = config(&scratch, "[limits]\nin_flight_max = 1\n");
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    let session = served.connect("2025-11-25");
    let slow = session.start_request(
        &json!(1),
        "tools/call",
        &json!({"name": "wait", "arguments": {"ms": 600_000}}),
    );
    crate::serve::wait_until("the call is in flight", || {
        let metrics = served.request("GET", "/metrics", &[], "").body;
        metrics.contains("manila_requests_in_flight 1")
    });
    // The gateway checks neither the tool nor the arguments nor the contract.
    for (path, body) in [
        ("/tools/echo", json!({"message": "x"})),
        ("/tools/ehco", json!({})),
        ("/tools/echo", json!(7)),
        (
            "/tools/echo",
            json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call",
            "params": {"tool": "echo", "input": 7}}),
        ),
        (
            "/tools/echo",
            json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call",
            "params": {"name": "echo", "arguments": {}, "_meta": {"dev.manila/contract": "x"}}}),
        ),
    ] {
        let reply = served.request("POST", path, &[], &body.to_string());
        assert_eq!(reply.status, 429, "{path} {body}: {reply:?}");
        assert_eq!(reply.header("manila-code").as_deref(), Some("RATE_LIMITED"), "{reply:?}");
    }
    drop(slow);
    let lines = wait_for_lines(&folder, 6);
    let limited = lines.iter().filter(|line| line["status"] == "rate_limited");
    let limited: Vec<&Value> = limited.collect();
    assert_eq!(limited.len(), 5);
    for line in limited {
        assert_eq!(line["method"], "tools/call", "{line}");
        assert_ne!(line["outputBytes"], 0, "{line}");
    }
}
