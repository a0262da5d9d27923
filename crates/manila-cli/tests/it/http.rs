//! `manila wrap --http`: clients of the legacy era, their sessions and streams.

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, JSON};
use crate::mcp::{signal, wait_until_gone};
use crate::serve::wait_until;

#[test]
fn initialize_opens_a_session_and_delete_ends_it() {
    let served = HttpProgram::sample(&[]);
    let client = served.connect("2025-11-25");
    assert_eq!(client.initialize["result"]["serverInfo"]["name"], "manila-sample");
    assert!(client.session.len() >= 32 && client.session.bytes().all(|it| it.is_ascii_graphic()));
    let result = client.call("add", &json!({"a": 1, "b": 2}));
    assert_eq!(result["structuredContent"]["data"]["sum"], 3);
    assert_eq!(client.request(1, "ping", &json!({}))["result"], json!({}));
    let ended = served.request("DELETE", "/mcp", &[&client.head()], "");
    assert_eq!(ended.status, 204);
    let late = client.start_request(&json!(2), "tools/list", &json!({})).read_reply();
    assert_eq!(late.status, 404, "{late:?}");
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let without = served.request("POST", "/mcp", &JSON, list);
    assert_eq!(without.status, 400);
    assert!(without.body.contains("Mcp-Session-Id is required"), "{without:?}");
    let unknown = served.request("POST", "/mcp", &[JSON[0], JSON[1], "Mcp-Session-Id: x"], list);
    assert_eq!(unknown.status, 404);
    let wrong = served.connect("2025-06-18");
    let head = [JSON[0], JSON[1], &wrong.head(), "MCP-Protocol-Version: 1999-01-01"];
    assert_eq!(served.request("POST", "/mcp", &head, list).status, 400);
}

#[test]
fn a_response_is_json_unless_notifications_precede_it() {
    let served = HttpProgram::sample(&[]);
    let client = served.connect("2025-11-25");
    let params = json!({"name": "echo", "arguments": {"message": "x"}});
    let quick = client.start_request(&json!(1), "tools/call", &params).read_reply();
    assert_eq!(quick.header("content-type").as_deref(), Some("application/json"));
    let params = json!({"name": "progress", "arguments": {"steps": 3, "delay_ms": 1},
        "_meta": {"progressToken": "mine"}});
    let streamed = client.start_request(&json!(2), "tools/call", &params).read_reply();
    assert_eq!(streamed.header("content-type").as_deref(), Some("text/event-stream"));
    assert_eq!(streamed.header("x-accel-buffering").as_deref(), Some("no"));
    let messages = streamed.messages();
    assert_eq!(messages.len(), 4, "{messages:?}");
    for (step, message) in messages.iter().take(3).enumerate() {
        assert_eq!(message["params"]["progressToken"], "mine");
        assert_eq!(message["params"]["progress"], step + 1);
    }
    assert_eq!(messages[3]["id"], 2);
    // A client that accepts only JSON gets only the response.
    let head = [JSON[0], "Accept: application/json", &client.head()];
    let body = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params});
    let only = served.request("POST", "/mcp", &head, &body.to_string());
    assert_eq!(only.json()["id"], 3);
}

#[test]
fn an_interrupted_stream_can_be_resumed() {
    let served = HttpProgram::sample(&[]);
    let client = served.connect("2025-11-25");
    let params = json!({"name": "progress", "arguments": {"steps": 5, "delay_ms": 60},
        "_meta": {"progressToken": 7}});
    let mut stream = client.start_request(&json!("long"), "tools/call", &params);
    let first = stream.wait(|it| it["params"]["progress"] == 1);
    drop(stream);
    let id = first.id.unwrap();
    let mut resumed = client.listen(Some(&id));
    let mut steps = Vec::new();
    let answer = loop {
        let event = resumed.event().unwrap();
        match event.data.get("method") {
            Some(_) => steps.push(event.data["params"]["progress"].as_u64().unwrap()),
            None => break event.data,
        }
    };
    assert_eq!(steps, [2, 3, 4, 5]);
    assert_eq!(answer["id"], "long");
    assert_eq!(answer["result"]["isError"], false);
    assert!(resumed.event().is_none(), "the stream goes on after the response");
}

#[test]
fn a_lost_connection_cancels_nothing_and_a_notification_does() {
    let served = HttpProgram::sample(&["-v"]);
    let client = served.connect("2025-11-25");
    let wait = |ms: u64| json!({"name": "wait", "arguments": {"ms": ms}});
    let lost = client.start_request(&json!("lost"), "tools/call", &wait(300));
    served.wait_for_calls(1);
    drop(lost);
    let mut cancelled = client.start_request(&json!("cancelled"), "tools/call", &wait(60_000));
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "cancelled", "reason": "why not"}});
    served.wait_for_calls(2);
    assert_eq!(client.post(&notification).read_reply().status, 202);
    // The gateway sends no response, and the HTTP exchange ends.
    assert!(cancelled.head().contains(" 202 "), "{}", cancelled.head());
    let about = |client: &crate::http_client::LegacyClient<'_>| {
        client.call("about", &json!({}))["structuredContent"]["data"].clone()
    };
    while !served.stderr().contains("called wait: ok") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(about(&client)["cancelled"], 1);
    wait_until("the cancellation is logged", || served.stderr().contains("called wait: CANCELLED"));
}

#[test]
fn server_requests_go_to_the_client_of_the_call() {
    let served = HttpProgram::sample(&[]);
    let (client, other) = (served.connect("2025-11-25"), served.connect("2025-06-18"));
    let mut elsewhere = other.listen(None).with_read_timeout(std::time::Duration::from_millis(300));
    let params = json!({"name": "ask_user", "arguments": {"question": "Which berth?"}});
    let mut stream = client.start_request(&json!("q"), "tools/call", &params);
    let server_request = stream.wait(|it| it["method"] == "elicitation/create").data;
    let answer = json!({"jsonrpc": "2.0", "id": server_request["id"],
        "result": {"action": "accept", "content": {"answer": "four"}}});
    // Another client cannot respond to it.
    assert_eq!(other.post(&answer).read_reply().status, 400);
    assert_eq!(client.post(&answer).read_reply().status, 202);
    let result = stream.wait(|it| it["id"] == "q").data["result"].clone();
    assert_eq!(result["structuredContent"]["data"]["content"]["answer"], "four", "{result}");
    assert!(elsewhere.event().is_none(), "the other client got the request, too");
}

#[test]
fn server_requests_are_refused_while_two_clients_have_open_calls() {
    let served = HttpProgram::sample(&[]);
    let (client, other) = (served.connect("2025-11-25"), served.connect("2025-11-25"));
    let params = json!({"name": "wait", "arguments": {"ms": 5_000}});
    let _waiting = other.start_request(&json!(1), "tools/call", &params);
    served.wait_for_calls(1);
    let envelope = client.call("ask_user", &json!({"question": "?"}))["structuredContent"].clone();
    assert_eq!(envelope["success"], false, "{envelope}");
    assert!(envelope["error"].as_str().unwrap().contains("the client refused"), "{envelope}");
}

#[test]
fn server_requests_of_a_cancelled_call_reach_no_other_client() {
    // The server ignores the cancellation, and sends its request late.
    let script = concat!(
        r#"read init; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","#,
        r#""capabilities":{"tools":{}}}}'; read confirmed; read list; "#,
        r#"echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"t","inputSchema":{}}]}}'; "#,
        r#"read call; read cancelled; sleep 0.4; "#,
        r#"echo '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"of A"}}'; "#,
        r#"read answer; echo "received: $answer" >&2; sleep 1000"#
    );
    let served = HttpProgram::wrap(&[], &["sh", "-c", script]);
    let (caller, other) = (served.connect("2025-11-25"), served.connect("2025-11-25"));
    let mut elsewhere =
        other.listen(None).with_read_timeout(std::time::Duration::from_millis(1_500));
    elsewhere.head();
    let _open =
        caller.start_request(&json!(1), "tools/call", &json!({"name": "t", "arguments": {}}));
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(served.request("DELETE", "/mcp", &[&caller.head()], "").status, 204);
    while !served.stderr().contains("received: ") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    wait_until("the server receives an error", || {
        served.stderr().contains(r#"received: {"jsonrpc":"2.0","id":"q","error""#)
    });
    assert!(elsewhere.event().is_none(), "the other client got the request of the cancelled call");
}

#[test]
fn all_clients_are_notified_of_changed_tools() {
    let served = HttpProgram::sample(&[]);
    let (client, other) = (served.connect("2025-11-25"), served.connect("2025-11-25"));
    let mut streams = [client.listen(None), other.listen(None)];
    for stream in &mut streams {
        assert!(stream.head().contains("200 OK"));
    }
    client.call("change_tools", &json!({}));
    for stream in &mut streams {
        stream.wait(|it| it["method"] == "notifications/tools/list_changed");
    }
    let listed = client.request(1, "tools/list", &json!({}));
    let names = listed["result"]["tools"].as_array().unwrap().clone();
    assert!(names.iter().any(|tool| tool["name"] == "extra"));
}

#[test]
fn idle_sessions_expire() {
    let served = HttpProgram::sample(&["--session-idle", "400ms"]);
    let client = served.connect("2025-11-25");
    let listener = served.connect("2025-11-25");
    let mut stream = listener.listen(None);
    stream.head();
    std::thread::sleep(std::time::Duration::from_millis(900));
    let late = client.start_request(&json!(1), "ping", &json!({})).read_reply();
    assert_eq!(late.status, 404);
    assert_eq!(listener.request(1, "ping", &json!({}))["result"], json!({}), "the session expired");
}

#[test]
fn batches_are_accepted_in_only_one_revision() {
    let served = HttpProgram::sample(&[]);
    let call = |id: u64, n: u64| {
        let params = json!({"name": "add", "arguments": {"a": n, "b": 1}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    let batch = json!([call(1, 10), notification, call(2, 20), ping, 7]);
    let client = served.connect("2025-03-26");
    let answers = client.post(&batch).read_reply().json();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 4, "{answers:?}");
    let text = |at: usize| answers[at]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text(0).contains(r#""sum":11"#) && text(1).contains(r#""sum":21"#), "{answers:?}");
    assert_eq!(answers[2], json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!(answers[3]["error"]["code"], -32600);
    assert_eq!(client.post(&json!([notification])).read_reply().status, 202);
    assert_eq!(client.post(&json!([])).read_reply().status, 400);
    let newer = served.connect("2025-06-18").post(&batch).read_reply();
    assert_eq!(newer.status, 400);
    assert!(newer.body.contains("is a batch"), "{newer:?}");
}

#[test]
fn a_header_can_select_the_contract() {
    let served = HttpProgram::sample(&[]);
    let client = served.connect("2025-11-25");
    let params = json!({"name": "echo", "arguments": {"message": "x"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let with = |contract: &str| {
        let contract_header = format!("Manila-Contract: {contract}");
        let head = [JSON[0], JSON[1], &client.head(), &contract_header];
        served.request("POST", "/mcp", &head, &body.to_string())
    };
    let result: Value = with("envelope-v1").json()["result"].clone();
    assert_eq!(result["structuredContent"]["tool_id"], "echo");
    assert_eq!(with("none").json()["result"]["content"][0]["text"], "x");
    let wrong = with("response-v3");
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("must be one of response-v2"), "{wrong:?}");
}

#[test]
fn a_signal_finishes_open_calls_and_ends_the_server() {
    let mut served = HttpProgram::sample(&["-v"]);
    let pid = served.call("about", &json!({})).json()["data"]["pid"].as_u64().unwrap();
    let client = served.connect("2025-11-25");
    let params = json!({"name": "wait", "arguments": {"ms": 700}});
    let mut open = client.start_request(&json!(1), "tools/call", &params);
    let mut listening = client.listen(None);
    listening.head();
    served.wait_for_calls(2);
    signal("TERM", served.pid());
    assert!(open.head().contains("200 OK"));
    assert_eq!(open.read_reply().answer(&json!(1))["result"]["isError"], false);
    assert!(listening.event().is_none());
    assert_eq!(served.wait(), Some(0), "{}", served.stderr());
    wait_until_gone(&[pid]);
}

/// A carriage return between tokens is valid JSON, but it would end the line of an event.
#[test]
fn a_carriage_return_of_a_server_does_not_end_an_event() {
    let script = concat!(
        r#"read line; printf '{"jsonrpc":"2.0",\r"id":1,"result":{"protocolVersion":"2025-11-25","#,
        r#""capabilities":{"tools":{}},\r"serverInfo":{"name":"script","version":"1"}}}\n'; "#,
        r#"while read -r line; do id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); "#,
        r#"token=$(echo "$line" | sed 's/.*"progressToken":\([^,}]*\).*/\1/'); case "$line" in "#,
        r#"*tools/list*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","#,
        r#""inputSchema":{"type":"object"}}]}}\n' "$id";; "#,
        r#"*tools/call*) printf '{"jsonrpc":"2.0",\r"method":"notifications/progress",\r"params":"#,
        r#"{"progressToken":%s,\r\r "progress":1}}\n' "$token"; "#,
        r#"printf '{"jsonrpc":"2.0",\r"id":%s,\r"result":{\r"content":[]}}\r\n' "$id";; esac; done"#,
    );
    let served = HttpProgram::wrap(&[], &["sh", "-c", script]);
    let client = served.connect("2025-11-25");
    let params = json!({"name": "t", "arguments": {}, "_meta": {"progressToken": "p"}});
    let reply = client.start_request(&json!("c"), "tools/call", &params).read_reply();
    assert!(!reply.body.contains('\r'), "{reply:?}");
    let progress = reply.messages().into_iter().find(|it| it["params"]["progress"] == 1);
    assert_eq!(progress.unwrap()["params"]["progressToken"], "p", "{reply:?}");
    assert_eq!(reply.answer(&json!("c"))["result"]["isError"], false, "{reply:?}");
}
