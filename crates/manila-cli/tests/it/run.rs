//! `manila run`: runs a program and prints its result as an envelope.

use std::io::Write;

use serde_json::{Value, json};

use crate::mcp::{is_running, signal};
use crate::program::{RunOutput, Scratch, manila, start};
use crate::serve::wait_until;

/// Runs `manila run OPTIONS -- sh -c SCRIPT` with the contract for programs.
fn run(options: &[&str], script: &str) -> RunOutput {
    let contract = ["run", "-c", "machine-readable-v1"];
    manila(&[&contract, options, &["--", "sh", "-c", script]].concat(), b"")
}

#[track_caller]
fn envelope(ran: &RunOutput) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[track_caller]
fn check(options: &[&str], script: &str, code: i32, pointer: &str, expected: &Value) {
    let ran = run(options, script);
    let found = envelope(&ran);
    assert_eq!(found.pointer(pointer), Some(expected), "{script}: {found}");
    assert_eq!(ran.code, code, "{script}: {ran:?}");
    let checked = manila(&["check", "-c", "machine-readable-v1", "-"], ran.stdout.as_bytes());
    assert_eq!(checked.code, 0, "{script}: {checked:?}");
}

/// Returns a fake token, in two parts so that secret scanners do not report this file.
fn token() -> String {
    ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn returns_the_output_of_a_program() {
    check(&[], "echo hello", 0, "/output", &json!("hello\n"));
    check(&[], "true", 0, "/output", &json!(""));
    check(&[], "cat", 0, "/output", &json!(""));
    check(&["--cwd", "/"], "pwd", 0, "/output", &json!("/\n"));
    check(&["--env", "GREETING=a b"], "echo $GREETING", 0, "/output", &json!("a b\n"));
    check(&[], "printf '10%%\\r90%%\\rdone\\n'", 0, "/output", &json!("done\n"));
    check(&[], "printf '\\033[31mred\\033[0m\\n'", 0, "/output", &json!("red\n"));
    check(&[], "printf 'a\\377b'", 0, "/output", &json!("a\u{fffd}b"));
    check(
        &[],
        "printf 'a\\377b'",
        0,
        "/metadata/encoding",
        &json!("stdout: invalid UTF-8 is shown as replacement characters"),
    );
    let binary = json!("[binary output of 3 bytes, not shown]");
    check(&[], "printf 'a\\000b'", 0, "/output", &binary);
    let script = format!("echo token={}", token());
    check(&[], &script, 0, "/output", &json!("token=[REDACTED]\n"));
}

#[test]
fn passes_standard_input_to_the_program() {
    let ran = manila(&["run", "--stdin", "-", "--", "cat"], b"from us");
    assert_eq!(envelope(&ran)["data"]["result"], "from us");
    let scratch = Scratch::new("run-stdin");
    let file = scratch.file("input", "x".repeat(200_000));
    let ran = manila(&["run", "--stdin", &file, "--", "wc", "-c"], b"");
    assert_eq!(envelope(&ran)["data"]["result"], "200000\n");
    // Input is passed while the program runs, and need not end.
    let mut child = start(&["run", "--stdin", "-", "--", "head", "-1"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"first\n").unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["data"]["result"], "first\n", "{found}");
    let missing = manila(&["run", "--stdin", "no-such-file", "--", "cat"], b"");
    assert_eq!((missing.code, missing.stdout.as_str()), (2, ""), "{missing:?}");
    // A program need not read its input.
    let ran = manila(&["run", "--stdin", &file, "--", "true"], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn failures_have_exit_codes_and_diagnostics() {
    check(&[], "exit 3", 1, "/exitCode", &json!(3));
    check(&["--keep-exit"], "exit 3", 3, "/exitCode", &json!(3));
    check(&["--keep-exit"], "kill -9 $$", 137, "/metadata/signal", &json!("SIGKILL"));
    check(&[], "echo no >&2; exit 1", 1, "/errors/0/message", &json!("no"));
    let script = "echo 'a.cs(5,9): error CS0103: The name x'; exit 1";
    check(&[], script, 1, "/errors/0/code", &json!("CS0103"));
    let missing = manila(&["run", "-c", "machine-readable-v1", "--", "no-such-program", "-x"], b"");
    let found = envelope(&missing);
    assert_eq!(missing.code, 1);
    assert_eq!(found["errors"][0]["code"], "CAPABILITY_NOT_AVAILABLE", "{found}");
    assert_eq!(found["errors"][0]["data"]["command"], "no-such-program -x", "{found}");
    // A file that is not executable gets another hint than a missing program.
    let plain = manila(&["run", "--", "./README.md"], b"");
    assert!(plain.code == 1 && plain.stdout.contains("chmod +x"), "{plain:?}");
    let nothing = manila(&["run", "--", ""], b"");
    assert!(nothing.code == 2 && nothing.stderr.contains("hint:"), "{nothing:?}");
    let nowhere = manila(&["run", "--cwd", "/no/such/folder", "--", "true"], b"");
    assert!(nowhere.code == 1 && nowhere.stdout.contains("`/no/such/folder` does not exist or"));
    let none = manila(&["run"], b"");
    assert!(none.code == 2 && none.stderr.contains("hint:"), "{none:?}");
}

#[test]
fn ends_misbehaving_programs_and_limits_their_output() {
    // The program ignores SIGTERM, closes its output, or leaves a child that keeps the output open.
    check(
        &["--timeout", "1s"],
        "trap '' TERM; echo x; sleep 60",
        1,
        "/errors/0/rawOutput",
        &json!("x\n"),
    );
    check(&["--timeout", "300ms"], "exec >&- 2>&-; sleep 60", 1, "/exitCode", &json!(-1));
    check(&[], "exec >&-; exit 4", 1, "/exitCode", &json!(4));
    check(&[], "sleep 60 & echo left", 0, "/output", &json!("left\n"));
    // The program starts a daemon, which is killed.
    let daemon = "setsid sh -c 'exec sleep 60' >/dev/null 2>&1 & echo $!";
    let found = envelope(&run(&[], daemon));
    let pid = found["output"].as_str().unwrap().trim().to_owned();
    assert!(!pid.is_empty() && !is_running(&pid), "{found}");
    // A gigabyte of output is read but not stored.
    let ran = run(&["--max-output", "2000"], "yes | head -c 1000000000");
    let found = envelope(&ran);
    let output = found["output"].as_str().unwrap();
    assert!(output.len() <= 2_100 && output.contains("y\n[Output truncated]\ny\n"), "{found}");
    let note =
        "stdout: of 1000000000 bytes, the beginning, the end, and lines about failures are kept";
    assert_eq!(found["metadata"]["truncated"], note);
    // A diagnostic at the end of long output is found.
    let script = "yes | head -c 3000000; echo 'a.cs(1,2): error CS0103: at last'; exit 1";
    check(&[], script, 1, "/errors/0/message", &json!("at last"));
    // So is one in the middle.
    for size in ["800000", "5000000"] {
        let noise = format!("yes | head -c {size}");
        let script = format!("{noise}; echo 'a.cs(1,2): error CS0103: between'; {noise}; exit 1");
        check(&[], &script, 1, "/errors/0/message", &json!("between"));
    }
    // Names that contain `error` are not failures, and the search continues after a line that is
    // too long.
    let noise = "yes 'test error_handling ... ok' | head -c 2000000";
    let long = "head -c 300000 /dev/zero | tr '\\0' x";
    let script =
        format!("{noise}; echo \"error: $({long})\"; echo 'error CS0103: z'; {noise}; exit 1");
    check(&[], &script, 1, "/errors/0/code", &json!("CS0103"));
    // M13.
    let ran = run(&["--max-output", "1024"], "head -c 2000 /dev/zero | tr '\\0' a");
    let note = &envelope(&ran)["metadata"]["truncated"];
    assert!(note.as_str().unwrap().contains("nothing is kept"), "{ran:?}");
}

#[test]
fn shows_no_part_of_a_token_beside_the_limit() {
    // The token begins before the last 4 KB that are dropped at the limit, and ends after it.
    for n_before in [10_870, 10_885, 10_900] {
        let zeros = |n: u32| format!("head -c {n} /dev/zero | tr '\\0' x");
        let script =
            format!("{}; echo -n ' {} '; {}", zeros(n_before), token(), zeros(100_000 - n_before));
        let ran = run(&["--max-output", "20000"], &script);
        let found = envelope(&ran);
        let output = found["output"].as_str().unwrap();
        assert!(output.contains("x [Output truncated]\n"), "{n_before}");
        assert!(!output.contains(&token()[..8]), "{n_before}");
    }
}

#[test]
fn shows_no_part_of_a_token_of_a_program_that_is_stopped() {
    // The program's buffer of 8192 bytes ends inside the token.
    let script =
        format!("head -c 8170 /dev/zero | tr '\\0' x; printf ' %s' {}; sleep 60", &token()[..21]);
    let found = envelope(&run(&["--timeout", "1s"], &script));
    let output = found["errors"][0]["rawOutput"].as_str().unwrap();
    assert!(output.ends_with("x [Output truncated]\n"), "{}", &output[8_100..]);
}

#[test]
fn ctrl_c_stops_the_process_tree_and_keeps_the_output() {
    let scratch = Scratch::new("run-cancel");
    let (child_pid, grandchild_pid) = (scratch.file("pid", ""), scratch.file("grandchild", ""));
    let script =
        format!("echo begun; sleep 100 & echo $! > {grandchild_pid}; echo $$ > {child_pid}; wait");
    let child = start(&["run", "-c", "machine-readable-v1", "--", "sh", "-c", &script]);
    let pid = |file: &str| std::fs::read_to_string(file).unwrap_or_default().trim().to_owned();
    let has_pids = || !pid(&child_pid).is_empty() && !pid(&grandchild_pid).is_empty();
    wait_until("both processes run", has_pids);
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(found["errors"][0]["code"], "OPERATION_CANCELLED", "{found}");
    assert_eq!(found["errors"][0]["rawOutput"], "begun\n", "{found}");
    for file in [&child_pid, &grandchild_pid] {
        wait_until("the process has exited", || !is_running(pid(file)));
    }
}

#[test]
fn tee_shows_output_while_the_program_runs() {
    let ran = run(&["--tee"], "echo one; echo two >&2");
    assert!(ran.stderr.contains("one\n") && ran.stderr.contains("two\n"), "{ran:?}");
    assert_eq!(envelope(&ran)["output"], "one\n");
    let token = token();
    let ran = run(&["--tee"], &format!("echo token={token}"));
    assert!(ran.stderr.contains("[REDACTED]") && !ran.stderr.contains(&token), "{ran:?}");
    // Output is shown before the program ends.
    let mut child = start(&["run", "--tee", "--", "sh", "-c", "echo now; sleep 100"]);
    let mut line = [0; 4];
    std::io::Read::read_exact(child.stderr.as_mut().unwrap(), &mut line).unwrap();
    assert_eq!(&line, b"now\n");
    signal("TERM", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
