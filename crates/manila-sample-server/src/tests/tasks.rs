//! Tasks: calls that continue after their first response, in either era.

use serde_json::{Value, json};

use super::conversation::Client;

/// Sends a request and returns its result or error. Skips notifications.
fn request(client: &mut Client, method: &str, params: &Value) -> Value {
    client
        .send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string());
    loop {
        let message: Value = serde_json::from_str(&client.receive()).unwrap();
        if message.get("id").is_some() {
            return message.get("result").unwrap_or(&message["error"]).clone();
        }
    }
}

/// Adds the metadata of a modern client that supports tasks.
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
fn starts_tasks_that_legacy_clients_request() {
    let mut client = Client::connect(None);
    let immediate = request(&mut client, "tools/call", &job(0));
    assert_eq!(immediate["content"][0]["text"], "worked for 0 ms");
    let as_task = |ms: u64| {
        let mut params = job(ms);
        params["task"] = json!({"ttl": 1000});
        params
    };
    let begun = request(&mut client, "tools/call", &as_task(3))["task"].clone();
    assert_eq!(begun["taskId"], "task-1", "{begun}");
    assert!(begun["ttl"].is_u64() && begun["createdAt"].is_string(), "{begun}");
    let first = json!({"taskId": "task-1"});
    let result = request(&mut client, "tasks/result", &first);
    assert_eq!(result["content"][0]["text"], "worked for 3 ms");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], "task-1");
    assert_eq!(request(&mut client, "tasks/get", &first)["status"], "completed");
    assert_eq!(request(&mut client, "tasks/cancel", &first)["code"], -32602);
    assert_eq!(request(&mut client, "tools/call", &as_task(600_000))["task"]["status"], "working");
    let second = json!({"taskId": "task-2"});
    assert_eq!(request(&mut client, "tasks/get", &second)["status"], "working");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/cancel", "params": second});
    client.send(&call.to_string());
    let notification: Value = serde_json::from_str(&client.receive()).unwrap();
    assert_eq!(notification["method"], "notifications/tasks/status", "{notification}");
    let response: Value = serde_json::from_str(&client.receive()).unwrap();
    assert_eq!(response["result"], notification["params"]);
    assert_eq!(response["result"]["status"], "cancelled");
    assert_eq!(request(&mut client, "tasks/result", &second)["isError"], true);
    let listed = request(&mut client, "tasks/list", &json!({}))["tasks"].clone();
    let ids: Vec<&Value> = listed.as_array().unwrap().iter().map(|it| &it["taskId"]).collect();
    assert_eq!(ids, ["task-1", "task-2"]);
    assert_eq!(request(&mut client, "tasks/get", &json!({"taskId": "task-3"}))["code"], -32602);
}

#[test]
fn starts_tasks_for_modern_clients_that_support_them() {
    let mut client = Client::connect(None);
    let begun = request(&mut client, "tools/call", &modern(job(3)));
    assert_eq!((&begun["resultType"], &begun["taskId"]), (&json!("task"), &json!("task-1")));
    assert!(begun["ttlMs"].is_u64() && begun["pollIntervalMs"].is_u64(), "{begun}");
    let first = modern(json!({"taskId": "task-1"}));
    let done = loop {
        let task = request(&mut client, "tasks/get", &first);
        if task["status"] != "working" {
            break task;
        }
    };
    assert_eq!((&done["resultType"], &done["status"]), (&json!("complete"), &json!("completed")));
    assert_eq!(done["result"]["content"][0]["text"], "worked for 3 ms");
    request(&mut client, "tools/call", &modern(job(600_000)));
    let second = modern(json!({"taskId": "task-2", "inputResponses": {}}));
    for method in ["tasks/update", "tasks/cancel"] {
        let result = request(&mut client, method, &second);
        assert_eq!(result["resultType"], "complete", "{method}: {result}");
        assert!(result.get("status").is_none(), "{method}: {result}");
    }
    assert_eq!(request(&mut client, "tasks/get", &second)["status"], "cancelled");
}
