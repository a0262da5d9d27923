//! Request ids, which are the same in the envelope, in `_meta` and in the journal; and the trace
//! context that the gateway sends to servers.

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, JSON};
use crate::journal::{config, wait_for_lines};
use crate::mcp::{Client, manila_path};
use crate::program::Scratch;
use crate::scripted::ANSWER_INITIALIZE;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// Configures a journal, and a contract whose envelopes have ids.
fn configure(name: &str) -> (Scratch, String, std::path::PathBuf) {
    let scratch = Scratch::new(name);
    let (config, folder) = config(&scratch, "");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("mcp.envelope.v0.1", "response-v2")).unwrap();
    (scratch, config, folder)
}

/// Checks that the id is the same in the envelope, in `_meta` and in the line of the journal, whose
/// `rpcId` is the id of the message.
#[track_caller]
fn check_result(answer: &Value, line: &Value, expected: Option<&str>) {
    let envelope = &answer["result"]["structuredContent"];
    let id = envelope["meta"]["request_id"].as_str().unwrap();
    assert_eq!(answer["result"]["_meta"]["dev.manila/requestId"], id);
    assert_eq!(line["requestId"], id);
    assert_eq!(line["rpcId"], answer["id"].to_string());
    match expected {
        Some(expected) => assert_eq!(id, expected),
        None => assert!(id.starts_with("req_"), "{id}"),
    }
}

#[test]
fn a_call_has_one_request_id_on_every_transport() {
    let (_scratch, config, folder) = configure("request-ids");
    let call = |id: &str| {
        let mut params = json!({"name": "echo", "arguments": {"message": "hello"}});
        if !id.is_empty() {
            params["_meta"] = json!({"dev.manila/requestId": id});
        }
        params
    };
    let mut client = Client::start_manila(&["serve", "--config", &config, "--stdio"]);
    client.handshake("2025-11-25");
    for (n, id) in [(1, "call-7"), (2, "")] {
        let answer = client.request(n, "tools/call", &call(id));
        let lines = wait_for_lines(&folder, 1 + n);
        check_result(&answer, &lines[n], Some(id).filter(|id| !id.is_empty()));
    }
    assert_eq!(client.end().code, 0);
    let (_scratch, config, folder) = configure("request-ids-http");
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    let session = served.connect("2025-11-25");
    for (n, id) in [(1, "call-8"), (2, "")] {
        let answer = session.request(n, "tools/call", &call(id));
        let lines = wait_for_lines(&folder, 1 + n);
        check_result(&answer, &lines[n], Some(id).filter(|id| !id.is_empty()));
    }
}

#[test]
fn plain_http_has_the_id_in_a_header() {
    let (_scratch, config, folder) = configure("request-ids-plain");
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    let given = ["X-Request-Id: order-66"];
    let reply = served.request("POST", "/tools/echo", &given, r#"{"message": "hello"}"#);
    assert_eq!(reply.json()["meta"]["request_id"], "order-66");
    assert_eq!(reply.header("x-request-id").as_deref(), Some("order-66"));
    assert_eq!(wait_for_lines(&folder, 1)[0]["requestId"], "order-66");
    // A refused request has an id, too.
    let reply = served.request("POST", "/tools/echo", &given, r#"{"mesage": "hello"}"#);
    assert_eq!(reply.status, 422);
    assert_eq!(reply.json()["meta"]["request_id"], "order-66");
    let reply = served.request("POST", "/tools/ehco", &[], "{}");
    let id = reply.json()["meta"]["request_id"].clone();
    let lines = wait_for_lines(&folder, 3);
    assert_eq!((&lines[1]["requestId"], &lines[2]["requestId"]), (&json!("order-66"), &id));
    // An id that is too long is replaced.
    let long = format!("X-Request-Id: {}", "x".repeat(129));
    let reply = served.request("POST", "/tools/echo", &[&long], r#"{"message": "hello"}"#);
    assert!(reply.header("x-request-id").unwrap().starts_with("req_"));
}

/// A server that returns an envelope may put any id into it.
#[test]
fn an_id_from_a_server_is_repeated_only_if_a_caller_could_send_it() {
    for (server_id, expected) in [("tide-7", "tide-7"), ("", "mine"), ("a\r\nb", "mine")] {
        let meta = json!({"version": "response-v2", "request_id": server_id});
        let envelope = json!({"success": true, "data": {}, "error": null, "meta": meta});
        let tools = json!({"tools": [{"name": "t", "inputSchema": {}}]});
        let list = json!({"jsonrpc": "2.0", "id": 2, "result": tools});
        let result = json!({"content": [], "structuredContent": envelope});
        let answer = json!({"jsonrpc": "2.0", "id": 3, "result": result});
        let script = format!(
            "{ANSWER_INITIALIZE}read -r ready; read -r list; cat <<'END'\n{list}\nEND\n\
             read -r call; cat <<'END'\n{answer}\nEND\ncat"
        );
        let mut client = Client::start(&[], &["sh", "-c", &script]);
        client.handshake("2025-11-25");
        let params = json!({"name": "t", "_meta": {"dev.manila/requestId": "mine"}});
        let answer = client.request(1, "tools/call", &params);
        assert_eq!(answer["result"]["_meta"]["dev.manila/requestId"], expected, "{answer}");
        assert_eq!(client.end().code, 0);
    }
}

#[test]
fn a_malformed_request_logs_the_same_line_on_every_transport() {
    let (_scratch, config, folder) = configure("request-ids-refused");
    let bad = [
        r#"{"jsonrpc": "2.0", "id": {}, "method": "tools/call", "params": {}}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}"#,
        r#"{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}"#,
        "nonsense",
    ];
    let without_volatile = |line: &Value| {
        let mut line = line.clone();
        for member in ["ts", "durationMs", "requestId", "traceId", "spanId"] {
            line.as_object_mut().unwrap().remove(member);
        }
        // These depend on the transport: over HTTP, a response without an id has no `"id":null`.
        for member in ["transport", "route", "outputBytes"] {
            line.as_object_mut().unwrap().remove(member);
        }
        line
    };
    let mut client = Client::start_manila(&["serve", "--config", &config, "--stdio"]);
    client.handshake("2025-11-25");
    for message in bad {
        client.send_line(message);
        client.line();
    }
    assert_eq!(client.end().code, 0);
    let over_stdio: Vec<Value> =
        wait_for_lines(&folder, 5).iter().skip(1).map(without_volatile).collect();
    let (_scratch, config, folder) = configure("request-ids-refused-http");
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    for message in bad {
        assert_eq!(served.request("POST", "/mcp", &JSON, message).status, 400);
    }
    let lines = wait_for_lines(&folder, 4);
    assert!(lines.iter().all(|line| line["outputBytes"].as_u64() > Some(0)), "{lines:?}");
    assert_eq!(lines.iter().map(without_volatile).collect::<Vec<_>>(), over_stdio);
    let methods: Vec<&Value> = lines.iter().map(|line| &line["method"]).collect();
    assert_eq!(
        methods,
        [&json!("tools/call"), &json!("tools/call"), &json!("tools/list"), &Value::Null]
    );
    // A request without a session is logged with its method, too.
    let unknown =
        served.request("POST", "/mcp", &JSON, r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
    assert_eq!(unknown.status, 400);
    let line = wait_for_lines(&folder, 5).pop().unwrap();
    assert_eq!((&line["method"], &line["rpcId"]), (&json!("ping"), &json!("9")));
}

#[test]
fn servers_get_a_span_of_the_callers_trace() {
    let scratch = Scratch::new("request-ids-trace");
    let file = scratch.file("seen", "");
    let list = r#"echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"any"}]}}'"#;
    let answer = r#"echo '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}'"#;
    let script = format!(
        "{ANSWER_INITIALIZE}read -r ready; read -r list; {list}; \
         read -r call; echo \"$call\" >{file}; {answer}; cat"
    );
    for (meta, is_continued) in [
        (json!({"traceparent": format!("00-{TRACE}-b7ad6b7169203331-01")}), true),
        (json!({"other": 1}), false),
        (json!({}), false),
        (Value::Null, false),
    ] {
        let mut client = Client::start(&["--contract", "none"], &["sh", "-c", &script]);
        client.handshake("2025-11-25");
        let mut params = json!({"name": "any", "arguments": {"a": 1.5}});
        if !meta.is_null() {
            params["_meta"] = meta.clone();
        }
        assert!(client.request("mine", "tools/call", &params)["result"].is_object());
        assert_eq!(client.end().code, 0);
        let seen: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let sent = seen["params"]["_meta"]["traceparent"].as_str().unwrap();
        let parts: Vec<&str> = sent.split('-').collect();
        assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [2, 32, 16, 2]);
        assert_eq!(parts[1] == TRACE, is_continued, "{sent}");
        assert_ne!(parts[2], "b7ad6b7169203331");
        // The gateway changes nothing else.
        let mut rest = seen["params"].clone();
        rest["_meta"].as_object_mut().unwrap().remove("traceparent");
        let mut expected = params.clone();
        expected["_meta"] = meta.as_object().cloned().unwrap_or_default().into();
        expected["_meta"].as_object_mut().unwrap().remove("traceparent");
        assert_eq!(rest, expected);
    }
}

#[test]
fn a_trace_reaches_the_server_that_a_name_belongs_to() {
    let scratch = Scratch::new("request-ids-several");
    let text = format!(
        "[upstream.a]\ncommand = [{0:?}, \"sample-server\"]\n\
         [upstream.b]\ncommand = [{0:?}, \"sample-server\"]\n",
        manila_path()
    );
    let config = scratch.file("manila.toml", text);
    let mut client = Client::start_manila(&["serve", "--config", &config, "--stdio"]);
    client.handshake("2025-11-25");
    let params = json!({"name": "b_echo", "arguments": {"message": "b_echo"},
        "_meta": {"traceparent": format!("00-{TRACE}-b7ad6b7169203331-00")}});
    let answer = client.request(1, "tools/call", &params);
    assert_eq!(answer["result"]["structuredContent"]["data"]["result"], "b_echo", "{answer}");
    assert_eq!(client.end().code, 0);
}
