//! Edge cases of packs: files that change, missing programs, and unusual output.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::program::{manila, start, start_after};
use crate::serve::wait_until;
use crate::test_pack::{TEST_PACK, TestPack, envelope, text};

#[test]
fn checks_paths_again_after_waiting() {
    let shelf = TestPack::new("packs-moved");
    shelf.scratch.file("work/inner/notes.txt", "");
    shelf.scratch.file("elsewhere/notes.txt", "");
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let write = json!({"action": "WriteIt", "file": "inner/notes.txt", "machineReadable": true});
    client.start_request("first", "tools/call", &json!({"name": "shelf_book", "arguments": write}));
    wait_until("the first call runs", || shelf.count_runs("write") == 1);
    let mut waiting = write.clone();
    waiting["wait_ms"] = json!(60_000);
    client.start_request(
        "second",
        "tools/call",
        &json!({"name": "shelf_book", "arguments": waiting}),
    );
    // The conflict of this later call shows that the second one already waits.
    assert!(text(&client.call("shelf_book", &write)).contains("CONCURRENCY_CONFLICT"));
    std::fs::remove_dir_all(format!("{}/inner", shelf.work)).unwrap();
    symlink("../elsewhere", format!("{}/inner", shelf.work)).unwrap();
    shelf.create_go_file();
    let second = client.answer(&json!("second"));
    assert_eq!(second["result"]["_meta"]["dev.manila/code"], "INVALID_PATH", "{second}");
    assert_eq!(client.answer(&json!("first"))["result"]["isError"], false);
    assert_eq!(shelf.count_runs("write"), 1);
}

#[test]
fn a_timeout_while_waiting_reports_the_conflicting_call() {
    let shelf = TestPack::new("packs-waits");
    let mut client = shelf.client("");
    let write = json!({"name": "shelf_book", "arguments": {"action": "WriteIt"}});
    client.start_request("first", "tools/call", &write);
    wait_until("the first call runs", || shelf.count_runs("write") == 1);
    let config = shelf.config("contract = \"machine-readable-v1\"");
    let arguments = json!({"action": "WriteIt", "wait_ms": 60_000}).to_string();
    let options = ["--timeout", "3s", "-c", "machine-readable-v1", "--config", &config];
    let ran = manila(&[&["call", "shelf_book", "--args", &arguments], &options[..]].concat(), b"");
    let found = envelope(&ran);
    assert_eq!(found["errors"][0]["code"], "OPERATION_TIMEOUT", "{found}");
    assert_eq!(found["errors"][0]["data"].get("command"), None, "nothing was run: {found}");
    let waited = found["metadata"]["waitedFor"].as_str().unwrap();
    assert!(waited.starts_with("write it in progress since 20"), "{found}");
    shelf.create_go_file();
    assert_eq!(client.answer(&json!("first"))["result"]["isError"], false);
}

#[test]
fn a_program_in_the_project_is_not_run() {
    let shelf = TestPack::new("packs-path");
    let pack = TEST_PACK.replace("PROGRAM", "shelf-of-this-test");
    let pack = shelf.scratch.file("path.toml", pack);
    let config = format!("[pack.shelf]\nfile = \"{pack}\"\nroots = [\"{}\"]\n", shelf.work);
    let config = shelf.scratch.file("path-manila.toml", config);
    let evil = "#!/bin/sh\necho evil\n";
    crate::test_pack::executable(&shelf.scratch, "work/shelf-of-this-test", evil);
    for path in ["/usr/bin:/bin:", ".:/usr/bin:/bin", "/usr/bin::/bin", ".", "", ":", "bin"] {
        let first = format!("export PATH={path}");
        let args = ["call", "shelf_book", "--arg", "action=Read", "--config", &config];
        let output = start_after(&first, &args).wait_with_output().unwrap();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["data"]["error_code"], "CAPABILITY_NOT_AVAILABLE", "{path}: {found}");
    }
}

#[test]
fn an_exit_code_can_mean_success() {
    let shelf = TestPack::with("packs-exits", "#!/bin/sh\necho nothing; exit 1\n");
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
fn sends_no_progress_after_a_cancellation() {
    let script = "#!/bin/sh\n[ $1 = --version ] && { echo shelf 2.5; exit; }\n\
                  trap 'echo [2/2] terminated; exit' TERM\necho '[1/2] begun'\n\
                  echo $$ > DIR/pid; while :; do sleep 0.02; done\n";
    let shelf = TestPack::with("packs-progress-cancelled", script);
    let mut client = shelf.client("");
    let meta = json!({"progressToken": "tok"});
    let read = json!({"name": "shelf_book", "arguments": {"action": "Read"}, "_meta": meta});
    client.start_request("first", "tools/call", &read);
    let pid = || std::fs::read_to_string(format!("{}/../pid", shelf.work)).unwrap_or_default();
    wait_until("the program runs", || !pid().trim().is_empty());
    let is_progress = |it: &Value| it["method"] == "notifications/progress";
    assert_eq!(client.wait(is_progress)["params"]["progressToken"], "tok");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "first"}}));
    wait_until("the program has exited", || !crate::mcp::is_running(pid().trim()));
    // Earlier notifications would precede this response.
    client.call("shelf_server_capabilities", &json!({}));
    assert!(
        !client.unmatched_messages().iter().any(is_progress),
        "{:?}",
        client.unmatched_messages()
    );
}

#[test]
fn truncates_output_to_the_message_limit() {
    let shelf = TestPack::with("packs-room", "#!/bin/sh\nyes 'a line of it' | head -c 900000\n");
    let args = ["call", "shelf_book", "--arg", "action=Read", "--pack", &shelf.pack];
    let ran = manila(&[&args[..], &["--message-bytes-max", "512KiB"]].concat(), b"");
    let found = envelope(&ran);
    assert_eq!(found["success"], true, "{ran:?}");
    assert_eq!(found["meta"]["warning_details"][0]["code"], "CONTENT_TRUNCATED");
}

#[test]
fn returns_structured_envelopes_if_the_caller_selects_the_contract() {
    let shelf = TestPack::new("packs-promised");
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let arguments = json!({"action": "Read", "machineReadable": true});
    let in_text = client.call("shelf_book", &arguments);
    // The tool may return plain text, so it advertises no schema.
    assert_eq!(in_text.get("structuredContent"), None, "{in_text}");
    assert!(text(&in_text).starts_with("{\"success\":true"), "{in_text}");
    let meta = json!({"dev.manila/contract": "machine-readable-v1"});
    let plain = json!({"action": "Read", "machineReadable": false});
    let params = json!({"name": "shelf_book", "arguments": plain, "_meta": meta});
    let answer = client.request("meta", "tools/call", &params);
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
}

#[test]
fn refuses_duplicate_arguments() {
    let shelf = TestPack::new("packs-twice");
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
    assert!(ran.code == 2 && ran.stderr.contains("--args has the member `a` twice"), "{ran:?}");
}

#[test]
fn tee_does_not_block_on_a_reader_that_does_not_read() {
    let script = "yes 'an unread line'";
    let child = start(&["run", "--tee", "--timeout", "1s", "--", "sh", "-c", script]);
    // The test does not read its stderr.
    let mut child = child;
    let stderr = child.stderr.take();
    let output = child.wait_with_output().unwrap();
    drop(stderr);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["error"], "The operation timed out after 1000 ms", "{found}");
}

#[test]
fn finds_a_project_that_appears_while_a_call_waits() {
    let shelf = TestPack::new("packs-appears");
    let pack = std::fs::read_to_string(&shelf.pack).unwrap();
    let pack = pack.replacen("type = \"path\"", "type = \"path\"\nextensions = [\".book\"]", 1);
    shelf.scratch.file("shelf.toml", pack);
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let mut write = json!({"name": "shelf_book", "arguments": {"action": "WriteIt"}});
    client.start_request("first", "tools/call", &write);
    wait_until("the first call runs", || shelf.count_runs("write") == 1);
    write["arguments"]["wait_ms"] = json!(60_000);
    client.start_request("second", "tools/call", &write);
    let conflict = client.call("shelf_book", &json!({"action": "WriteIt"}));
    assert!(text(&conflict).contains("conflicting operation"), "{conflict}");
    shelf.scratch.file("work/a.book", "");
    shelf.create_go_file();
    assert_eq!(client.answer(&json!("first"))["result"]["isError"], false);
    let second = client.answer(&json!("second"));
    assert_eq!(second["result"]["isError"], false, "{second}");
    assert_eq!(shelf.count_runs("write"), 2);
}

#[test]
fn tee_writes_everything_to_a_slow_reader() {
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
    // The envelope counts all bytes, too.
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let warning = found["meta"]["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("stdout: of 3000000 bytes"), "{found}");
}

/// Replaces a path again and again until it is dropped.
struct Swapper {
    has_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swapper {
    fn start(swap: impl Fn() + Send + 'static) -> Swapper {
        swap();
        let has_ended = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&has_ended);
        let thread = std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                swap();
            }
        });
        Swapper { has_ended, thread: Some(thread) }
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

/// A pack whose program prints a file of its working directory, or the file it gets.
const PRINTS: &str = "#!/bin/sh\n[ \"$1\" = read ] && cat \"${2:-notes.txt}\"; true\n";

#[track_caller]
fn check_swapped(shelf: &TestPack, arguments: &Value, n_calls: usize) {
    let mut client = shelf.client("");
    let (mut n_inside, mut n_outside) = (0, 0);
    for _ in 0..n_calls {
        let shown = client.call("shelf_book", arguments).to_string();
        n_inside += usize::from(shown.contains("INSIDE"));
        n_outside += usize::from(shown.contains("OUTSIDE"));
    }
    assert_eq!(n_outside, 0, "of {n_calls}, {n_inside} inside: {arguments}");
    assert!(n_inside > 0, "{arguments}");
}

#[test]
fn a_link_that_is_swapped_does_not_lead_outside() {
    let shelf = TestPack::with("packs-swapped-link", PRINTS);
    let (work, scratch) = (&shelf.work, &shelf.scratch);
    scratch.file("work/real/notes.txt", "INSIDE");
    scratch.file("elsewhere/notes.txt", "OUTSIDE");
    let (link, new) = (format!("{work}/link"), format!("{work}/new"));
    let _swapper = Swapper::start(move || {
        for target in ["../elsewhere", "real"] {
            symlink(target, &new).unwrap();
            std::fs::rename(&new, &link).unwrap();
            std::thread::yield_now();
        }
    });
    check_swapped(&shelf, &json!({"action": "Read", "file": "link/notes.txt"}), 200);
    check_swapped(&shelf, &json!({"action": "Read", "workingDirectory": "link"}), 60);
}

#[test]
fn a_folder_that_is_swapped_is_not_worked_in() {
    let shelf = TestPack::with("packs-swapped-folder", PRINTS);
    let (work, scratch) = (&shelf.work, &shelf.scratch);
    scratch.file("work/real/notes.txt", "INSIDE");
    scratch.file("elsewhere/notes.txt", "OUTSIDE");
    symlink("../elsewhere", format!("{work}/outside")).unwrap();
    let [real, outside, folder] =
        ["real", "outside", "folder"].map(|name| format!("{work}/{name}"));
    let _swapper = Swapper::start(move || {
        for place in [&outside, &real] {
            std::fs::rename(place, &folder).unwrap();
            std::thread::yield_now();
            std::fs::rename(&folder, place).unwrap();
        }
    });
    check_swapped(&shelf, &json!({"action": "Read", "workingDirectory": "folder"}), 200);
}
