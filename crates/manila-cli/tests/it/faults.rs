//! Servers and clients that misbehave, and processes that are killed.

use std::io::Write;

use serde_json::{Value, json};

use crate::mcp::{Client, is_running, manila_path, memory_kib, signal, wait_until_gone, wrap};
use crate::serve::wait_until;

fn misbehave(client: &mut Client, how: &str) -> Value {
    client.call("misbehave", &json!({"how": how}))["structuredContent"].clone()
}

fn pid(client: &mut Client) -> u64 {
    client.envelope("about", &json!({}))["data"]["pid"].as_u64().unwrap()
}

#[track_caller]
fn check_unavailable(answer: &Value, expected: &[&str]) {
    let envelope = &answer["result"]["structuredContent"];
    assert_eq!(envelope["data"]["error_code"], "UNAVAILABLE", "{answer}");
    for text in expected {
        assert!(envelope["error"].as_str().unwrap().contains(text), "{text}: {envelope}");
    }
}

#[test]
fn a_server_killed_during_calls_is_restarted() {
    let mut client = Client::sample(&[]);
    let mut last = pid(&mut client);
    for round in 0..4 {
        for n in 0..3 {
            let id = format!("{round} {n}");
            client.start_request(
                id,
                "tools/call",
                &json!({"name": "wait", "arguments": {"ms": 60_000}}),
            );
        }
        client.call("echo", &json!({"message": "it has begun"}));
        signal("KILL", last);
        for n in 0..3 {
            let answer = client.answer(&json!(format!("{round} {n}")));
            check_unavailable(&answer, &["sample-server", "killed by signal 9"]);
        }
        let now = client.wait_until_available()["data"]["pid"].as_u64().unwrap();
        assert_ne!(now, last);
        last = now;
    }
    assert_eq!(client.envelope("echo", &json!({"message": "x"}))["success"], true);
}

#[test]
fn reports_exit_code_and_stderr_of_a_crash() {
    let mut client = Client::sample(&[]);
    let answer =
        client.request(1, "tools/call", &json!({"name": "crash", "arguments": {"code": 7}}));
    check_unavailable(&answer, &["exited with code 7"]);
    let details = &answer["result"]["structuredContent"]["data"]["details"];
    assert!(details["last_stderr"].as_array().unwrap().len() > 1, "{answer}");
    client.wait_until_available();
    wait_until("the crash is logged", || client.stderr().contains("[manila] thread"));
}

#[test]
fn changed_tools_after_a_restart_are_announced() {
    let mut client = Client::sample(&[]);
    client.call("change_tools", &json!({}));
    client.wait(|message| message["method"] == "notifications/tools/list_changed");
    client.request("list", "tools/list", &json!({}));
    let pid = pid(&mut client);
    signal("KILL", pid);
    // The new server lacks the tool that the old one had added.
    client.wait(|message| message["method"] == "notifications/tools/list_changed");
    let unknown = client.request(1, "tools/call", &json!({"name": "extra", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[track_caller]
fn check_start_failure(server: &[&str], expected: &[&str]) {
    let mut client = Client::start(&[], server);
    for _ in 0..2 {
        let answer = client.handshake("2025-11-25");
        assert_eq!(answer["error"]["data"]["canonicalCode"], "UPSTREAM_UNAVAILABLE", "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        for text in expected {
            assert!(message.contains(text), "{text}: {message}");
        }
    }
    assert_eq!(client.request(3, "ping", &json!({}))["result"], json!({}));
    assert_eq!(client.end().code, 0);
}

#[test]
fn a_start_failure_reports_command_exit_code_and_stderr() {
    let manila = manila_path();
    check_start_failure(
        &["no-such-program-anywhere"],
        &["no-such-program-anywhere", "could not be started"],
    );
    check_start_failure(
        &[manila, "sample-server", "--fault", "exit"],
        &["sample-server --fault exit", "exited with code 3", "last lines of stderr"],
    );
    check_start_failure(&["true"], &["`true` exited with code 0"]);
    check_start_failure(&["/"], &["could not be started"]);
}

#[test]
fn a_server_without_a_handshake_does_not_block_the_gateway() {
    let silent = [manila_path(), "sample-server", "--fault", "silent"];
    let mut client = Client::start(&[], &silent);
    client.start_request(1, "initialize", &json!({"protocolVersion": "2025-11-25"}));
    client.start_request(2, "ping", &json!({}));
    assert_eq!(client.answer(&json!(2))["result"], json!({}));
    let stubborn = [manila_path(), "sample-server", "--fault", "stubborn"];
    let mut other = Client::start(&[], &stubborn);
    other.handshake("2025-11-25");
    let pid = pid(&mut other);
    // At the end of stdin the gateway would wait for the server's start; SIGTERM ends the wait.
    client.close_stdin();
    signal("TERM", client.pid());
    assert_eq!(client.end().code, 0);
    assert_eq!(other.end().code, 0);
    assert!(!is_running(pid));
}

#[test]
fn noise_before_and_between_messages_is_skipped() {
    let mut client = Client::start(&[], &[manila_path(), "sample-server", "--fault", "noise"]);
    client.handshake("2025-11-25");
    assert_eq!(client.envelope("echo", &json!({"message": "x"}))["success"], true);
    assert_eq!(misbehave(&mut client, "garbage")["success"], true);
    wait_until("the noise is logged", || client.stderr().contains("the server `manila` sent"));
}

#[test]
fn wrong_duplicate_and_unreadable_responses_are_handled() {
    let mut client = Client::sample(&["--timeout", "1s"]);
    let code = |envelope: Value| envelope["data"]["error_code"].clone();
    assert_eq!(misbehave(&mut client, "answer_twice")["success"], true);
    assert_eq!(code(misbehave(&mut client, "wrong_id")), "UNAVAILABLE");
    let unreadable = misbehave(&mut client, "invalid_utf8");
    assert_eq!(code(unreadable.clone()), "INTERNAL_ERROR", "{unreadable}");
    assert!(unreadable["error"].as_str().unwrap().contains("UTF-8"), "{unreadable}");
    let deep = misbehave(&mut client, "deep");
    assert!(deep["error"].as_str().unwrap().contains("deep"), "{deep}");
    assert_eq!(code(misbehave(&mut client, "hang")), "UNAVAILABLE");
    assert_eq!(client.envelope("echo", &json!({"message": "x"}))["success"], true);
    let others = client.others();
    assert!(others.iter().all(|message| message.get("id").is_none()), "{others:?}");
}

#[test]
fn a_server_that_closes_its_output_is_restarted() {
    let mut client = Client::sample(&[]);
    let first = pid(&mut client);
    let answer = client.request(
        1,
        "tools/call",
        &json!({"name": "misbehave", "arguments": {"how": "close_stdout"}}),
    );
    check_unavailable(&answer, &["closed its stdout"]);
    client.wait_until_available();
    wait_until_gone(&[first]);
}

#[test]
fn floods_and_huge_lines_are_contained() {
    let mut client = Client::sample(&["--message-bytes-max", "1000000"]);
    assert_eq!(misbehave(&mut client, "huge_line")["success"], true);
    let huge = client.envelope("huge", &json!({"bytes": 20_000_000}));
    assert_eq!(huge["data"]["error_code"], "VALIDATION_ERROR");
    let error = huge["error"].as_str().unwrap();
    assert!(error.contains("exceeds the limit of 1000000 bytes"), "{huge}");
    let peak_kib = memory_kib("VmHWM", client.pid());
    assert!(peak_kib < 60_000, "{peak_kib} KiB");
    assert_eq!(misbehave(&mut client, "flood")["success"], true);
    assert_eq!(client.envelope("echo", &json!({"message": "x"}))["success"], true);
}

#[test]
fn unknown_server_requests_are_forwarded_to_the_client() {
    let mut client = Client::sample(&[]);
    client.start_request(
        1,
        "tools/call",
        &json!({"name": "misbehave", "arguments":
        {"how": "unknown_request"}}),
    );
    let server_request = client.wait(|message| message["method"] == "sample/unknown");
    client.send(&json!({"jsonrpc": "2.0", "id": server_request["id"],
        "error": {"code": -32601, "message": "no"}}));
    assert_eq!(client.answer(&json!(1))["result"]["isError"], false);
}

#[test]
fn malformed_client_messages_get_error_responses() {
    let mut client = Client::sample(&[]);
    let code = |client: &mut Client, line: &str| {
        client.send_line(line);
        let answer = client.wait(|message| message.get("error").is_some());
        (answer["error"]["code"].as_i64().unwrap(), answer["id"].clone())
    };
    assert_eq!(code(&mut client, "this is not JSON"), (-32700, Value::Null));
    assert_eq!(code(&mut client, "[]"), (-32600, Value::Null));
    assert_eq!(code(&mut client, r#"{"jsonrpc":"2.0","id":3,"method":7}"#), (-32600, json!(3)));
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{}{}}}"#,
        r#"{"a":"#.repeat(10_000),
        "1".to_owned() + &"}".repeat(10_000)
    );
    assert_eq!(code(&mut client, &deep), (-32700, json!(4)));
    let slow = json!({"name": "wait", "arguments": {"ms": 500}});
    client.start_request(5, "tools/call", &slow);
    // With its id, the refusal would look like the response to the first request.
    let same = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"text"}}"#;
    assert_eq!(code(&mut client, same), (-32600, Value::Null));
    assert_eq!(client.answer(&json!(5))["result"]["isError"], false);
    assert_eq!(client.request(6, "ping", &json!({}))["result"], json!({}));
}

#[test]
fn a_client_that_disconnects_leaves_no_processes_behind() {
    let mut client = Client::sample(&[]);
    let server = pid(&mut client);
    let gateway = u64::from(client.pid());
    client.start_request(
        1,
        "tools/call",
        &json!({"name": "huge", "arguments": {"bytes": 5_000_000}}),
    );
    drop(client);
    wait_until_gone(&[server, gateway]);
}

#[test]
fn no_process_outlives_a_killed_gateway() {
    let mut client = Client::sample(&[]);
    let server = pid(&mut client);
    let grandchild = misbehave(&mut client, "grandchild")["data"]["pid"].as_u64().unwrap();
    assert!(is_running(grandchild));
    signal("KILL", client.pid());
    wait_until_gone(&[server, grandchild]);
}

#[test]
fn no_process_outlives_a_shutdown_or_a_dead_server() {
    let mut client = Client::sample(&[]);
    let first = misbehave(&mut client, "grandchild")["data"]["pid"].as_u64().unwrap();
    let server = pid(&mut client);
    signal("KILL", server);
    wait_until_gone(&[server, first]);
    client.wait_until_available();
    let second = misbehave(&mut client, "grandchild")["data"]["pid"].as_u64().unwrap();
    signal("TERM", client.pid());
    let ran = client.end();
    assert_eq!(ran.code, 0);
    wait_until_gone(&[second]);
}

#[test]
fn calls_that_outlast_the_grace_period_get_a_response_on_shutdown() {
    let mut client = Client::sample(&[]);
    client.start_request(1, "tools/call", &json!({"name": "wait", "arguments": {"ms": 500_000}}));
    client.call("echo", &json!({"message": "it has begun"}));
    signal("TERM", client.pid());
    // A second signal ends the grace period.
    signal("TERM", client.pid());
    check_unavailable(&client.answer(&json!(1)), &["stopping"]);
    assert_eq!(client.end().code, 0);
}

#[test]
fn concurrent_calls_are_not_lost_mixed_up_or_duplicated() {
    const N_LANES: usize = 16;
    const N_CALLS: usize = 500;
    let mut client = Client::sample(&[]);
    let mut expected = std::collections::BTreeSet::new();
    for call in 0..N_CALLS {
        for lane in 0..N_LANES {
            let id = format!("{lane}/{call}");
            let params = json!({"name": "echo", "arguments": {"message": format!("m{id}")}});
            client.start_request(id.as_str(), "tools/call", &params);
            expected.insert(id);
        }
    }
    while !expected.is_empty() {
        let answer: Value = serde_json::from_str(&client.line()).unwrap();
        let id = answer["id"].as_str().unwrap().to_owned();
        let echoed = &answer["result"]["structuredContent"]["data"]["result"];
        assert_eq!(*echoed, format!("m{id}"));
        assert!(expected.remove(&id), "duplicate response to {id}");
    }
    assert_eq!(client.others(), Vec::<Value>::new());
}

#[test]
fn a_client_that_does_not_read_stderr_is_served() {
    let mut child = wrap(&[], &[manila_path(), "sample-server"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = vec![json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        {"protocolVersion": "2025-11-25", "capabilities": {}}})];
    let long = "x".repeat(4_000);
    lines.extend((1..200).map(|id| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params":
            {"name": "stderr", "arguments": {"text": long}}})
    }));
    let initialize = lines.remove(0);
    writeln!(stdin, "{initialize}").unwrap();
    let stdout = child.stdout.take().unwrap();
    let mut answers = std::io::BufRead::lines(std::io::BufReader::new(stdout));
    answers.next().unwrap().unwrap();
    for line in &lines {
        writeln!(stdin, "{line}").unwrap();
    }
    for _ in &lines {
        assert!(answers.next().unwrap().unwrap().contains("isError\":false"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn open_calls_complete_after_a_closed_stdin_and_a_signal() {
    for is_signal_first in [true, false] {
        let mut client = Client::sample(&[]);
        client.start_request(1, "tools/call", &json!({"name": "wait", "arguments": {"ms": 300}}));
        // After this response, the gateway has read the call.
        client.request("p", "ping", &json!({}));
        if is_signal_first {
            signal("TERM", client.pid());
        }
        client.close_stdin();
        if !is_signal_first {
            signal("TERM", client.pid());
        }
        assert_eq!(client.answer(&json!(1))["result"]["isError"], false);
    }
}
