//! Tasks of several servers: each is found by its id, even if servers use the same ids.

use std::cell::RefCell;

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, JSON, LegacyClient, modern_request};
use crate::mcp::{Client, manila_path};
use crate::program::Scratch;
use crate::serve::{sample, wait_until};
use crate::two_servers::{Servers, start_gateway};

const RELATED: &str = "io.modelcontextprotocol/related-task";

/// A duration in milliseconds that is longer than any test.
const LONG_MS: u64 = 600_000;

/// A client of either era, over either transport.
enum AnyClient<'a> {
    HttpLegacy(LegacyClient<'a>),
    HttpModern(&'a HttpProgram),
    PipeLegacy(&'a RefCell<Client>),
    PipeModern(&'a RefCell<Client>),
}

impl AnyClient<'_> {
    fn is_modern(&self) -> bool {
        matches!(self, AnyClient::HttpModern(_) | AnyClient::PipeModern(_))
    }

    /// Sends a request and returns the result or the error.
    fn request(&self, method: &str, params: &Value) -> Value {
        let mut modern_params = params.clone();
        modern_params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        let answer = match self {
            AnyClient::HttpLegacy(client) => client.request("q", method, params),
            AnyClient::HttpModern(served) => {
                served.send_modern(method, &modern_params).read_reply().answer(&json!(1))
            }
            AnyClient::PipeLegacy(pipe) => pipe.borrow_mut().request("q", method, params),
            AnyClient::PipeModern(pipe) => {
                let mut pipe = pipe.borrow_mut();
                pipe.send_line(&modern_request(7, method, &modern_params));
                pipe.answer(&json!(7))
            }
        };
        answer.get("result").unwrap_or(&answer["error"]).clone()
    }

    /// Sends a request about one task.
    fn ask_about(&self, method: &str, id: &str) -> Value {
        self.request(method, &json!({"taskId": id}))
    }

    /// Calls a tool as a task and returns the task's id.
    #[track_caller]
    fn start_task(&self, tool: &str, ms: u64, meta: &Value) -> String {
        let mut params = json!({"name": tool, "arguments": {"ms": ms}, "_meta": meta});
        if !self.is_modern() {
            params["task"] = json!({});
        }
        let created = self.request("tools/call", &params);
        let task = if self.is_modern() { &created } else { &created["task"] };
        assert_eq!(task["status"], "working", "{created}");
        task["taskId"].as_str().unwrap().to_owned()
    }

    /// Returns the ids of the client's tasks.
    fn list_tasks(&self) -> Vec<String> {
        let listed = self.request("tasks/list", &json!({}));
        let tasks = listed["tasks"].as_array().unwrap_or_else(|| panic!("{listed}"));
        tasks.iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits for the result of a task.
    fn result(&self, id: &str) -> Value {
        if !self.is_modern() {
            return self.ask_about("tasks/result", id);
        }
        let task = RefCell::new(Value::Null);
        wait_until("the task is completed", || {
            task.replace(self.ask_about("tasks/get", id));
            task.borrow()["status"] != "working"
        });
        let task = task.into_inner();
        assert_eq!((&task["taskId"], &task["status"]), (&json!(id), &json!("completed")), "{task}");
        task["result"].clone()
    }
}

/// Checks the tasks of one client on both servers, which use the same ids.
fn check(name: &str, client: &AnyClient<'_>) {
    let of_two = client.start_task("two_job", LONG_MS, &json!({}));
    let of_one = client.start_task("one_job", LONG_MS, &json!({}));
    assert!(
        of_two.starts_with("two_task-") && of_one.starts_with("one_task-"),
        "{of_two}, {of_one}"
    );
    for id in [&of_two, &of_one] {
        let task = client.ask_about("tasks/get", id);
        assert_eq!((&task["taskId"], &task["status"]), (&json!(id), &json!("working")), "{name}");
    }
    let cancelled = client.ask_about("tasks/cancel", &of_two);
    assert!(cancelled.get("code").is_none(), "{name}: {cancelled}");
    assert_eq!(cancelled.get("taskId").is_some(), !client.is_modern(), "{name}: {cancelled}");
    assert_eq!(client.ask_about("tasks/get", &of_two)["status"], "cancelled", "{name}");
    assert_eq!(client.ask_about("tasks/get", &of_one)["status"], "working", "{name}");
    let quick = client.start_task("two_job", 5, &json!({}));
    let result = client.result(&quick);
    let envelope = &result["structuredContent"];
    assert_eq!(envelope["data"]["result"], "worked for 5 ms", "{name}: {result}");
    assert_eq!(result["_meta"]["dev.manila/contract"], "response-v2", "{name}: {result}");
    let plain = client.start_task("two_job", 5, &json!({"dev.manila/contract": "none"}));
    let result = client.result(&plain);
    assert_eq!(result["content"][0]["text"], "worked for 5 ms", "{name}: {result}");
    if client.is_modern() {
        let params = json!({"taskId": of_one, "inputResponses": {}});
        assert_eq!(client.request("tasks/update", &params)["resultType"], "complete", "{name}");
        assert_eq!(client.request("tasks/list", &json!({}))["code"], -32601, "{name}");
    } else {
        assert_eq!(result["_meta"][RELATED]["taskId"], json!(plain), "{name}: {result}");
        assert_eq!(client.list_tasks(), [&*of_one, &*of_two, &*quick, &*plain], "{name}");
        assert_eq!(client.request("tasks/list", &json!({"cursor": "x"}))["code"], -32602, "{name}");
    }
    for id in ["task-1", "three_task-1", "two_task-99", ""] {
        assert_eq!(client.ask_about("tasks/get", id)["code"], -32602, "{name}: {id}");
    }
}

#[test]
fn distinguishes_tasks_of_two_servers() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("tasks {name}"));
        let (pipe, served) = start_gateway(&scratch, &servers);
        if servers.era == "legacy" {
            pipe.borrow_mut().handshake("2025-11-25");
            check(&format!("{name}, HTTP"), &AnyClient::HttpLegacy(served.connect("2025-11-25")));
            check(&format!("{name}, a pipe"), &AnyClient::PipeLegacy(&pipe));
        } else {
            check(&format!("{name}, HTTP"), &AnyClient::HttpModern(&served));
            check(&format!("{name}, a pipe"), &AnyClient::PipeModern(&pipe));
        }
    }
}

/// Checks that clients that share a server see only their own tasks. `job` is the tool.
fn check_shared(name: &str, served: &HttpProgram, job: &str) {
    let first = served.connect("2025-11-25");
    let mut stream = first.listen(None);
    stream.head();
    let (first, second) =
        (AnyClient::HttpLegacy(first), AnyClient::HttpLegacy(served.connect("2025-11-25")));
    let of_first = first.start_task(job, LONG_MS, &json!({}));
    let of_second = second.start_task(job, LONG_MS, &json!({}));
    assert_ne!(of_first, of_second, "{name}");
    assert_eq!(first.list_tasks(), [&*of_first], "{name}");
    assert_eq!(second.list_tasks(), [&*of_second], "{name}");
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let refused = second.ask_about(method, &of_first);
        assert_eq!(refused["code"], -32602, "{name}, {method}: {refused}");
    }
    // The server might use the first of two ids, while the gateway checks the last.
    let AnyClient::HttpLegacy(session) = &second else { unreachable!() };
    let duplicate = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/result",
        "params":{{"taskId":"{of_first}","taskId":"{of_second}"}}}}"#
    );
    let head = session.head();
    let reply = served.request("POST", "/mcp", &[JSON[0], JSON[1], &head], &duplicate);
    let refused = reply.answer(&json!(1));
    assert_eq!(refused["error"]["code"], -32602, "{name}: {refused}");
    // Modern clients cannot be identified, and the task's client is still connected.
    assert_eq!(
        AnyClient::HttpModern(served).ask_about("tasks/get", &of_first)["code"],
        -32602,
        "{name}"
    );
    assert_eq!(first.ask_about("tasks/get", &of_first)["status"], "working", "{name}");
    assert_eq!(first.ask_about("tasks/cancel", &of_first)["status"], "cancelled", "{name}");
    let status = stream.wait(|it| it["method"] == "notifications/tasks/status").data;
    assert_eq!(status["params"]["taskId"], json!(of_first), "{name}: {status}");
    assert_eq!(status["params"]["status"], "cancelled", "{name}: {status}");
    // After a client disconnects, any client that knows the id may be the same one.
    let AnyClient::HttpLegacy(leaving) = second else { unreachable!() };
    assert_eq!(served.request("DELETE", "/mcp", &[&leaving.head()], "").status, 204);
    assert_eq!(first.ask_about("tasks/get", &of_second)["status"], "working", "{name}");
    assert_eq!(first.list_tasks(), [&*of_first], "{name}");
}

#[test]
fn a_task_is_visible_only_to_its_client() {
    for servers in [Servers::on_pipes("legacy"), Servers::over_http("legacy")] {
        let scratch = Scratch::new("tasks shared");
        let (_pipe, served) = start_gateway(&scratch, &servers);
        check_shared("two servers", &served, "two_job");
    }
    let single = HttpProgram::wrap(&[], &[manila_path(), "sample-server", "--era", "legacy"]);
    check_shared("one server", &single, "job");
}

#[test]
fn offers_tasks_only_in_the_era_of_the_servers() {
    const EXTENSION: &str = "/result/capabilities/extensions/io.modelcontextprotocol~1tasks";
    const CAPABILITY: &str = "/result/capabilities/tasks/requests/tools/call";
    for era in ["legacy", "modern"] {
        let scratch = Scratch::new(&format!("tasks offered {era}"));
        let (_pipe, many) = start_gateway(&scratch, &Servers::on_pipes(era));
        let one = HttpProgram::wrap(&[], &[manila_path(), "sample-server", "--era", era]);
        for served in [&many, &one] {
            let legacy = served.connect("2025-11-25").initialize;
            let modern = served.send_modern("server/discover", &json!({})).read_reply().json();
            for (response, pointer, is_offered) in [
                (&legacy, CAPABILITY, era == "legacy"),
                (&legacy, EXTENSION, false),
                (&modern, CAPABILITY, false),
                (&modern, EXTENSION, era == "modern"),
            ] {
                assert_eq!(response.pointer(pointer).is_some(), is_offered, "{era}: {response}");
            }
        }
    }
}

#[test]
fn tasks_work_with_a_single_server() {
    for era in ["legacy", "modern"] {
        let served = HttpProgram::wrap(&[], &[manila_path(), "sample-server", "--era", era]);
        let client = match era {
            "legacy" => AnyClient::HttpLegacy(served.connect("2025-11-25")),
            _ => AnyClient::HttpModern(&served),
        };
        let quick = client.start_task("job", 5, &json!({}));
        assert_eq!(quick, "task-1");
        let result = client.result(&quick);
        let envelope = &result["structuredContent"];
        assert_eq!(envelope["data"]["result"], "worked for 5 ms", "{era}: {result}");
    }
}

#[test]
fn a_task_returns_plain_text_unless_an_envelope_is_requested() {
    let scratch = Scratch::new("tasks-plain");
    let text = "contract = \"machine-readable-v1\"\n".to_owned() + &sample("one", &[], "");
    let config = scratch.file("manila.toml", text);
    let mut pipe = Client::start_manila(&["serve", "--stdio", "--config", &config]);
    pipe.handshake("2025-11-25");
    let pipe = RefCell::new(pipe);
    let client = AnyClient::PipeLegacy(&pipe);
    let result = client.result(&client.start_task("job", 5, &json!({})));
    assert_eq!(result["content"][0]["text"], "worked for 5 ms", "{result}");
    let meta = json!({"dev.manila/contract": "machine-readable-v1"});
    let result = client.result(&client.start_task("job", 5, &meta));
    assert_eq!(result["structuredContent"]["output"], "worked for 5 ms", "{result}");
}
