//! `manila check`: which documents are read, what is said about them, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use serde_json::Value;

use crate::program::{Ran, manila, start};

pub(crate) const GOOD: &str = concat!(
    r#"{"success":true,"data":{},"error":null,"meta":{"version":"response-v2","#,
    r#""request_id":"req_0123456789ab"}}"#,
);
/// R3: a success has no error.
pub(crate) const BROKEN: &str = concat!(
    r#"{"success":true,"data":{},"error":"no","meta":{"version":"response-v2","#,
    r#""request_id":"req_0123456789ab"}}"#,
);

/// A folder with files, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// `name` is part of its path, so that tests do not meet.
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

    /// A text without the folder's path.
    pub(crate) fn without(&self, text: &str) -> String {
        text.replace(&self.path(""), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The places of all findings, as `file:line`.
fn places(ran: &Ran) -> Vec<String> {
    let place = |line: &str| {
        let mut parts = line.split(':');
        format!("{}:{}", parts.next().unwrap(), parts.next().unwrap())
    };
    let mut all: Vec<String> = ran.stdout.lines().map(place).collect();
    all.dedup();
    all
}

#[track_caller]
fn check_refused(args: &[&str], stdin: &str, expected: &[&str]) {
    let ran = manila(&[&["check"], args].concat(), stdin.as_bytes());
    assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
    assert!(ran.stderr.contains("error: ") && ran.stderr.contains("\nhint: "), "{}", ran.stderr);
    for words in expected {
        assert!(ran.stderr.contains(words), "{args:?} does not say {words:?}: {}", ran.stderr);
    }
}

#[test]
fn what_is_good_is_quiet_and_what_is_not_is_told() {
    for args in [&["check"][..], &["check", "-"], &["check", "-c", "response-v2"]] {
        let ran = manila(args, GOOD.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        assert_eq!(ran.stderr, "1 document (response-v2) keeps its contract\n");
        let ran = manila(args, BROKEN.as_bytes());
        assert_eq!((ran.code, places(&ran)), (1, vec!["-:1".to_owned()]), "{}", ran.stderr);
        assert!(ran.stdout.contains("response-v2 R3 /error "), "{}", ran.stdout);
        let expected = "1 document (response-v2) does not keep its contract: ";
        assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    }
}

#[test]
fn what_has_no_mark_must_be_named() {
    let text = r#"{"success":true,"output":"hi","exitCode":0}"#;
    let ran = manila(&["check"], text.as_bytes());
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("(not recognised)"), "{}", ran.stderr);
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

/// A tool whose schema lies elsewhere.
const FAR: &str = r#"{"name":"t","inputSchema":{"$ref":"https://example.com/x.json"}}"#;

#[test]
fn wrong_combinations_are_refused() {
    let hint = "hint: add `--contract request-envelope`, or leave --profile out";
    check_refused(&["--profile", "mcp"], GOOD, &["--profile is for request-envelope", hint]);
    check_refused(&["--profile", "mcp", "-c", "response-v2"], GOOD, &[hint]);
    check_refused(&["--profile", "loose"], GOOD, &["use one of: strict, mcp"]);
    let hint = "hint: add `--contract tool-io`, or leave --tool-schema out";
    check_refused(&["--tool-schema", "x.json"], GOOD, &[hint]);
    check_refused(&["-c", "tool-io"], GOOD, &["hint: add `--tool-schema FILE`"]);
    let with_tool = ["-c", "tool-io", "--tool-schema"];
    check_refused(&[&with_tool[..], &["no.json"]].concat(), GOOD, &["there is no such file"]);
    check_refused(&[&with_tool[..], &["-"]].concat(), GOOD, &["--tool-schema wants a file"]);
    let example = "examples/file_not_found.json";
    check_refused(&[&with_tool[..], &[example]].concat(), GOOD, &["--tool-schema `examples/"]);
    check_refused(&[&with_tool[..], &["README.md"]].concat(), GOOD, &["not JSON"]);
    let folder = Folder::with("tool-schema", &[("far.json", FAR)]);
    let far = folder.path("far.json");
    let hint = "hint: a schema must be valid in its dialect and refer to nothing outside";
    check_refused(&[&with_tool[..], &[&far]].concat(), GOOD, &["`inputSchema`: ", hint]);
    check_refused(&["-c", "respons-v2"], GOOD, &["did you mean `response-v2`?"]);
    check_refused(&["-c", "xml"], GOOD, &["use one of: auto, response-v2", "prov.record.v0.1"]);
    check_refused(&["--format", "xml"], GOOD, &["use one of: human, json, sarif, junit"]);
    check_refused(&["-", "-"], GOOD, &["standard input is given twice", "hint: name `-` once"]);
}

#[test]
fn profiles_and_tools_are_handed_on() {
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
    assert_eq!((ran.code, places(&ran)), (1, vec!["-:3".to_owned(), "-:7".to_owned()]));
    let expected = "4 documents (response-v2): 2 keep their contract, 2 do not: ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    // A line is one line: a document over several is none.
    let ran = manila(&["check", "--lines"], b"{\n}\n");
    assert_eq!((ran.code, places(&ran)), (1, vec!["-:1".to_owned(), "-:2".to_owned()]));
    for empty in ["", "\n", "\r\n\n"] {
        let ran = manila(&["check", "--lines"], empty.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
        assert_eq!(ran.stderr, "0 documents: nothing was checked\n");
    }
}

#[test]
fn a_line_over_the_limit_is_told_like_a_finding() {
    let input = format!("{GOOD}\n{}\n{GOOD}\r\n", "y".repeat(300_000));
    let at = GOOD.len().to_string();
    let ran = manila(&["check", "--lines", "--bytes-max", &at], input.as_bytes());
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 1), "{}", ran.stdout);
    assert!(ran.stdout.starts_with("-:2:1: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("--bytes-max") && ran.stdout.contains("(bytes-max)"));
    // A document that is a file was not read at all.
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
    let labels = |argument: &str| {
        let ran = manila(&["check", &folder.path(argument)], b"");
        (ran.code, folder.without(&places(&ran).join(" ")), folder.without(&ran.stderr))
    };
    let (code, found, stderr) = labels("");
    assert_eq!((code, found.as_str()), (1, "a/b.json:1 a/z.ndjson:2 c.jsonl:2"));
    assert!(stderr.contains("note: 2 other files were skipped"), "{stderr}");
    assert!(stderr.contains("6 documents (response-v2): 3 keep"), "{stderr}");
    let (code, found, stderr) = labels("**/*.json");
    assert_eq!((code, found.as_str()), (1, "a/b.json:1"));
    assert!(stderr.contains("2 documents") && !stderr.contains("skipped"), "{stderr}");
    for (argument, said) in [("empty", "has no file to check"), ("*.xml", "no file matches `")] {
        let (code, _, stderr) = labels(argument);
        assert_eq!(code, 2);
        assert!(stderr.contains(said) && stderr.contains("\nhint: "), "{stderr}");
    }
    // With --lines the name of a file says nothing.
    let ran = manila(&["check", "--lines", &folder.path("notes.txt")], lines.as_bytes());
    assert_eq!(ran.code, 1);
}

#[test]
fn what_cannot_be_read_does_not_stop_the_others() {
    let folder = Folder::with("check-missing", &[("x.json", BROKEN)]);
    let (no, yes) = (folder.path("no.json"), folder.path("x.json"));
    for args in [["check", &no, &yes], ["check", &yes, &no]] {
        let ran = manila(&args, b"");
        assert_eq!(ran.code, 2);
        assert_eq!(folder.without(&places(&ran).join(" ")), "x.json:1");
        assert!(ran.stderr.contains("there is no such file"), "{}", ran.stderr);
        assert!(ran.stderr.contains("; 1 input could not be read"), "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_are_not_followed() {
    let folder = Folder::with("check-links", &[("a/x.json", GOOD)]);
    std::os::unix::fs::symlink(folder.path(""), folder.path("a/up")).unwrap();
    std::os::unix::fs::symlink("self.json", folder.path("a/self.json")).unwrap();
    let ran = manila(&["check", &folder.path("")], b"");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("1 document (response-v2) keeps"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 other file was skipped"), "{}", ran.stderr);
}

/// 60,000 lines, of which every 997th is broken: more than enough blocks for all cores.
#[test]
fn many_lines_are_told_in_order() {
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
    assert_eq!((ran.code, places(&ran)), (1, expected.clone()));
    assert!(ran.stderr.contains("60000 documents") && ran.stderr.contains("60 do not"));
    // The same from a file, which is cut in other places.
    let folder = Folder::with("check-many", &[("x.jsonl", &input)]);
    let ran = manila(&["check", &folder.path("x.jsonl")], b"");
    assert_eq!(folder.without(&places(&ran).join(" ")).replace("x.jsonl", "-"), expected.join(" "));
}

#[test]
fn a_flood_of_findings_is_counted() {
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
        let left = format!("note: {} more findings are not shown", n_all - n_shown as u64);
        assert!(ran.stderr.contains(&left), "{}", ran.stderr);
        assert!(ran.stderr.contains("5000 documents"), "{}", ran.stderr);
    }
}

/// Who waits for a finding before sending the next line gets it.
#[test]
fn a_finding_is_told_before_the_next_line_is_whole() {
    let mut child = start(&["check", "--lines"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for number in 1..4 {
        // The rest of the last line, a whole one, and half of the next.
        stdin.write_all(format!("{BROKEN}\n{{\"half\":").as_bytes()).unwrap();
        while !line.starts_with(&format!("-:{number}:")) {
            line.clear();
            stdout.read_line(&mut line).unwrap();
        }
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// A reader that goes away ends the program, though nothing more comes in.
#[test]
fn a_closed_pipe_is_told_while_the_input_stays_open() {
    let mut child = start(&["check", "--lines"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdin.write_all(format!("{BROKEN}\n").as_bytes()).unwrap();
    stdout.read_exact(&mut [0; 5]).unwrap();
    drop(stdout);
    // A program that another test is about to start may hold the pipe's other end for a moment.
    while stdin.write_all(format!("{BROKEN}\n").as_bytes()).is_ok() {}
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("standard output was closed") && stderr.contains("hint: "), "{stderr}");
    drop(stdin);
}
