//! Clients and servers of both eras, over both transports, in every combination.

use serde_json::{Value, json};

use crate::http_client::{JSON, Served, VERSION, modern};
use crate::mcp::{Client, manila_path};

/// A client of one era, over one transport.
enum Way {
    Stdio(Box<Client>, Era),
    Http(Served, String, Era),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    Legacy,
    Modern,
}

impl Way {
    /// All ways in front of a server: `gateway` starts one with these options.
    fn all(server: &[&str]) -> Vec<(String, Way)> {
        let mut ways = Vec::new();
        for era in [Era::Legacy, Era::Modern] {
            let front = if server.first() == Some(&"--url") { vec![] } else { vec!["--"] };
            let options: Vec<&str> = front.iter().chain(server).copied().collect();
            let mut client = Client::started(&[&["wrap", "-v"], &options[..]].concat());
            if era == Era::Legacy {
                client.greet("2025-11-25");
            }
            ways.push((format!("stdio, {era:?}"), Way::Stdio(Box::new(client), era)));
            let args = [&["wrap", "--http", "127.0.0.1:0", "-v"], &options[..]].concat();
            let gateway = Served::start(&args);
            let session = match era {
                Era::Legacy => gateway.greeted("2025-11-25").session.clone(),
                Era::Modern => String::new(),
            };
            ways.push((format!("HTTP, {era:?}"), Way::Http(gateway, session, era)));
        }
        ways
    }

    fn era(&self) -> Era {
        match self {
            Way::Stdio(_, era) | Way::Http(_, _, era) => *era,
        }
    }

    /// Asks, and gives the answer and what came before it.
    fn ask(&mut self, id: u64, method: &str, params: &Value) -> (Value, Vec<Value>) {
        let legacy = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let message = match self.era() {
            Era::Legacy => legacy.to_string(),
            Era::Modern => modern(id, method, params),
        };
        match self {
            Way::Stdio(client, _) => {
                client.send_line(&message);
                let mut before = Vec::new();
                loop {
                    let came: Value = serde_json::from_str(&client.line()).unwrap();
                    if came.get("method").is_none() && came["id"] == id {
                        return (came, before);
                    }
                    before.push(came);
                }
            }
            Way::Http(served, session, era) => {
                let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
                let mut head: Vec<String> = JSON.iter().map(|it| (*it).to_owned()).collect();
                match era {
                    Era::Legacy => head.push(format!("Mcp-Session-Id: {session}")),
                    Era::Modern => {
                        head.extend([VERSION.to_owned(), format!("Mcp-Method: {method}")]);
                        head.extend(name.map(|name| format!("Mcp-Name: {name}")));
                    }
                }
                let head: Vec<&str> = head.iter().map(String::as_str).collect();
                let reply = served.ask("POST", "/mcp", &head, &message);
                let mut messages = reply.messages();
                (messages.pop().unwrap_or_else(|| panic!("{reply:?}")), messages)
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let (answer, _) = self.ask(7, "tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{tool}: {answer}");
        answer["result"].clone()
    }
}

/// What must hold whoever speaks to whom.
fn check(name: &str, way: &mut Way) {
    let is_modern = way.era() == Era::Modern;
    let marks = |result: &Value| result.get("resultType").is_some();
    let (listed, _) = way.ask(1, "tools/list", &json!({}));
    let listed = &listed["result"];
    assert_eq!(marks(listed), is_modern, "{name}");
    assert_eq!(listed.get("ttlMs").is_some(), is_modern, "{name}");
    assert_eq!(listed.get("cacheScope").is_some(), is_modern, "{name}");
    assert!(listed["tools"].as_array().unwrap().iter().any(|it| it["name"] == "echo"), "{name}");
    let sum = way.call("add", &json!({"a": 1, "b": 2}));
    assert_eq!(sum["structuredContent"]["data"]["sum"], 3, "{name}: {sum}");
    assert_eq!(marks(&sum), is_modern, "{name}");
    let info = &sum["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
    assert!(!is_modern || info == "manila-sample", "{name}: {sum}");
    let bad = way.call("add", &json!({"a": 1}));
    assert_eq!(bad["structuredContent"]["data"]["error_code"], "MISSING_REQUIRED", "{name}");
    let (unknown, _) = way.ask(2, "tools/call", &json!({"name": "nope", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{name}");
    let params = json!({"name": "progress", "arguments": {"steps": 3, "delay_ms": 1},
        "_meta": {"progressToken": "mine"}});
    let (answer, before) = way.ask(3, "tools/call", &params);
    assert_eq!(answer["result"]["isError"], false, "{name}: {answer}");
    let tokens: Vec<&Value> = before.iter().map(|it| &it["params"]["progressToken"]).collect();
    assert_eq!(tokens, [&json!("mine"); 3], "{name}: {before:?}");
    let (read, _) = way.ask(4, "resources/read", &json!({"uri": "sample://greeting"}));
    assert!(read["result"]["contents"][0]["text"].is_string(), "{name}: {read}");
    assert_eq!(read["result"].get("ttlMs").is_some(), is_modern, "{name}: {read}");
    let (missing, _) = way.ask(5, "resources/read", &json!({"uri": "sample://nothing"}));
    let number = missing["error"]["code"].as_i64().unwrap();
    assert!(number == -32602 || !is_modern && number == -32002, "{name}: {missing}");
    let (prompt, _) = way.ask(
        6,
        "prompts/get",
        &json!({"name": "greet",
        "arguments": {"name": "Ada"}}),
    );
    assert!(prompt["result"]["messages"].is_array(), "{name}: {prompt}");
    let (ping, _) = way.ask(8, "ping", &json!({}));
    assert_eq!(ping.get("result").is_some(), !is_modern, "{name}: {ping}");
    let (none, _) = way.ask(9, "no/such", &json!({}));
    assert_eq!(none["error"]["code"], -32601, "{name}: {none}");
    if !is_modern {
        let (level, _) = way.ask(10, "logging/setLevel", &json!({"level": "debug"}));
        assert_eq!(level["result"], json!({}), "{name}");
    }
}

/// Servers of one era cannot ask clients of the other one back; that is told.
fn check_asking(name: &str, way: &mut Way, server: Era) {
    let params = json!({"name": "ask_user", "arguments": {"question": "?"}});
    if way.era() == server {
        // The client is asked, in the words of its era.
        if server == Era::Modern {
            let (asked, _) = way.ask(20, "tools/call", &params);
            assert_eq!(asked["result"]["resultType"], "input_required", "{name}: {asked}");
        }
        return;
    }
    let (answer, _) = way.ask(20, "tools/call", &params);
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{name}: {answer}");
    let envelope = &result["structuredContent"];
    assert_eq!(envelope["data"]["error_code"], "CAPABILITY_NOT_AVAILABLE", "{name}: {envelope}");
}

#[test]
fn every_client_speaks_to_every_server_on_a_pipe() {
    for (era, own) in [("legacy", Some(Era::Legacy)), ("modern", Some(Era::Modern)), ("both", None)]
    {
        for (way_name, mut way) in Way::all(&[manila_path(), "sample-server", "--era", era]) {
            let name = format!("{way_name}, server {era} on a pipe");
            check(&name, &mut way);
            // A server of both eras is spoken to in the era of its first client.
            let own = own.unwrap_or(way.era());
            check_asking(&name, &mut way, own);
        }
    }
}

#[test]
fn every_client_speaks_to_every_server_over_http() {
    for (era, own) in [("legacy", Some(Era::Legacy)), ("modern", Some(Era::Modern)), ("both", None)]
    {
        let server = Served::sample_server(&["--era", era]);
        for (way_name, mut way) in Way::all(&["--url", &server.url()]) {
            let name = format!("{way_name}, server {era} over HTTP");
            check(&name, &mut way);
            let own = own.unwrap_or(way.era());
            check_asking(&name, &mut way, own);
        }
    }
}

#[test]
fn clients_of_both_eras_share_one_gateway() {
    let served = Served::sample(&[]);
    let legacy = served.greeted("2025-11-25");
    let params = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    let mut listening = served.modern("subscriptions/listen", &params);
    let first = listening.event().unwrap().data;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(first["params"]["notifications"], json!({"toolsListChanged": true}));
    let tag = "io.modelcontextprotocol/subscriptionId";
    assert_eq!(first["params"]["_meta"][tag], 1);
    legacy.call("change_tools", &json!({}));
    let told = listening.event().unwrap().data;
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    assert_eq!(told["params"]["_meta"][tag], 1);
    let listed = served.modern("tools/list", &json!({})).whole().answer(&json!(1));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.iter().any(|tool| tool["name"] == "extra"));
}

#[test]
fn a_subscription_ends_in_order_when_we_do() {
    for server in ["legacy", "modern"] {
        let mut served = Served::wrap(&[], &[manila_path(), "sample-server", "--era", server]);
        let params = json!({"notifications": {"toolsListChanged": true}});
        let mut listening = served.modern("subscriptions/listen", &params);
        let first = listening.event().unwrap().data;
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
        crate::mcp::signal("TERM", served.pid());
        let last = listening.event().unwrap().data;
        assert_eq!(last["result"]["resultType"], "complete", "{server}: {last}");
        assert_eq!(last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
        assert!(listening.event().is_none());
        assert_eq!(served.wait(), Some(0));
    }
}

#[test]
fn a_discovery_tells_what_the_server_is() {
    for server in ["legacy", "modern"] {
        let served = Served::wrap(&[], &[manila_path(), "sample-server", "--era", server]);
        let answer = served.modern("server/discover", &json!({})).whole().answer(&json!(1));
        let result = &answer["result"];
        assert_eq!(result["supportedVersions"][0], "2026-07-28", "{answer}");
        assert_eq!(result["capabilities"]["tools"]["listChanged"], true, "{answer}");
        let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(info["name"], "manila-sample", "{answer}");
        assert!(result["instructions"].is_string() && result["ttlMs"].is_u64(), "{answer}");
    }
}
