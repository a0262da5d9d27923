//! The journal of `manila serve` (Q6, Q8), and its metrics.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, JSON};
use crate::mcp::{Client, manila_path, signal};
use crate::program::{Scratch, check_generated, manila, root};
use crate::serve::wait_until;

/// Writes a configuration with the sample server and a journal. Returns its path and the journal's
/// folder. The contract contains no times, so that responses have the same size each time.
pub(crate) fn config(scratch: &Scratch, more: &str) -> (String, PathBuf) {
    let folder = Path::new(&scratch.file("here", "")).parent().unwrap().join("runs");
    let text = format!(
        "contract = \"mcp.envelope.v0.1\"\n[upstream.one]\ncommand = [{:?}, \"sample-server\"]\n\
         [journal]\nfolder = \"{}\"\n{more}",
        manila_path(),
        folder.display()
    );
    (scratch.file("manila.toml", text), folder)
}

fn latest(folder: &Path) -> PathBuf {
    folder.join("mcp_server/envelope_validation.latest.jsonl")
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(latest(folder)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Waits until the journal has this many lines, and returns them.
#[track_caller]
pub(crate) fn wait_for_lines(folder: &Path, n_lines: usize) -> Vec<Value> {
    for _ in 0..1_000 {
        let lines = lines(folder);
        if lines.len() >= n_lines {
            return lines;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("not in time: {n_lines} lines, but {:?}", lines(folder));
}

/// Returns a line without the fields that differ each time (Q8).
fn without_volatile(mut line: Value) -> Value {
    for volatile in ["ts", "durationMs", "requestId", "traceId", "spanId"] {
        assert!(line.get(volatile).is_some(), "{line}");
        line.as_object_mut().unwrap().remove(volatile);
    }
    line
}

/// Requests of clients, valid and invalid.
fn requests() -> [Value; 6] {
    let call = |id: u64, name: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}})
    };
    [
        call(1, "echo", json!({"message": "hello"})),
        call(2, "echo", json!({"mesage": "hello"})),
        call(3, "ehco", json!({})),
        call(4, "fail", json!({"how": "text"})),
        json!({"jsonrpc": "2.0", "id": 5, "method": "prompts/get",
            "params": {"name": "greet", "arguments": {"name": "Ada"}}}),
        json!({"jsonrpc": "2.0", "id": 6, "method": "no/such/method", "params": {}}),
    ]
}

/// Strict request envelopes (Q1) for the tool `echo`, valid and invalid.
fn strict_requests() -> [Value; 5] {
    let call = |id: &str, method: &str, params: Value| -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    };
    let meta = json!({"dev.manila/agentId": "agent-7", "dev.manila/taskId": "t"});
    let (echo, input) = (json!("echo"), json!({"message": "strict"}));
    [
        call("call-1", "tools/call", json!({"tool": echo, "input": input, "_meta": meta})),
        call("call-2", "tools/call", json!({"tool": echo, "input": {"mesage": "strict"}})),
        call("call-3", "tools/call", json!({"tool": "add", "input": input})),
        call("call-4", "tools/list", json!({})),
        json!({"jsonrpc": "2.0", "id": "call-5", "method": "tools/call"}),
    ]
}

#[test]
fn both_transports_write_the_golden_journal() {
    let scratch = Scratch::new("journal-golden");
    let (config, folder) = config(&scratch, "");
    let mut client = Client::start_manila(&["serve", "--config", &config, "--stdio"]);
    client.handshake("2025-11-25");
    for message in requests() {
        client.send(&message);
        client.answer(&message["id"]);
    }
    client.send_line(r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#);
    client.line();
    assert_eq!(client.end().code, 0);
    let over_stdio = wait_for_lines(&folder, 8);
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    let session = served.connect("2025-11-25");
    for message in requests() {
        session.post(&message).read_reply();
    }
    let bad = served.request(
        "POST",
        "/mcp",
        &JSON,
        r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#,
    );
    assert_eq!(bad.status, 400);
    served.call("echo", &json!({"message": "plain"}));
    for message in strict_requests() {
        served.request("POST", "/tools/echo", &[], &message.to_string());
    }
    let over_http = wait_for_lines(&folder, 14);
    for member in ["requestId", "rpcId"] {
        let ids = over_http.iter().skip(9).map(|line| line[member].as_str().unwrap());
        assert_eq!(ids.collect::<Vec<_>>(), ["call-1", "call-2", "call-3", "call-4", "call-5"]);
    }
    let mut text = String::new();
    for line in over_stdio.into_iter().chain(over_http) {
        let line = without_volatile(line);
        assert_eq!(line["metadata"]["deterministic"], false);
        text += &(line.to_string() + "\n");
    }
    check_generated(&root().join("crates/manila-cli/tests/it/journal/golden.jsonl"), &text);
}

#[test]
fn the_journal_contains_agents_but_no_secrets() {
    let scratch = Scratch::new("journal-secrets");
    let (config, folder) = config(&scratch, "");
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    let session = served.connect("2025-11-25");
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let params = json!({"name": token, "arguments": {}, "_meta": {
        "dev.manila/agentId": "agent-7", "dev.manila/taskId": "t", "dev.manila/stepId": "s",
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}});
    session.start_request(&json!(7), "tools/call", &params).read_reply();
    let lines = wait_for_lines(&folder, 2);
    let line = lines.last().unwrap();
    assert_eq!(line["agentId"], "agent-7");
    assert_eq!(line["traceId"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(line["rpcId"], "7");
    assert!(line["requestId"].as_str().unwrap().starts_with("req_"), "{line}");
    assert!(!line.to_string().contains(&token), "{line}");
}

#[test]
fn serving_continues_while_the_journal_cannot_be_written() {
    let scratch = Scratch::new("journal-trouble");
    let (config, folder) = config(&scratch, "");
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    served.call("echo", &json!({"message": "x"}));
    wait_for_lines(&folder, 1);
    // A file replaces the folder.
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    for _ in 0..1_000 {
        assert_eq!(served.call("echo", &json!({"message": "x"})).status, 200);
        if served.request("GET", "/readyz", &[], "").body.contains("journal:") {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let ready = served.request("GET", "/readyz", &[], "");
    assert!(ready.status == 200 && ready.body.contains("lines lost"), "{ready:?}");
    wait_until("it is logged", || served.stderr().contains("the journal cannot be written"));
    std::fs::remove_file(&folder).unwrap();
    for _ in 0..1_000 {
        served.call("echo", &json!({"message": "x"}));
        if served.stderr().contains("the journal is writable again") {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let lost = lines(&folder).into_iter().find(|line| line["method"] == "manila/journal");
    assert!(lost.is_some_and(|lost| lost["error"]["details"]["lost"].as_u64() > Some(0)));
}

#[test]
fn serving_continues_on_a_full_disk_and_lost_lines_are_counted() {
    let scratch = Scratch::new("journal-full");
    let (config, folder) = config(&scratch, "");
    // A file that may not grow fails like a full disk, and the limit needs no privileges.
    let served = HttpProgram::start_after(
        "trap '' XFSZ; ulimit -Sf 8",
        &["serve", "--config", &config, "--http", "127.0.0.1:0"],
    );
    let mut n_calls = 0;
    let mut call_until = |is_done: &dyn Fn() -> bool| {
        for _ in 0..1_000 {
            assert_eq!(served.call("echo", &json!({"message": "x"})).status, 200);
            n_calls += 1;
            if is_done() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("not in time: {}", served.stderr());
    };
    call_until(&|| served.stderr().contains("the journal cannot be written"));
    let ready = served.request("GET", "/readyz", &[], "");
    assert!(ready.status == 200 && ready.body.contains("journal: cannot write"), "{ready:?}");
    let pid = served.pid().to_string();
    let lifted = Command::new("prlimit").args(["--fsize=unlimited", "--pid", &pid]).status();
    assert!(lifted.unwrap().success());
    call_until(&|| served.stderr().contains("the journal is writable again"));
    signal("TERM", served.pid());
    let mut served = served;
    assert_eq!(served.wait(), Some(0));
    // After each failure, the gateway begins the next file.
    let files = std::fs::read_dir(folder.join("mcp_server")).unwrap().map(|it| it.unwrap().path());
    let files = files.filter(|path| !path.is_symlink());
    let text: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let written: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lost = written.iter().filter_map(|line| line["error"]["details"]["lost"].as_u64());
    let n_lost: u64 = lost.sum();
    let n_notes = written.iter().filter(|line| line["method"] == "manila/journal").count();
    assert!(n_lost > 0, "{written:?}");
    assert_eq!(written.len() - n_notes + usize::try_from(n_lost).unwrap(), n_calls, "{written:?}");
}

#[test]
fn metrics_count_calls_redactions_and_starts() {
    let scratch = Scratch::new("journal-figures");
    let (config, _) = config(&scratch, "files_max = 0\n");
    let served = HttpProgram::start(&["serve", "--config", &config, "--http", "127.0.0.1:0"]);
    served.call("echo", &json!({"message": "x"}));
    served.call("echo", &json!({}));
    served.call("no-such-tool", &json!({}));
    served.call("secrets", &json!({}));
    let reply = served.request("GET", "/metrics", &[], "");
    assert_eq!(reply.status, 200);
    for line in [
        r#"manila_calls_total{server="one",tool="echo",code="ok"} 1"#,
        r#"manila_calls_total{server="one",tool="echo",code="INVALID_TOOL_INPUT"} 1"#,
        r#"manila_calls_total{server="one",tool="(other)",code="TOOL_NOT_FOUND"} 1"#,
        r#"manila_call_duration_seconds_count{server="one",tool="echo"} 2"#,
        r#"manila_redactions_total{rule="jwt"} 1"#,
        r#"manila_server_up{server="one"} 1"#,
        r#"manila_server_starts_total{server="one"} 1"#,
        "manila_requests_in_flight 0",
        "# EOF",
    ] {
        assert!(reply.body.contains(line), "{line}: {}", reply.body);
    }
}

#[test]
fn a_journal_that_cannot_be_opened_is_an_error() {
    let scratch = Scratch::new("journal-not-begun");
    let (config, folder) = config(&scratch, "");
    std::fs::write(&folder, "in the way").unwrap();
    let ran = manila(&["serve", "--config", &config, "--http", "127.0.0.1:0"], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot write the journal"), "{ran:?}");
    assert!(ran.stderr.contains("hint: set journal.folder"), "{ran:?}");
}
