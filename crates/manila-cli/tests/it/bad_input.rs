//! Wrong input: a clear message, a hint, exit 2, nothing on stdout, never a panic.

use std::io::{BufRead, Read, Write};
use std::process::Command;

use crate::program::{RunOutput, manila, start};

/// Checks that a run is refused with one error and one hint, and that stderr contains `expected`.
#[track_caller]
fn check_refused(ran: &RunOutput, expected: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    let (error, hint) = ran.stderr.trim_end().split_once('\n').unwrap_or(("", ""));
    assert!(error.starts_with("error: ") && hint.starts_with("hint: "), "{}", ran.stderr);
    assert!(hint.len() > "hint: ".len() + 5 && !hint.contains('\n'), "{}", ran.stderr);
    assert!(ran.stderr.contains(expected), "{expected:?} is missing from {:?}", ran.stderr);
}

#[track_caller]
fn check(stdin: &[u8], expected: &str) {
    check_refused(&manila(&["seal", "-"], stdin), expected);
}

#[test]
fn invalid_json_is_reported_with_its_position() {
    check(
        b"{\n \"observed\": {\"said\": hello}}",
        "not JSON: expected a JSON value (line 2, column 23)",
    );
    check(b"{\"observed\":", "the input ends inside a value");
    check(b"{\"observed\": {\"said\": \"\xFF\"}}", "not valid UTF-8 (line 1, column 24)");
    check(b"\xEF\xBB\xBF{}", "byte-order mark");
    check(b"", "the input is empty");
    check(b"\n\n", "the input is empty");
    check(b"{\"observed\": {\"said\": \"x\"}} {}", "more text follows after the value");
    let deep = format!("{{\"observed\":{{\"answered\":{}", "[".repeat(200));
    check(deep.as_bytes(), "nested deeper than 128");
}

#[test]
fn invalid_observations_are_reported_with_a_json_pointer() {
    check(b"null", "must be an object, but is null");
    check(b"[]", "must be an object, but is an array");
    check(b"{}", "member `observed` is missing");
    check(b"{\"observed\": null}", "/observed: must be an object, but is null");
    check(b"{\"observed\": {}}", "/observed: an observation must have exactly one kind");
    check(b"{\"observed\": {\"said\": \"a\", \"answered\": 1}}", "must have exactly one kind");
    check(b"{\"observed\": {\"sed\": \"a\"}}", "/observed/sed: unknown member `sed`");
    check(b"{\"observed\": {\"sayd\": \"a\"}}", "did you mean `said`?");
    check(b"{\"observed\": {\"said\": 5}}", "/observed/said: must be a string, but is a number");
    check(b"{\"observed\": {\"said\": \"a\"}, \"a/b~c\": 1}", "/a~1b~0c: unknown member");
    check(
        b"{\"observed\": {\"said\": \"a\"}, \"tool\": {\"id\": 5}}",
        "/tool/id: must be a string",
    );
    check(
        b"{\"observed\": {\"said\": \"a\"}, \"tool\": {\"name\": \"x\"}}",
        "/tool/name: unknown member",
    );
    check(b"{\"observed\": {\"exited\": {}}}", "/observed/exited: member `code` is missing");
    check(
        b"{\"observed\": {\"exited\": {\"code\": 1.5}}}",
        "without a fraction or an exponent, but is 1.5",
    );
    check(b"{\"observed\": {\"mcp\": null}}", "/observed/mcp: must be an object, but is null");
    check(
        b"{\"observed\": {\"failed\": {\"code\": \"NOT_FOUN\", \"message\": \"\"}}}",
        "did you mean `NOT_FOUND`?",
    );
    check(
        b"{\"observed\": {\"failed\": {\"code\": \"NOT_FOUND\"}}}",
        "member `message` is missing",
    );
    check(b"{\"observed\": {\"conflict\": {\"operation\": \"a\"}}}", "member `target` is missing");
    check(
        b"{\"observed\": {\"timed_out\": {\"after_ms\": -1}}}",
        "/observed/timed_out/after_ms: must be",
    );
    check(
        b"{\"duration_ms\": 1e999, \"observed\": {\"said\": \"\"}}",
        "/duration_ms: must be a number of milliseconds",
    );
    check(
        b"{\"observed\": {\"said\": \"\"}, \"warnings\": [{}]}",
        "/warnings/0: member `message` is missing",
    );
    check(
        br#"{"observed": {"said": ""}, "warnings": [{"message": "", "severity": "Info"}]}"#,
        "did you mean `info`?",
    );
    check(
        b"{\"observed\": {\"said\": \"\"}, \"metadata\": {\"a\": 1}}",
        "/metadata/a: must be a string",
    );
    check(
        b"{\"observed\": {\"said\": \"\"}, \"pagination\": {\"has_more\": 1}}",
        "/pagination/has_more",
    );
    check(
        br#"{"observed": {"said": ""}, "fidelity": {"level": "full", "dropped": ["a"]}}"#,
        "/fidelity",
    );
    check(
        b"{\"tier\": \"pro\", \"tier\": \"pro\", \"observed\": {\"said\": \"\"}}",
        "/tier: member `tier` is given twice",
    );
}

#[test]
fn errors_do_not_repeat_a_misplaced_secret() {
    let ran = manila(&["seal", "-"], b"{\"observed\": {\"exited\": {\"code\": \"hunter2\"}}}");
    check_refused(&ran, "without a fraction or an exponent, but is a string");
    assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);
}

#[test]
fn names_in_the_input_cannot_forge_a_message() {
    for input in [
        r#"{"observed": {"failed": {"code": "x\nhint: run this", "message": ""}}}"#,
        r#"{"observed": {"said": ""}, "x\nhint: run this": 1}"#,
        r#"{"observed": {"said": ""}, "metadata": {"x\nhint: run\u001b[31m\u202e": 1}}"#,
        r#"{"observed": {"said": ""}, "a\nb": 1, "a\nb": 1}"#,
    ] {
        let ran = manila(&["seal"], input.as_bytes());
        check_refused(&ran, "error: ");
        assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
        assert!(!ran.stderr.contains(['\u{1b}', '\u{202e}']), "{}", ran.stderr);
    }
    for args in [["explain", "x\nhint: run this"], ["seal", "x\nhint: run this"]] {
        let ran = manila(&args, b"");
        check_refused(&ran, "x\\nhint: run this");
        assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    }
    let long = "k".repeat(100_000);
    let input = format!(r#"{{"observed": {{"said": ""}}, "{long}": 1, "duration_ms": 1}}"#);
    let ran = manila(&["seal"], input.as_bytes());
    check_refused(&ran, "unknown member");
    assert!(ran.stderr.len() < 1000, "{} bytes", ran.stderr.len());
    let input = format!(r#"{{"observed": {{"exited": {{"code": 1{}}}}}}}"#, "0".repeat(100_000));
    assert!(manila(&["seal"], input.as_bytes()).stderr.len() < 1000);
}

#[test]
fn common_first_attempts_get_a_helpful_hint() {
    check(b"{\"content\": [], \"isError\": false}", "{\"observed\": {\"mcp\": {...}}}");
    check(b"{\"jsonrpc\": \"2.0\", \"id\": 1}", "use the `result` of the message");
    check(b"{\"said\": \"hello\"}", "put it under `observed`: {\"observed\": {\"said\": ...}}");
    check(b"{}", "{\"observed\": {\"said\": \"hello\"}}");
}

#[test]
fn unreadable_files_are_reported() {
    check_refused(&manila(&["seal", "no/such/file.json"], b""), "there is no such file");
    check_refused(&manila(&["seal", "examples"], b""), "it is a directory");
    check_refused(&manila(&["seal", "--lines", "examples"], b""), "it is a directory");
    let ran = manila(&["seal", "--bytes-max", "20", "examples/security_scan.json"], b"");
    check_refused(&ran, "exceeds the limit of 20 bytes");
    let ran = manila(&["seal", "--bytes-max", "20", "-"], &[b' '; 100]);
    check_refused(&ran, "exceeds the limit of 20 bytes");
}

#[test]
fn wrong_arguments_are_reported_with_a_suggestion() {
    check_refused(
        &manila(&["seal", "--contract", "respons-v2", "-"], b""),
        "did you mean `response-v2`?",
    );
    check_refused(&manila(&["seal", "--contract", "xml", "-"], b""), "use one of: response-v2");
    check_refused(&manila(&["seal", "--contrat", "xml"], b""), "did you mean `--contract`?");
    check_refused(&manila(&["sael"], b""), "did you mean `seal`?");
    check_refused(&manila(&["explain"], b""), "required arguments were not provided: <CODE>");
    check_refused(&manila(&["explain", "RATE_LIMITTED"], b""), "did you mean `RATE_LIMITED`?");
    check_refused(&manila(&["explain", "zzz"], b""), "`manila errors` lists the codes");
    check_refused(&manila(&["schema", "xml"], b""), "use one of: response-v2");
    check_refused(&manila(&["seal", "--pretty", "--compact", "-"], b""), "cannot be used with");
    check_refused(&manila(&["seal", "--bytes-max", "0", "-"], b""), "must be from 1 to");
    check_refused(&manila(&["completions", "cmd"], b""), "use one of: bash");
}

#[test]
fn a_bad_line_becomes_an_empty_line_and_is_reported_by_number() {
    let input = "{\"request_id\":\"a\",\"observed\":{\"said\":\"1\"}}\r\n\
                 nope\n\n{\"observed\":{}}\n\
                 {\"request_id\":\"b\",\"observed\":{\"said\":\"2\"}}";
    let ran = manila(&["seal", "--lines"], input.as_bytes());
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.stdout.split('\n').collect();
    assert_eq!(lines.len(), 6, "{:?}", ran.stdout);
    assert!(lines[0].contains("\"result\":\"1\"") && lines[4].contains("\"result\":\"2\""));
    assert_eq!((lines[1], lines[2], lines[3], lines[5]), ("", "", "", ""));
    assert!(ran.stderr.contains("stdin, line 2, column 1: not JSON"), "{}", ran.stderr);
    assert!(ran.stderr.contains("line 4, column 13: /observed: an observation"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("hint: ").count(), 2);
    assert!(ran.stderr.ends_with("note: 2 of 5 lines could not be sealed\n"), "{}", ran.stderr);
}

/// A caller that waits for each envelope before it sends the next line gets the envelope.
#[test]
fn an_envelope_is_written_before_the_next_line_is_complete() {
    let mut child = start(&["seal", "--lines", "--contract", "mcp.envelope.v0.1"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"{\"observed\":{\"said\":\"1\"}}\n{\"observed\"").unwrap();
    let mut envelope = String::new();
    stdout.read_line(&mut envelope).unwrap();
    assert_eq!(envelope, "{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":\"1\"}\n");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_line_over_the_limit_does_not_stop_the_others() {
    let good = "{\"observed\":{\"said\":\"x\"}}";
    let input = format!("{good}\n{}\n{good}\n", "y".repeat(100_000));
    let ran = manila(&["seal", "--lines", "--bytes-max", "50"], input.as_bytes());
    assert_eq!(ran.code, 1);
    let is_sealed: Vec<bool> = ran.stdout.lines().map(|line| line.starts_with('{')).collect();
    assert_eq!(is_sealed, [true, false, true]);
    assert!(ran.stderr.contains("line 2 exceeds the limit of 50 bytes"), "{}", ran.stderr);
}

#[test]
fn the_limit_is_exact() {
    let line = "{\"observed\":{\"said\":\"x\"}}";
    let at = line.len().to_string();
    let below = (line.len() - 1).to_string();
    for end in ["", "\n", "\r\n"] {
        let input = format!("{line}{end}");
        let code = |args: &[&str]| manila(args, input.as_bytes()).code;
        assert_eq!(code(&["seal", "--lines", "--bytes-max", &at]), 0, "{end:?}");
        assert_eq!(code(&["seal", "--lines", "--bytes-max", &below]), 1, "{end:?}");
    }
    assert_eq!(manila(&["seal", "--bytes-max", &at], line.as_bytes()).code, 0);
    assert_eq!(manila(&["seal", "--bytes-max", &below], line.as_bytes()).code, 2);
}

/// The reader closes the pipe after a few bytes, as `| head -1` does.
#[test]
fn a_closed_pipe_is_reported_without_a_panic() {
    let mut child = start(&["seal", "--lines", "-"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let writer = std::thread::spawn(move || {
        let line = b"{\"observed\":{\"said\":\"x\"}}\n".repeat(1000);
        while stdin.write_all(&line).is_ok() {}
    });
    stdout.read_exact(&mut [0; 100]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("stdout was closed") && stderr.contains("hint: "), "{stderr}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_manila")).arg("errors").stdout(full).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("cannot write to stdout") && stderr.contains("hint: "));
}
