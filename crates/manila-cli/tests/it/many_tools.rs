//! Servers with very many tools.

use serde_json::{Value, json};

use crate::mcp::{Client, memory_kib};
use crate::program::Scratch;
use crate::serve::sample;
use crate::shell_server::INITIALIZE;

const N_TOOLS: usize = 20_000;

/// The number of tools that the gateway keeps for a server.
const N_KEPT: usize = 10_000;

/// A server that responds to each request for its tools with the file `$1`.
const SERVER: &str = r#"
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"server/discover"'*) result='"error":{"code":-32601,"message":"unknown"}' ;;
    *'"initialize"'*) result='INITIALIZE' ;;
    *'"tools/list"'*) result='"result":'$(cat "$1") ;;
    *'"tools/call"'*) result='"result":{"content":[{"type":"text","text":"x"}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
done"#;

/// Returns the result of `tools/list`.
fn tools() -> String {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let tool = |n| json!({"name": format!("t{n}"), "inputSchema": schema});
    json!({"tools": (0..N_TOOLS).map(tool).collect::<Vec<Value>>()}).to_string()
}

#[test]
fn many_tools_are_listed_in_bounded_memory() {
    let scratch = Scratch::new("many-tools");
    let list = scratch.file("tools.json", tools());
    let script = scratch.file("server.sh", SERVER.replace("INITIALIZE", INITIALIZE));
    let many = format!("[upstream.many]\ncommand = [\"sh\", \"{script}\", \"{list}\"]\n");
    let config = scratch.file("manila.toml", many + &sample("one", &[], ""));
    let mut client = Client::start_manila(&["serve", "--stdio", "--config", &config]);
    client.handshake("2025-11-25");
    for n in 0..2 {
        let listed = client.request(n, "tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        let many: Vec<&Value> =
            tools.iter().filter(|it| it["name"].as_str().unwrap().starts_with("many_t")).collect();
        assert_eq!(many.len(), N_TOOLS);
        let has_envelope = |it: &&&Value| it["outputSchema"]["properties"]["success"].is_object();
        assert_eq!(many.iter().filter(has_envelope).count(), N_KEPT);
        assert_eq!(many.iter().filter(|it| it.get("outputSchema").is_some()).count(), N_KEPT);
    }
    // Every tool can be called; the arguments of those that are kept are checked.
    let invalid = client.envelope("many_t0", &json!({"a": 1}));
    assert_eq!(invalid["data"]["error_code"], "INVALID_FORMAT", "{invalid}");
    let unkept = format!("many_t{}", N_TOOLS - 1);
    assert_eq!(client.envelope(&unkept, &json!({"a": 1}))["success"], true);
    let peak_kib = memory_kib("VmHWM", client.pid());
    assert!(peak_kib < 150_000, "{peak_kib} KiB");
}
