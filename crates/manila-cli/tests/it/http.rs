//! `manila wrap --http`: clients of the legacy era, their sessions and streams.

use serde_json::{Value, json};

use crate::http_client::{JSON, Served};
use crate::mcp::{signal, wait_until_gone};
use crate::serve::until;

#[test]
fn a_hello_opens_a_session_and_a_goodbye_ends_it() {
    let served = Served::sample(&[]);
    let client = served.greeted("2025-11-25");
    assert_eq!(client.hello["result"]["serverInfo"]["name"], "manila-sample");
    assert!(client.session.len() >= 32 && client.session.bytes().all(|it| it.is_ascii_graphic()));
    let result = client.call("add", &json!({"a": 1, "b": 2}));
    assert_eq!(result["structuredContent"]["data"]["sum"], 3);
    assert_eq!(client.ask(1, "ping", &json!({}))["result"], json!({}));
    let ended = served.ask("DELETE", "/mcp", &[&client.head()], "");
    assert_eq!(ended.status, 204);
    let late = client.request(&json!(2), "tools/list", &json!({})).whole();
    assert_eq!(late.status, 404, "{late:?}");
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let without = served.ask("POST", "/mcp", &JSON, list);
    assert_eq!(without.status, 400);
    assert!(without.body.contains("Mcp-Session-Id is required"), "{without:?}");
    let unknown = served.ask("POST", "/mcp", &[JSON[0], JSON[1], "Mcp-Session-Id: x"], list);
    assert_eq!(unknown.status, 404);
    let wrong = served.greeted("2025-06-18");
    let head = [JSON[0], JSON[1], &wrong.head(), "MCP-Protocol-Version: 1999-01-01"];
    assert_eq!(served.ask("POST", "/mcp", &head, list).status, 400);
}

#[test]
fn an_answer_is_json_unless_something_comes_before_it() {
    let served = Served::sample(&[]);
    let client = served.greeted("2025-11-25");
    let params = json!({"name": "echo", "arguments": {"message": "x"}});
    let quick = client.request(&json!(1), "tools/call", &params).whole();
    assert_eq!(quick.header("content-type").as_deref(), Some("application/json"));
    let params = json!({"name": "progress", "arguments": {"steps": 3, "delay_ms": 1},
        "_meta": {"progressToken": "mine"}});
    let told = client.request(&json!(2), "tools/call", &params).whole();
    assert_eq!(told.header("content-type").as_deref(), Some("text/event-stream"));
    assert_eq!(told.header("x-accel-buffering").as_deref(), Some("no"));
    let messages = told.messages();
    assert_eq!(messages.len(), 4, "{messages:?}");
    for (step, message) in messages.iter().take(3).enumerate() {
        assert_eq!(message["params"]["progressToken"], "mine");
        assert_eq!(message["params"]["progress"], step + 1);
    }
    assert_eq!(messages[3]["id"], 2);
    // Whoever takes only JSON gets only the answer.
    let head = [JSON[0], "Accept: application/json", &client.head()];
    let body = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params});
    let only = served.ask("POST", "/mcp", &head, &body.to_string());
    assert_eq!(only.json()["id"], 3);
}

#[test]
fn a_stream_that_breaks_off_is_taken_up_again() {
    let served = Served::sample(&[]);
    let client = served.greeted("2025-11-25");
    let params = json!({"name": "progress", "arguments": {"steps": 5, "delay_ms": 60},
        "_meta": {"progressToken": 7}});
    let mut stream = client.request(&json!("long"), "tools/call", &params);
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
    assert!(resumed.event().is_none(), "a stream ends after the answer");
}

#[test]
fn a_lost_connection_cancels_nothing_and_a_word_does() {
    let served = Served::sample(&["-v"]);
    let client = served.greeted("2025-11-25");
    let wait = |ms: u64| json!({"name": "wait", "arguments": {"ms": ms}});
    let lost = client.request(&json!("lost"), "tools/call", &wait(300));
    served.until_calls(1);
    drop(lost);
    let mut cancelled = client.request(&json!("taken back"), "tools/call", &wait(60_000));
    let told = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "taken back", "reason": "why not"}});
    served.until_calls(2);
    assert_eq!(client.post(&told).whole().status, 202);
    // Nothing is sent for it, and its reply ends.
    assert!(cancelled.head().contains(" 202 "), "{}", cancelled.head());
    let about = |client: &crate::http_client::Legacy<'_>| {
        client.call("about", &json!({}))["structuredContent"]["data"].clone()
    };
    while !served.stderr().contains("called wait: ok") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(about(&client)["cancelled"], 1);
    until("it is told", || served.stderr().contains("called wait: CANCELLED"));
}

#[test]
fn questions_go_to_the_client_whose_call_it_is() {
    let served = Served::sample(&[]);
    let (client, other) = (served.greeted("2025-11-25"), served.greeted("2025-06-18"));
    let mut elsewhere = other.listen(None).within(std::time::Duration::from_millis(300));
    let params = json!({"name": "ask_user", "arguments": {"question": "Which berth?"}});
    let mut stream = client.request(&json!("q"), "tools/call", &params);
    let question = stream.wait(|it| it["method"] == "elicitation/create").data;
    let answer = json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"answer": "four"}}});
    // Another client cannot answer it.
    assert_eq!(other.post(&answer).whole().status, 400);
    assert_eq!(client.post(&answer).whole().status, 202);
    let result = stream.wait(|it| it["id"] == "q").data["result"].clone();
    assert_eq!(result["structuredContent"]["data"]["content"]["answer"], "four", "{result}");
    assert!(elsewhere.event().is_none(), "it was asked, too");
}

#[test]
fn where_two_clients_wait_nobody_is_asked_what_may_be_meant_for_the_other() {
    let served = Served::sample(&[]);
    let (client, other) = (served.greeted("2025-11-25"), served.greeted("2025-11-25"));
    let params = json!({"name": "wait", "arguments": {"ms": 5_000}});
    let _waiting = other.request(&json!(1), "tools/call", &params);
    served.until_calls(1);
    let envelope = client.call("ask_user", &json!({"question": "?"}))["structuredContent"].clone();
    assert_eq!(envelope["success"], false, "{envelope}");
    assert!(envelope["error"].as_str().unwrap().contains("the client refused"), "{envelope}");
}

#[test]
fn a_question_of_a_call_that_was_taken_back_is_shown_to_nobody_else() {
    // A server that does not care about cancellation, and asks late.
    let script = concat!(
        r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","#,
        r#""capabilities":{"tools":{}}}}'; read confirmed; read list; "#,
        r#"echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"t","inputSchema":{}}]}}'; "#,
        r#"read call; read cancelled; sleep 0.4; "#,
        r#"echo '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"of A"}}'; "#,
        r#"read answer; echo "heard: $answer" >&2; sleep 1000"#
    );
    let served = Served::wrap(&[], &["sh", "-c", script]);
    let (asker, other) = (served.greeted("2025-11-25"), served.greeted("2025-11-25"));
    let mut elsewhere = other.listen(None).within(std::time::Duration::from_millis(1_500));
    elsewhere.head();
    let _open = asker.request(&json!(1), "tools/call", &json!({"name": "t", "arguments": {}}));
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(served.ask("DELETE", "/mcp", &[&asker.head()], "").status, 204);
    while !served.stderr().contains("heard: ") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    until("it is heard", || {
        served.stderr().contains(r#"heard: {"jsonrpc":"2.0","id":"q","error""#)
    });
    assert!(elsewhere.event().is_none(), "it was asked what was meant for somebody else");
}

#[test]
fn everybody_hears_that_the_tools_have_changed() {
    let served = Served::sample(&[]);
    let (client, other) = (served.greeted("2025-11-25"), served.greeted("2025-11-25"));
    let mut streams = [client.listen(None), other.listen(None)];
    for stream in &mut streams {
        assert!(stream.head().contains("200 OK"));
    }
    client.call("change_tools", &json!({}));
    for stream in &mut streams {
        stream.wait(|it| it["method"] == "notifications/tools/list_changed");
    }
    let listed = client.ask(1, "tools/list", &json!({}));
    let names = listed["result"]["tools"].as_array().unwrap().clone();
    assert!(names.iter().any(|tool| tool["name"] == "extra"));
}

#[test]
fn silent_sessions_are_forgotten() {
    let served = Served::sample(&["--session-idle", "400ms"]);
    let client = served.greeted("2025-11-25");
    let stays = served.greeted("2025-11-25");
    let mut stream = stays.listen(None);
    stream.head();
    std::thread::sleep(std::time::Duration::from_millis(900));
    let late = client.request(&json!(1), "ping", &json!({})).whole();
    assert_eq!(late.status, 404);
    assert_eq!(stays.ask(1, "ping", &json!({}))["result"], json!({}), "it listens all the time");
}

#[test]
fn batches_belong_to_one_revision() {
    let served = Served::sample(&[]);
    let call = |id: u64, n: u64| {
        let params = json!({"name": "add", "arguments": {"a": n, "b": 1}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    let told = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    let batch = json!([call(1, 10), told, call(2, 20), ping, 7]);
    let client = served.greeted("2025-03-26");
    let answers = client.post(&batch).whole().json();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 4, "{answers:?}");
    let text = |at: usize| answers[at]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text(0).contains(r#""sum":11"#) && text(1).contains(r#""sum":21"#), "{answers:?}");
    assert_eq!(answers[2], json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!(answers[3]["error"]["code"], -32600);
    assert_eq!(client.post(&json!([told])).whole().status, 202);
    assert_eq!(client.post(&json!([])).whole().status, 400);
    let newer = served.greeted("2025-06-18").post(&batch).whole();
    assert_eq!(newer.status, 400);
    assert!(newer.body.contains("is a batch"), "{newer:?}");
}

#[test]
fn the_contract_is_chosen_by_a_header_too() {
    let served = Served::sample(&[]);
    let client = served.greeted("2025-11-25");
    let params = json!({"name": "echo", "arguments": {"message": "x"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let with = |contract: &str| {
        let wanted = format!("Manila-Contract: {contract}");
        let head = [JSON[0], JSON[1], &client.head(), &wanted];
        served.ask("POST", "/mcp", &head, &body.to_string())
    };
    let result: Value = with("envelope-v1").json()["result"].clone();
    assert_eq!(result["structuredContent"]["tool_id"], "echo");
    assert_eq!(with("none").json()["result"]["content"][0]["text"], "x");
    let wrong = with("response-v3");
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("must be one of response-v2"), "{wrong:?}");
}

#[test]
fn a_signal_ends_it_with_its_server_and_open_calls_are_finished() {
    let mut served = Served::sample(&["-v"]);
    let pid = served.call("about", &json!({})).json()["data"]["pid"].as_u64().unwrap();
    let client = served.greeted("2025-11-25");
    let params = json!({"name": "wait", "arguments": {"ms": 700}});
    let mut open = client.request(&json!(1), "tools/call", &params);
    let mut listening = client.listen(None);
    listening.head();
    served.until_calls(2);
    signal("TERM", served.pid());
    assert!(open.head().contains("200 OK"));
    assert_eq!(open.whole().answer(&json!(1))["result"]["isError"], false);
    assert!(listening.event().is_none());
    assert_eq!(served.wait(), Some(0), "{}", served.stderr());
    wait_until_gone(&[pid]);
}
