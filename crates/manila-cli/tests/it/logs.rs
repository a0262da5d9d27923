//! The JSON log on stderr: every line is an object with the documented members.

use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::mcp::{Client, manila_path, signal};
use crate::program::{Scratch, manila, read, root};
use crate::scripted::ANSWER_INITIALIZE;
use crate::serve::{sample, wait_until};

/// A fake secret, in two parts so that secret scanners do not report this file.
const SECRET: [&str; 2] = ["hunter2-", "not-real"];

/// Returns the level and the members of every event in the document.
fn documented_events() -> BTreeMap<String, (String, Vec<String>)> {
    let document = read(&root().join("docs/serve.md"));
    let table = document.split("| event | level |").nth(1).unwrap();
    let rows = table.split("\n\n").next().unwrap().lines().skip(2);
    rows.map(|row| {
        let cells: Vec<String> = row.split('|').map(|it| it.trim().replace('`', "")).collect();
        let members = cells[3].split(", ").map(str::to_owned).collect();
        (cells[1].clone(), (cells[2].clone(), members))
    })
    .collect()
}

/// Parses the lines, and checks that each one conforms to the document.
#[track_caller]
fn lines(stderr: &str) -> Vec<Value> {
    let documented = documented_events();
    let line = |line: &str| {
        let entry: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        let event = entry["event"].as_str().unwrap();
        let (level, members) = documented.get(event).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(entry["level"], **level, "{line}");
        let timestamp = entry["timestamp"].as_str().unwrap();
        assert!(manila::Timestamp::parse(timestamp).unwrap().to_string() == timestamp, "{line}");
        let message = entry["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.starts_with("manila: "), "{line}");
        let is_known = |name: &String| {
            ["timestamp", "level", "event", "message"].contains(&name.as_str())
                || members.contains(name)
        };
        assert!(entry.as_object().unwrap().keys().all(is_known), "{line}");
        assert!(!line.contains(char::is_control), "{line}");
        entry
    };
    stderr.lines().map(line).collect()
}

/// Returns the first line of this event.
#[track_caller]
fn first<'a>(lines: &'a [Value], event: &str) -> &'a Value {
    let found = lines.iter().find(|line| line["event"] == event);
    found.unwrap_or_else(|| panic!("no {event} in {lines:#?}"))
}

/// Starts `manila serve` with this configuration and a JSON log.
fn serve_with_json_log(config: &str) -> HttpProgram {
    let serve = ["serve", "--config", config, "--http", "127.0.0.1:0"];
    HttpProgram::start(&[&serve[..], &["--log-format", "json"]].concat())
}

#[test]
fn every_line_is_an_object_from_start_to_shutdown() {
    let scratch = Scratch::new("logs-life");
    let good = sample("one", &[], "") + &sample("two", &[], "");
    let config = scratch.file("manila.toml", &good);
    let json = ["--log-format", "json", "-v"];
    let mut served = HttpProgram::start(
        &[&["serve", "--config", &config, "--http", "127.0.0.1:0"], &json[..]].concat(),
    );
    wait_until("both servers run", || served.stderr().matches("\"started\"").count() == 2);
    assert_eq!(served.call("one_echo", &json!({"message": "x"})).status, 200);
    assert_eq!(served.call("unknown", &json!({})).status, 404);
    assert_eq!(served.call("one_secrets", &json!({})).status, 200);
    served.request("POST", "/mcp", &["Content-Type: application/json"], "no JSON");
    let secret = format!("password: {}", SECRET.concat());
    assert_eq!(served.call("one_stderr", &json!({"text": secret})).status, 200);
    wait_until("it is logged", || served.stderr().contains("\"stderr\""));
    served.call("two_crash", &json!({}));
    wait_until("it has restarted", || served.stderr().matches("\"started\"").count() == 3);
    // An error message that quoted the wrong line would contain the secret.
    let wrong = format!("[upstream.one]\nheaders = \"Authorization: Bearer {}\"", SECRET.concat());
    let other = good.clone() + "[journal]\nfiles_max = 9\n[limits]\nmessage_bytes_max = \"1MiB\"\n";
    for (text, event) in [(&wrong, "reload_failed"), (&good, "reloaded"), (&other, "needs_restart")]
    {
        scratch.file("manila.toml", text);
        signal("HUP", served.pid());
        wait_until(event, || served.stderr().contains(&format!("\"{event}\"")));
    }
    let slow = served.send("POST", "/tools/one_wait", &[], r#"{"ms":2000}"#);
    let n_calls = Cell::new(0);
    wait_until("the slow call runs", || {
        n_calls.set(n_calls.get() + 1);
        let about = served.call("one_about", &json!({})).json();
        about["data"]["calls"] == n_calls.get() + 4
    });
    signal("TERM", served.pid());
    assert_eq!(slow.read_reply().status, 200);
    assert_eq!(served.wait(), Some(0));
    let stderr = served.stderr();
    let lines = lines(&stderr);
    let listening = first(&lines, "listening");
    assert_eq!(listening["address"], served.address);
    assert_eq!(listening["url"], served.url());
    let started = first(&lines, "started");
    assert_eq!(started["n_restarts"], 0);
    assert!(started["era"].is_string() && started["duration_ms"].is_f64(), "{started}");
    let called: Vec<&Value> = lines.iter().filter(|line| line["event"] == "called").collect();
    assert_eq!((&called[0]["server"], &called[0]["tool"]), (&json!("one"), &json!("one_echo")));
    assert_eq!(called[0]["code"], "ok");
    assert_eq!(called[1]["code"], "TOOL_NOT_FOUND");
    assert!(called[1]["server"].is_null(), "{}", called[1]);
    assert!(first(&lines, "redacted")["rules"].is_object(), "{stderr}");
    assert!(first(&lines, "refused")["reason"].is_string(), "{stderr}");
    assert_eq!(first(&lines, "stderr")["line"], "password: [REDACTED]");
    assert!(!stderr.contains(&SECRET.concat()), "{stderr}");
    let ended = first(&lines, "ended");
    assert_eq!(ended["server"], "two");
    assert!(ended["reason"].as_str().unwrap().contains("exited with code 1"), "{ended}");
    assert!(ended["next_start_ms"].is_u64(), "{ended}");
    let again = lines.iter().find(|line| line["n_restarts"] == 1).unwrap();
    assert_eq!(again["server"], "two");
    let failed = first(&lines, "reload_failed");
    assert_eq!(failed["file"], config);
    assert!(failed["reason"].as_str().unwrap().contains("line 2, column 11"), "{failed}");
    assert!(failed["hint"].is_string(), "{failed}");
    assert_eq!(first(&lines, "reloaded")["n_servers"], 2);
    assert_eq!(first(&lines, "needs_restart")["tables"], "[journal]");
    assert_eq!(first(&lines, "stopping")["n_open"], 1);
}

#[test]
fn logs_a_killed_server_but_no_debug_events() {
    let scratch = Scratch::new("logs-quiet");
    let script = format!("echo $$ >&2; exec {} sample-server", manila_path());
    let text = format!("[upstream.one]\ncommand = [\"sh\", \"-c\", {script:?}]\n");
    let config = scratch.file("manila.toml", text);
    let served = serve_with_json_log(&config);
    wait_until("it runs", || served.call("echo", &json!({"message": "x"})).status == 200);
    wait_until("its process id is logged", || served.stderr().contains("\"stderr\""));
    let entries = lines(&served.stderr());
    signal("KILL", first(&entries, "stderr")["line"].as_str().unwrap());
    wait_until("the end is logged", || served.stderr().contains("\"ended\""));
    let entries = lines(&served.stderr());
    let ended = first(&entries, "ended");
    assert!(ended["reason"].as_str().unwrap().contains("SIGKILL"), "{entries:?}");
    let is_debug = |line: &Value| line["level"] == "debug";
    assert!(!entries.iter().any(is_debug), "{entries:?}");
}

#[test]
fn escapes_hostile_stderr_lines() {
    let hostile = concat!(
        r#"printf 'a\r{"event":"listening"}\nb\033[2J\033]0;x\007\n"},"event":"x"\n' >&2; "#,
        r#"printf '\342\200\256turned\302\2332J\000\377\n' >&2; cat >/dev/null"#
    );
    let mut client = Client::start(
        &["--log-format", "json"],
        &["sh", "-c", &format!("{ANSWER_INITIALIZE}{hostile}")],
    );
    client.handshake("2025-11-25");
    wait_until("all lines are logged", || client.stderr().lines().count() == 4);
    let ran = client.end();
    assert_eq!(ran.code, 0);
    let entries = lines(&ran.stderr);
    assert!(entries.iter().all(|line| line["event"] == "stderr" && line["server"] == "sh"));
    let texts: Vec<&str> = entries.iter().map(|line| line["line"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [r#"a\r{"event":"listening"}"#, "b", r#""},"event":"x""#, "\\u{202e}turned\\u{9b}2J",]
    );
    assert_eq!(entries[1]["message"], "[sh] b");
}

#[test]
fn errors_at_startup_are_objects() {
    #[track_caller]
    fn check(args: &[&str], message: &str) {
        let ran = manila(&[args, &["--log-format", "json"]].concat(), b"");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        let lines = lines(&ran.stderr);
        let failed = first(&lines, "failed");
        assert!(failed["message"].as_str().unwrap().contains(message), "{failed}");
        assert!(failed["hint"].is_string(), "{failed}");
    }
    let scratch = Scratch::new("logs-failed");
    let headers = format!("Authorization: Bearer {}", SECRET.concat());
    let wrong = format!("[upstream.one]\nheaders = {headers:?}");
    let wrong = scratch.file("wrong.toml", wrong);
    check(&["serve", "--config", &wrong], "invalid type: string, expected a table");
    check(&["serve", "--config", "/no/such/manila.toml"], "no such file");
    check(&["serve", "--check", "--config", &wrong], "line 2");
    check(&["serve", "--http", "192.0.2.1:80"], "not a loopback address");
    let not_local = ["wrap", "--http", "192.0.2.1:80", "--url", "http://127.0.0.1:1/"];
    check(&not_local, "not a loopback address");
    check(&["wrap", "--url", "ftp://x/"], "must start with http://");
    let ran = manila(&["serve", "--log-format", "yaml"], b"");
    assert!(ran.stderr.contains("hint: use one of: text, json"), "{ran:?}");
}

#[test]
fn logs_journal_errors_and_example_commands() {
    let scratch = Scratch::new("logs-journal");
    let folder = std::path::Path::new(&scratch.file("x", "")).parent().unwrap().join("runs");
    let text = sample("one", &[], "") + &format!("[journal]\nfolder = {folder:?}\n");
    let config = scratch.file("manila.toml", text);
    std::fs::create_dir_all(folder.join("mcp_server/envelope_validation.latest.jsonl")).unwrap();
    let served = serve_with_json_log(&config);
    wait_until("it runs", || served.call("echo", &json!({"message": "x"})).status == 200);
    wait_until("it is logged", || served.stderr().contains("\"journal_unlinked\""));
    assert!(first(&lines(&served.stderr()), "journal_unlinked")["reason"].is_string());
    let served = HttpProgram::start(&["serve", "--http", "127.0.0.1:0", "--log-format", "json"]);
    wait_until("it logs example commands", || served.stderr().matches("\"try\"").count() == 3);
    let entries = lines(&served.stderr());
    let example = first(&entries, "try")["message"].as_str().unwrap();
    assert!(example.starts_with("curl "), "{entries:?}");
    first(&entries, "sample");
}
