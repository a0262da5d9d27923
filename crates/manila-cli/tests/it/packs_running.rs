//! Running programs of packs: locks, timeouts, cancellation, progress and limits.

use std::io::BufRead;

use serde_json::{Value, json};

use crate::mcp::{is_running, signal};
use crate::program::{manila, start};
use crate::serve::wait_until;
use crate::test_pack::{TEST_PACK, TestPack, call, envelope, text};

#[test]
fn runs_one_of_fifty_calls_that_write_the_same_file() {
    let shelf = TestPack::new("packs-fifty");
    let mut client = shelf.client("");
    let write = json!({"action": "WriteIt", "file": "notes.txt"});
    let params = json!({"name": "shelf_book", "arguments": write});
    for n in 0..50 {
        client.start_request(n, "tools/call", &params);
    }
    let is_conflict = |it: &Value| it["result"]["_meta"]["dev.manila/code"] == "CONFLICT";
    let answers: Vec<Value> = (0..49).map(|_| client.wait(is_conflict)).collect();
    wait_until("one runs", || shelf.count_runs("write") == 1);
    let conflict = &answers[0]["result"]["structuredContent"];
    assert_eq!(
        conflict["error"],
        "Cannot execute 'write it' on 'notes.txt' because a conflicting operation is already in \
         progress: write it in progress"
    );
    // The lock also holds across gateways.
    let mut other = shelf.client("");
    assert!(is_conflict(&json!({"result": other.call("shelf_book", &write)})));
    // Calls that read, or write something else, do not conflict.
    let read = client.envelope("shelf_book", &json!({"action": "Read"}));
    assert_eq!(read["success"], true, "{read}");
    let burn = json!({"name": "shelf_book", "arguments": {"action": "Burn"}});
    client.start_request("burn", "tools/call", &burn);
    wait_until("the call runs", || shelf.count_runs("burn") == 1);
    let again = other.call("shelf_book", &json!({"action": "Burn"}));
    assert!(is_conflict(&json!({"result": again})), "{again}");
    // A call with `wait_ms` runs after the first one.
    let waiting = json!({"action": "WriteIt", "file": "./notes.txt", "wait_ms": 20_000});
    let waiting = json!({"name": "shelf_book", "arguments": waiting});
    other.start_request("waiting", "tools/call", &waiting);
    shelf.create_go_file();
    let waited = other.answer(&json!("waiting"));
    assert_eq!(waited["result"]["isError"], false, "{waited}");
    assert_eq!(client.answer(&json!("burn"))["result"]["isError"], false);
    assert_eq!(shelf.count_runs("write"), 2);
}

#[test]
fn a_conflict_reports_when_the_other_call_started() {
    let shelf = TestPack::new("packs-since");
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let arguments = json!({"action": "WriteIt", "machineReadable": true});
    let params = json!({"name": "shelf_book", "arguments": arguments});
    client.start_request("first", "tools/call", &params);
    wait_until("the first call runs", || shelf.count_runs("write") == 1);
    let second = client.call("shelf_book", &arguments);
    let envelope: Value = serde_json::from_str(text(&second)).unwrap();
    let error = &envelope["errors"][0];
    assert_eq!(error["code"], "CONCURRENCY_CONFLICT", "{envelope}");
    let facts = &error["data"]["additionalData"];
    assert_eq!(facts["operationType"], "write it");
    assert_eq!(facts["conflictingOperation"], "write it in progress");
    assert!(envelope["metadata"]["conflictingSince"].as_str().unwrap().starts_with("20"));
    // A process that is killed releases its lock.
    let worker = format!("/proc/{}/task/{}/children", client.pid(), client.pid());
    let keeper = std::fs::read_to_string(worker).unwrap().trim().to_owned();
    let of_keeper = format!("/proc/{keeper}/task/{keeper}/children");
    let worker = std::fs::read_to_string(of_keeper).unwrap().trim().to_owned();
    signal("KILL", &worker);
    let died = client.answer(&json!("first"));
    assert_eq!(died["result"]["_meta"]["dev.manila/code"], "UPSTREAM_UNAVAILABLE", "{died}");
    shelf.create_go_file();
    let again = json!({"action": "WriteIt", "machineReadable": true, "wait_ms": 5_000});
    wait_until("a call succeeds again", || {
        let config = shelf.config("");
        let arguments = again.to_string();
        let args = ["call", "shelf_book", "--args", &arguments, "--config", &config];
        manila(&args, b"").code == 0
    });
}

#[test]
fn timeouts_and_cancellations_keep_the_output() {
    let shelf = TestPack::new("packs-stop");
    let ran = call(&shelf.pack, &["-c", "machine-readable-v1"], "Quick");
    let error = &envelope(&ran)["errors"][0];
    assert_eq!(error["code"], "OPERATION_TIMEOUT", "{ran:?}");
    assert_eq!(error["rawOutput"], "begun\n", "{ran:?}");
    let pid = || std::fs::read_to_string(format!("{}/../pid", shelf.work)).unwrap_or_default();
    let has_exited = || !pid().trim().is_empty() && !is_running(pid().trim());
    wait_until("the program has exited", has_exited);
    // The caller's timeout overrides the pack's.
    let ran = call(&shelf.pack, &["--timeout", "50ms", "-c", "machine-readable-v1"], "Quick");
    let message = &envelope(&ran)["errors"][0]["message"];
    assert_eq!(message, "The operation timed out after 50 ms", "{ran:?}");
    // So does the operator's.
    let more = "contract = \"machine-readable-v1\"\n[tool.shelf_book]\ntimeout = \"2s\"\n";
    let arguments = ["--arg", "action=Quick", "-c", "machine-readable-v1", "--config"];
    let config = shelf.config(more);
    let ran = manila(&[&["call", "shelf_book"], &arguments[..], &[&config]].concat(), b"");
    let error = &envelope(&ran)["errors"][0];
    assert_eq!(error["message"], "The operation timed out after 2000 ms", "{ran:?}");
    assert_eq!(error["rawOutput"], "begun\n", "{ran:?}");
    let slow = TEST_PACK.replace("\"3s\"", "\"5m\"");
    let program = format!("{}/../shelf", shelf.work);
    let slow = shelf.scratch.file("slow.toml", slow.replace("PROGRAM", &program));
    let _ = std::fs::remove_file(format!("{}/../pid", shelf.work));
    let child = start(&[
        "call",
        "shelf_book",
        "--arg",
        "action=Quick",
        "--pack",
        &slow,
        "-c",
        "machine-readable-v1",
    ]);
    wait_until("the program runs", || !pid().trim().is_empty());
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = &found["errors"][0];
    assert_eq!(error["code"], "OPERATION_CANCELLED", "{found}");
    assert_eq!(error["rawOutput"], "begun\n", "{found}");
    wait_until("the program has exited", has_exited);
    // A cancelled call of a server has no output.
    let mut child = start(&[
        "call",
        "progress",
        "--arg",
        "steps=1000",
        "--arg",
        "delay_ms=100",
        "--progress",
        "--",
        "manila",
        "sample-server",
    ]);
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("progress: "), "{line}");
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["error"], "The operation was cancelled by the user", "{found}");
}

#[test]
fn a_cancellation_stops_the_program_and_releases_its_lock() {
    let shelf = TestPack::new("packs-cancel");
    let mut client = shelf.client("");
    let write = json!({"name": "shelf_book", "arguments": {"action": "WriteIt"}});
    client.start_request("write", "tools/call", &write);
    wait_until("the call runs", || shelf.count_runs("write") == 1);
    let params = json!({"requestId": "write"});
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    // Only the cancellation can stop the program.
    let pid = std::fs::read_to_string(format!("{}/../pid", shelf.work)).unwrap();
    wait_until("the program has exited", || !is_running(pid.trim()));
    shelf.create_go_file();
    let next = json!({"action": "WriteIt", "wait_ms": 10_000});
    let next = client.envelope("shelf_book", &next);
    assert_eq!(next["success"], true, "{next}");
}

#[test]
fn sends_progress_while_the_program_runs() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let script = format!(
        "#!/bin/sh\nuntil_there() {{ while [ ! -e DIR/$1 ]; do sleep 0.02; done; }}\n\
         echo noise; echo '[1/3] first'; until_there go\n\
         echo '[2/3] token={token}'; until_there again\n"
    );
    let shelf = TestPack::with("packs-progress", &script);
    let mut client = shelf.client("");
    let params = json!({"name": "shelf_book", "arguments": {"action": "Read"},
        "_meta": {"progressToken": "p"}});
    client.start_request("call", "tools/call", &params);
    for (done, message, file) in [(1.0, "first", "go"), (2.0, "token=[REDACTED]", "again")] {
        let progress = client.wait(|message| message["method"] == "notifications/progress");
        let expected =
            json!({"progressToken": "p", "progress": done, "total": 3.0, "message": message});
        assert_eq!(progress["params"], expected);
        shelf.scratch.file(file, "");
    }
    assert_eq!(client.answer(&json!("call"))["result"]["isError"], false);
}

#[test]
fn parses_the_diagnostics_that_the_pack_describes() {
    let script = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo shelf 2.5; exit; fi\n\
        echo 'warning W1 at a.x:1:2: not nice'\necho 'bad E7 at b.x:3:4: broken' >&2\n\
        echo 'error CS0103: also known'\nexit 1\n";
    let pack = TEST_PACK.replace("(?<severity>bad|warning)", "(?:bad|(?<severity>warning))");
    let shelf = TestPack::with("packs-diagnostics", script);
    let program = format!("{}/../shelf", shelf.work);
    let pack = shelf.scratch.file("shelf.toml", pack.replace("PROGRAM", &program));
    let found = envelope(&call(&pack, &["-c", "machine-readable-v1"], "Read"));
    let errors = found["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{found}");
    assert_eq!(errors[0]["code"], "E7");
    assert_eq!(errors[0]["message"], "broken");
    assert_eq!(errors[0]["category"], "Build");
    assert_eq!(errors[0]["documentationUrl"], "https://example.org/E7");
    assert_eq!(errors[0]["rawOutput"], "bad E7 at b.x:3:4: broken");
    let place = json!({"file": "b.x", "line": "3", "column": "4"});
    assert_eq!(errors[0]["data"]["additionalData"], place);
    // The diagnostics of known compilers are parsed, too.
    assert_eq!(errors[1]["code"], "CS0103");
}

#[test]
fn passes_only_the_named_environment_variables() {
    let script = "#!/bin/sh\nenv\n";
    let shelf = TestPack::with("packs-env", script);
    let pack = crate::program::read(shelf.pack.as_ref());
    let pack = pack.replace("[missing]", "pass_env = [\"SHELF_*\"]\n[missing]");
    shelf.scratch.file("shelf.toml", pack);
    let (work, pack) = (&shelf.work, &shelf.pack);
    let config = format!(
        "[pack.shelf]\nfile = \"{pack}\"\nroots = [\"{work}\"]\nenv = {{ GIVEN = \"a b\" }}\n\
         pass_env = [\"NAMED\"]\n"
    );
    let config = shelf.scratch.file("manila.toml", config);
    let first = "export SHELF_ONE=1 NAMED=2 OTHER=3 API_KEY=4711-4712";
    let child = crate::program::start_after(
        first,
        &["call", "shelf_book", "--arg", "action=Read", "--config", &config],
    );
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let env = found["data"]["result"].as_str().unwrap();
    for line in ["SHELF_ONE=1\n", "NAMED=2\n", "GIVEN=a b\n", "PATH="] {
        assert!(env.contains(line), "{line}: {env}");
    }
    assert!(!env.contains("OTHER=") && !env.contains("API_KEY"), "{env}");
}

#[test]
fn a_timeout_applies_to_a_program_that_stops_its_keeper() {
    let script = "#!/bin/sh\necho $$ > DIR/pid; echo begun; kill -STOP $PPID; sleep 100\n";
    let shelf = TestPack::with("packs-stopped", script);
    let ran = call(&shelf.pack, &["--timeout", "3s", "-c", "machine-readable-v1"], "Read");
    let error = &envelope(&ran)["errors"][0];
    assert_eq!(error["code"], "OPERATION_TIMEOUT", "{ran:?}");
    assert_eq!(error["rawOutput"], "begun\n", "{ran:?}");
    let pid = std::fs::read_to_string(format!("{}/../pid", shelf.work)).unwrap();
    wait_until("the program has exited", || !is_running(pid.trim()));
    let script = "#!/bin/sh\necho begun; kill -KILL $PPID; sleep 1\n";
    let shelf = TestPack::with("packs-lost", script);
    let ran = call(&shelf.pack, &["-c", "machine-readable-v1"], "Read");
    let error = &envelope(&ran)["errors"][0];
    assert_eq!(error["code"], "TOOL_FAILED", "{ran:?}");
    assert!(error["message"].as_str().unwrap().contains("its keeper was killed"), "{ran:?}");
}

#[test]
fn limits_the_number_of_running_programs() {
    let script = "#!/bin/sh\necho $1 >> DIR/ran; while [ ! -e DIR/go ]; do sleep 0.02; done\n";
    let shelf = TestPack::with("packs-many", script);
    let (work, pack) = (&shelf.work, &shelf.pack);
    let text = format!("[pack.shelf]\nfile = \"{pack}\"\nroots = [\"{work}\"]\nprograms_max = 2\n");
    let config = shelf.scratch.file("manila.toml", text);
    let mut client = crate::mcp::Client::start_manila(&["serve", "--stdio", "--config", &config]);
    client.handshake("2025-11-25");
    let read = json!({"name": "shelf_book", "arguments": {"action": "Read"}});
    for n in 0..6 {
        client.start_request(n, "tools/call", &read);
    }
    wait_until("two programs run", || shelf.count_runs("read") == 2);
    // Conflicts are reported at once, even while other calls wait for the limit.
    let write = json!({"name": "shelf_book", "arguments": {"action": "WriteIt"}});
    client.start_request("write", "tools/call", &write);
    let second = client.call("shelf_book", &json!({"action": "WriteIt"}));
    assert_eq!(second["_meta"]["dev.manila/code"], "CONFLICT", "{second}");
    assert_eq!(shelf.count_runs(""), 2);
    shelf.create_go_file();
    assert_eq!(client.answer(&json!("write"))["result"]["isError"], false);
    for n in 0..6 {
        assert_eq!(client.answer(&json!(n))["result"]["isError"], false);
    }
}
