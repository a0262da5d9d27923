//! Tasks: calls that go on after they are answered, in either era.

use serde_json::{Value, json};

use super::conversation::Client;

/// Asks, and gives the result, or the error; what the server tells on its own is passed over.
fn ask(client: &mut Client, method: &str, params: &Value) -> Value {
    client
        .send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string());
    loop {
        let answer: Value = serde_json::from_str(&client.receive()).unwrap();
        if answer.get("id").is_some() {
            return answer.get("result").unwrap_or(&answer["error"]).clone();
        }
    }
}

/// Parameters of a modern client that can follow tasks.
fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":
            {"extensions": {"io.modelcontextprotocol/tasks": {}}}});
    params
}

fn job(ms: u64) -> Value {
    json!({"name": "job", "arguments": {"ms": ms}})
}

#[test]
fn legacy_clients_ask_for_tasks() {
    let mut client = Client::connect(None);
    let at_once = ask(&mut client, "tools/call", &job(0));
    assert_eq!(at_once["content"][0]["text"], "worked for 0 ms");
    let as_task = |ms: u64| {
        let mut params = job(ms);
        params["task"] = json!({"ttl": 1000});
        params
    };
    let begun = ask(&mut client, "tools/call", &as_task(3))["task"].clone();
    assert_eq!(begun["taskId"], "task-1", "{begun}");
    assert!(begun["ttl"].is_u64() && begun["createdAt"].is_string(), "{begun}");
    let of_first = json!({"taskId": "task-1"});
    let result = ask(&mut client, "tasks/result", &of_first);
    assert_eq!(result["content"][0]["text"], "worked for 3 ms");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], "task-1");
    assert_eq!(ask(&mut client, "tasks/get", &of_first)["status"], "completed");
    assert_eq!(ask(&mut client, "tasks/cancel", &of_first)["code"], -32602);
    assert_eq!(ask(&mut client, "tools/call", &as_task(600_000))["task"]["status"], "working");
    let of_second = json!({"taskId": "task-2"});
    assert_eq!(ask(&mut client, "tasks/get", &of_second)["status"], "working");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/cancel", "params": of_second});
    client.send(&call.to_string());
    let told: Value = serde_json::from_str(&client.receive()).unwrap();
    assert_eq!(told["method"], "notifications/tasks/status", "{told}");
    let answer: Value = serde_json::from_str(&client.receive()).unwrap();
    assert_eq!(answer["result"], told["params"]);
    assert_eq!(answer["result"]["status"], "cancelled");
    assert_eq!(ask(&mut client, "tasks/result", &of_second)["isError"], true);
    let listed = ask(&mut client, "tasks/list", &json!({}))["tasks"].clone();
    let ids: Vec<&Value> = listed.as_array().unwrap().iter().map(|it| &it["taskId"]).collect();
    assert_eq!(ids, ["task-1", "task-2"]);
    assert_eq!(ask(&mut client, "tasks/get", &json!({"taskId": "task-3"}))["code"], -32602);
}

#[test]
fn modern_clients_say_that_they_can_follow_tasks() {
    let mut client = Client::connect(None);
    let begun = ask(&mut client, "tools/call", &modern(job(3)));
    assert_eq!((&begun["resultType"], &begun["taskId"]), (&json!("task"), &json!("task-1")));
    assert!(begun["ttlMs"].is_u64() && begun["pollIntervalMs"].is_u64(), "{begun}");
    let of_first = modern(json!({"taskId": "task-1"}));
    let done = loop {
        let task = ask(&mut client, "tasks/get", &of_first);
        if task["status"] != "working" {
            break task;
        }
    };
    assert_eq!((&done["resultType"], &done["status"]), (&json!("complete"), &json!("completed")));
    assert_eq!(done["result"]["content"][0]["text"], "worked for 3 ms");
    ask(&mut client, "tools/call", &modern(job(600_000)));
    let of_second = modern(json!({"taskId": "task-2", "inputResponses": {}}));
    for method in ["tasks/update", "tasks/cancel"] {
        let told = ask(&mut client, method, &of_second);
        assert_eq!(told["resultType"], "complete", "{method}: {told}");
        assert!(told.get("status").is_none(), "{method}: {told}");
    }
    assert_eq!(ask(&mut client, "tasks/get", &of_second)["status"], "cancelled");
}
