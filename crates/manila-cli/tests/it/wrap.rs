//! `manila wrap` with a well-behaved server.

use serde_json::{Value, json};

use crate::mcp::{Client, manila_path};

/// Checks that an envelope matches the schema that its tool advertises.
#[track_caller]
fn check_schema(client: &mut Client, tool: &str, envelope: &Value) {
    let listed = client.request("schemas", "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    let found = tools.iter().find(|it| it["name"] == tool).unwrap();
    let schema = &found["outputSchema"];
    assert_eq!(schema["type"], "object");
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(envelope).map(|it| it.to_string()).collect();
    assert!(errors.is_empty(), "{tool}: {errors:?}");
}

#[test]
fn every_result_is_an_envelope_in_both_places() {
    let mut client = Client::sample(&[]);
    let result = client.call("echo", &json!({"message": "hello"}));
    let envelope = result["structuredContent"].clone();
    assert_eq!(envelope["success"], true);
    assert_eq!(envelope["data"], json!({"result": "hello"}));
    assert_eq!(envelope["meta"]["version"], "response-v2");
    assert_eq!(result["isError"], false);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), envelope);
    assert_eq!(result["_meta"]["dev.manila/contract"], "response-v2");
    check_schema(&mut client, "echo", &envelope);
}

/// Checks whether a call succeeds, and the expected members of `data`.
#[track_caller]
fn check(client: &mut Client, tool: &str, arguments: &Value, success: bool, expected: &Value) {
    let envelope = client.envelope(tool, arguments);
    assert_eq!(envelope["success"], success, "{envelope}");
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(envelope["data"][name], *value, "{tool} {arguments}: {envelope}");
    }
    check_schema(client, tool, &envelope);
}

#[test]
fn calls_tools_of_every_kind() {
    let mut client = Client::sample(&[]);
    let none = json!({});
    let code = |code: &str| json!({"error_code": code});
    check(&mut client, "add", &json!({"a": 1, "b": 2}), true, &json!({"sum": 3}));
    check(&mut client, "structured", &none, true, &none);
    check(&mut client, "json", &none, true, &none);
    check(&mut client, "list", &json!({"count": 1000}), true, &none);
    check(&mut client, "huge", &json!({"bytes": 3_000_000}), true, &none);
    check(&mut client, "wrong_output", &none, true, &json!({"n": "seven"}));
    for (how, expected) in [
        ("text", "INTERNAL_ERROR"),
        ("json", "DB_LOCKED"),
        ("not_found", "NOT_FOUND"),
        ("permission", "FORBIDDEN"),
        ("timeout", "UNAVAILABLE"),
        ("rate_limit", "RATE_LIMIT_EXCEEDED"),
        ("too_large", "VALIDATION_ERROR"),
        ("empty", "INTERNAL_ERROR"),
        ("protocol_error", "INTERNAL_ERROR"),
        ("invalid_params", "VALIDATION_ERROR"),
    ] {
        check(&mut client, "fail", &json!({"how": how}), false, &code(expected));
    }
    check(&mut client, "fail", &none, false, &code("MISSING_REQUIRED"));
    check(&mut client, "add", &json!({"a": 1, "b": "2"}), false, &code("INVALID_FORMAT"));
}

#[test]
fn bad_arguments_never_reach_the_server_and_are_not_repeated() {
    let mut client = Client::sample(&[]);
    let before = client.envelope("about", &json!({}))["data"]["calls"].clone();
    let result = client.call("add", &json!({"a": "hunter2", "c": 1}));
    assert_eq!(result["isError"], true);
    let details = &result["structuredContent"]["data"]["details"];
    let rules: Vec<String> = details["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["pointer"].as_str().unwrap(), it["rule"].as_str().unwrap()))
        .collect();
    assert_eq!(rules.len(), 3, "{rules:?}");
    for rule in ["/a type", "/b required", "/c additionalProperties"] {
        assert!(rules.contains(&rule.to_owned()), "{rules:?}");
    }
    assert!(!result.to_string().contains("hunter2"));
    let after = client.envelope("about", &json!({}))["data"]["calls"].clone();
    assert_eq!(after.as_u64(), before.as_u64().map(|n| n + 1));
}

#[test]
fn a_payload_keeps_its_bytes() {
    let mut client = Client::sample(&[]);
    client.send_line(concat!(
        r#"{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","#,
        r#""params":{"name":"big_numbers"}}"#
    ));
    let line = client.line();
    for token in ["12345678901234567890123456789", "1.0", "1e400", "-0.0", "0.1000", r"\/"] {
        assert!(line.contains(token), "{token} is missing from {line}");
    }
    assert!(line.starts_with(r#"{"jsonrpc":"2.0","id":12345678901234567890,"result":"#));
}

#[test]
fn media_are_beside_the_envelope_and_listed_in_it() {
    let mut client = Client::sample(&[]);
    let result = client.call("image", &json!({}));
    assert_eq!(result["content"][1]["type"], "image");
    let blocks = result["structuredContent"]["data"]["result"].as_array().unwrap();
    let image = blocks.iter().find(|it| it["type"] == "image").unwrap();
    assert_eq!(image["content"], 1);
    assert_eq!(image["mimeType"], "image/png");
    let mixed = client.call("mixed", &json!({}));
    assert_eq!(mixed["content"][2], json!({"type": "hologram", "x": 1}));
    for (tool, kind) in [("audio", "audio"), ("links", "resource_link"), ("embedded", "resource")] {
        let result = client.call(tool, &json!({}));
        assert_eq!(result["content"][1]["type"], kind, "{tool}");
        assert_eq!(result["content"][0]["type"], "text", "{tool}");
    }
}

#[test]
fn a_list_changes_only_in_its_output_schemas() {
    let mut client = Client::sample(&[]);
    let mut plain = Client::sample(&["--contract", "none"]);
    let list = |client: &mut Client| {
        let listed = client.request(1, "tools/list", &json!({}))["result"]["tools"].clone();
        listed.as_array().unwrap().clone()
    };
    let (wrapped, direct) = (list(&mut client), list(&mut plain));
    assert_eq!(wrapped.len(), direct.len());
    for (mut wrapped, mut direct) in wrapped.into_iter().zip(direct) {
        if wrapped["name"] == "app" {
            assert_eq!(wrapped, direct);
            continue;
        }
        assert_eq!(wrapped["outputSchema"]["type"], "object");
        for tool in [&mut wrapped, &mut direct] {
            tool.as_object_mut().unwrap().remove("outputSchema");
        }
        assert_eq!(wrapped, direct);
    }
}

#[test]
fn contracts_are_chosen_by_option_and_by_request() {
    for (contract, mark) in [
        ("response-v2", "/meta/version"),
        ("envelope-v1", "/capabilities/0"),
        ("machine-readable-v1", "/exitCode"),
        ("mcp.envelope.v0.1", "/schema_version"),
    ] {
        let mut client = Client::sample(&["--contract", contract]);
        for tool in ["add", "structured", "wrong_output", "image"] {
            let arguments = if tool == "add" { json!({"a": 1, "b": 2}) } else { json!({}) };
            let envelope = client.envelope(tool, &arguments);
            assert!(envelope.pointer(mark).is_some(), "{contract}: {envelope}");
            check_schema(&mut client, tool, &envelope);
        }
        let failure = client.envelope("fail", &json!({"how": "not_found"}));
        check_schema(&mut client, "fail", &failure);
    }
    let mut client = Client::sample(&[]);
    let mut request = |contract: &str| {
        let meta = json!({"dev.manila/contract": contract, "dev.manila/requestId": "mine-1"});
        let params = json!({"name": "echo", "arguments": {"message": "x"}, "_meta": meta});
        client.request(contract, "tools/call", &params)
    };
    let other = request("mcp.envelope.v0.1");
    assert_eq!(other["result"]["structuredContent"]["meta"]["request_id"], "mine-1");
    let none = request("none");
    assert_eq!(none["result"], json!({"content": [{"type": "text", "text": "x"}]}));
    let wrong = request("response-v3");
    assert_eq!(wrong["error"]["code"], -32602);
    assert!(wrong.to_string().contains("must be one of response-v2"), "{wrong}");
}

#[test]
fn text_placement_and_old_clients_get_text_only() {
    let mut text = Client::sample(&["--placement", "text"]);
    let mut old = Client::start(&[], &[manila_path(), "sample-server"]);
    assert_eq!(old.handshake("2024-11-05")["result"]["protocolVersion"], "2024-11-05");
    for client in [&mut text, &mut old] {
        let result = client.call("add", &json!({"a": 1, "b": 2}));
        assert!(result.get("structuredContent").is_none());
        let envelope: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(envelope["data"]["sum"], 3);
        let listed = client.request(1, "tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        let typed: Vec<&Value> =
            tools.iter().filter(|it| it.get("outputSchema").is_some()).collect();
        assert!(typed.is_empty(), "{typed:?}");
    }
}

#[test]
fn app_results_are_unchanged_and_unknown_names_are_refused() {
    let mut client = Client::sample(&[]);
    let app = client.call("app", &json!({}));
    assert_eq!(app["structuredContent"], json!({"view": "ready"}));
    assert_eq!(app["_meta"], json!({"ui": {"x": 1}}));
    let unknown = client.request(1, "tools/call", &json!({"name": "ecko"}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["data"]["canonicalCode"], "TOOL_NOT_FOUND");
    let violation = &unknown["error"]["data"]["violations"][0];
    assert_eq!(violation["message"], "is not a tool of this server; did you mean `echo`?");
    let nameless = client.request(2, "tools/call", &json!({}));
    assert_eq!(nameless["error"]["data"]["violations"][0]["pointer"], "/params/name");
    client.send_line(concat!(
        r#"{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":"#,
        r#"{"name":"text","arguments":{},"name":"crash"}}"#
    ));
    let duplicate = client.answer(&json!("twice"));
    assert_eq!(duplicate["error"]["data"]["violations"][0]["pointer"], "/params/name");
    assert_eq!(client.request(3, "no/such", &json!({}))["error"]["code"], -32601);
    let prompts = client.request(4, "prompts/list", &json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "greet");
    let read = client.request(5, "resources/read", &json!({"uri": "sample://greeting"}));
    assert!(read["result"]["contents"][0]["text"].is_string());
}

#[test]
fn legacy_requests_need_a_handshake() {
    let mut client = Client::start(&[], &[manila_path(), "sample-server"]);
    let early = client.request(1, "tools/list", &json!({}));
    assert_eq!(early["error"]["code"], -32600);
    assert_eq!(client.request(2, "server/discover", &json!({}))["error"]["code"], -32602);
    assert_eq!(client.request(3, "ping", &json!({}))["result"], json!({}));
    let initialized = client.handshake("2099-01-01");
    assert_eq!(initialized["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(initialized["result"]["serverInfo"]["name"], "manila-sample");
    assert_eq!(initialized["result"]["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(client.envelope("echo", &json!({"message": "x"}))["success"], true);
}

#[test]
fn forwards_progress_and_ends_cancelled_and_late_calls() {
    let mut client = Client::sample(&["--timeout", "2s", "-v"]);
    let token = json!({"deep": 1});
    let params = json!({"name": "progress", "arguments": {"steps": 3, "delay_ms": 1},
        "_meta": {"progressToken": token}});
    client.start_request(1, "tools/call", &params);
    let progress = client.wait(|message| message["method"] == "notifications/progress");
    assert_eq!(progress["params"]["progressToken"], token);
    assert_eq!(client.answer(&json!(1))["result"]["isError"], false);

    client.start_request(2, "tools/call", &json!({"name": "wait", "arguments": {"ms": 60_000}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 2, "reason": "changed my mind"}}));
    let others: Vec<Value> = client.others();
    assert!(others.iter().all(|message| message["id"] != 2), "{others:?}");

    let late = client.call("wait", &json!({"ms": 60_000}));
    assert_eq!(late["structuredContent"]["data"]["error_code"], "UNAVAILABLE", "{late}");
    assert_eq!(late["_meta"]["dev.manila/code"], "TIMEOUT");
    let ran = client.end();
    assert!(ran.stderr.contains("called wait: CANCELLED"), "{}", ran.stderr);
    assert!(ran.stderr.contains("called wait: TIMEOUT"), "{}", ran.stderr);
    assert_eq!(ran.code, 0);
}

#[test]
fn progress_keeps_a_slow_call_alive() {
    let mut client = Client::sample(&["--timeout", "400ms"]);
    let params = json!({"name": "progress", "arguments": {"steps": 8, "delay_ms": 150},
        "_meta": {"progressToken": "t"}});
    let answer = client.request(1, "tools/call", &params);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[test]
fn forwards_server_requests_to_the_client() {
    let mut client = Client::sample(&[]);
    for (tool, arguments, method, reply) in [
        (
            "ask_user",
            json!({"question": "who?"}),
            "elicitation/create",
            json!({"action": "accept", "content": {"answer": "me"}}),
        ),
        (
            "ask_model",
            json!({"prompt": "hi"}),
            "sampling/createMessage",
            json!({"role": "assistant", "model": "m",
                "content": {"type": "text", "text": "hello"}}),
        ),
        ("roots", json!({}), "roots/list", json!({"roots": [{"uri": "file:///x"}]})),
    ] {
        client.start_request(tool, "tools/call", &json!({"name": tool, "arguments": arguments}));
        let request = client.wait(|message| message["method"] == method);
        client.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": reply}));
        let answer = client.answer(&json!(tool));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
}

#[test]
fn forwards_changed_lists_and_log_messages() {
    let mut client = Client::sample(&[]);
    let unknown = client.request(1, "tools/call", &json!({"name": "extra", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    client.call("change_tools", &json!({}));
    client.wait(|message| message["method"] == "notifications/tools/list_changed");
    assert_eq!(client.call("extra", &json!({}))["isError"], false);
    let log = json!({"message": "fine", "level": "info"});
    client.call("log", &log);
    let message = client.wait(|message| message["method"] == "notifications/message");
    assert_eq!(message["params"]["level"], "info");
}

#[test]
fn completes_open_requests_when_the_input_ends() {
    let mut client = Client::sample(&[]);
    client.start_request(7, "tools/call", &json!({"name": "wait", "arguments": {"ms": 300}}));
    let ran = client.end();
    assert!(ran.stdout.contains("waited 300 ms"), "{}", ran.stdout);
    assert_eq!(ran.code, 0);
}
