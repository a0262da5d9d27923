//! Servers that misbehave in exactly one way, written as a few lines of shell.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp::{Client, is_running, signal, wait_until_gone, wrap};
use crate::serve::wait_until;

/// A script that responds to `initialize`, which is always the gateway's request 1.
pub(crate) const ANSWER_INITIALIZE: &str = concat!(
    r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}}'; "#
);

/// Starts a server that responds to `initialize` and then runs `script`, without a handshake.
fn server(options: &[&str], script: &str) -> Client {
    Client::start(options, &["sh", "-c", &format!("{ANSWER_INITIALIZE}{script}")])
}

/// Starts a server that runs `script` after the handshake.
pub(crate) fn connect(options: &[&str], script: &str) -> Client {
    let mut client = server(options, script);
    assert!(client.handshake("2025-11-25")["result"].is_object());
    client
}

#[test]
fn a_server_that_does_not_read_blocks_neither_pings_nor_shutdown() {
    let mut client = connect(&["--timeout", "20s"], "sleep 1000");
    let long = "x".repeat(2_000);
    for n in 0..600 {
        client.start_request(n, "prompts/get", &json!({"name": long}));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    }
    assert_eq!(client.request("p", "ping", &json!({}))["result"], json!({}));
    signal("TERM", client.pid());
    signal("TERM", client.pid());
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_client_that_does_not_read_does_not_prevent_exit() {
    let mut client = server(&[], "cat >/dev/null");
    for n in 0..200_000 {
        client.start_request(n, "ping", &json!({}));
    }
    client.close_stdin();
    assert_eq!(client.end().code, 0);
}

#[test]
fn reports_a_server_that_closes_its_input() {
    let mut client = connect(&["--timeout", "200ms"], "exec 0<&-; sleep 1000");
    // A closed pipe is detected only by a write to it.
    let is_reported = (0..50).any(|n| {
        let answer = client.request(n, "prompts/list", &json!({}));
        answer.to_string().contains("closed its stdin")
    });
    assert!(is_reported, "{}", client.stderr());
}

#[test]
fn accepts_a_pipelined_handshake() {
    let script = r#"read line; echo "received: $line" >&2; cat >/dev/null"#;
    let mut client = server(&["--timeout", "1s"], script);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    client.start_request(1, "initialize", &params);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.start_request(2, "resources/list", &json!({}));
    assert!(client.answer(&json!(1))["result"].is_object());
    assert_eq!(client.answer(&json!(2))["error"]["data"]["canonicalCode"], "TIMEOUT");
    assert!(
        client.stderr().contains("received: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/init")
    );
    client.start_request(3, "initialize", &params);
    assert_eq!(client.answer(&json!(3))["error"]["code"], -32600);
}

#[test]
fn forwards_a_refused_handshake_and_allows_another_one() {
    let refuse = concat!(
        r#"read line; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","#,
        r#""data":{"supported":["1.0"]}}}'; "#,
        // The server might be modern, so the gateway also sends `server/discover`.
        r#"read probe; echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"what?"}}'; "#,
        r#"read again; echo '{"jsonrpc":"2.0","id":3,"result":{"capabilities":{}}}'; sleep 1000"#
    );
    let mut client = Client::start(&[], &["sh", "-c", refuse]);
    let refused = client.handshake("2025-11-25");
    assert_eq!(refused["error"]["data"]["supported"], json!(["1.0"]), "{refused}");
    assert!(client.handshake("2025-11-25")["result"].is_object());
}

#[test]
fn forgets_server_requests_that_are_cancelled() {
    let script = concat!(
        r#"read initialized; "#,
        r#"echo '{"jsonrpc":"2.0","id":"q","method":"roots/list"}'; "#,
        r#"echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}'; "#,
        r#"echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}'; "#,
        r#"echo '{"jsonrpc":"2.0","id":"r","method":"roots/list"}'; read answer; "#,
        r#"echo "received: $answer" >&2; sleep 1000"#
    );
    let mut client = connect(&["--timeout", "3100ms"], script);
    let is_roots_list = |message: &Value| message["method"] == "roots/list";
    let first = client.wait(is_roots_list);
    let cancelled = client.wait(|message| message["method"] == "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], first["id"]);
    let second = client.wait(is_roots_list);
    assert_ne!(first["id"], second["id"]);
    // The server gets an error for a malformed response, and the client gets nothing.
    client.send(&json!({"jsonrpc": "2.0", "id": second["id"], "result": {}, "error": {}}));
    // An open server request would extend the timeout tenfold, which is longer than the test waits.
    let late = client.request("late", "prompts/list", &json!({}));
    assert_eq!(late["error"]["data"]["canonicalCode"], "TIMEOUT");
    wait_until("the server gets an error", || {
        client.stderr().contains(r#"received: {"jsonrpc":"2.0","id":"r","error""#)
    });
    assert_eq!(client.others(), Vec::<Value>::new());
}

#[test]
fn cancels_the_requests_of_a_server_that_exits() {
    let script = concat!(
        r#"read initialized; echo '{"jsonrpc":"2.0","id":7,"method":"roots/list"}'; "#,
        r#"read line; exit 4"#
    );
    let mut client = connect(&[], script);
    let request = client.wait(|message| message["method"] == "roots/list");
    client.start_request(1, "prompts/list", &json!({}));
    let cancelled = client.wait(|message| message["method"] == "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
}

#[test]
fn progress_precedes_the_response_and_messages_keep_their_order() {
    let script = concat!(
        r#"read initialized; read call; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); "#,
        r#"echo '{"jsonrpc":"2.0","method":"notifications/progress","#,
        r#""params":{"progressToken":0,"progress":1}}'; done; "#,
        r#"echo '{"jsonrpc":"2.0","id":2,"result":{}}'; "#,
        r#"read first; read second; echo "1 $first" >&2; echo "2 $second" >&2; sleep 1000"#
    );
    let mut client = connect(&[], script);
    client.start_request(0, "prompts/list", &json!({"_meta": {"progressToken": 0}}));
    for _ in 0..2000 {
        assert!(client.line().contains("notifications/progress"));
    }
    assert!(client.line().contains(r#""result":{}"#));
    client.start_request(1, "resources/subscribe", &json!({"uri": "x://y"}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    while !client.stderr().contains("[sh] 2 ") {
        std::thread::sleep(Duration::from_millis(10));
    }
    let stderr = client.stderr();
    let first = stderr.lines().find(|line| line.starts_with("[sh] 1 ")).unwrap();
    assert!(first.contains("resources/subscribe"), "{stderr}");
}

#[test]
fn responds_to_malformed_server_requests() {
    let script = concat!(
        r#"read initialized; echo '{"jsonrpc":"2.0","id":9,"method":"roots/list","params":[]}'; "#,
        r#"read answer; echo "received: $answer" >&2; sleep 1000"#
    );
    let client = connect(&[], script);
    while !client.stderr().contains("received: ") {
        std::thread::sleep(Duration::from_millis(10));
    }
    wait_until("the server gets an error", || {
        client.stderr().contains(r#"received: {"jsonrpc":"2.0","id":9,"error""#)
    });
}

#[test]
fn results_of_tasks_are_envelopes() {
    let script = concat!(
        r#"read initialized; read list; "#,
        r#"echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"long","inputSchema":{}}]}}'; "#,
        r#"read call; echo '{"jsonrpc":"2.0","id":3,"result":{"task":{"taskId":"t1"}}}'; "#,
        r#"read result; echo '{"jsonrpc":"2.0","id":4,"result":{"content":"#,
        r#"[{"type":"text","text":"done"}]}}'; sleep 1000"#
    );
    let mut client = connect(&[], script);
    let handle = client.call("long", &json!({}));
    assert_eq!(handle, json!({"task": {"taskId": "t1"}}));
    let result = client.request(1, "tasks/result", &json!({"taskId": "t1"}));
    assert_eq!(result["result"]["structuredContent"]["data"], json!({"result": "done"}));
}

#[test]
fn the_keeper_survives_sigterm() {
    let script = "trap '' TERM; (trap '' TERM; echo $$; exec sleep 1000) & sleep 1000";
    let client = connect(&[], script);
    let children = |pid: u64| -> Vec<u64> {
        let path = format!("/proc/{pid}/task/{pid}/children");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
    };
    let keeper = children(u64::from(client.pid()))[0];
    let server = children(keeper)[0];
    signal("TERM", keeper);
    signal("KILL", client.pid());
    wait_until_gone(&[keeper, server]);
}

#[test]
fn delivers_all_large_responses_to_a_slow_client() {
    let mut client = Client::sample(&[]);
    let n_calls = 80;
    for n in 0..n_calls {
        let huge = json!({"name": "huge", "arguments": {"bytes": 1_000_000}});
        client.start_request(n, "tools/call", &huge);
        client.start_request(format!("p{n}"), "ping", &json!({}));
        let log = json!({"name": "log", "arguments": {"message": "m"}});
        client.start_request(format!("l{n}"), "tools/call", &log);
    }
    // The test reads slowly, so lines wait in the pipe.
    for n in 0..n_calls {
        let answer = client.answer(&json!(n));
        assert_eq!(answer["result"]["isError"], false);
        client.answer(&json!(format!("l{n}")));
    }
}

#[test]
fn restarts_a_server_that_refuses_the_handshake_after_a_restart() {
    let marker = std::env::temp_dir().join(format!("manila-refuse-{}", std::process::id()));
    let _ = std::fs::remove_file(&marker);
    let path = marker.display();
    let locked = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"locked"}}"#;
    // The second process refuses the handshake. All others accept it and exit at the first request.
    let script = format!(
        "echo x >> {path}; if [ $(wc -l < {path}) -eq 2 ]; then read line; echo '{locked}'; \
         sleep 1000; fi; {ANSWER_INITIALIZE} read initialized; read line; exit 5"
    );
    let mut client = Client::start(&[], &["sh", "-c", &script]);
    assert!(client.handshake("2025-11-25")["result"].is_object());
    let is_back = (0..100).any(|n| {
        let answer = client.request(n, "prompts/list", &json!({})).to_string();
        std::thread::sleep(Duration::from_millis(20));
        std::fs::read_to_string(&marker).unwrap().lines().count() > 2
            && answer.contains("exited with code 5")
    });
    assert!(is_back, "{}", client.stderr());
    wait_until("it is logged", || client.stderr().contains("refused `initialize`: locked"));
    std::fs::remove_file(&marker).unwrap();
}

#[test]
fn responds_to_a_cancelled_handshake() {
    let mut client = server(&["--timeout", "300ms"], "cat >/dev/null");
    client.start_request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}}));
    assert!(client.answer(&json!(1))["result"].is_object());
    let late = client.request(2, "prompts/list", &json!({}));
    assert_eq!(late["error"]["data"]["canonicalCode"], "TIMEOUT");
}

#[test]
fn does_not_send_a_call_that_has_timed_out() {
    let mut client =
        connect(&["--timeout", "300ms"], "while read line; do echo \"$line\" >&2; done");
    let late = client.request(1, "tools/call", &json!({"name": "x", "arguments": {}}));
    let envelope = &late["result"]["structuredContent"];
    assert_eq!(envelope["data"]["error_code"], "UNAVAILABLE", "{late}");
    client.request(2, "ping", &json!({}));
    assert!(!client.stderr().contains("tools/call"), "{}", client.stderr());
}

#[test]
fn forwards_responses_to_server_requests_during_shutdown() {
    let mut client = Client::sample(&[]);
    let call = json!({"name": "ask_user", "arguments": {"question": "?"}});
    client.start_request(1, "tools/call", &call);
    let request = client.wait(|message| message["method"] == "elicitation/create");
    signal("TERM", client.pid());
    std::thread::sleep(Duration::from_millis(100));
    client.send(&json!({"jsonrpc": "2.0", "id": request["id"],
        "result": {"action": "accept", "content": {"answer": "yes"}}}));
    assert_eq!(client.answer(&json!(1))["result"]["isError"], false);
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_list_precedes_its_change_notification() {
    let script = concat!(
        r#"read initialized; read list; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; sleep 1000"#
    );
    let mut client = connect(&[], script);
    client.start_request(1, "tools/list", &json!({}));
    assert!(client.line().contains("\"tools\":[]"));
    assert!(client.line().contains("list_changed"));
}

#[test]
fn an_error_without_an_id_completes_the_only_open_request() {
    let script = concat!(
        r#"read initialized; read line; "#,
        r#"echo '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}'; sleep 1000"#
    );
    let mut client = connect(&[], script);
    assert_eq!(client.request(1, "prompts/list", &json!({}))["error"]["message"], "what?");
}

#[test]
fn reports_a_full_disk() {
    let sample = [crate::mcp::manila_path(), "sample-server"];
    let mut child = std::process::Command::new(crate::mcp::manila_path())
        .args(["wrap", "--"])
        .args(sample)
        .stdin(std::process::Stdio::piped())
        .stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    std::io::Write::write_all(&mut stdin, format!("{ping}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("cannot write to stdout"), "{stderr}");
    drop(stdin);
}

#[test]
fn waits_for_a_slow_start_after_the_input_ends() {
    let mut client =
        Client::start(&[], &["sh", "-c", &format!("sleep 1; {ANSWER_INITIALIZE} cat >/dev/null")]);
    client.start_request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    client.close_stdin();
    assert!(client.answer(&json!(1))["result"].is_object());
}

#[test]
fn exits_on_signals_while_messages_of_a_crashed_server_are_unread() {
    let flood = r#"n=0; line=$(printf '%1000000s' | tr ' ' x)
        while [ $n -lt 40 ]; do echo '{"jsonrpc":"2.0","method":"m","params":{"t":"'$line'"}}'
        n=$((n+1)); done; exit 3"#;
    let mut child = wrap(&[], &["sh", "-c", &format!("{ANSWER_INITIALIZE}{flood}")]);
    let mut stdin = child.stdin.take().unwrap();
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    std::io::Write::write_all(&mut stdin, format!("{initialize}\n").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    signal("TERM", child.id());
    signal("TERM", child.id());
    wait_until_gone(&[child.id().into()]);
    child.wait().unwrap();
}

#[test]
fn two_signals_leave_no_server_behind() {
    let script = r#"trap '' TERM; echo "pid $$" >&2; while :; do sleep 0.05; done"#;
    let client = connect(&[], script);
    let pid = (0..200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        client.stderr().lines().find_map(|line| line.strip_prefix("[sh] pid ")?.parse().ok())
    });
    signal("TERM", client.pid());
    std::thread::sleep(Duration::from_millis(100));
    signal("TERM", client.pid());
    client.end();
    let pid: u64 = pid.unwrap();
    assert!(!is_running(pid), "the server is still running");
}

#[test]
fn a_partial_response_of_a_killed_server_does_not_count() {
    let script =
        r#"read a; read b; printf '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"na'; kill -9 $$"#;
    let mut client = connect(&[], script);
    let answer = client.request(1, "tools/call", &json!({"name": "t"}));
    let envelope = &answer["result"]["structuredContent"];
    assert_eq!(envelope["data"]["error_code"], "UNAVAILABLE", "{answer}");
    assert!(envelope["error"].as_str().unwrap().contains("SIGKILL"), "{answer}");
}

#[test]
fn after_a_crash_the_next_call_waits_for_the_new_server() {
    let mut client = Client::sample(&[]);
    assert_eq!(client.call("crash", &json!({}))["isError"], true);
    assert_eq!(client.call("about", &json!({}))["isError"], false, "{}", client.stderr());
}

#[test]
fn forwards_a_burst_on_standard_error() {
    let script =
        "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done >&2; cat >/dev/null";
    let client = connect(&[], script);
    // A server that is stopped has little time to write the rest.
    client.wait_for_stderr(|line| line.contains("line 2999").then_some(()));
    let stderr = client.end().stderr;
    assert_eq!(stderr.matches("[sh] line ").count(), 3_000);
}
