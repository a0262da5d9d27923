//! `manila check`: which documents it reads, what it reports, and its exit status.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use serde_json::Value;

use crate::program::{RunOutput, manila, start};

pub(crate) const GOOD: &str = concat!(
    r#"{"success":true,"data":{},"error":null,"meta":{"version":"response-v2","#,
    r#""request_id":"req_0123456789ab"}}"#,
);
/// R3: a success has no error.
pub(crate) const BROKEN: &str = concat!(
    r#"{"success":true,"data":{},"error":"no","meta":{"version":"response-v2","#,
    r#""request_id":"req_0123456789ab"}}"#,
);

/// A temporary folder with files, which is removed on drop.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates the folder and its files. `name` is part of the path and unique to the test.
    pub(crate) fn with(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("manila-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Folder(folder)
    }

    pub(crate) fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }

    /// Returns `text` without the folder's path.
    pub(crate) fn strip_path(&self, text: &str) -> String {
        text.replace(&self.path(""), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the locations of all findings, as `file:line`.
fn locations(ran: &RunOutput) -> Vec<String> {
    let location = |line: &str| {
        let mut parts = line.split(':');
        format!("{}:{}", parts.next().unwrap(), parts.next().unwrap())
    };
    let mut all: Vec<String> = ran.stdout.lines().map(location).collect();
    all.dedup();
    all
}

#[track_caller]
fn check_refused(args: &[&str], stdin: &str, expected: &[&str]) {
    let ran = manila(&[&["check"], args].concat(), stdin.as_bytes());
    assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
    assert!(ran.stderr.contains("error: ") && ran.stderr.contains("\nhint: "), "{}", ran.stderr);
    for text in expected {
        assert!(ran.stderr.contains(text), "{args:?}: {text:?} is missing from {}", ran.stderr);
    }
}

#[test]
fn a_good_document_prints_nothing_and_a_bad_one_its_findings() {
    for args in [&["check"][..], &["check", "-"], &["check", "-c", "response-v2"]] {
        let ran = manila(args, GOOD.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        assert_eq!(ran.stderr, "1 document (response-v2) conforms to its contract\n");
        let ran = manila(args, BROKEN.as_bytes());
        assert_eq!((ran.code, locations(&ran)), (1, vec!["-:1".to_owned()]), "{}", ran.stderr);
        assert!(ran.stdout.contains("response-v2 R3 /error "), "{}", ran.stdout);
        let expected = "1 document (response-v2) does not conform to its contract: ";
        assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    }
}

#[test]
fn a_contract_without_a_mark_must_be_named() {
    let text = r#"{"success":true,"output":"hi","exitCode":0}"#;
    let ran = manila(&["check"], text.as_bytes());
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("1 document was not recognised"), "{}", ran.stderr);
    let ran = manila(&["check", "--contract", "machine-readable-v1"], text.as_bytes());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for text in ["", "nope", "[1, 2", "\u{feff}{}"] {
        for contract in ["auto", "response-v2", "request-envelope"] {
            let ran = manila(&["check", "-c", contract], text.as_bytes());
            assert_eq!(ran.code, 1, "{text:?}");
            assert!(ran.stdout.contains("(json)"), "{}", ran.stdout);
        }
    }
}

/// A tool whose input schema is an external reference.
const EXTERNAL: &str = r#"{"name":"t","inputSchema":{"$ref":"https://example.com/x.json"}}"#;

#[test]
fn wrong_combinations_of_options_are_refused() {
    let hint = "hint: add `--contract request-envelope`, or remove --profile";
    check_refused(
        &["--profile", "mcp"],
        GOOD,
        &["--profile needs the contract request-envelope", hint],
    );
    check_refused(&["--profile", "mcp", "-c", "response-v2"], GOOD, &[hint]);
    check_refused(&["--profile", "loose"], GOOD, &["use one of: strict, mcp"]);
    let hint = "hint: add `--contract tool-io`, or remove --tool-schema";
    check_refused(&["--tool-schema", "x.json"], GOOD, &[hint]);
    check_refused(&["-c", "tool-io"], GOOD, &["hint: add `--tool-schema FILE`"]);
    let with_tool = ["-c", "tool-io", "--tool-schema"];
    check_refused(&[&with_tool[..], &["no.json"]].concat(), GOOD, &["there is no such file"]);
    check_refused(&[&with_tool[..], &["-"]].concat(), GOOD, &["--tool-schema must be a file"]);
    let example = "examples/file_not_found.json";
    check_refused(&[&with_tool[..], &[example]].concat(), GOOD, &["--tool-schema `examples/"]);
    check_refused(&[&with_tool[..], &["README.md"]].concat(), GOOD, &["not JSON"]);
    let folder = Folder::with("tool-schema", &[("external.json", EXTERNAL)]);
    let external = folder.path("external.json");
    let hint = "hint: a schema must be valid in its dialect, without external references";
    check_refused(&[&with_tool[..], &[&external]].concat(), GOOD, &["`inputSchema`: ", hint]);
    check_refused(&["-c", "respons-v2"], GOOD, &["did you mean `response-v2`?"]);
    check_refused(&["-c", "xml"], GOOD, &["use one of: auto, response-v2", "prov.record.v0.1"]);
    check_refused(&["--format", "xml"], GOOD, &["use one of: human, json, sarif, junit"]);
    check_refused(&["-", "-"], GOOD, &["stdin is given twice", "hint: pass `-` once"]);
}

#[test]
fn profiles_and_tool_schemas_are_applied() {
    let message = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
    let code = |args: &[&str]| manila(&[&["check", "-c"], args].concat(), message.as_bytes()).code;
    assert_eq!(code(&["request-envelope"]), 1);
    assert_eq!(code(&["request-envelope", "--profile", "strict"]), 1);
    assert_eq!(code(&["request-envelope", "--profile", "mcp"]), 0);
    let tool = r#"{"name":"t","inputSchema":{"type":"object"}}"#;
    let folder = Folder::with("check-tool", &[("tool.json", tool)]);
    let args = ["check", "-c", "tool-io", "--tool-schema", &folder.path("tool.json")];
    assert_eq!(manila(&args, br#"{"tool":"t","input":{}}"#).code, 0);
    assert_eq!(manila(&args, br#"{"input":{}}"#).code, 1);
}

#[test]
fn each_line_is_a_document() {
    let input = format!("{GOOD}\r\n\r\n{BROKEN}\r\n \t \n\n{GOOD}\n{BROKEN}");
    let ran = manila(&["check", "--lines"], input.as_bytes());
    assert_eq!((ran.code, locations(&ran)), (1, vec!["-:3".to_owned(), "-:7".to_owned()]));
    let expected = "4 documents (response-v2): 2 conform to their contract, 2 do not: ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    // A document that spans several lines is not a document with `--lines`.
    let ran = manila(&["check", "--lines"], b"{\n}\n");
    assert_eq!((ran.code, locations(&ran)), (1, vec!["-:1".to_owned(), "-:2".to_owned()]));
    for empty in ["", "\n", "\r\n\n"] {
        let ran = manila(&["check", "--lines"], empty.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        assert_eq!(ran.stderr, "0 documents: nothing to check\n");
    }
}

#[test]
fn a_line_over_the_limit_is_reported_as_a_finding() {
    let input = format!("{GOOD}\n{}\n{GOOD}\r\n", "y".repeat(300_000));
    let at = GOOD.len().to_string();
    let ran = manila(&["check", "--lines", "--bytes-max", &at], input.as_bytes());
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 1), "{}", ran.stdout);
    assert!(ran.stdout.starts_with("-:2:1: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("--bytes-max") && ran.stdout.contains("(bytes-max)"));
    // Without `--lines`, a document over the limit is not read.
    let below = (GOOD.len() - 1).to_string();
    check_refused(&["--bytes-max", &below], GOOD, &["raise the limit with `--bytes-max`"]);
}

#[test]
fn directories_and_patterns_are_read_in_order() {
    let lines = format!("{GOOD}\n{BROKEN}\n");
    let files = [
        ("b.json", GOOD),
        ("a/z.ndjson", lines.as_str()),
        ("a/b.json", BROKEN),
        ("c.jsonl", lines.as_str()),
        ("notes.txt", "no JSON"),
        ("empty/x.txt", ""),
    ];
    let folder = Folder::with("check-walk", &files);
    let check_path = |argument: &str| {
        let ran = manila(&["check", &folder.path(argument)], b"");
        (ran.code, folder.strip_path(&locations(&ran).join(" ")), folder.strip_path(&ran.stderr))
    };
    let (code, found, stderr) = check_path("");
    assert_eq!((code, found.as_str()), (1, "a/b.json:1 a/z.ndjson:2 c.jsonl:2"));
    assert!(stderr.contains("note: 2 other files were skipped"), "{stderr}");
    assert!(stderr.contains("6 documents (response-v2): 3 conform"), "{stderr}");
    let (code, found, stderr) = check_path("**/*.json");
    assert_eq!((code, found.as_str()), (1, "a/b.json:1"));
    assert!(stderr.contains("2 documents") && !stderr.contains("skipped"), "{stderr}");
    for (argument, message) in
        [("empty", "contains no files to check"), ("*.xml", "no file matches `")]
    {
        let (code, _, stderr) = check_path(argument);
        assert_eq!(code, 2);
        assert!(stderr.contains(message) && stderr.contains("\nhint: "), "{stderr}");
    }
    // With `--lines`, the file's extension does not matter.
    let ran = manila(&["check", "--lines", &folder.path("notes.txt")], lines.as_bytes());
    assert_eq!(ran.code, 1);
}

#[test]
fn an_unreadable_input_does_not_stop_the_others() {
    let folder = Folder::with("check-missing", &[("x.json", BROKEN)]);
    let (missing, present) = (folder.path("no.json"), folder.path("x.json"));
    for args in [["check", &missing, &present], ["check", &present, &missing]] {
        let ran = manila(&args, b"");
        assert_eq!(ran.code, 2);
        assert_eq!(folder.strip_path(&locations(&ran).join(" ")), "x.json:1");
        assert!(ran.stderr.contains("there is no such file"), "{}", ran.stderr);
        assert!(ran.stderr.contains("; 1 input could not be read"), "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn symlink_cycles_are_not_followed() {
    let folder = Folder::with("check-links", &[("a/x.json", GOOD)]);
    std::os::unix::fs::symlink(folder.path(""), folder.path("a/up")).unwrap();
    std::os::unix::fs::symlink("self.json", folder.path("a/self.json")).unwrap();
    let ran = manila(&["check", &folder.path("")], b"");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("1 document (response-v2) conforms"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 other file was skipped"), "{}", ran.stderr);
}

/// 60,000 lines, of which every 997th is broken: more than enough blocks for all cores.
#[test]
fn findings_of_many_lines_are_in_order() {
    let mut input = String::new();
    let mut expected = Vec::new();
    for number in 1..=60_000 {
        let is_broken = number % 997 == 0;
        input.push_str(if is_broken { BROKEN } else { GOOD });
        input.push('\n');
        if is_broken {
            expected.push(format!("-:{number}"));
        }
    }
    assert!(input.len() > 5_000_000);
    let ran = manila(&["check", "--lines"], input.as_bytes());
    assert_eq!((ran.code, locations(&ran)), (1, expected.clone()));
    assert!(ran.stderr.contains("60000 documents") && ran.stderr.contains("60 do not"));
    // The same input from a file, which is split into blocks at other positions.
    let folder = Folder::with("check-many", &[("x.jsonl", &input)]);
    let ran = manila(&["check", &folder.path("x.jsonl")], b"");
    let found = folder.strip_path(&locations(&ran).join(" ")).replace("x.jsonl", "-");
    assert_eq!(found, expected.join(" "));
}

#[test]
fn findings_beyond_the_maximum_are_counted() {
    let input = format!("{BROKEN}\n").repeat(5000);
    let n_all: Value = {
        let ran = manila(&["check", "--lines", "--format", "json"], input.as_bytes());
        serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap()
    };
    let n_all = n_all["summary"]["violations"].as_u64().unwrap();
    assert!(n_all >= 5000);
    for (args, n_shown) in [(&[][..], 1000), (&["--findings-max", "7"], 7)] {
        let ran = manila(&[&["check", "--lines"], args].concat(), input.as_bytes());
        assert_eq!((ran.code, ran.stdout.lines().count()), (1, n_shown));
        let note = format!("note: {} more findings are not shown", n_all - n_shown as u64);
        assert!(ran.stderr.contains(&note), "{}", ran.stderr);
        assert!(ran.stderr.contains("5000 documents"), "{}", ran.stderr);
    }
}

/// A caller that waits for a finding before it sends the next line gets the finding.
#[test]
fn a_finding_is_reported_before_the_next_line_is_complete() {
    let mut child = start(&["check", "--lines"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for number in 1..4 {
        // The rest of the previous line, a line break, and half of the next line.
        stdin.write_all(format!("{BROKEN}\n{{\"half\":").as_bytes()).unwrap();
        while !line.starts_with(&format!("-:{number}:")) {
            line.clear();
            stdout.read_line(&mut line).unwrap();
        }
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// A closed stdout ends the program, even though stdin stays open.
#[test]
fn a_closed_stdout_is_reported_while_stdin_stays_open() {
    let mut child = start(&["check", "--lines"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdin.write_all(format!("{BROKEN}\n").as_bytes()).unwrap();
    stdout.read_exact(&mut [0; 5]).unwrap();
    drop(stdout);
    // A process that another test is starting may briefly hold the other end of the pipe.
    while stdin.write_all(format!("{BROKEN}\n").as_bytes()).is_ok() {}
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("stdout was closed") && stderr.contains("hint: "), "{stderr}");
    drop(stdin);
}
