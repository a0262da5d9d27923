//! `manila serve`: many servers behind one door.

use std::time::Duration;

use serde_json::{Value, json};

use crate::http_client::Served;
use crate::mcp::{Client, manila_path, signal};
use crate::program::{Scratch, manila};

/// A table for a sample server.
fn sample(name: &str, options: &[&str], more: &str) -> String {
    let words: Vec<String> = [&[manila_path(), "sample-server"], options]
        .concat()
        .iter()
        .map(|word| format!("{word:?}"))
        .collect();
    format!("[upstream.{name}]\ncommand = [{}]\n{more}\n", words.join(", "))
}

fn served(config: &str) -> Served {
    Served::start(&["serve", "--config", config, "--http", "127.0.0.1:0", "-v"])
}

fn names(listed: &Value, kind: &str, member: &str) -> Vec<String> {
    let items = listed["result"][kind].as_array().unwrap_or_else(|| panic!("{listed}"));
    items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
}

/// Waits until something is so.
#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("not in time: {what}");
}

#[test]
fn servers_of_both_eras_are_one_server_for_clients_of_both() {
    let scratch = Scratch::new("serve-many");
    let config = scratch.file(
        "manila.toml",
        sample("one", &["--era", "legacy"], "") + &sample("two", &["--era", "modern"], ""),
    );
    let served = served(&config);
    let client = served.greeted("2025-11-25");
    let hello = &client.hello["result"];
    assert_eq!(hello["serverInfo"]["name"], "manila");
    assert_eq!(hello["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(hello["capabilities"]["resources"]["listChanged"], true);
    assert!(hello["capabilities"]["completions"].is_object(), "{hello}");
    let tools = names(&client.ask(1, "tools/list", &json!({})), "tools", "name");
    for name in ["one_echo", "two_echo"] {
        assert!(tools.iter().any(|it| it == name), "{tools:?}");
    }
    assert!(tools.iter().all(|it| it.starts_with("one_") || it.starts_with("two_")), "{tools:?}");
    for tool in ["one_echo", "two_echo"] {
        let result = client.call(tool, &json!({"message": tool}));
        assert_eq!(result["structuredContent"]["data"]["result"], tool);
        let params = json!({"name": tool, "arguments": {"message": "hi"}});
        let modern = served.modern("tools/call", &params).whole().json();
        assert_eq!(modern["result"]["structuredContent"]["data"]["result"], "hi", "{modern}");
        assert_eq!(modern["result"]["resultType"], "complete");
    }
    let discovered = served.modern("server/discover", &json!({})).whole().json();
    assert!(discovered["result"]["capabilities"]["prompts"].is_object(), "{discovered}");
}

#[test]
fn prompts_resources_and_completions_find_their_owner() {
    let scratch = Scratch::new("serve-owners");
    let config = scratch.file("manila.toml", sample("one", &[], "") + &sample("two", &[], ""));
    let served = served(&config);
    let client = served.greeted("2025-11-25");
    let prompts = names(&client.ask(1, "prompts/list", &json!({})), "prompts", "name");
    let prompt = prompts.iter().find(|it| it.starts_with("two_")).unwrap();
    let listed = client.ask(2, "prompts/list", &json!({}));
    let about = listed["result"]["prompts"].as_array().unwrap();
    let about = about.iter().find(|it| it["name"] == **prompt).unwrap();
    let arguments: serde_json::Map<String, Value> = about["arguments"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| (it["name"].as_str().unwrap().to_owned(), json!("x")))
        .collect();
    let got = client.ask(3, "prompts/get", &json!({"name": prompt, "arguments": arguments}));
    assert!(got["result"]["messages"].is_array(), "{got}");
    // Both have the same resources. Whoever is first keeps the URI.
    let uris = names(&client.ask(4, "resources/list", &json!({})), "resources", "uri");
    assert!(uris.iter().any(|it| it == "sample://greeting"), "{uris:?}");
    assert!(uris.iter().any(|it| it == "two+sample://greeting"), "{uris:?}");
    for uri in ["sample://greeting", "two+sample://greeting"] {
        let read = client.ask(5, "resources/read", &json!({"uri": uri}));
        assert_eq!(read["result"]["contents"][0]["uri"], uri, "{read}");
    }
    let unknown = client.ask(6, "resources/read", &json!({"uri": "sample://nothing"}));
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
    let argument = json!({"name": arguments.keys().next().unwrap(), "value": ""});
    let about = json!({"ref": {"type": "ref/prompt", "name": prompt}, "argument": argument});
    let completed = client.ask(7, "completion/complete", &about);
    assert!(completed["result"]["completion"]["values"].is_array(), "{completed}");
    let nobody = client.ask(8, "prompts/get", &json!({"name": "three_x"}));
    assert_eq!(nobody["error"]["code"], -32602, "{nobody}");
    let cursor = client.ask(9, "tools/list", &json!({"cursor": "x"}));
    assert_eq!(cursor["error"]["code"], -32602, "{cursor}");
}

#[test]
fn one_server_that_is_down_hides_nothing() {
    let scratch = Scratch::new("serve-down");
    let broken = "[upstream.broken]\ncommand = [\"/no/such/program\"]\n";
    let text = sample("one", &[], "") + &sample("two", &[], "") + broken;
    let config = scratch.file("manila.toml", text);
    let served = served(&config);
    let client = served.greeted("2025-11-25");
    let list = || names(&client.ask(1, "tools/list", &json!({})), "tools", "name");
    let before = list();
    assert!(before.iter().any(|it| it == "two_echo"), "{before:?}");
    let crashed = client.call("two_crash", &json!({}));
    assert_eq!(crashed["structuredContent"]["success"], false, "{crashed}");
    // Its tools stay listed, those of the others work, and it comes back.
    assert_eq!(list(), before);
    let other = client.call("one_echo", &json!({"message": "still here"}));
    assert_eq!(other["structuredContent"]["data"]["result"], "still here");
    until("two comes back", || {
        let result = client.call("two_echo", &json!({"message": "again"}));
        result["structuredContent"]["data"]["result"] == "again"
    });
    let never = client.call("broken_tool", &json!({}));
    assert_eq!(never["structuredContent"]["data"]["error_code"], "UNAVAILABLE", "{never}");
    let ready = served.ask("GET", "/readyz", &[], "");
    assert_eq!(ready.status, 200);
    assert!(ready.body.contains("broken: `/no/such/program`"), "{ready:?}");
}

#[test]
fn unknown_tools_are_named_and_denied_ones_are_unknown() {
    let scratch = Scratch::new("serve-offered");
    let text =
        sample("one", &[], "allow = [\"e*o\", \"add\"]") + &sample("two", &[], "deny = [\"echo\"]");
    let config = scratch.file("manila.toml", text);
    let served = served(&config);
    let listed = served.ask("GET", "/tools", &[], "").json();
    let tools: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    let of_one: Vec<_> = tools.iter().filter(|it| it.starts_with("one_")).collect();
    assert_eq!(of_one, [&"one_echo", &"one_add"]);
    assert!(!tools.contains(&"two_echo") && tools.contains(&"two_add"), "{tools:?}");
    for (tool, hint) in [
        ("two_echo", "is no tool of this server"),
        ("one_text", "is no tool of this server"),
        ("oen_echo", "did you mean `one_echo`?"),
        ("echo", "is no tool of this server"),
    ] {
        let refused = served.call(tool, &json!({"message": "x"}));
        assert_eq!(refused.status, 404, "{refused:?}");
        assert!(refused.body.contains(hint), "{refused:?}");
        // Whoever wants results as they come is refused, too.
        let head = ["Manila-Contract: none"];
        let plain = served.ask("POST", &format!("/tools/{tool}"), &head, r#"{"message":"x"}"#);
        assert_eq!(plain.status, 404, "{plain:?}");
    }
}

#[test]
fn servers_and_tools_have_settings_of_their_own() {
    let scratch = Scratch::new("serve-settings");
    let text = "contract = \"envelope-v1\"\n".to_owned()
        + &sample("one", &[], "")
        + &sample("two", &[], "contract = \"none\"\ntimeout = \"300ms\"")
        + "[tool.one_add]\ncontract = \"response-v2\"\nplacement = \"text\"\n"
        + "[tool.one_wait]\ntimeout = \"50ms\"\n";
    let config = scratch.file("manila.toml", text);
    let served = served(&config);
    let client = served.greeted("2025-11-25");
    let one = client.call("one_echo", &json!({"message": "x"}));
    assert_eq!(one["structuredContent"]["tool_id"], "one_echo");
    let two = client.call("two_echo", &json!({"message": "x"}));
    assert_eq!(two["content"][0]["text"], "x");
    let add = client.call("one_add", &json!({"a": 1, "b": 2}));
    assert!(add["structuredContent"].is_null(), "{add}");
    assert!(add["content"][0]["text"].as_str().unwrap().contains("response-v2"));
    let listed = client.ask(1, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let schema_of =
        |name: &str| &tools.iter().find(|it| it["name"] == name).unwrap()["outputSchema"];
    assert!(schema_of("one_add").is_null());
    assert!(schema_of("one_echo").is_object());
    let late = client.call("one_wait", &json!({"ms": 60_000}));
    assert_eq!(late["structuredContent"]["error"]["error_code"], "timeout", "{late}");
    // What the request asks for comes first.
    let asked = served.ask("POST", "/tools/one_echo", &["Manila-Contract: response-v2"], "{}");
    assert!(asked.body.contains("response-v2"), "{asked:?}");
}

#[test]
fn a_program_finds_in_its_environment_what_is_named() {
    let scratch = Scratch::new("serve-environment");
    let seen = scratch.file("seen", "");
    let folder = std::path::Path::new(&seen).parent().unwrap().to_string_lossy().into_owned();
    let script = format!("env > {seen}; pwd >> {seen}; exec {} sample-server", manila_path());
    let text = format!(
        "[upstream.one]\ncommand = [\"sh\", \"-c\", {script:?}]\ncwd = {folder:?}\n\
         env = {{ GREETING = \"hello ${{CARGO_PKG_NAME}}\", LITERAL = \"$${{X}}\" }}\npass_env = [\"CARGO_PKG_NAME\"]\n"
    );
    let config = scratch.file("manila.toml", text);
    let served = served(&config);
    until("the server runs", || served.call("echo", &json!({"message": "x"})).status == 200);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("GREETING=hello manila-cli\n"), "{seen}");
    assert!(seen.contains("LITERAL=${X}\n"), "{seen}");
    assert!(seen.contains("CARGO_PKG_NAME=manila-cli\n") && seen.contains("PATH="), "{seen}");
    assert!(!seen.contains("CARGO_MANIFEST_DIR"), "{seen}");
    let real = std::fs::canonicalize(folder).unwrap();
    assert!(seen.contains(&format!("{}\n", real.display())), "{seen}");
}

#[test]
fn a_new_configuration_changes_what_changed() {
    let scratch = Scratch::new("serve-reload");
    let first = sample("one", &[], "") + &sample("two", &[], "");
    let config = scratch.file("manila.toml", &first);
    let served = served(&config);
    let calls = |tool: &str| served.call(tool, &json!({})).json()["data"]["calls"].clone();
    let client = served.greeted("2025-11-25");
    assert_eq!(client.call("one_echo", &json!({"message": "x"}))["isError"], false);
    let mut stream = client.listen(None);
    let slow = client.request(
        &json!("slow"),
        "tools/call",
        &json!({"name": "two_wait", "arguments": {"ms": 700}}),
    );
    until("the slow call runs", || calls("two_about") == json!(2));
    for garbage in ["[upstream", "contract = 7", "[upstream.x]\nurl = \"${NOT_SET_AT_ALL}\"", ""] {
        let n_before = served.stderr().matches("stays as it was").count();
        scratch.file("manila.toml", garbage);
        signal("HUP", served.pid());
        until("it is refused", || {
            served.stderr().matches("stays as it was").count() == n_before + 1
        });
    }
    assert_eq!(client.call("one_echo", &json!({"message": "x"}))["isError"], false);
    scratch.file(
        "manila.toml",
        sample("one", &[], "contract = \"envelope-v1\"") + &sample("three", &[], ""),
    );
    signal("HUP", served.pid());
    stream.wait(|message| message["method"] == "notifications/tools/list_changed");
    // The one that goes answers what it was asked; the one that stays has forgotten nothing.
    let answered = slow.whole().answer(&json!("slow"));
    assert_eq!(answered["result"]["isError"], false, "{answered}");
    let tools = names(&client.ask(1, "tools/list", &json!({})), "tools", "name");
    assert!(tools.iter().any(|it| it == "three_echo"), "{tools:?}");
    assert!(!tools.iter().any(|it| it.starts_with("two_")), "{tools:?}");
    let one = client.call("one_about", &json!({}));
    assert_eq!(one["structuredContent"]["tool_id"], "one_about", "{one}");
    assert!(one["structuredContent"]["data"]["calls"].as_u64().unwrap() >= 3, "{one}");
}

#[test]
fn many_servers_over_standard_input_and_output() {
    let scratch = Scratch::new("serve-stdio");
    let config = scratch.file(
        "manila.toml",
        "[listen]\nstdio = true\n".to_owned()
            + &sample("one", &[], "")
            + &sample("two", &[], "start = \"lazy\""),
    );
    let mut client = Client::started(&["serve", "--config", &config, "-v"]);
    client.greet("2025-11-25");
    let echoed = client.envelope("two_echo", &json!({"message": "x"}));
    assert_eq!(echoed["data"]["result"], "x");
    assert_eq!(client.envelope("one_echo", &json!({"message": "y"}))["data"]["result"], "y");
    let ran = client.end();
    assert_eq!(ran.code, 0);
}

#[test]
fn http_and_stdio_at_once_end_together() {
    let scratch = Scratch::new("serve-both");
    let config = scratch.file("manila.toml", sample("one", &[], ""));
    let mut client =
        Client::started(&["serve", "--config", &config, "--stdio", "--http", "127.0.0.1:0", "-v"]);
    client.greet("2025-11-25");
    // With one server its names are its own.
    assert_eq!(client.envelope("echo", &json!({"message": "x"}))["data"]["result"], "x");
    let stderr = client.stderr();
    let (_, url) = stderr.split_once("http://").unwrap();
    let (address, _) = url.split_once("/mcp").unwrap();
    let url = format!("http://{address}/mcp");
    let called = manila(&["call", "echo", "--arg", "message=z", "--url", &url], b"");
    assert!(called.stdout.contains("\"z\""), "{called:?}");
    let ran = client.end();
    assert_eq!(ran.code, 0);
}

#[test]
fn without_a_configuration_there_is_something_to_try() {
    let served = Served::start(&["serve", "--http", "127.0.0.1:0"]);
    let told = served.stderr();
    until("it says what to try", || served.stderr().contains("curl -d"));
    assert!(told.contains("serving MCP"), "{told}");
    let echoed = served.call("echo", &json!({"message": "hello"}));
    assert_eq!(echoed.json()["data"]["result"], "hello");
}

#[test]
fn a_configuration_is_checked_without_serving() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let scratch = Scratch::new("serve-check");
        let config = scratch.file("manila.toml", text);
        let ran = manila(&["serve", "--check", "--config", &config], b"");
        let told = ran.stdout.clone() + &ran.stderr;
        assert!(told.contains(expected), "{text:?}: {told}");
        assert_eq!(ran.code, if expected.contains("is good") { 0 } else { 2 }, "{told}");
    }
    check("[upstream.a]\nurl = \"http://127.0.0.1:1/mcp\"\n", "is good: 1 server: a");
    check("[upstream.a]\nurl = \"http://127.0.0.1:1/mcp\"\n[lisen]\n", "did you mean `listen`?");
    check("[upstream.a_b]\nurl = \"http://x/\"", "line 1, column 11: `a_b` cannot be the name");
    check("[upstream.a]\n", "has no `command` and no `url`");
    check("[upstream.a]\ncommand = []", "line 2, column 11: the command is empty");
    check("[upstream.a]\nurl = \"ftp://x\"", "must start with http:// or https://");
    check("[upstream.a]\ncommand = [\"x\"]\nurl = \"http://x\"", "keep one of the two");
    check("[upstream.a]\ncommand = [\"x\"]\nheaders = { A = \"b\" }", "`headers` are for a server");
    check("[upstream.a]\nurl = \"http://x\"\ncwd = \"/\"", "are for a `command`");
    check("[upstream.a]\ncommand = [\"${NOT_SET_AT_ALL}\"]", "`${NOT_SET_AT_ALL}` is not set");
    check("[upstream.a]\ncommand = [\"x\"]\ntimeout = \"soon\"", "give a number and a unit");
    check("contract = \"respons-v2\"", "did you mean `response-v2`?");
    check("[limits]\nmessage_bytes_max = \"1\"", "at least 1KiB");
    check("", "names no server");
}

#[test]
fn a_server_that_comes_late_is_told_of() {
    let scratch = Scratch::new("serve-late");
    let there = scratch.file("there", "");
    std::fs::remove_file(&there).unwrap();
    let script = format!("test -e {there} && exec {} sample-server", manila_path());
    let late = format!("[upstream.late]\ncommand = [\"sh\", \"-c\", {script:?}]\n");
    let config = scratch.file("manila.toml", sample("one", &[], "") + &late);
    let served = served(&config);
    let client = served.greeted("2025-11-25");
    let before = names(&client.ask(1, "tools/list", &json!({})), "tools", "name");
    assert!(!before.iter().any(|it| it.starts_with("late_")), "{before:?}");
    let mut stream = client.listen(None);
    std::fs::write(&there, "").unwrap();
    stream.wait(|message| message["method"] == "notifications/tools/list_changed");
    until("its tools are listed", || {
        let now = names(&client.ask(2, "tools/list", &json!({})), "tools", "name");
        now.iter().any(|it| it == "late_echo")
    });
}

#[test]
fn the_doctor_tells_what_is_wrong_and_what_to_do() {
    let scratch = Scratch::new("serve-doctor");
    let folder = std::path::Path::new(&scratch.file("x", "")).parent().unwrap().join("runs");
    let text = sample("one", &[], "")
        + "[upstream.broken]\ncommand = [\"/no/such/program\"]\n"
        + "[upstream.away]\nurl = \"http://127.0.0.1:1/mcp\"\n"
        + "[upstream.silent]\ncommand = [\"sleep\", \"60\"]\nstart_timeout = \"300ms\"\n"
        + &format!(
            "[journal]\nfolder = \"{}\"\n[listen]\nhttp = \"127.0.0.1:0\"\n",
            folder.display()
        );
    let config = scratch.file("manila.toml", text);
    let ran = manila(&["doctor", "--config", &config], b"");
    assert_eq!(ran.code, 1, "{ran:?}");
    for (line, hint) in [
        ("ok   configuration", ""),
        ("ok   http", ""),
        ("ok   journal", ""),
        ("ok   one            30 tools, MCP 2026-07-28", ""),
        ("bad  broken         `/no/such/program` could not be started", "hint: run its command"),
        ("bad  away           ", "hint: check that it runs"),
        ("bad  silent         ", "hint: "),
    ] {
        let (_, rest) = ran.stdout.split_once(line).unwrap_or_else(|| panic!("{line}: {ran:?}"));
        assert!(rest.lines().nth(1).unwrap_or_default().contains(hint), "{line}: {ran:?}");
    }
    let told: Value =
        serde_json::from_str(&manila(&["doctor", "--json", "--config", &config], b"").stdout)
            .unwrap();
    assert_eq!(told.as_array().unwrap().len(), 7, "{told}");
    let wrong = scratch.file("wrong.toml", "contract = 7");
    let ran = manila(&["doctor", "--config", &wrong], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("bad  configuration"), "{ran:?}");
}

#[test]
fn who_started_it_as_a_service_is_told() {
    let scratch = Scratch::new("serve-notify");
    let config = scratch.file("manila.toml", sample("one", &[], "") + "[journal]\nfiles_max = 0\n");
    let socket = std::path::Path::new(&config).with_file_name("notify");
    let listener = std::os::unix::net::UnixDatagram::bind(&socket).unwrap();
    listener.set_read_timeout(Some(crate::mcp::PATIENCE)).unwrap();
    let mut child = std::process::Command::new(manila_path())
        .args(["serve", "--config", &config, "--http", "127.0.0.1:0"])
        .env("NOTIFY_SOCKET", &socket)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut told = [0; 64];
    let n_bytes = listener.recv(&mut told).unwrap();
    assert_eq!(&told[..n_bytes], b"READY=1");
    signal("TERM", child.id());
    let n_bytes = listener.recv(&mut told).unwrap();
    assert_eq!(&told[..n_bytes], b"STOPPING=1");
    assert!(child.wait().unwrap().success());
}

#[test]
fn where_no_more_files_can_be_had_whoever_comes_is_told() {
    let scratch = Scratch::new("serve-files");
    let config = scratch.file(
        "manila.toml",
        sample("one", &[], "") + "[journal]\nfolder = \"/dev/shm/never\"\nfiles_max = 0\n",
    );
    let mut child = std::process::Command::new("sh")
        .args(["-c", "ulimit -Sn 64; ulimit -Hn 64; exec \"$0\" \"$@\"", manila_path()])
        .args(["serve", "--config", &config, "--http", "127.0.0.1:0"])
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut stderr, &mut line).unwrap();
    let address = line.split_once("http://").unwrap().1.split_once("/mcp").unwrap().0.to_owned();
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    let ask = |stream: &mut std::net::TcpStream| {
        use std::io::{Read, Write};
        stream.set_read_timeout(Some(crate::mcp::PATIENCE)).unwrap();
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        let mut said = [0; 512];
        let n_bytes = stream.read(&mut said).unwrap_or(0);
        String::from_utf8_lossy(&said[..n_bytes]).into_owned()
    };
    let mut first = std::net::TcpStream::connect(&address).unwrap();
    assert!(ask(&mut first).starts_with("HTTP/1.1 200"));
    let mut others = Vec::new();
    let refused = (0..100).find_map(|_| {
        let mut next = std::net::TcpStream::connect(&address).unwrap();
        let said = ask(&mut next);
        others.push(next);
        (!said.starts_with("HTTP/1.1 200")).then_some(said)
    });
    let refused = refused.unwrap();
    assert!(
        refused.starts_with("HTTP/1.1 503") && refused.contains("too many files"),
        "{refused:?}"
    );
    // Who was there before is served on, and when others have gone there is room again.
    assert!(ask(&mut first).starts_with("HTTP/1.1 200"));
    others.clear();
    until("there is room again", || {
        let mut next = std::net::TcpStream::connect(&address).unwrap();
        ask(&mut next).starts_with("HTTP/1.1 200")
    });
    signal("TERM", child.id());
    assert!(child.wait().unwrap().success());
}
