//! Servers that do exactly one odd thing, written as a few lines of shell.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp::{Client, runs, signal, wait_until_gone, wrap};
use crate::serve::until;

/// Answers `initialize`, which is always our request 1.
pub(crate) const HELLO: &str = concat!(
    r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}}'; "#
);

/// A server that answers `initialize` and then does what `script` says; not yet greeted.
fn server(options: &[&str], script: &str) -> Client {
    Client::start(options, &["sh", "-c", &format!("{HELLO}{script}")])
}

pub(crate) fn greeted(options: &[&str], script: &str) -> Client {
    let mut client = server(options, script);
    assert!(client.greet("2025-11-25")["result"].is_object());
    client
}

#[test]
fn a_server_that_does_not_read_stops_neither_pings_nor_the_end() {
    let mut client = greeted(&["--timeout", "20s"], "sleep 1000");
    let long = "x".repeat(2_000);
    for n in 0..600 {
        client.request(n, "prompts/get", &json!({"name": long}));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    }
    assert_eq!(client.ask("p", "ping", &json!({}))["result"], json!({}));
    signal("TERM", client.pid());
    signal("TERM", client.pid());
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_client_that_does_not_read_does_not_keep_us() {
    let mut client = server(&[], "cat >/dev/null");
    for n in 0..200_000 {
        client.request(n, "ping", &json!({}));
    }
    client.close_stdin();
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_server_that_closes_its_input_is_started_again() {
    let mut client = greeted(&["--timeout", "200ms"], "exec 0<&-; sleep 1000");
    // Nobody sees that a pipe is closed before something is written to it.
    let is_told = (0..50).any(|n| {
        let answer = client.ask(n, "prompts/list", &json!({}));
        answer.to_string().contains("closed its input")
    });
    assert!(is_told, "{}", client.stderr());
}

#[test]
fn a_handshake_in_one_breath_works() {
    let say = r#"read line; echo "heard: $line" >&2; cat >/dev/null"#;
    let mut client = server(&["--timeout", "1s"], say);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    client.request(1, "initialize", &hello);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.request(2, "resources/list", &json!({}));
    assert!(client.answer(&json!(1))["result"].is_object());
    assert_eq!(client.answer(&json!(2))["error"]["data"]["canonicalCode"], "TIMEOUT");
    assert!(
        client.stderr().contains("heard: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/init")
    );
    client.request(3, "initialize", &hello);
    assert_eq!(client.answer(&json!(3))["error"]["code"], -32600);
}

#[test]
fn a_refused_hello_is_passed_on_and_may_be_said_again() {
    let refuse = concat!(
        r#"read hello; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","#,
        r#""data":{"supported":["1.0"]}}}'; "#,
        // Perhaps it is too new for a hello: that is asked, too.
        r#"read probe; echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"what?"}}'; "#,
        r#"read again; echo '{"jsonrpc":"2.0","id":3,"result":{"capabilities":{}}}'; sleep 1000"#
    );
    let mut client = Client::start(&[], &["sh", "-c", refuse]);
    let refused = client.greet("2025-11-25");
    assert_eq!(refused["error"]["data"]["supported"], json!(["1.0"]), "{refused}");
    assert!(client.greet("2025-11-25")["result"].is_object());
}

#[test]
fn questions_that_are_taken_back_are_forgotten() {
    let ask = concat!(
        r#"read initialized; "#,
        r#"echo '{"jsonrpc":"2.0","id":"q","method":"roots/list"}'; "#,
        r#"echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}'; "#,
        r#"echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}'; "#,
        r#"echo '{"jsonrpc":"2.0","id":"r","method":"roots/list"}'; read answer; "#,
        r#"echo "heard: $answer" >&2; sleep 1000"#
    );
    let mut client = greeted(&["--timeout", "3100ms"], ask);
    let is_question = |message: &Value| message["method"] == "roots/list";
    let first = client.wait(is_question);
    let cancelled = client.wait(|message| message["method"] == "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], first["id"]);
    let second = client.wait(is_question);
    assert_ne!(first["id"], second["id"]);
    // A broken answer is told to the server, and never comes back as an error of the client's.
    client.send(&json!({"jsonrpc": "2.0", "id": second["id"], "result": {}, "error": {}}));
    // Ten time-outs, as with an open question, would be more than the test's patience.
    let late = client.ask("late", "prompts/list", &json!({}));
    assert_eq!(late["error"]["data"]["canonicalCode"], "TIMEOUT");
    until("it is heard", || {
        client.stderr().contains(r#"heard: {"jsonrpc":"2.0","id":"r","error""#)
    });
    assert_eq!(client.others(), Vec::<Value>::new());
}

#[test]
fn questions_of_a_dead_server_are_taken_back() {
    let ask = concat!(
        r#"read initialized; echo '{"jsonrpc":"2.0","id":7,"method":"roots/list"}'; "#,
        r#"read line; exit 4"#
    );
    let mut client = greeted(&[], ask);
    let question = client.wait(|message| message["method"] == "roots/list");
    client.request(1, "prompts/list", &json!({}));
    let cancelled = client.wait(|message| message["method"] == "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
}

#[test]
fn progress_comes_before_its_answer_and_messages_keep_their_order() {
    let script = concat!(
        r#"read initialized; read call; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); "#,
        r#"echo '{"jsonrpc":"2.0","method":"notifications/progress","#,
        r#""params":{"progressToken":0,"progress":1}}'; done; "#,
        r#"echo '{"jsonrpc":"2.0","id":2,"result":{}}'; "#,
        r#"read first; read second; echo "1 $first" >&2; echo "2 $second" >&2; sleep 1000"#
    );
    let mut client = greeted(&[], script);
    client.request(0, "prompts/list", &json!({"_meta": {"progressToken": 0}}));
    for _ in 0..2000 {
        assert!(client.line().contains("notifications/progress"));
    }
    assert!(client.line().contains(r#""result":{}"#));
    client.request(1, "resources/subscribe", &json!({"uri": "x://y"}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    while !client.stderr().contains("[sh] 2 ") {
        std::thread::sleep(Duration::from_millis(10));
    }
    let stderr = client.stderr();
    let first = stderr.lines().find(|line| line.starts_with("[sh] 1 ")).unwrap();
    assert!(first.contains("resources/subscribe"), "{stderr}");
}

#[test]
fn malformed_questions_are_answered() {
    let script = concat!(
        r#"read initialized; echo '{"jsonrpc":"2.0","id":9,"method":"roots/list","params":[]}'; "#,
        r#"read answer; echo "heard: $answer" >&2; sleep 1000"#
    );
    let client = greeted(&[], script);
    while !client.stderr().contains("heard: ") {
        std::thread::sleep(Duration::from_millis(10));
    }
    until("it is heard", || client.stderr().contains(r#"heard: {"jsonrpc":"2.0","id":9,"error""#));
}

#[test]
fn results_of_tasks_get_their_envelope() {
    let script = concat!(
        r#"read initialized; read list; "#,
        r#"echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"long","inputSchema":{}}]}}'; "#,
        r#"read call; echo '{"jsonrpc":"2.0","id":3,"result":{"task":{"taskId":"t1"}}}'; "#,
        r#"read result; echo '{"jsonrpc":"2.0","id":4,"result":{"content":"#,
        r#"[{"type":"text","text":"done"}]}}'; sleep 1000"#
    );
    let mut client = greeted(&[], script);
    let handle = client.call("long", &json!({}));
    assert_eq!(handle, json!({"task": {"taskId": "t1"}}));
    let result = client.ask(1, "tasks/result", &json!({"taskId": "t1"}));
    assert_eq!(result["result"]["structuredContent"]["data"], json!({"result": "done"}));
}

#[test]
fn polite_signals_do_not_take_the_keeper_away() {
    let script = "trap '' TERM; (trap '' TERM; echo $$; exec sleep 1000) & sleep 1000";
    let client = greeted(&[], script);
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
fn large_answers_to_a_client_that_pauses_are_all_delivered() {
    let mut client = Client::sample(&[]);
    let n_calls = 80;
    for n in 0..n_calls {
        let huge = json!({"name": "huge", "arguments": {"bytes": 1_000_000}});
        client.request(n, "tools/call", &huge);
        client.request(format!("p{n}"), "ping", &json!({}));
        let log = json!({"name": "log", "arguments": {"message": "m"}});
        client.request(format!("l{n}"), "tools/call", &log);
    }
    // The test's own reader is slow: lines wait in the pipe until they are taken.
    for n in 0..n_calls {
        let answer = client.answer(&json!(n));
        assert_eq!(answer["result"]["isError"], false);
        client.answer(&json!(format!("l{n}")));
    }
}

#[test]
fn a_server_that_refuses_hello_after_a_restart_is_started_again() {
    let marker = std::env::temp_dir().join(format!("manila-refuse-{}", std::process::id()));
    let _ = std::fs::remove_file(&marker);
    let path = marker.display();
    let locked = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"locked"}}"#;
    // The second life refuses the greeting, every other one takes it and dies at the first call.
    let script = format!(
        "echo x >> {path}; if [ $(wc -l < {path}) -eq 2 ]; then read hello; echo '{locked}'; \
         sleep 1000; fi; {HELLO} read initialized; read line; exit 5"
    );
    let mut client = Client::start(&[], &["sh", "-c", &script]);
    assert!(client.greet("2025-11-25")["result"].is_object());
    let is_back = (0..100).any(|n| {
        let answer = client.ask(n, "prompts/list", &json!({})).to_string();
        std::thread::sleep(Duration::from_millis(20));
        std::fs::read_to_string(&marker).unwrap().lines().count() > 2
            && answer.contains("exited with code 5")
    });
    assert!(is_back, "{}", client.stderr());
    until("it is told", || client.stderr().contains("refused `initialize`: locked"));
    std::fs::remove_file(&marker).unwrap();
}

#[test]
fn a_hello_that_is_cancelled_is_answered_all_the_same() {
    let mut client = server(&["--timeout", "300ms"], "cat >/dev/null");
    client.request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}}));
    assert!(client.answer(&json!(1))["result"].is_object());
    let late = client.ask(2, "prompts/list", &json!({}));
    assert_eq!(late["error"]["data"]["canonicalCode"], "TIMEOUT");
}

#[test]
fn a_call_that_is_too_late_is_not_made() {
    let mut client =
        greeted(&["--timeout", "300ms"], "while read line; do echo \"$line\" >&2; done");
    let late = client.ask(1, "tools/call", &json!({"name": "x", "arguments": {}}));
    let envelope = &late["result"]["structuredContent"];
    assert_eq!(envelope["data"]["error_code"], "UNAVAILABLE", "{late}");
    client.ask(2, "ping", &json!({}));
    assert!(!client.stderr().contains("tools/call"), "{}", client.stderr());
}

#[test]
fn what_is_asked_is_still_heard_while_we_are_stopping() {
    let mut client = Client::sample(&[]);
    client.request(1, "tools/call", &json!({"name": "ask_user", "arguments": {"question": "?"}}));
    let question = client.wait(|message| message["method"] == "elicitation/create");
    signal("TERM", client.pid());
    std::thread::sleep(Duration::from_millis(100));
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"answer": "yes"}}}));
    assert_eq!(client.answer(&json!(1))["result"]["isError"], false);
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_list_comes_before_the_news_that_it_has_changed() {
    let script = concat!(
        r#"read initialized; read list; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; sleep 1000"#
    );
    let mut client = greeted(&[], script);
    client.request(1, "tools/list", &json!({}));
    assert!(client.line().contains("\"tools\":[]"));
    assert!(client.line().contains("list_changed"));
}

#[test]
fn an_error_without_an_id_answers_the_only_open_request() {
    let script = concat!(
        r#"read initialized; read line; "#,
        r#"echo '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}'; sleep 1000"#
    );
    let mut client = greeted(&[], script);
    assert_eq!(client.ask(1, "prompts/list", &json!({}))["error"]["message"], "what?");
}

#[test]
fn a_full_disk_is_told() {
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
    assert!(stderr.contains("cannot write to standard output"), "{stderr}");
    drop(stdin);
}

#[test]
fn a_slow_start_is_waited_for_when_the_input_has_ended() {
    let mut client = Client::start(&[], &["sh", "-c", &format!("sleep 1; {HELLO} cat >/dev/null")]);
    client.request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    client.close_stdin();
    assert!(client.answer(&json!(1))["result"].is_object());
}

#[test]
fn a_signal_is_heard_while_a_dead_server_s_words_wait_for_a_client_that_does_not_read() {
    let flood = r#"n=0; line=$(printf '%1000000s' | tr ' ' x)
        while [ $n -lt 40 ]; do echo '{"jsonrpc":"2.0","method":"m","params":{"t":"'$line'"}}'
        n=$((n+1)); done; exit 3"#;
    let mut child = wrap(&[], &["sh", "-c", &format!("{HELLO}{flood}")]);
    let mut stdin = child.stdin.take().unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    std::io::Write::write_all(&mut stdin, format!("{hello}\n").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    signal("TERM", child.id());
    signal("TERM", child.id());
    wait_until_gone(&[child.id().into()]);
    child.wait().unwrap();
}

#[test]
fn two_signals_leave_no_server_behind() {
    let script = r#"trap '' TERM; echo "pid $$" >&2; while :; do sleep 0.05; done"#;
    let client = greeted(&[], script);
    let pid = (0..200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        client.stderr().lines().find_map(|line| line.strip_prefix("[sh] pid ")?.parse().ok())
    });
    signal("TERM", client.pid());
    std::thread::sleep(Duration::from_millis(100));
    signal("TERM", client.pid());
    client.end();
    let pid: u64 = pid.unwrap();
    assert!(!runs(pid), "the server outlived us");
}

#[test]
fn a_server_that_is_killed_while_it_writes_has_not_answered() {
    let script =
        r#"read a; read b; printf '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"na'; kill -9 $$"#;
    let mut client = greeted(&[], script);
    let answer = client.ask(1, "tools/call", &json!({"name": "t"}));
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
fn a_burst_on_standard_error_is_passed_on() {
    let script =
        "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done >&2; cat >/dev/null";
    let client = greeted(&[], script);
    // A server that is told to end has not long to say the rest.
    client.until_stderr(|line| line.contains("line 2999").then_some(()));
    let stderr = client.end().stderr;
    assert_eq!(stderr.matches("[sh] line ").count(), 3_000);
}
