//! What passes as it came, and what must not pass at all.

use serde_json::json;

use crate::mcp::Client;
use crate::scripted::greeted;
use crate::serve::until;

#[track_caller]
fn check_answer(method: &str, options: &[&str], members: &str) {
    let answer = format!(r#"{{"jsonrpc":"2.0", "id":2,{members}}}"#);
    let script = format!("read confirmed; read line; echo '{answer}'; cat >/dev/null");
    let mut client = greeted(options, &script);
    client.request("x", method, &json!({"name": "t"}));
    assert_eq!(client.line(), answer.replace(r#""id":2"#, r#""id":"x""#));
}

#[test]
fn answers_that_are_handed_on_are_not_touched() {
    let result = r#""result": {"n": 1.0, "n2":10000000000000000000000},  "top": 1.50"#;
    check_answer("prompts/list", &[], result);
    check_answer("tools/call", &["--contract", "none"], result);
    let error = r#""error":{"code":-5, "message":"no", "x":1e3}, "top":[ ]"#;
    check_answer("resources/read", &[], error);
    check_answer("tools/call", &["--contract", "none"], error);
}

#[test]
fn what_the_client_tells_is_not_touched() {
    let told = [
        r#"{"jsonrpc":"2.0", "method":"notifications/initialized", "params":{"_meta":{"a":1.0}}}"#,
        r#"{"jsonrpc":"2.0", "method":"unheard/of",  "params":{"n":1.0}, "top":2e1}"#,
    ];
    let script = r#"while read line; do echo "heard: $line" >&2; done"#;
    let mut client =
        Client::start(&[], &["sh", "-c", &format!("{}{script}", crate::scripted::HELLO)]);
    client.ask(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    for line in told {
        client.send_line(line);
    }
    client.request(7, "prompts/list", &json!({}));
    let taken_back = json!({"requestId": 7, "reason": "why not", "zz": {"n": 1}});
    let method = "notifications/cancelled";
    client.send(&json!({"jsonrpc": "2.0", "method": method, "params": taken_back}));
    let stderr = client.end().stderr;
    for line in told {
        assert!(stderr.contains(&format!("heard: {line}")), "{line}\n{stderr}");
    }
    let taken_back = r#""params":{"requestId":2,"reason":"why not","zz":{"n":1}}"#;
    assert!(stderr.contains(taken_back), "{stderr}");
}

#[test]
fn an_answer_with_a_foreign_id_answers_nothing() {
    let script = r#"read a; read b; echo '{"jsonrpc":"2.0","id":"zzz","result":{"wrong":1}}'
        echo '{"jsonrpc":"2.0","id":2,"result":{"right":1}}'; cat >/dev/null"#;
    let mut client = greeted(&[], script);
    assert_eq!(client.ask(1, "prompts/list", &json!({}))["result"], json!({"right": 1}));
}

#[test]
fn an_answer_without_result_and_error_is_told_at_once() {
    let mut client =
        greeted(&[], r#"read a; read b; echo '{"jsonrpc":"2.0","id":2}'; cat >/dev/null"#);
    let answer = client.ask(1, "prompts/list", &json!({}));
    assert_eq!(answer["error"]["data"]["canonicalCode"], "INVALID_TOOL_OUTPUT", "{answer}");
}

#[test]
fn arguments_that_are_given_twice_never_reach_the_server() {
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
    let mut client = greeted(&[], r#"while read line; do echo "heard: $line" >&2; done"#);
    let params = json!({"name": "t", "arguments": {}});
    client.send(&json!({"jsonrpc": "2.0", "method": "tools/call", "params": params}));
    let stderr = client.end().stderr;
    assert!(!stderr.contains("heard: {\"jsonrpc\":\"2.0\",\"method\":\"tools/call"), "{stderr}");
    assert!(stderr.contains("`tools/call` without an id"), "{stderr}");
}

#[test]
fn a_ping_with_the_id_of_an_open_request_does_not_answer_that() {
    let mut client = Client::sample(&[]);
    client.request(5, "tools/call", &json!({"name": "wait", "arguments": {"ms": 300}}));
    client.request(5, "ping", &json!({}));
    assert!(client.answer(&json!(null))["error"].is_object());
    assert_eq!(client.answer(&json!(5))["result"]["isError"], false);
}

#[test]
fn an_unknown_tool_is_named() {
    let mut client = Client::sample(&[]);
    let answer = client.ask(1, "tools/call", &json!({"name": "ecko", "arguments": {}}));
    assert_eq!(answer["error"]["message"], "Unknown tool");
    let violation = &answer["error"]["data"]["violations"][0];
    assert_eq!(violation["message"], "is no tool of this server; did you mean `echo`?");
}

#[test]
fn two_gateways_in_a_row_tell_who_they_are_once() {
    let manila = crate::mcp::manila_path();
    let mut client = Client::start(&[], &[manila, "wrap", "--", manila, "sample-server"]);
    client.request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    assert_eq!(client.line().matches("dev.manila/gateway").count(), 1);
}

#[test]
fn more_tools_than_are_kept_can_be_called() {
    let script = r#"read a; read b; printf '{"jsonrpc":"2.0","id":2,"result":{"tools":['
        seq -f '{"name":"t%.0f","inputSchema":{"type":"object"}},' 1 10000 | tr -d '\n'
        echo '{"name":"last","inputSchema":{"type":"object"}}]}}'
        read c; echo '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}'; cat >/dev/null"#;
    let mut client = greeted(&[], script);
    assert_eq!(client.call("last", &json!({}))["isError"], false);
}

#[test]
fn a_task_has_its_own_time_whatever_the_contract() {
    let result = r#"{"content":[{"type":"text","text":"done"}]}"#;
    let script = format!(
        r#"read a; read b; sleep 1; echo '{{"jsonrpc":"2.0","id":2,"result":{result}}}'
        cat >/dev/null"#
    );
    let mut client = greeted(&["--timeout", "200ms", "--contract", "none"], &script);
    let answer = client.ask(1, "tasks/result", &json!({"taskId": "t"}));
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

#[test]
fn what_is_told_of_a_useless_message_is_short() {
    let script = r#"read a; line=$(printf '%100000s' | tr ' ' x)
        echo '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"'$line'"}}'; cat >/dev/null"#;
    let client = greeted(&[], script);
    until("it is told", || client.stderr().contains("an answer to nothing"));
    let stderr = client.end().stderr;
    assert!(stderr.len() < 1_000, "{stderr:.2000}");
}
