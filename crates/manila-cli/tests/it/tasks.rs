//! Tasks of several servers: found again by their ids, whoever else has the same.

use std::cell::RefCell;

use serde_json::{Value, json};

use crate::http_client::{JSON, Legacy, Served, modern};
use crate::mcp::{Client, manila_path};
use crate::program::Scratch;
use crate::serve::{sample, until};
use crate::two_servers::{Servers, front};

const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Longer than any test.
const LONG: u64 = 600_000;

/// A client of either era, over either transport.
enum Way<'a> {
    HttpLegacy(Legacy<'a>),
    HttpModern(&'a Served),
    PipeLegacy(&'a RefCell<Client>),
    PipeModern(&'a RefCell<Client>),
}

impl Way<'_> {
    fn is_modern(&self) -> bool {
        matches!(self, Way::HttpModern(_) | Way::PipeModern(_))
    }

    /// Asks, and gives the result or the error.
    fn ask(&self, method: &str, params: &Value) -> Value {
        let mut able = params.clone();
        able["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        let answer = match self {
            Way::HttpLegacy(client) => client.ask("q", method, params),
            Way::HttpModern(served) => served.modern(method, &able).whole().answer(&json!(1)),
            Way::PipeLegacy(pipe) => pipe.borrow_mut().ask("q", method, params),
            Way::PipeModern(pipe) => {
                let mut pipe = pipe.borrow_mut();
                pipe.send_line(&modern(7, method, &able));
                pipe.answer(&json!(7))
            }
        };
        answer.get("result").unwrap_or(&answer["error"]).clone()
    }

    fn about(&self, method: &str, id: &str) -> Value {
        self.ask(method, &json!({"taskId": id}))
    }

    /// Lets a job become a task, and gives the id of that.
    #[track_caller]
    fn begin(&self, tool: &str, ms: u64, meta: &Value) -> String {
        let mut params = json!({"name": tool, "arguments": {"ms": ms}, "_meta": meta});
        if !self.is_modern() {
            params["task"] = json!({});
        }
        let begun = self.ask("tools/call", &params);
        let task = if self.is_modern() { &begun } else { &begun["task"] };
        assert_eq!(task["status"], "working", "{begun}");
        task["taskId"].as_str().unwrap().to_owned()
    }

    /// The ids of its tasks.
    fn listed(&self) -> Vec<String> {
        let listed = self.ask("tasks/list", &json!({}));
        let tasks = listed["tasks"].as_array().unwrap_or_else(|| panic!("{listed}"));
        tasks.iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
    }

    /// The result of a task, as soon as it is there, and what tells it.
    fn result(&self, id: &str) -> Value {
        if !self.is_modern() {
            return self.about("tasks/result", id);
        }
        let task = RefCell::new(Value::Null);
        until("the task is over", || {
            task.replace(self.about("tasks/get", id));
            task.borrow()["status"] != "working"
        });
        let task = task.into_inner();
        assert_eq!((&task["taskId"], &task["status"]), (&json!(id), &json!("completed")), "{task}");
        task["result"].clone()
    }
}

/// One client alone: its tasks of both servers, which give out the same ids.
fn check(name: &str, way: &Way<'_>) {
    let of_two = way.begin("two_job", LONG, &json!({}));
    let of_one = way.begin("one_job", LONG, &json!({}));
    assert!(
        of_two.starts_with("two_task-") && of_one.starts_with("one_task-"),
        "{of_two}, {of_one}"
    );
    for id in [&of_two, &of_one] {
        let task = way.about("tasks/get", id);
        assert_eq!((&task["taskId"], &task["status"]), (&json!(id), &json!("working")), "{name}");
    }
    let cancelled = way.about("tasks/cancel", &of_two);
    assert!(cancelled.get("code").is_none(), "{name}: {cancelled}");
    assert_eq!(cancelled.get("taskId").is_some(), !way.is_modern(), "{name}: {cancelled}");
    assert_eq!(way.about("tasks/get", &of_two)["status"], "cancelled", "{name}");
    assert_eq!(way.about("tasks/get", &of_one)["status"], "working", "{name}");
    let quick = way.begin("two_job", 5, &json!({}));
    let result = way.result(&quick);
    let envelope = &result["structuredContent"];
    assert_eq!(envelope["data"]["result"], "worked for 5 ms", "{name}: {result}");
    assert_eq!(result["_meta"]["dev.manila/contract"], "response-v2", "{name}: {result}");
    let plain = way.begin("two_job", 5, &json!({"dev.manila/contract": "none"}));
    let result = way.result(&plain);
    assert_eq!(result["content"][0]["text"], "worked for 5 ms", "{name}: {result}");
    if way.is_modern() {
        let params = json!({"taskId": of_one, "inputResponses": {}});
        assert_eq!(way.ask("tasks/update", &params)["resultType"], "complete", "{name}");
        assert_eq!(way.ask("tasks/list", &json!({}))["code"], -32601, "{name}");
    } else {
        assert_eq!(result["_meta"][RELATED]["taskId"], json!(plain), "{name}: {result}");
        assert_eq!(way.listed(), [&*of_one, &*of_two, &*quick, &*plain], "{name}");
        assert_eq!(way.ask("tasks/list", &json!({"cursor": "x"}))["code"], -32602, "{name}");
    }
    for id in ["task-1", "three_task-1", "two_task-99", ""] {
        assert_eq!(way.about("tasks/get", id)["code"], -32602, "{name}: {id}");
    }
}

#[test]
fn tasks_of_two_servers_are_told_apart() {
    for (name, servers) in Servers::all() {
        let scratch = Scratch::new(&format!("tasks {name}"));
        let (pipe, served) = front(&scratch, &servers);
        if servers.era == "legacy" {
            pipe.borrow_mut().greet("2025-11-25");
            check(&format!("{name}, HTTP"), &Way::HttpLegacy(served.greeted("2025-11-25")));
            check(&format!("{name}, a pipe"), &Way::PipeLegacy(&pipe));
        } else {
            check(&format!("{name}, HTTP"), &Way::HttpModern(&served));
            check(&format!("{name}, a pipe"), &Way::PipeModern(&pipe));
        }
    }
}

/// Whoever shares a server with others sees its own tasks, and nobody else's. `job` is the tool.
fn check_shared(name: &str, served: &Served, job: &str) {
    let first = served.greeted("2025-11-25");
    let mut stream = first.listen(None);
    stream.head();
    let (first, second) = (Way::HttpLegacy(first), Way::HttpLegacy(served.greeted("2025-11-25")));
    let of_first = first.begin(job, LONG, &json!({}));
    let of_second = second.begin(job, LONG, &json!({}));
    assert_ne!(of_first, of_second, "{name}");
    assert_eq!(first.listed(), [&*of_first], "{name}");
    assert_eq!(second.listed(), [&*of_second], "{name}");
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let refused = second.about(method, &of_first);
        assert_eq!(refused["code"], -32602, "{name}, {method}: {refused}");
    }
    // A server might take the first of two ids, and the gateway check the last.
    let Way::HttpLegacy(session) = &second else { unreachable!() };
    let twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/result",
        "params":{{"taskId":"{of_first}","taskId":"{of_second}"}}}}"#
    );
    let head = session.head();
    let reply = served.ask("POST", "/mcp", &[JSON[0], JSON[1], &head], &twice);
    let refused = reply.answer(&json!(1));
    assert_eq!(refused["error"]["code"], -32602, "{name}: {refused}");
    // Clients of the other era have no name, and this one is there.
    assert_eq!(Way::HttpModern(served).about("tasks/get", &of_first)["code"], -32602, "{name}");
    assert_eq!(first.about("tasks/get", &of_first)["status"], "working", "{name}");
    assert_eq!(first.about("tasks/cancel", &of_first)["status"], "cancelled", "{name}");
    let told = stream.wait(|it| it["method"] == "notifications/tasks/status").data;
    assert_eq!(told["params"]["taskId"], json!(of_first), "{name}: {told}");
    assert_eq!(told["params"]["status"], "cancelled", "{name}: {told}");
    // When a client is gone, whoever knows the id may be the one that comes back.
    let Way::HttpLegacy(leaving) = second else { unreachable!() };
    assert_eq!(served.ask("DELETE", "/mcp", &[&leaving.head()], "").status, 204);
    assert_eq!(first.about("tasks/get", &of_second)["status"], "working", "{name}");
    assert_eq!(first.listed(), [&*of_first], "{name}");
}

#[test]
fn a_task_is_its_clients_own() {
    for servers in [Servers::on_pipes("legacy"), Servers::over_http("legacy")] {
        let scratch = Scratch::new("tasks shared");
        let (_pipe, served) = front(&scratch, &servers);
        check_shared("two servers", &served, "two_job");
    }
    let alone = Served::wrap(&[], &[manila_path(), "sample-server", "--era", "legacy"]);
    check_shared("one server", &alone, "job");
}

#[test]
fn tasks_are_offered_in_the_era_that_has_them() {
    const EXTENSION: &str = "/result/capabilities/extensions/io.modelcontextprotocol~1tasks";
    const CAPABILITY: &str = "/result/capabilities/tasks/requests/tools/call";
    for era in ["legacy", "modern"] {
        let scratch = Scratch::new(&format!("tasks offered {era}"));
        let (_pipe, many) = front(&scratch, &Servers::on_pipes(era));
        let one = Served::wrap(&[], &[manila_path(), "sample-server", "--era", era]);
        for served in [&many, &one] {
            let legacy = served.greeted("2025-11-25").hello;
            let modern = served.modern("server/discover", &json!({})).whole().json();
            for (hello, pointer, is_there) in [
                (&legacy, CAPABILITY, era == "legacy"),
                (&legacy, EXTENSION, false),
                (&modern, CAPABILITY, false),
                (&modern, EXTENSION, era == "modern"),
            ] {
                assert_eq!(hello.pointer(pointer).is_some(), is_there, "{era}: {hello}");
            }
        }
    }
}

#[test]
fn a_task_is_followed_where_there_is_only_one_server() {
    for era in ["legacy", "modern"] {
        let served = Served::wrap(&[], &[manila_path(), "sample-server", "--era", era]);
        let way = match era {
            "legacy" => Way::HttpLegacy(served.greeted("2025-11-25")),
            _ => Way::HttpModern(&served),
        };
        let quick = way.begin("job", 5, &json!({}));
        assert_eq!(quick, "task-1");
        let result = way.result(&quick);
        let envelope = &result["structuredContent"];
        assert_eq!(envelope["data"]["result"], "worked for 5 ms", "{era}: {result}");
    }
}

#[test]
fn what_comes_of_a_task_is_plain_text_where_nobody_asked_for_an_envelope() {
    let scratch = Scratch::new("tasks-plain");
    let text = "contract = \"machine-readable-v1\"\n".to_owned() + &sample("one", &[], "");
    let config = scratch.file("manila.toml", text);
    let mut client = Client::started(&["serve", "--stdio", "--config", &config]);
    client.greet("2025-11-25");
    let client = RefCell::new(client);
    let way = Way::PipeLegacy(&client);
    let result = way.result(&way.begin("job", 5, &json!({})));
    assert_eq!(result["content"][0]["text"], "worked for 5 ms", "{result}");
    let asked = json!({"dev.manila/contract": "machine-readable-v1"});
    let result = way.result(&way.begin("job", 5, &asked));
    assert_eq!(result["structuredContent"]["output"], "worked for 5 ms", "{result}");
}
