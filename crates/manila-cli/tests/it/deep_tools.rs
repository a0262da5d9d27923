//! Tools that are nested too deeply: only these are left out, and the others stay checked.

use std::io::Write;

use serde_json::{Value, json};

use crate::http_server::{ScriptedServer, answer_handshake, reply};
use crate::mcp::{Client, manila_path};
use crate::program::{RunOutput, Scratch, manila};

/// A server on stdio that responds to `server/discover` with `$1`, to each request for a list with
/// the files `$2` and `$3`, and to calls.
const SERVER: &str = r#"while read -r line; do id=${line#*\"id\":}; id=${id%%[,\}]*}; case $line in
  *'"initialize"'*) result='{"protocolVersion":"2025-11-25","serverInfo":{"name":"","version":"1"},'
    result=$result'"capabilities":{"tools":{},"prompts":{}}}';;
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; continue;;
  *'"tools/list"'*) result=$(cat "$2");;
  *'"prompts/list"'*) result=$(cat "$3");;
  *'"tools/call"'*) result='{"resultType":"complete","content":[{"type":"text","text":"x"}]}';;
  *) continue;;
esac; printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"; done"#;

const LEGACY: &str = r#""error":{"code":-32601,"message":"Method not found"}"#;
const MODERN: &str =
    r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}}}"#;

/// What is reported about a tool that is left out.
const LEFT_OUT: &str = "`deep` is left out of `tools/list`: it is nested deeper than 117 levels";

/// Returns a schema that is nested this deeply.
fn schema(depth: usize) -> String {
    let (open, close) = (r#"{"not":"#.repeat(depth - 1), "}".repeat(depth - 1));
    format!("{open}{{}}{close}")
}

/// Returns the result of `tools/list`: a tool that is too deep by one level, a tool with checked
/// arguments, and a tool that is as deep as possible, with the depth in its output schema.
fn tools() -> String {
    let checked = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;
    let output = r#"{"type":"object","properties":{"x":"#.to_owned() + &schema(114) + "}}";
    let checked = format!(r#"{{"name":"checked","inputSchema":{checked}}}"#);
    let edge =
        format!(r#"{{"name":"edge","inputSchema":{{"type":"object"}},"outputSchema":{output}}}"#);
    let deep = format!(r#"{{"name":"deep","inputSchema":{}}}"#, schema(117));
    format!(r#"{{"tools":[{deep}, {checked}, {edge}],"resultType":"complete"}}"#)
}

/// Returns the command of a server on stdio with these tools.
fn server(scratch: &Scratch, discovered: &str) -> Vec<String> {
    let tools = scratch.file("tools.json", tools());
    let deep = format!(r#"{{"name":"deep","_meta":{}}}"#, schema(300));
    let prompts = format!(r#"{{"prompts":[{{"name":"a"}},{deep}],"resultType":"complete"}}"#);
    let prompts = scratch.file("prompts.json", prompts);
    let script = scratch.file("server.sh", SERVER);
    ["sh", &script, discovered, &tools, &prompts].map(str::to_owned).to_vec()
}

/// Returns the names in a list.
fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Checks that `manila tools` and `manila call` work with a server, and report the left out tool.
#[track_caller]
fn check_commands(server: &[&str]) {
    let run = |args: &[&str]| -> RunOutput { manila(&[args, server].concat(), b"") };
    let ran = run(&["tools", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches(LEFT_OUT).count(), 1, "{}", ran.stderr);
    let tools: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(names(&tools), ["checked", "edge"]);
    let ran = run(&["call", "checked", "--arg", "n=x"]);
    assert!(ran.code == 1 && ran.stdout.contains("must be of type integer"), "{ran:?}");
    let ran = run(&["call", "edge"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = run(&["call", "deep"]);
    assert!(ran.code == 2 && ran.stderr.contains("the server has no tool `deep`"), "{ran:?}");
}

#[test]
fn only_the_deep_tool_of_a_server_on_stdio_is_left_out() {
    let scratch = Scratch::new("deep-tools-stdio");
    for discovered in [LEGACY, MODERN] {
        let server = server(&scratch, discovered);
        let server: Vec<&str> = server.iter().map(String::as_str).collect();
        check_commands(&[&["--"], &server[..]].concat());
        let mut client = Client::start(&[], &server);
        client.handshake("2025-11-25");
        for n in 0..3 {
            let listed = client.request(n, "tools/list", &json!({}));
            assert_eq!(names(&listed["result"]["tools"]), ["checked", "edge"], "{listed}");
        }
        let prompts = client.request("p", "prompts/list", &json!({}));
        assert_eq!(names(&prompts["result"]["prompts"]), ["a"], "{prompts}");
        assert_eq!(client.envelope("checked", &json!({"n": 1}))["success"], true);
        let refused = client.envelope("checked", &json!({"n": "x"}));
        assert!(refused.to_string().contains("must be of type integer"), "{refused}");
        let unknown = client.request("d", "tools/call", &json!({"name": "deep"}));
        assert_eq!(unknown["error"]["data"]["canonicalCode"], "TOOL_NOT_FOUND", "{unknown}");
        assert_eq!(client.stderr().matches(LEFT_OUT).count(), 1, "{}", client.stderr());
    }
}

#[test]
fn only_the_deep_tool_of_a_server_over_http_is_left_out() {
    for (kind, before, after) in [
        ("application/json", "", ""),
        // Line breaks between tokens are removed before a message is parsed.
        ("application/json", "\n", "\n"),
        ("text/event-stream", "data: ", "\n\n"),
    ] {
        let server = ScriptedServer::start(move |request, stream| {
            let method = request.message["method"].as_str().unwrap_or_default();
            let result = match method {
                "tools/list" => tools(),
                "tools/call" => r#"{"content":[{"type":"text","text":"x"}]}"#.to_owned(),
                _ => {
                    answer_handshake(request, stream, "s");
                    return;
                }
            };
            let result = if before == "\n" { result.replace("], ", "],\n ") } else { result };
            let id = &request.message["id"];
            let body = format!(r#"{before}{{"jsonrpc":"2.0","id":{id},"result":{result}}}{after}"#);
            reply(stream, "200 OK", &format!("Content-Type: {kind}\r\n"), &body);
            let _ = stream.flush();
        });
        check_commands(&["--url", &server.url]);
    }
}

#[test]
fn the_lists_of_several_servers_leave_out_the_deep_items() {
    let scratch = Scratch::new("deep-tools-serve");
    let server = server(&scratch, LEGACY);
    let config =
        format!("[upstream.a]\ncommand = {server:?}\n[upstream.b]\ncommand = {server:?}\n");
    let config = scratch.file("manila.toml", config);
    let mut client = Client::start_manila(&["serve", "--stdio", "--config", &config]);
    client.handshake("2025-11-25");
    for n in 0..3 {
        let listed = client.request(n, "tools/list", &json!({}));
        let expected = ["a_checked", "a_edge", "b_checked", "b_edge"];
        assert_eq!(names(&listed["result"]["tools"]), expected, "{listed}");
        // Some clients cannot read more than 64 levels.
        assert!(depth(&listed) <= 64, "{}", depth(&listed));
    }
    let refused = client.envelope("b_checked", &json!({"n": "x"}));
    assert!(refused.to_string().contains("must be of type integer"), "{refused}");
}

#[test]
fn a_list_can_be_read_by_another_gateway() {
    let scratch = Scratch::new("deep-tools-chain");
    let server = server(&scratch, LEGACY);
    let server: Vec<&str> = server.iter().map(String::as_str).collect();
    let inner = [&[manila_path(), "wrap", "--"], &server[..]].concat();
    for contract in ["none", "response-v2", "envelope-v1", "machine-readable-v1"] {
        let args = ["tools", "--json", "--contract", contract, "--"];
        let ran = manila(&[&args, &inner[..]].concat(), b"");
        let tools: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        assert_eq!(names(&tools), ["checked", "edge"], "{contract}");
    }
}
