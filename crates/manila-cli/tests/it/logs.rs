//! What is told on standard error as JSON: every line an object, whatever happens.

use std::cell::Cell;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::http_client::Served;
use crate::mcp::{Client, manila_path, signal};
use crate::program::{Scratch, manila, read, root};
use crate::scripted::HELLO;
use crate::serve::{sample, until};

/// A fake secret, in two pieces so that nobody's scanner reports this file.
const SECRET: [&str; 2] = ["hunter2-", "not-real"];

/// Level and members of every event, as the document has them.
fn documented() -> BTreeMap<String, (String, Vec<String>)> {
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

/// The lines, each of which keeps what the document promises.
#[track_caller]
fn lines(stderr: &str) -> Vec<Value> {
    let documented = documented();
    let line = |line: &str| {
        let told: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        let event = told["event"].as_str().unwrap();
        let (level, members) = documented.get(event).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(told["level"], **level, "{line}");
        let timestamp = told["timestamp"].as_str().unwrap();
        assert!(manila::Moment::parse(timestamp).unwrap().to_string() == timestamp, "{line}");
        let message = told["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.starts_with("manila: "), "{line}");
        let is_known = |name: &String| {
            ["timestamp", "level", "event", "message"].contains(&name.as_str())
                || members.contains(name)
        };
        assert!(told.as_object().unwrap().keys().all(is_known), "{line}");
        assert!(!line.contains(char::is_control), "{line}");
        told
    };
    stderr.lines().map(line).collect()
}

/// The first line of this event.
#[track_caller]
fn first<'a>(lines: &'a [Value], event: &str) -> &'a Value {
    let found = lines.iter().find(|line| line["event"] == event);
    found.unwrap_or_else(|| panic!("no {event} in {lines:#?}"))
}

/// `manila serve` with this configuration, whose log is JSON.
fn served_in_json(config: &str) -> Served {
    let serve = ["serve", "--config", config, "--http", "127.0.0.1:0"];
    Served::start(&[&serve[..], &["--log-format", "json"]].concat())
}

#[test]
fn every_line_of_a_servers_life_is_an_object() {
    let scratch = Scratch::new("logs-life");
    let good = sample("one", &[], "") + &sample("two", &[], "");
    let config = scratch.file("manila.toml", &good);
    let json = ["--log-format", "json", "-v"];
    let mut served = Served::start(
        &[&["serve", "--config", &config, "--http", "127.0.0.1:0"], &json[..]].concat(),
    );
    until("both run", || served.stderr().matches("\"started\"").count() == 2);
    assert_eq!(served.call("one_echo", &json!({"message": "x"})).status, 200);
    assert_eq!(served.call("nobodys", &json!({})).status, 404);
    assert_eq!(served.call("one_secrets", &json!({})).status, 200);
    served.ask("POST", "/mcp", &["Content-Type: application/json"], "no JSON");
    let secret = format!("password: {}", SECRET.concat());
    assert_eq!(served.call("one_stderr", &json!({"text": secret})).status, 200);
    until("it is passed on", || served.stderr().contains("\"stderr\""));
    served.call("two_crash", &json!({}));
    until("it is back", || served.stderr().matches("\"started\"").count() == 3);
    // What is wrong with it would quote the secret.
    let wrong = format!("[upstream.one]\nheaders = \"Authorization: Bearer {}\"", SECRET.concat());
    let other = good.clone() + "[journal]\nfiles_max = 9\n[limits]\nmessage_bytes_max = \"1MiB\"\n";
    for (text, event) in [(&wrong, "reload_failed"), (&good, "reloaded"), (&other, "needs_restart")]
    {
        scratch.file("manila.toml", text);
        signal("HUP", served.pid());
        until(event, || served.stderr().contains(&format!("\"{event}\"")));
    }
    let slow = served.send("POST", "/tools/one_wait", &[], r#"{"ms":2000}"#);
    let n_asked = Cell::new(0);
    until("it runs", || {
        n_asked.set(n_asked.get() + 1);
        let about = served.call("one_about", &json!({})).json();
        about["data"]["calls"] == n_asked.get() + 4
    });
    signal("TERM", served.pid());
    assert_eq!(slow.whole().status, 200);
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
fn a_child_that_is_killed_is_told_and_quiet_things_stay_quiet() {
    let scratch = Scratch::new("logs-quiet");
    let script = format!("echo $$ >&2; exec {} sample-server", manila_path());
    let text = format!("[upstream.one]\ncommand = [\"sh\", \"-c\", {script:?}]\n");
    let config = scratch.file("manila.toml", text);
    let served = served_in_json(&config);
    until("it runs", || served.call("echo", &json!({"message": "x"})).status == 200);
    until("its id is told", || served.stderr().contains("\"stderr\""));
    let told = lines(&served.stderr());
    signal("KILL", first(&told, "stderr")["line"].as_str().unwrap());
    until("it is told", || served.stderr().contains("\"ended\""));
    let told = lines(&served.stderr());
    assert!(first(&told, "ended")["reason"].as_str().unwrap().contains("SIGKILL"), "{told:?}");
    let is_loud = |line: &Value| line["level"] == "debug";
    assert!(!told.iter().any(is_loud), "{told:?}");
}

#[test]
fn a_hostile_child_stays_inside_its_object() {
    let hostile = concat!(
        r#"printf 'a\r{"event":"listening"}\nb\033[2J\033]0;x\007\n"},"event":"x"\n' >&2; "#,
        r#"printf '\342\200\256turned\302\2332J\000\377\n' >&2; cat >/dev/null"#
    );
    let mut client =
        Client::start(&["--log-format", "json"], &["sh", "-c", &format!("{HELLO}{hostile}")]);
    client.greet("2025-11-25");
    until("all is told", || client.stderr().lines().count() == 4);
    let ran = client.end();
    assert_eq!(ran.code, 0);
    let told = lines(&ran.stderr);
    assert!(told.iter().all(|line| line["event"] == "stderr" && line["server"] == "sh"));
    let said: Vec<&str> = told.iter().map(|line| line["line"].as_str().unwrap()).collect();
    assert_eq!(
        said,
        [r#"a\r{"event":"listening"}"#, "b", r#""},"event":"x""#, "\\u{202e}turned\\u{9b}2J",]
    );
    assert_eq!(told[1]["message"], "[sh] b");
}

#[test]
fn why_it_could_not_serve_is_an_object_too() {
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
    check(&["serve", "--config", &wrong], "invalid type: string, expected a map");
    check(&["serve", "--config", "/no/such/manila.toml"], "no such file");
    check(&["serve", "--check", "--config", &wrong], "line 2");
    check(&["serve", "--http", "192.0.2.1:80"], "can be reached from other machines");
    let not_local = ["wrap", "--http", "192.0.2.1:80", "--url", "http://127.0.0.1:1/"];
    check(&not_local, "can be reached from other machines");
    check(&["wrap", "--url", "ftp://x/"], "must start with http://");
    let ran = manila(&["serve", "--log-format", "yaml"], b"");
    assert!(ran.stderr.contains("hint: use one of: text, json"), "{ran:?}");
}

#[test]
fn the_journals_trouble_and_what_to_try_are_told() {
    let scratch = Scratch::new("logs-journal");
    let folder = std::path::Path::new(&scratch.file("x", "")).parent().unwrap().join("runs");
    let text = sample("one", &[], "") + &format!("[journal]\nfolder = {folder:?}\n");
    let config = scratch.file("manila.toml", text);
    std::fs::create_dir_all(folder.join("mcp_server/envelope_validation.latest.jsonl")).unwrap();
    let served = served_in_json(&config);
    until("it runs", || served.call("echo", &json!({"message": "x"})).status == 200);
    until("it is told", || served.stderr().contains("\"journal_unlinked\""));
    assert!(first(&lines(&served.stderr()), "journal_unlinked")["reason"].is_string());
    let served = Served::start(&["serve", "--http", "127.0.0.1:0", "--log-format", "json"]);
    until("it says what to try", || served.stderr().matches("\"try\"").count() == 3);
    let told = lines(&served.stderr());
    assert!(first(&told, "try")["message"].as_str().unwrap().starts_with("curl "), "{told:?}");
    first(&told, "sample");
}
