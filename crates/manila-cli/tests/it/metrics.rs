//! Metrics that stay small, whatever callers and servers name.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::http_server::{ScriptedServer, answer_handshake, reply_json, result};

/// Starts a server that lists `kept` and a tool with a new name each time, and knows any tool.
fn start_server() -> ScriptedServer {
    let n_lists = AtomicUsize::new(0);
    ScriptedServer::start(move |request, stream| {
        let schema = json!({"type": "object"});
        match request.message["method"].as_str() {
            Some("tools/list") => {
                let new = format!("new-{}", n_lists.fetch_add(1, Ordering::SeqCst));
                let tools = json!([{"name": "kept", "inputSchema": schema},
                    {"name": new, "inputSchema": schema}]);
                reply_json(stream, "", &result(request, &json!({"tools": tools})));
            }
            Some("tools/call") => {
                let content = json!({"content": [{"type": "text", "text": "x"}]});
                reply_json(stream, "", &result(request, &content));
            }
            _ => drop(answer_handshake(request, stream, "s")),
        }
    })
}

/// Returns the names of all tools in the metrics.
fn tool_labels(gateway: &HttpProgram) -> Vec<String> {
    let text = gateway.request("GET", "/metrics", &[], "").body;
    assert!(text.len() < 100_000, "{}", text.len());
    let calls = text.lines().filter(|line| line.starts_with("manila_calls_total"));
    let labels = calls.map(|line| line.split("tool=\"").nth(1).unwrap().split('"').next().unwrap());
    let mut labels: Vec<String> = labels.map(str::to_owned).collect();
    labels.sort();
    labels.dedup();
    labels
}

#[test]
fn invented_names_share_one_label() {
    let server = start_server();
    let gateway = HttpProgram::at(&server.url, &["--verbose"]);
    let client = gateway.connect("2025-11-25");
    client.request("l", "tools/list", &json!({}));
    client.call("kept", &json!({}));
    let call = |id: String, name: &str, contract: Value| {
        let params = json!({"name": name, "arguments": {},
            "_meta": {"dev.manila/contract": contract}});
        client.request(id, "tools/call", &params);
    };
    for n in 0..40 {
        let name = format!("{n}{}", "x".repeat(if n < 20 { 5 } else { 20_000 }));
        call(format!("none {n}"), &name, json!("none"));
        call(format!("sealed {n}"), &name, json!("response-v2"));
    }
    assert_eq!(tool_labels(&gateway), ["(other)", "kept"]);
    let log = gateway.stderr();
    let longest = log.lines().map(str::len).max().unwrap_or_default();
    assert!(longest < 1_000 && log.contains("called 39x"), "{longest}");
}
