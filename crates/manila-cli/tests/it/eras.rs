//! Clients and servers of both eras, over both transports, in every combination.

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, JSON, VERSION, modern_request};
use crate::mcp::{Client, manila_path};

/// A client of one era, over one transport.
enum AnyClient {
    Stdio(Box<Client>, Era),
    Http(HttpProgram, String, Era),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    Legacy,
    Modern,
}

impl AnyClient {
    /// Starts a client for each era and transport, each with a gateway of its own for `server`.
    fn all(server: &[&str]) -> Vec<(String, AnyClient)> {
        let mut clients = Vec::new();
        for era in [Era::Legacy, Era::Modern] {
            let separator = if server.first() == Some(&"--url") { vec![] } else { vec!["--"] };
            let options: Vec<&str> = separator.iter().chain(server).copied().collect();
            let mut client = Client::start_manila(&[&["wrap", "-v"], &options[..]].concat());
            if era == Era::Legacy {
                client.handshake("2025-11-25");
            }
            clients.push((format!("stdio, {era:?}"), AnyClient::Stdio(Box::new(client), era)));
            let args = [&["wrap", "--http", "127.0.0.1:0", "-v"], &options[..]].concat();
            let gateway = HttpProgram::start(&args);
            let session = match era {
                Era::Legacy => gateway.connect("2025-11-25").session.clone(),
                Era::Modern => String::new(),
            };
            clients.push((format!("HTTP, {era:?}"), AnyClient::Http(gateway, session, era)));
        }
        clients
    }

    fn era(&self) -> Era {
        match self {
            AnyClient::Stdio(_, era) | AnyClient::Http(_, _, era) => *era,
        }
    }

    /// Sends a request. Returns the response and the messages before it.
    fn request(&mut self, id: u64, method: &str, params: &Value) -> (Value, Vec<Value>) {
        let legacy = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let message = match self.era() {
            Era::Legacy => legacy.to_string(),
            Era::Modern => modern_request(id, method, params),
        };
        match self {
            AnyClient::Stdio(client, _) => {
                client.send_line(&message);
                let mut before = Vec::new();
                loop {
                    let received: Value = serde_json::from_str(&client.line()).unwrap();
                    if received.get("method").is_none() && received["id"] == id {
                        return (received, before);
                    }
                    before.push(received);
                }
            }
            AnyClient::Http(served, session, era) => {
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
                let reply = served.request("POST", "/mcp", &head, &message);
                let mut messages = reply.messages();
                (messages.pop().unwrap_or_else(|| panic!("{reply:?}")), messages)
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let (answer, _) =
            self.request(7, "tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{tool}: {answer}");
        answer["result"].clone()
    }
}

/// Checks what holds for every combination of client and server.
fn check(name: &str, client: &mut AnyClient) {
    let is_modern = client.era() == Era::Modern;
    let has_result_type = |result: &Value| result.get("resultType").is_some();
    let (listed, _) = client.request(1, "tools/list", &json!({}));
    let listed = &listed["result"];
    assert_eq!(has_result_type(listed), is_modern, "{name}");
    assert_eq!(listed.get("ttlMs").is_some(), is_modern, "{name}");
    assert_eq!(listed.get("cacheScope").is_some(), is_modern, "{name}");
    assert!(listed["tools"].as_array().unwrap().iter().any(|it| it["name"] == "echo"), "{name}");
    let sum = client.call("add", &json!({"a": 1, "b": 2}));
    assert_eq!(sum["structuredContent"]["data"]["sum"], 3, "{name}: {sum}");
    assert_eq!(has_result_type(&sum), is_modern, "{name}");
    let info = &sum["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
    assert!(!is_modern || info == "manila-sample", "{name}: {sum}");
    let bad = client.call("add", &json!({"a": 1}));
    assert_eq!(bad["structuredContent"]["data"]["error_code"], "MISSING_REQUIRED", "{name}");
    let (unknown, _) = client.request(2, "tools/call", &json!({"name": "nope", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{name}");
    let params = json!({"name": "progress", "arguments": {"steps": 3, "delay_ms": 1},
        "_meta": {"progressToken": "mine"}});
    let (answer, before) = client.request(3, "tools/call", &params);
    assert_eq!(answer["result"]["isError"], false, "{name}: {answer}");
    let tokens: Vec<&Value> = before.iter().map(|it| &it["params"]["progressToken"]).collect();
    assert_eq!(tokens, [&json!("mine"); 3], "{name}: {before:?}");
    let (read, _) = client.request(4, "resources/read", &json!({"uri": "sample://greeting"}));
    assert!(read["result"]["contents"][0]["text"].is_string(), "{name}: {read}");
    assert_eq!(read["result"].get("ttlMs").is_some(), is_modern, "{name}: {read}");
    let (missing, _) = client.request(5, "resources/read", &json!({"uri": "sample://nothing"}));
    let number = missing["error"]["code"].as_i64().unwrap();
    assert!(number == -32602 || !is_modern && number == -32002, "{name}: {missing}");
    let (prompt, _) = client.request(
        6,
        "prompts/get",
        &json!({"name": "greet",
        "arguments": {"name": "Ada"}}),
    );
    assert!(prompt["result"]["messages"].is_array(), "{name}: {prompt}");
    let (ping, _) = client.request(8, "ping", &json!({}));
    assert_eq!(ping.get("result").is_some(), !is_modern, "{name}: {ping}");
    let (none, _) = client.request(9, "no/such", &json!({}));
    assert_eq!(none["error"]["code"], -32601, "{name}: {none}");
    if !is_modern {
        let (level, _) = client.request(10, "logging/setLevel", &json!({"level": "debug"}));
        assert_eq!(level["result"], json!({}), "{name}");
    }
}

/// Checks that a server cannot send requests to clients of the other era, and that the call fails.
fn check_server_request(name: &str, client: &mut AnyClient, server: Era) {
    let params = json!({"name": "ask_user", "arguments": {"question": "?"}});
    if client.era() == server {
        // The client gets the request in the format of its era.
        if server == Era::Modern {
            let (response, _) = client.request(20, "tools/call", &params);
            assert_eq!(response["result"]["resultType"], "input_required", "{name}: {response}");
        }
        return;
    }
    let (answer, _) = client.request(20, "tools/call", &params);
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{name}: {answer}");
    let envelope = &result["structuredContent"];
    assert_eq!(envelope["data"]["error_code"], "CAPABILITY_NOT_AVAILABLE", "{name}: {envelope}");
}

/// The values of the sample server's option `--era`, with the era unless it is both.
const SERVER_ERAS: [(&str, Option<Era>); 3] =
    [("legacy", Some(Era::Legacy)), ("modern", Some(Era::Modern)), ("both", None)];

#[test]
fn every_client_works_with_every_server_over_stdio() {
    for (era, server_era) in SERVER_ERAS {
        let server = [manila_path(), "sample-server", "--era", era];
        for (client_name, mut client) in AnyClient::all(&server) {
            let name = format!("{client_name}, server {era} over stdio");
            check(&name, &mut client);
            // The gateway uses the era of its first client with a server of both eras.
            let server_era = server_era.unwrap_or(client.era());
            check_server_request(&name, &mut client, server_era);
        }
    }
}

#[test]
fn every_client_works_with_every_server_over_http() {
    for (era, server_era) in SERVER_ERAS {
        let server = HttpProgram::sample_server(&["--era", era]);
        for (client_name, mut client) in AnyClient::all(&["--url", &server.url()]) {
            let name = format!("{client_name}, server {era} over HTTP");
            check(&name, &mut client);
            let server_era = server_era.unwrap_or(client.era());
            check_server_request(&name, &mut client, server_era);
        }
    }
}

#[test]
fn clients_of_both_eras_share_one_gateway() {
    let served = HttpProgram::sample(&[]);
    let legacy = served.connect("2025-11-25");
    let params = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    let mut listening = served.send_modern("subscriptions/listen", &params);
    let first = listening.event().unwrap().data;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(first["params"]["notifications"], json!({"toolsListChanged": true}));
    let tag = "io.modelcontextprotocol/subscriptionId";
    assert_eq!(first["params"]["_meta"][tag], 1);
    legacy.call("change_tools", &json!({}));
    let notification = listening.event().unwrap().data;
    assert_eq!(notification["method"], "notifications/tools/list_changed", "{notification}");
    assert_eq!(notification["params"]["_meta"][tag], 1);
    let listed = served.send_modern("tools/list", &json!({})).read_reply().answer(&json!(1));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.iter().any(|tool| tool["name"] == "extra"));
}

#[test]
fn a_subscription_ends_in_order_on_shutdown() {
    for server in ["legacy", "modern"] {
        let mut served = HttpProgram::wrap(&[], &[manila_path(), "sample-server", "--era", server]);
        let params = json!({"notifications": {"toolsListChanged": true}});
        let mut listening = served.send_modern("subscriptions/listen", &params);
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
fn discovery_describes_the_server() {
    for server in ["legacy", "modern"] {
        let served = HttpProgram::wrap(&[], &[manila_path(), "sample-server", "--era", server]);
        let answer =
            served.send_modern("server/discover", &json!({})).read_reply().answer(&json!(1));
        let result = &answer["result"];
        assert_eq!(result["supportedVersions"][0], "2026-07-28", "{answer}");
        assert_eq!(result["capabilities"]["tools"]["listChanged"], true, "{answer}");
        let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(info["name"], "manila-sample", "{answer}");
        assert!(result["instructions"].is_string() && result["ttlMs"].is_u64(), "{answer}");
    }
}
