//! `manila serve`: several servers behind one gateway.

use std::time::Duration;

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::mcp::{Client, manila_path};
use crate::program::Scratch;

/// Returns the configuration table of a sample server.
pub(crate) fn sample(name: &str, options: &[&str], more: &str) -> String {
    let command: Vec<String> = [&[manila_path(), "sample-server"], options]
        .concat()
        .iter()
        .map(|argument| format!("{argument:?}"))
        .collect();
    format!("[upstream.{name}]\ncommand = [{}]\n{more}\n", command.join(", "))
}

/// Starts `manila serve` over HTTP with this configuration.
pub(crate) fn serve(config: &str) -> HttpProgram {
    HttpProgram::start(&["serve", "--config", config, "--http", "127.0.0.1:0", "-v"])
}

/// Returns a member of each listed item, usually its name.
pub(crate) fn names(listed: &Value, kind: &str, member: &str) -> Vec<String> {
    let items = listed["result"][kind].as_array().unwrap_or_else(|| panic!("{listed}"));
    items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
}

/// Waits until the condition holds; `what` describes it.
#[track_caller]
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    wait_until_within(Duration::from_secs(10), what, condition);
}

/// Waits until the condition holds, with a given timeout.
pub(crate) fn wait_until_within(timeout: Duration, what: &str, condition: impl Fn() -> bool) {
    const INTERVAL: Duration = Duration::from_millis(10);
    for _ in 0..timeout.as_millis() / INTERVAL.as_millis() {
        if condition() {
            return;
        }
        std::thread::sleep(INTERVAL);
    }
    panic!("timed out waiting: {what}");
}

#[test]
fn clients_of_both_eras_use_servers_of_both_eras() {
    let scratch = Scratch::new("serve-many");
    let config = scratch.file(
        "manila.toml",
        sample("one", &["--era", "legacy"], "") + &sample("two", &["--era", "modern"], ""),
    );
    let served = serve(&config);
    let client = served.connect("2025-11-25");
    let initialized = &client.initialize["result"];
    assert_eq!(initialized["serverInfo"]["name"], "manila");
    assert_eq!(initialized["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(initialized["capabilities"]["resources"]["listChanged"], true);
    assert!(initialized["capabilities"]["completions"].is_object(), "{initialized}");
    let tools = names(&client.request(1, "tools/list", &json!({})), "tools", "name");
    for name in ["one_echo", "two_echo"] {
        assert!(tools.iter().any(|it| it == name), "{tools:?}");
    }
    assert!(tools.iter().all(|it| it.starts_with("one_") || it.starts_with("two_")), "{tools:?}");
    for tool in ["one_echo", "two_echo"] {
        let result = client.call(tool, &json!({"message": tool}));
        assert_eq!(result["structuredContent"]["data"]["result"], tool);
        let params = json!({"name": tool, "arguments": {"message": "hi"}});
        let modern = served.send_modern("tools/call", &params).read_reply().json();
        assert_eq!(modern["result"]["structuredContent"]["data"]["result"], "hi", "{modern}");
        assert_eq!(modern["result"]["resultType"], "complete");
    }
    let discovered = served.send_modern("server/discover", &json!({})).read_reply().json();
    assert!(discovered["result"]["capabilities"]["prompts"].is_object(), "{discovered}");
}

#[test]
fn prompts_resources_and_completions_reach_their_server() {
    let scratch = Scratch::new("serve-owners");
    let config = scratch.file("manila.toml", sample("one", &[], "") + &sample("two", &[], ""));
    let served = serve(&config);
    let client = served.connect("2025-11-25");
    let prompts = names(&client.request(1, "prompts/list", &json!({})), "prompts", "name");
    let prompt = prompts.iter().find(|it| it.starts_with("two_")).unwrap();
    let listed = client.request(2, "prompts/list", &json!({}));
    let about = listed["result"]["prompts"].as_array().unwrap();
    let about = about.iter().find(|it| it["name"] == **prompt).unwrap();
    let arguments: serde_json::Map<String, Value> = about["arguments"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| (it["name"].as_str().unwrap().to_owned(), json!("x")))
        .collect();
    let got = client.request(3, "prompts/get", &json!({"name": prompt, "arguments": arguments}));
    assert!(got["result"]["messages"].is_array(), "{got}");
    // Both servers have the same resources. The first server's keep their URIs.
    let uris = names(&client.request(4, "resources/list", &json!({})), "resources", "uri");
    assert!(uris.iter().any(|it| it == "sample://greeting"), "{uris:?}");
    assert!(uris.iter().any(|it| it == "two+sample://greeting"), "{uris:?}");
    for uri in ["sample://greeting", "two+sample://greeting"] {
        let read = client.request(5, "resources/read", &json!({"uri": uri}));
        assert_eq!(read["result"]["contents"][0]["uri"], uri, "{read}");
    }
    let unknown = client.request(6, "resources/read", &json!({"uri": "sample://nothing"}));
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
    let argument = json!({"name": arguments.keys().next().unwrap(), "value": ""});
    let about = json!({"ref": {"type": "ref/prompt", "name": prompt}, "argument": argument});
    let completed = client.request(7, "completion/complete", &about);
    assert!(completed["result"]["completion"]["values"].is_array(), "{completed}");
    let unknown = client.request(8, "prompts/get", &json!({"name": "three_x"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let cursor = client.request(9, "tools/list", &json!({"cursor": "x"}));
    assert_eq!(cursor["error"]["code"], -32602, "{cursor}");
}

#[test]
fn a_server_that_is_down_does_not_affect_others() {
    let scratch = Scratch::new("serve-down");
    let broken = "[upstream.broken]\ncommand = [\"/no/such/program\"]\n";
    let text = sample("one", &[], "") + &sample("two", &[], "") + broken;
    let config = scratch.file("manila.toml", text);
    let served = serve(&config);
    let client = served.connect("2025-11-25");
    let list = || names(&client.request(1, "tools/list", &json!({})), "tools", "name");
    let before = list();
    assert!(before.iter().any(|it| it == "two_echo"), "{before:?}");
    let crashed = client.call("two_crash", &json!({}));
    assert_eq!(crashed["structuredContent"]["success"], false, "{crashed}");
    // Its tools stay listed, those of the others work, and the gateway restarts it.
    assert_eq!(list(), before);
    let other = client.call("one_echo", &json!({"message": "still here"}));
    assert_eq!(other["structuredContent"]["data"]["result"], "still here");
    wait_until("server `two` has restarted", || {
        let result = client.call("two_echo", &json!({"message": "again"}));
        result["structuredContent"]["data"]["result"] == "again"
    });
    let never = client.call("broken_tool", &json!({}));
    assert_eq!(never["structuredContent"]["data"]["error_code"], "UNAVAILABLE", "{never}");
    let ready = served.request("GET", "/readyz", &[], "");
    assert_eq!(ready.status, 200);
    assert!(ready.body.contains("broken: `/no/such/program`"), "{ready:?}");
}

#[test]
fn unknown_tools_get_a_suggestion_and_denied_ones_are_unknown() {
    let scratch = Scratch::new("serve-offered");
    let text =
        sample("one", &[], "allow = [\"e*o\", \"add\"]") + &sample("two", &[], "deny = [\"echo\"]");
    let config = scratch.file("manila.toml", text);
    let served = serve(&config);
    let listed = served.request("GET", "/tools", &[], "").json();
    let tools: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    let of_one: Vec<_> = tools.iter().filter(|it| it.starts_with("one_")).collect();
    assert_eq!(of_one, [&"one_echo", &"one_add"]);
    assert!(!tools.contains(&"two_echo") && tools.contains(&"two_add"), "{tools:?}");
    for (tool, hint) in [
        ("two_echo", "is not a tool of this server"),
        ("one_text", "is not a tool of this server"),
        ("oen_echo", "did you mean `one_echo`?"),
        ("echo", "is not a tool of this server"),
    ] {
        let refused = served.call(tool, &json!({"message": "x"}));
        assert_eq!(refused.status, 404, "{refused:?}");
        assert!(refused.body.contains(hint), "{refused:?}");
        // A request for unchanged results is refused, too.
        let head = ["Manila-Contract: none"];
        let plain = served.request("POST", &format!("/tools/{tool}"), &head, r#"{"message":"x"}"#);
        assert_eq!(plain.status, 404, "{plain:?}");
    }
}

#[test]
fn servers_and_tools_override_settings() {
    let scratch = Scratch::new("serve-settings");
    let text = "contract = \"envelope-v1\"\n".to_owned()
        + &sample("one", &[], "")
        + &sample("two", &[], "contract = \"none\"\ntimeout = \"300ms\"")
        + "[tool.one_add]\ncontract = \"response-v2\"\nplacement = \"text\"\n"
        + "[tool.one_wait]\ntimeout = \"50ms\"\n";
    let config = scratch.file("manila.toml", text);
    let served = serve(&config);
    let client = served.connect("2025-11-25");
    let one = client.call("one_echo", &json!({"message": "x"}));
    assert_eq!(one["structuredContent"]["tool_id"], "one_echo");
    let two = client.call("two_echo", &json!({"message": "x"}));
    assert_eq!(two["content"][0]["text"], "x");
    let add = client.call("one_add", &json!({"a": 1, "b": 2}));
    assert!(add["structuredContent"].is_null(), "{add}");
    assert!(add["content"][0]["text"].as_str().unwrap().contains("response-v2"));
    let listed = client.request(1, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let schema_of =
        |name: &str| &tools.iter().find(|it| it["name"] == name).unwrap()["outputSchema"];
    assert!(schema_of("one_add").is_null());
    assert!(schema_of("one_echo").is_object());
    let late = client.call("one_wait", &json!({"ms": 60_000}));
    assert_eq!(late["structuredContent"]["error"]["error_code"], "timeout", "{late}");
    // The contract that the request selects takes precedence.
    let reply = served.request("POST", "/tools/one_echo", &["Manila-Contract: response-v2"], "{}");
    assert!(reply.body.contains("response-v2"), "{reply:?}");
}

#[test]
fn serves_several_servers_over_stdio() {
    let scratch = Scratch::new("serve-stdio");
    let config = scratch.file(
        "manila.toml",
        "[listen]\nstdio = true\n".to_owned()
            + &sample("one", &[], "")
            + &sample("two", &[], "start = \"lazy\""),
    );
    let mut client = Client::start_manila(&["serve", "--config", &config, "-v"]);
    client.handshake("2025-11-25");
    let echoed = client.envelope("two_echo", &json!({"message": "x"}));
    assert_eq!(echoed["data"]["result"], "x");
    assert_eq!(client.envelope("one_echo", &json!({"message": "y"}))["data"]["result"], "y");
    let ran = client.end();
    assert_eq!(ran.code, 0);
}

#[test]
fn announces_a_server_that_starts_late() {
    let scratch = Scratch::new("serve-late");
    let marker = scratch.file("marker", "");
    std::fs::remove_file(&marker).unwrap();
    let script = format!("test -e {marker} && exec {} sample-server", manila_path());
    let late = format!("[upstream.late]\ncommand = [\"sh\", \"-c\", {script:?}]\n");
    let config = scratch.file("manila.toml", sample("one", &[], "") + &late);
    let served = serve(&config);
    let client = served.connect("2025-11-25");
    let before = names(&client.request(1, "tools/list", &json!({})), "tools", "name");
    assert!(!before.iter().any(|it| it.starts_with("late_")), "{before:?}");
    let mut stream = client.listen(None);
    std::fs::write(&marker, "").unwrap();
    stream.wait(|message| message["method"] == "notifications/tools/list_changed");
    wait_until("its tools are listed", || {
        let now = names(&client.request(2, "tools/list", &json!({})), "tools", "name");
        now.iter().any(|it| it == "late_echo")
    });
}
