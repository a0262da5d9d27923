//! Packs where something changes meanwhile, is missing, or is not what it seems.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::program::{manila, start, start_after};
use crate::serve::until;
use crate::shelf::{SHELF, Shelf, envelope, text};

#[test]
fn what_changes_while_a_call_waits_is_looked_at_again() {
    let shelf = Shelf::new("packs-moved");
    shelf.scratch.file("work/inner/notes.txt", "");
    shelf.scratch.file("elsewhere/notes.txt", "");
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let write = json!({"action": "WriteIt", "file": "inner/notes.txt", "machineReadable": true});
    client.request("first", "tools/call", &json!({"name": "shelf_book", "arguments": write}));
    until("it writes", || shelf.n_ran("write") == 1);
    let mut patient = write.clone();
    patient["wait_ms"] = json!(60_000);
    client.request("second", "tools/call", &json!({"name": "shelf_book", "arguments": patient}));
    // Whoever is told of a conflict came after the one who waits.
    assert!(text(&client.call("shelf_book", &write)).contains("CONCURRENCY_CONFLICT"));
    std::fs::remove_dir_all(format!("{}/inner", shelf.work)).unwrap();
    symlink("../elsewhere", format!("{}/inner", shelf.work)).unwrap();
    shelf.go();
    let second = client.answer(&json!("second"));
    assert_eq!(second["result"]["_meta"]["dev.manila/code"], "INVALID_PATH", "{second}");
    assert_eq!(client.answer(&json!("first"))["result"]["isError"], false);
    assert_eq!(shelf.n_ran("write"), 1);
}

#[test]
fn who_is_stopped_while_it_waits_is_told_for_whom() {
    let shelf = Shelf::new("packs-waits");
    let mut client = shelf.client("");
    let write = json!({"name": "shelf_book", "arguments": {"action": "WriteIt"}});
    client.request("first", "tools/call", &write);
    until("it writes", || shelf.n_ran("write") == 1);
    let config = shelf.config("contract = \"machine-readable-v1\"");
    let arguments = json!({"action": "WriteIt", "wait_ms": 60_000}).to_string();
    let options = ["--timeout", "3s", "-c", "machine-readable-v1", "--config", &config];
    let ran = manila(&[&["call", "shelf_book", "--args", &arguments], &options[..]].concat(), b"");
    let found = envelope(&ran);
    assert_eq!(found["errors"][0]["code"], "OPERATION_TIMEOUT", "{found}");
    assert_eq!(found["errors"][0]["data"].get("command"), None, "nothing was run: {found}");
    let waited = found["metadata"]["waitedFor"].as_str().unwrap();
    assert!(waited.starts_with("write it in progress since 20"), "{found}");
    shelf.go();
    assert_eq!(client.answer(&json!("first"))["result"]["isError"], false);
}

#[test]
fn a_project_does_not_choose_the_program() {
    let shelf = Shelf::new("packs-path");
    let pack = SHELF.replace("PROGRAM", "shelf-of-this-test");
    let pack = shelf.scratch.file("path.toml", pack);
    let config = format!("[pack.shelf]\nfile = \"{pack}\"\nroots = [\"{}\"]\n", shelf.work);
    let config = shelf.scratch.file("path-manila.toml", config);
    let evil = "#!/bin/sh\necho evil\n";
    crate::shelf::executable(&shelf.scratch, "work/shelf-of-this-test", evil);
    for path in ["/usr/bin:/bin:", ".:/usr/bin:/bin", "/usr/bin::/bin", ".", "", ":", "bin"] {
        let first = format!("export PATH={path}");
        let args = ["call", "shelf_book", "--arg", "action=Read", "--config", &config];
        let output = start_after(&first, &args).wait_with_output().unwrap();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["data"]["error_code"], "CAPABILITY_NOT_AVAILABLE", "{path}: {found}");
    }
}

#[test]
fn an_exit_code_may_be_no_failure() {
    let shelf = Shelf::with("packs-exits", "#!/bin/sh\necho nothing; exit 1\n");
    let pack = std::fs::read_to_string(&shelf.pack).unwrap();
    let pack = pack.replacen("about = \"Reads it.\"", "about = \"Reads it.\"\ngood_exits = [1]", 1);
    shelf.scratch.file("shelf.toml", pack);
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let mut call = |action: &str| {
        let arguments = json!({"action": action, "machineReadable": true});
        let result = client.call("shelf_book", &arguments);
        serde_json::from_str::<Value>(text(&result)).unwrap()
    };
    let found = call("Read");
    assert_eq!((&found["success"], &found["exitCode"]), (&json!(true), &json!(0)), "{found}");
    assert_eq!(found["metadata"]["exitCode"], "1", "{found}");
    assert_eq!(call("WriteIt")["errors"][0]["code"], "EXIT_1");
}

#[test]
fn nothing_is_told_of_a_call_that_was_taken_back() {
    let script = "#!/bin/sh\n[ $1 = --version ] && { echo shelf 2.5; exit; }\n\
                  trap 'echo [2/2] terminated; exit' TERM\necho '[1/2] begun'\n\
                  echo $$ > DIR/pid; while :; do sleep 0.02; done\n";
    let shelf = Shelf::with("packs-taken-back", script);
    let mut client = shelf.client("");
    let meta = json!({"progressToken": "tok"});
    let read = json!({"name": "shelf_book", "arguments": {"action": "Read"}, "_meta": meta});
    client.request("first", "tools/call", &read);
    let pid = || std::fs::read_to_string(format!("{}/../pid", shelf.work)).unwrap_or_default();
    until("it runs", || !pid().trim().is_empty());
    let is_told = |it: &Value| it["method"] == "notifications/progress";
    assert_eq!(client.wait(is_told)["params"]["progressToken"], "tok");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "first"}}));
    until("it is gone", || !crate::mcp::runs(pid().trim()));
    // Whatever was told before this answer would have come before it.
    client.call("shelf_server_capabilities", &json!({}));
    assert!(!client.put_aside().iter().any(is_told), "{:?}", client.put_aside());
}

#[test]
fn output_has_room_in_what_a_message_may_be() {
    let shelf = Shelf::with("packs-room", "#!/bin/sh\nyes 'a line of it' | head -c 900000\n");
    let args = ["call", "shelf_book", "--arg", "action=Read", "--pack", &shelf.pack];
    let ran = manila(&[&args[..], &["--message-bytes-max", "512KiB"]].concat(), b"");
    let found = envelope(&ran);
    assert_eq!(found["success"], true, "{ran:?}");
    assert_eq!(found["meta"]["warning_details"][0]["code"], "CONTENT_TRUNCATED");
}

#[test]
fn who_was_promised_envelopes_gets_them() {
    let shelf = Shelf::new("packs-promised");
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let asked = json!({"action": "Read", "machineReadable": true});
    let in_text = client.call("shelf_book", &asked);
    // Plain text might have come, so nothing but text was promised.
    assert_eq!(in_text.get("structuredContent"), None, "{in_text}");
    assert!(text(&in_text).starts_with("{\"success\":true"), "{in_text}");
    let meta = json!({"dev.manila/contract": "machine-readable-v1"});
    let plain = json!({"action": "Read", "machineReadable": false});
    let params = json!({"name": "shelf_book", "arguments": plain, "_meta": meta});
    let answer = client.ask("meta", "tools/call", &params);
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
}

#[test]
fn arguments_that_are_given_twice_are_refused() {
    let shelf = Shelf::new("packs-twice");
    let mut client = shelf.client("");
    client.send_line(
        r#"{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{"name":"shelf_book","arguments":{"action":"Burn","action":"Read"}}}"#,
    );
    let answer = client.answer(&json!("twice"));
    let error = &answer["result"]["structuredContent"]["error"];
    assert_eq!(error, "Parameter 'action' is given twice", "{answer}");
    let ran = manila(
        &["call", "echo", "--args", r#"{"a":1,"a":2}"#, "--", "manila", "sample-server"],
        b"",
    );
    assert!(ran.code == 2 && ran.stderr.contains("--args has `a` twice"), "{ran:?}");
}

#[test]
fn who_does_not_read_what_is_shown_holds_nothing_up() {
    let script = "yes 'a line that nobody reads'";
    let child = start(&["run", "--tee", "--timeout", "1s", "--", "sh", "-c", script]);
    // Its standard error is read only when it has ended.
    let mut child = child;
    let stderr = child.stderr.take();
    let output = child.wait_with_output().unwrap();
    drop(stderr);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["error"], "The operation timed out after 1000 ms", "{found}");
}

#[test]
fn who_waits_for_a_folder_may_find_a_project_in_it() {
    let shelf = Shelf::new("packs-appears");
    let pack = std::fs::read_to_string(&shelf.pack).unwrap();
    let pack = pack.replacen("type = \"path\"", "type = \"path\"\nextensions = [\".book\"]", 1);
    shelf.scratch.file("shelf.toml", pack);
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let mut write = json!({"name": "shelf_book", "arguments": {"action": "WriteIt"}});
    client.request("first", "tools/call", &write);
    until("it writes", || shelf.n_ran("write") == 1);
    write["arguments"]["wait_ms"] = json!(60_000);
    client.request("second", "tools/call", &write);
    let conflict = client.call("shelf_book", &json!({"action": "WriteIt"}));
    assert!(text(&conflict).contains("conflicting operation"), "{conflict}");
    shelf.scratch.file("work/a.book", "");
    shelf.go();
    assert_eq!(client.answer(&json!("first"))["result"]["isError"], false);
    let second = client.answer(&json!("second"));
    assert_eq!(second["result"]["isError"], false, "{second}");
    assert_eq!(shelf.n_ran("write"), 2);
}

#[test]
fn who_reads_slowly_sees_everything() {
    let script = "yes 'a line that is read slowly' | head -c 3000000";
    let mut child = start(&["run", "--tee", "--max-output", "2000", "--", "sh", "-c", script]);
    let mut stderr = child.stderr.take().unwrap();
    let reading = std::thread::spawn(move || {
        let (mut n_bytes, mut piece) = (0, vec![0; 32 * 1024]);
        while let Ok(n_read @ 1..) = std::io::Read::read(&mut stderr, &mut piece) {
            n_bytes += n_read;
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        n_bytes
    });
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(reading.join().unwrap(), 3_000_000);
    // Nothing of it is missing in the envelope either.
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = found["meta"]["warnings"][0].as_str().unwrap();
    assert!(told.starts_with("stdout: of 3000000 bytes"), "{found}");
}
