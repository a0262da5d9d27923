//! Messages that the gateway forwards unchanged, and messages that it must not forward.

use serde_json::json;

use crate::mcp::Client;
use crate::scripted::connect;
use crate::serve::wait_until;

#[track_caller]
fn check_answer(method: &str, options: &[&str], members: &str) {
    let answer = format!(r#"{{"jsonrpc":"2.0", "id":ID,{members}}}"#);
    // Before the first call, the gateway lists the tools.
    let tools = r#"{"tools":[{"name":"t"}]}"#;
    let list = format!(r#"read list; echo '{{"jsonrpc":"2.0","id":2,"result":{tools}}}'"#);
    let (list, id) = if method == "tools/call" { (list, "3") } else { (String::new(), "2") };
    let echoed = answer.replace("ID", id);
    let script = format!("read confirmed; {list}\nread line; echo '{echoed}'; cat >/dev/null");
    let mut client = connect(options, &script);
    client.start_request("x", method, &json!({"name": "t"}));
    assert_eq!(client.line(), answer.replace("ID", "\"x\""));
}

#[test]
fn forwards_responses_unchanged() {
    let result = r#""result": {"n": 1.0, "n2":10000000000000000000000},  "top": 1.50"#;
    check_answer("prompts/list", &[], result);
    check_answer("tools/call", &["--contract", "none"], result);
    let error = r#""error":{"code":-5, "message":"no", "x":1e3}, "top":[ ]"#;
    check_answer("resources/read", &[], error);
    check_answer("tools/call", &["--contract", "none"], error);
}

#[test]
fn forwards_notifications_of_the_client_unchanged() {
    let notifications = [
        r#"{"jsonrpc":"2.0", "method":"notifications/initialized", "params":{"_meta":{"a":1.0}}}"#,
        r#"{"jsonrpc":"2.0", "method":"no/such",  "params":{"n":1.0}, "top":2e1}"#,
    ];
    let script = r#"while read line; do echo "received: $line" >&2; done"#;
    let mut client = Client::start(
        &[],
        &["sh", "-c", &format!("{}{script}", crate::scripted::ANSWER_INITIALIZE)],
    );
    client.request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    for line in notifications {
        client.send_line(line);
    }
    client.start_request(7, "prompts/list", &json!({}));
    let params = json!({"requestId": 7, "reason": "why not", "zz": {"n": 1}});
    let method = "notifications/cancelled";
    client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    let stderr = client.end().stderr;
    for line in notifications {
        assert!(stderr.contains(&format!("received: {line}")), "{line}\n{stderr}");
    }
    let params = r#""params":{"requestId":2,"reason":"why not","zz":{"n":1}}"#;
    assert!(stderr.contains(params), "{stderr}");
}

#[test]
fn ignores_a_response_with_an_unknown_id() {
    let script = r#"read a; read b; echo '{"jsonrpc":"2.0","id":"zzz","result":{"wrong":1}}'
        echo '{"jsonrpc":"2.0","id":2,"result":{"right":1}}'; cat >/dev/null"#;
    let mut client = connect(&[], script);
    assert_eq!(client.request(1, "prompts/list", &json!({}))["result"], json!({"right": 1}));
}

#[test]
fn a_response_without_result_and_error_is_an_error() {
    let mut client =
        connect(&[], r#"read a; read b; echo '{"jsonrpc":"2.0","id":2}'; cat >/dev/null"#);
    let answer = client.request(1, "prompts/list", &json!({}));
    assert_eq!(answer["error"]["data"]["canonicalCode"], "INVALID_TOOL_OUTPUT", "{answer}");
}

#[test]
fn duplicate_arguments_never_reach_the_server() {
    let mut client = Client::sample(&[]);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",
        "arguments":{"message":5,"message":"second"}}}"#;
    client.send_line(&call.replace('\n', " "));
    let envelope = client.answer(&json!(1))["result"]["structuredContent"].clone();
    assert_eq!(envelope["data"]["error_code"], "VALIDATION_ERROR", "{envelope}");
    assert!(envelope.to_string().contains("is given twice"), "{envelope}");
}

#[test]
fn a_call_without_an_id_never_reaches_the_server() {
    let mut client = connect(&[], r#"while read line; do echo "received: $line" >&2; done"#);
    let params = json!({"name": "t", "arguments": {}});
    client.send(&json!({"jsonrpc": "2.0", "method": "tools/call", "params": params}));
    let stderr = client.end().stderr;
    assert!(!stderr.contains("received: {\"jsonrpc\":\"2.0\",\"method\":\"tools/call"), "{stderr}");
    assert!(stderr.contains("`tools/call` without an id"), "{stderr}");
}

#[test]
fn a_ping_with_the_id_of_an_open_request_does_not_complete_it() {
    let mut client = Client::sample(&[]);
    client.start_request(5, "tools/call", &json!({"name": "wait", "arguments": {"ms": 300}}));
    client.start_request(5, "ping", &json!({}));
    assert!(client.answer(&json!(null))["error"].is_object());
    assert_eq!(client.answer(&json!(5))["result"]["isError"], false);
}

#[test]
fn an_unknown_tool_gets_a_suggestion() {
    let mut client = Client::sample(&[]);
    let answer = client.request(1, "tools/call", &json!({"name": "ecko", "arguments": {}}));
    assert_eq!(answer["error"]["message"], "Unknown tool");
    let violation = &answer["error"]["data"]["violations"][0];
    assert_eq!(violation["message"], "is not a tool of this server; did you mean `echo`?");
}

#[test]
fn two_chained_gateways_identify_themselves_once() {
    let manila = crate::mcp::manila_path();
    let mut client = Client::start(&[], &[manila, "wrap", "--", manila, "sample-server"]);
    client.start_request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    assert_eq!(client.line().matches("dev.manila/gateway").count(), 1);
}

#[test]
fn tools_beyond_the_cache_limit_can_be_called() {
    let script = r#"read a; read b; printf '{"jsonrpc":"2.0","id":2,"result":{"tools":['
        seq -f '{"name":"t%.0f","inputSchema":{"type":"object"}},' 1 10000 | tr -d '\n'
        echo '{"name":"last","inputSchema":{"type":"object"}}]}}'
        read c; echo '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}'; cat >/dev/null"#;
    let mut client = connect(&[], script);
    assert_eq!(client.call("last", &json!({}))["isError"], false);
}

#[test]
fn the_timeout_does_not_apply_to_the_result_of_a_task() {
    let result = r#"{"content":[{"type":"text","text":"done"}]}"#;
    let script = format!(
        r#"read a; read b; sleep 1; echo '{{"jsonrpc":"2.0","id":2,"result":{result}}}'
        cat >/dev/null"#
    );
    let mut client = connect(&["--timeout", "200ms", "--contract", "none"], &script);
    let answer = client.request(1, "tasks/result", &json!({"taskId": "t"}));
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

#[test]
fn logs_unusable_messages_briefly() {
    let script = r#"read a; line=$(printf '%100000s' | tr ' ' x)
        echo '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"'$line'"}}'; cat >/dev/null"#;
    let client = connect(&[], script);
    wait_until("it is logged", || client.stderr().contains("a response that matches no request"));
    let stderr = client.end().stderr;
    assert!(stderr.len() < 1_000, "{stderr:.2000}");
}

#[test]
fn null_for_an_optional_parameter_reaches_the_server() {
    let tool = r#"{"name":"t","inputSchema":{"type":"object","required":["a"],
        "properties":{"a":{"type":"string"},"b":{"type":"boolean"}}}}"#;
    let list = format!(r#"{{"tools":[{}]}}"#, tool.replace('\n', " "));
    let script = format!(
        r#"read confirmed; read list; echo '{{"jsonrpc":"2.0","id":2,"result":{list}}}'
        read call; echo "received: $call" >&2
        echo '{{"jsonrpc":"2.0","id":3,"result":{{"content":[]}}}}'; cat >/dev/null"#
    );
    let mut client = connect(&["--contract", "none"], &script);
    for wrong in [json!({"a": null, "b": true}), json!({"a": "x", "b": "no", "c": null})] {
        assert_eq!(client.call("t", &wrong)["isError"], true, "{wrong}");
    }
    assert_eq!(client.call("t", &json!({"a": "x", "b": null}))["content"], json!([]));
    let stderr = client.end().stderr;
    assert!(stderr.contains(r#""arguments":{"a":"x","b":null}"#), "{stderr}");
}
