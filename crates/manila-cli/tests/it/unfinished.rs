//! Messages that ask the client to act first: requests for input, handles of tasks, and errors.
//! Their texts are redacted, and what the protocol needs is unchanged.

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::mcp::Client;
use crate::scripted::connect;
use crate::serve::wait_until;
use crate::shell_server::{legacy_script, modern_script};

const SECRET: &str = "AKIAIOSFODNN7REDACTE";
const URL: &str = "https://u:hunter2x@host/AKIAIOSFODNN7REDACTE";
const LIST: &str = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;

/// Replaces `SECRET` in a value, and `URL`.
fn expand(value: &Value) -> Value {
    let text =
        value.to_string().replace("\"URL\"", &format!("\"{URL}\"")).replace("SECRET", SECRET);
    serde_json::from_str(&text).unwrap()
}

/// Calls a tool of a legacy server, whose response has these members.
fn call_legacy(options: &[&str], members: &Value) -> Value {
    let members = expand(members).to_string();
    let members = members.strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap();
    let mut client = Client::start(options, &["sh", "-c", &legacy_script(LIST, members)]);
    client.handshake("2025-11-25");
    client.request("x", "tools/call", &json!({"name": "t"}))
}

/// Calls a tool of a server of the given era, as a client of the modern era.
fn call_modern(options: &[&str], script: fn(&str, &str) -> String, members: &Value) -> Value {
    let members = expand(members).to_string();
    let members = members.strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap();
    let server = HttpProgram::wrap(options, &["sh", "-c", &script(LIST, members)]);
    let reply = server.send_modern("tools/call", &json!({"name": "t"})).read_reply();
    reply.answer(&json!(1))
}

#[test]
fn input_required_of_a_legacy_server_is_a_result() {
    let members = json!({"result": {"resultType": "input_required",
        "content": [{"type": "text", "text": "is SECRET"}], "requestState": "s",
        "inputRequests": {"a": {"method": "roots/list", "params": {}}}}});
    for answer in [call_legacy(&[], &members), call_modern(&[], legacy_script, &members)] {
        let result = &answer["result"];
        assert_eq!(result["structuredContent"]["data"]["result"], "is [REDACTED]", "{answer}");
        assert_eq!(result["inputRequests"], Value::Null, "{answer}");
    }
    let none = ["--contract", "none"];
    let answer = call_legacy(&none, &members);
    assert_eq!(answer["result"]["content"][0]["text"], "is [REDACTED]", "{answer}");
    let answer = call_modern(&none, legacy_script, &members);
    assert_eq!(answer["result"]["content"][0]["text"], "is [REDACTED]", "{answer}");
    // The client must not take it for a request.
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
}

#[test]
fn only_the_id_of_a_task_is_not_redacted() {
    let task = json!({"taskId": "SECRET", "status": "working", "statusMessage": "has SECRET"});
    for options in [&[][..], &["--contract", "none"]] {
        let answer = call_legacy(options, &json!({"result": {"task": task}}));
        let task = &answer["result"]["task"];
        assert_eq!(task["taskId"], SECRET, "{answer}");
        assert_eq!(task["statusMessage"], "has [REDACTED]", "{answer}");
    }
    // A result beside the handle is a result.
    let members = json!({"result": {"task": task, "structuredContent": {"n": "SECRET"}}});
    let answer = call_legacy(&[], &members);
    assert_eq!(answer["result"]["structuredContent"]["data"], json!({"n": "[REDACTED]"}));
    assert_eq!(answer["result"]["task"], Value::Null, "{answer}");
    let members = json!({"result": {"resultType": "task", "taskId": "SECRET", "status": "working",
        "statusMessage": "has SECRET", "structuredContent": {"n": "SECRET"}}});
    let answer = call_modern(&[], modern_script, &members);
    let result = &answer["result"];
    assert_eq!((&result["taskId"], &result["resultType"]), (&json!(SECRET), &json!("task")));
    assert_eq!(result["statusMessage"], "has [REDACTED]", "{answer}");
    assert_eq!(result["structuredContent"], json!({"n": "[REDACTED]"}), "{answer}");
}

#[test]
fn texts_of_input_requests_are_redacted() {
    let schema = json!({"type": "object", "properties": {
        "password": {"type": "string", "default": "SECRET", "enum": ["SECRET"]}}});
    let blocks = json!([{"type": "text", "text": "is SECRET"},
        {"type": "tool_use", "id": "SECRET", "name": "n", "input": {"password": "hunter2x"}}]);
    let requests = json!({
        "SECRET": {"method": "elicitation/create", "params":
            {"mode": "form", "message": "SECRET?", "requestedSchema": schema}},
        "b": {"method": "elicitation/create", "params":
            {"mode": "url", "message": "SECRET?", "elicitationId": "SECRET", "url": "URL"}},
        "c": {"method": "sampling/createMessage", "params": {"maxTokens": 9,
            "systemPrompt": "SECRET", "messages": [{"role": "user", "content": blocks}],
            "tools": [{"name": "n", "description": "SECRET", "inputSchema": schema}]}},
    });
    let members = json!({"result": {"resultType": "input_required", "inputRequests": requests,
        "requestState": "SECRET", "content": [{"type": "text", "text": "SECRET"}]}});
    for options in [&[][..], &["--contract", "none"]] {
        let answer = call_modern(options, modern_script, &members);
        let result = &answer["result"];
        assert_eq!(result["requestState"], SECRET, "{answer}");
        assert_eq!(result["content"][0]["text"], "[REDACTED]", "{answer}");
        let requests = &result["inputRequests"];
        let form = &requests[SECRET]["params"];
        assert_eq!(form["message"], "[REDACTED]?", "{answer}");
        assert_eq!(form["requestedSchema"], expand(&schema), "{answer}");
        let url = &requests["b"]["params"];
        assert_eq!(url["message"], "[REDACTED]?", "{answer}");
        assert_eq!((&url["elicitationId"], &url["url"]), (&json!(SECRET), &json!(URL)));
        let sampling = &requests["c"]["params"];
        assert_eq!(sampling["systemPrompt"], "[REDACTED]", "{answer}");
        let content = &sampling["messages"][0]["content"];
        assert_eq!(content[0]["text"], "is [REDACTED]", "{answer}");
        assert_eq!(content[1]["id"], SECRET, "{answer}");
        assert_eq!(content[1]["input"], json!({"password": "[REDACTED]"}), "{answer}");
        assert_eq!(sampling["tools"][0]["description"], "[REDACTED]", "{answer}");
        assert_eq!(sampling["tools"][0]["inputSchema"], expand(&schema), "{answer}");
    }
}

#[test]
fn errors_that_ask_for_an_action_are_redacted() {
    let elicitation =
        json!({"mode": "url", "elicitationId": "SECRET", "url": "URL", "message": "SECRET?"});
    let visit = json!({"error": {"code": -32042, "message": "has SECRET",
        "data": {"elicitations": [elicitation], "more": ["SECRET"]}}});
    let version = json!({"error": {"code": -32022, "message": "has SECRET",
        "data": {"supported": ["2026-07-28"], "requested": "SECRET"}}});
    for options in [&[][..], &["--contract", "none"]] {
        let answers = [
            call_legacy(options, &visit),
            call_modern(options, modern_script, &visit),
            call_modern(options, modern_script, &version),
        ];
        for answer in &answers {
            assert_eq!(answer["error"]["message"], "has [REDACTED]", "{answer}");
        }
        for answer in &answers[..2] {
            let data = &answer["error"]["data"];
            let elicitation = &data["elicitations"][0];
            assert_eq!(elicitation["url"], URL, "{answer}");
            assert_eq!(elicitation["elicitationId"], SECRET, "{answer}");
            assert_eq!(elicitation["message"], "[REDACTED]?", "{answer}");
            assert_eq!(data["more"], json!(["[REDACTED]"]), "{answer}");
        }
        let data = &answers[2]["error"]["data"];
        assert_eq!(*data, json!({"supported": ["2026-07-28"], "requested": "[REDACTED]"}));
    }
    // In the legacy era, the number of the other error has no meaning.
    let answer = call_legacy(&[], &version);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(!answer.to_string().contains(SECRET), "{answer}");
}

#[test]
fn requests_of_the_server_are_redacted() {
    let schema = json!({"type": "object", "properties": {"password": {"const": SECRET}}});
    let content = json!({"type": "text", "text": format!("is {SECRET}")});
    let image = "QUJD".repeat(32);
    let requests = [
        json!({"method": "elicitation/create", "params":
            {"message": format!("{SECRET}?"), "requestedSchema": schema}}),
        json!({"method": "elicitation/create", "params":
            {"mode": "url", "message": "?", "url": URL, "elicitationId": SECRET}}),
        json!({"method": "sampling/createMessage", "params": {"systemPrompt": SECRET, "messages":
            [{"role": "user", "content": content},
             {"role": "user", "content": {"type": "image", "data": image}},
             {"role": "user", "content": {"type": "tool_result", "toolUseId": SECRET}}]}}),
        json!({"method": "x/unknown", "params": {"url": URL, "a": [SECRET]}}),
    ];
    let lines = requests.iter().map(|request| {
        let mut request = request.clone();
        request["jsonrpc"] = json!("2.0");
        request["id"] = json!(SECRET);
        let own_id = format!("case $answer in *{SECRET}*) echo own id >&2;; esac");
        format!("echo '{request}'; read -r answer; {own_id}; ")
    });
    let script: String = ["read ready; ".to_owned()].into_iter().chain(lines).collect();
    let mut client = connect(&[], &(script + "cat >/dev/null"));
    let mut params = Vec::new();
    for request in &requests {
        let sent = client.wait(|message| message["method"] == request["method"]);
        let answer = json!({"jsonrpc": "2.0", "id": sent["id"], "result": {}});
        client.send(&answer);
        params.push(sent["params"].clone());
        wait_until("the server gets an answer with its own id", || {
            client.stderr().matches("own id").count() == params.len()
        });
    }
    assert_eq!(params[0], json!({"message": "[REDACTED]?", "requestedSchema": schema}));
    assert_eq!(params[1], requests[1]["params"]);
    assert_eq!(params[2]["systemPrompt"], "[REDACTED]");
    assert_eq!(params[2]["messages"][0]["content"]["text"], "is [REDACTED]");
    assert_eq!(params[2]["messages"][1], requests[2]["params"]["messages"][1]);
    assert_eq!(params[2]["messages"][2], requests[2]["params"]["messages"][2]);
    assert!(!params[3].to_string().contains(SECRET), "{}", params[3]);
    assert!(!params[3].to_string().contains("hunter2x"), "{}", params[3]);
}

#[test]
fn a_completed_elicitation_keeps_its_id() {
    let params = json!({"elicitationId": SECRET, "more": SECRET});
    let method = "notifications/elicitation/complete";
    let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    let mut client = connect(&[], &format!("read ready; echo '{message}'; cat >/dev/null"));
    let sent = client.wait(|message| message["method"] == method);
    assert_eq!(sent["params"], json!({"elicitationId": SECRET, "more": "[REDACTED]"}));
}
