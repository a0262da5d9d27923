//! `manila convert`: any contract to any other, what was lost, and what cannot be read.

use std::io::{BufRead, BufReader, Read, Write};

use manila::Contract;
use serde_json::{Value, json};

use crate::check::{BROKEN, Folder, GOOD};
use crate::program::{Ran, manila, start};

/// An envelope with something that other contracts have no place for.
const WARNED: &str = concat!(
    r#"{"success":true,"data":{"n":1},"error":null,"meta":{"version":"response-v2","#,
    r#""request_id":"req_1","warnings":["careful"]}}"#,
);

fn tree(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
fn check_refused(args: &[&str], stdin: &str, expected: &[&str]) {
    let ran = manila(&[&["convert"], args].concat(), stdin.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}: {}", ran.stderr);
    assert!(ran.stderr.contains("error: ") && ran.stderr.contains("\nhint: "), "{}", ran.stderr);
    for words in expected {
        assert!(ran.stderr.contains(words), "{args:?} does not say {words:?}: {}", ran.stderr);
    }
}

#[test]
fn every_contract_becomes_every_other() {
    for from in Contract::ALL {
        let sealed = manila(&["seal", "-c", from.id(), "examples/security_scan.json"], b"").stdout;
        for to in Contract::ALL {
            let args = ["convert", "--from", from.id(), "--to", to.id()];
            let ran = manila(&args, sealed.as_bytes());
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
            let kept = manila(&["check", "-c", to.id()], ran.stdout.as_bytes());
            assert_eq!(kept.code, 0, "{args:?}: {}", kept.stdout);
            if from != Contract::MachineReadableV1 {
                let by_mark = manila(&["convert", "--to", to.id()], sealed.as_bytes());
                assert_eq!(by_mark.code, 0, "{args:?}: {}", by_mark.stderr);
            }
        }
    }
}

#[test]
fn the_layout_is_as_in_other_commands() {
    let run = |flag: &str| manila(&["convert", "--to", "envelope-v1", flag], GOOD.as_bytes());
    assert_eq!(run("--compact").stdout.lines().count(), 1);
    let pretty = run("--pretty").stdout;
    assert!(pretty.lines().count() > 5, "{pretty}");
    // R2: an empty object is nothing.
    assert_eq!(tree(&pretty)["data"], json!(null));
    check_refused(&["--to", "envelope-v1", "--pretty", "--lines"], GOOD, &["cannot be used with"]);
}

#[test]
fn what_was_lost_is_told_or_kept() {
    let args = ["convert", "--to", "envelope-v1"];
    let ran = manila(&args, WARNED.as_bytes());
    assert_eq!(ran.code, 0);
    let note = "note: response-v2 to envelope-v1: warnings: the contract has no place for it\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);

    let folder = Folder::with("convert-losses", &[("in.json", WARNED), ("old.jsonl", "old")]);
    let (input, kept) = (folder.path("in.json"), folder.path("old.jsonl"));
    let ran = manila(&[&args[..], &["--losses", &kept, &input]].concat(), b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let row = tree(&std::fs::read_to_string(&kept).unwrap());
    assert_eq!((&row["from"], &row["to"]), (&json!("response-v2"), &json!("envelope-v1")));
    let loss = json!({"what": "warnings", "why": "the contract has no place for it"});
    assert!(row["losses"].as_array().unwrap().contains(&loss), "{row}");
    assert!(row.get("line").is_none());
    // Nothing lost, nothing written.
    let same = ["convert", "--to", "response-v2", "--losses", &kept];
    assert_eq!(manila(&same, GOOD.as_bytes()).code, 0);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "");

    let to = ["--to", "envelope-v1", "--losses"];
    check_refused(&[&to[..], &["-"]].concat(), GOOD, &["standard output, which is for envelopes"]);
    check_refused(&[&to[..], &[&input, &input]].concat(), "", &["would write over the input"]);
    check_refused(&[&to[..], &["/no/such/x"]].concat(), GOOD, &["cannot write `/no/such/x`"]);
    assert_eq!(std::fs::read_to_string(&input).unwrap(), WARNED);
}

/// The losses of a conversion, as `what`.
fn lost(from: Contract, to: Contract, envelope: &str) -> Vec<String> {
    let folder = Folder::with("convert-lost", &[("in.json", envelope)]);
    let (input, kept) = (folder.path("in.json"), folder.path("lost.jsonl"));
    let args = ["convert", "--from", from.id(), "--to", to.id(), "--losses", &kept, &input];
    let ran = manila(&args, b"");
    assert_eq!(ran.code, 0, "{envelope}: {}", ran.stderr);
    let kept = std::fs::read_to_string(&kept).unwrap();
    if kept.is_empty() {
        return Vec::new();
    }
    let row = tree(&kept);
    let losses = row["losses"].as_array().unwrap();
    losses.iter().map(|loss| loss["what"].as_str().unwrap().to_owned()).collect()
}

type Lost = (Contract, Contract, &'static str, &'static [&'static str]);

/// What another contract has to make up or to change, and by which name that is told.
const LOST: [Lost; 10] = {
    use Contract::{EnvelopeV1 as E, MachineReadableV1 as M, McpEnvelopeV01 as P, ResponseV2 as R};
    [
        (
            R,
            P,
            r#"{"success":false,"data":{"remediation":"do"},"error":"m","meta":{"version":"response-v2","request_id":"q"}}"#,
            &["error_code", "error_type"],
        ),
        (
            M,
            P,
            r#"{"success":false,"errors":[{"code":"FORBIDDEN","message":"","category":"Capability","hint":"h","rawOutput":"","mcpErrorCode":-32603,"data":{"exitCode":-1}}],"exitCode":-1}"#,
            &["message"],
        ),
        (
            M,
            P,
            r#"{"success":false,"errors":[{"code":"FORBIDDEN","message":"m","category":"Capability","hint":"h","rawOutput":"","mcpErrorCode":-32603}],"exitCode":-1}"#,
            &["data"],
        ),
        (
            M,
            P,
            r#"{"success":false,"errors":[{"code":"EXIT_3","message":"m","category":"Unknown","hint":"h","rawOutput":"","mcpErrorCode":-32603,"data":{"exitCode":3}}],"exitCode":3}"#,
            &["rawOutput"],
        ),
        (
            M,
            P,
            r#"{"success":false,"errors":[{"code":"","message":"m","category":"Unknown","rawOutput":"","data":{"exitCode":-1}}],"exitCode":-1}"#,
            &["code"],
        ),
        (
            P,
            R,
            r#"{"schema_version":"mcp.envelope.v0.1","result":{"success":false,"error":"File not found: x"},"meta":{"request_id":"q"}}"#,
            &["success"],
        ),
        (
            R,
            P,
            r#"{"success":true,"data":{"password":"hunter2secret"},"error":null,"meta":{"version":"response-v2","request_id":"q"}}"#,
            &["secrets"],
        ),
        (
            P,
            R,
            r#"{"schema_version":"mcp.envelope.v0.1","result":{"success":true,"data":{},"error":null,"meta":{"version":"response-v2"}}}"#,
            &["envelope"],
        ),
        (
            P,
            E,
            r#"{"schema_version":"mcp.envelope.v0.1","result":{"tier":"pro","tool_version":"1","tool_id":"t","request_id":"r","capabilities":["envelope-v1"],"duration_ms":1,"error":null,"upgrade_hints":[],"data":null},"errors":[{"code":"X.Y","message":"m"}]}"#,
            &["payload"],
        ),
        (
            R,
            P,
            r#"{"success":false,"data":{"error_code":"X","error_type":"internal","remediation":"do","details":{"partial":{"schema_version":"mcp.envelope.v0.1","result":1}}},"error":"m","meta":{"version":"response-v2","request_id":"q"}}"#,
            &["payload"],
        ),
    ]
};

#[test]
fn what_is_made_up_is_told() {
    for (from, to, envelope, expected) in LOST {
        let lost = lost(from, to, envelope);
        for what in expected {
            assert!(lost.iter().any(|it| it == what), "{what} of {envelope}: {lost:?}");
        }
        let args = ["convert", "--from", from.id(), "--to", to.id()];
        let written = manila(&args, envelope.as_bytes()).stdout;
        let kept = manila(&["check", "-c", to.id()], written.as_bytes());
        assert_eq!(kept.code, 0, "{written}: {}", kept.stdout);
    }
}

#[test]
fn losses_are_written_over_nothing_that_is_read() {
    let folder = Folder::with("convert-over", &[("in.json", WARNED), ("manila.toml", "")]);
    let (input, link) = (folder.path("in.json"), folder.path("link.json"));
    let config = folder.path("manila.toml");
    std::fs::hard_link(&input, &link).unwrap();
    let to = ["--to", "envelope-v1", "--losses"];
    check_refused(&[&to[..], &[&link, &input]].concat(), "", &["would write over the input"]);
    let own = [&to[..], &[&config, "--config", &config]].concat();
    check_refused(&own, GOOD, &["would write over the configuration"]);
    let stdin = std::fs::File::open(&input).unwrap();
    let program = env!("CARGO_BIN_EXE_manila");
    let mut convert = std::process::Command::new(program);
    let ran = convert.arg("convert").args(to).arg(&input).stdin(stdin).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("would write over the input"));
    assert_eq!(std::fs::read_to_string(&input).unwrap(), WARNED);
}

#[test]
fn losses_of_lines_have_their_numbers() {
    let input = format!("{GOOD}\n\n{WARNED}\r\n{GOOD}\n{WARNED}\n");
    let args = ["convert", "--to", "envelope-v1", "--lines"];
    let ran = manila(&args, input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told = "response-v2 to envelope-v1: warnings: the contract has no place for it\n";
    assert_eq!(ran.stderr.matches(told).count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("note: line 3, {told}")), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("note: in 2 lines, {told}")), "{}", ran.stderr);
    let folder = Folder::with("convert-lost-lines", &[]);
    let kept = folder.path("lost.jsonl");
    let ran = manila(&[&args[..], &["--losses", &kept]].concat(), input.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let kept = std::fs::read_to_string(kept).unwrap();
    let has_warning = |row: &Value| row["losses"].to_string().contains("\"warnings\"");
    let rows = kept.lines().map(tree).filter(has_warning);
    let numbers: Vec<Value> = rows.map(|row| row["line"].clone()).collect();
    assert_eq!(numbers, [json!(3), json!(5)]);
}

#[test]
fn what_cannot_be_read_is_told_with_the_next_step() {
    let to = ["--to", "envelope-v1"];
    let unmarked = r#"{"success":true,"output":"hi","exitCode":0}"#;
    let hint =
        "hint: name the contract of an envelope with `--from`; machine-readable-v1 has no mark";
    check_refused(&to, unmarked, &["standard input has the mark of no contract", hint]);
    check_refused(&to, "{}", &[hint]);
    let request = r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#;
    check_refused(&to, request, &["is `request-envelope`, which is no envelope of a tool"]);
    let older = GOOD.replace("response-v2", "response-v1");
    check_refused(&to, &older, &["has a meta.version that names no contract"]);
    check_refused(&to, "nope", &["not JSON", "line 1, column 1"]);
    check_refused(&to, &format!("{GOOD}{GOOD}"), &["use `--lines`"]);
    let hint = "look again with `manila check --contract response-v2 FILE`";
    let found = ["-:1:", "response-v2 R3 /error ", "does not keep response-v2: ", hint];
    check_refused(&to, BROKEN, &found);
    let other = ["--to", "envelope-v1", "--from", "machine-readable-v1"];
    check_refused(&other, GOOD, &["does not keep machine-readable-v1: "]);
    check_refused(&["--to", "envelop-v1"], GOOD, &["did you mean `envelope-v1`?"]);
    check_refused(&["--to", "request-envelope"], GOOD, &["use one of: response-v2"]);
    check_refused(&[], GOOD, &["required", "--to"]);
    check_refused(&["--to", "envelope-v1", "no.json"], "", &["there is no such file"]);
    check_refused(&["--to", "envelope-v1", "examples"], "", &["it is a directory"]);
    let folder = Folder::with("convert-broken", &[("x.json", BROKEN)]);
    let path = folder.path("x.json");
    let hint = format!("`manila check --contract response-v2 {path}`");
    check_refused(&["--to", "envelope-v1", &path], "", &[&format!("{path}:1:"), &hint]);
}

#[test]
fn a_bad_line_is_an_empty_line_and_its_number_is_told() {
    let input = format!("{GOOD}\r\nnope\n\n{BROKEN}\n{{}}\n{GOOD}");
    let ran = manila(&["convert", "--to", "envelope-v1", "--lines"], input.as_bytes());
    assert_eq!(ran.code, 1);
    let is_there: Vec<bool> = ran.stdout.lines().map(|line| line.starts_with('{')).collect();
    assert_eq!(is_there, [true, false, false, false, false, true]);
    for said in [
        "error: standard input, line 2, column 1: not JSON",
        "error: standard input, line 4, column ",
        "response-v2 R3 /error ",
        "error: standard input, line 5: it has the mark of no contract",
    ] {
        assert!(ran.stderr.contains(said), "{said:?} is not said: {}", ran.stderr);
    }
    assert_eq!(ran.stderr.matches("hint: ").count(), 3);
    let end = "note: 3 of 6 lines could not be converted\n";
    assert!(ran.stderr.ends_with(end), "{}", ran.stderr);
}

#[test]
fn secrets_are_hidden_on_the_way() {
    let secret = GOOD.replace("{},", r#"{"password":"hunter2x","n":1},"#);
    for to in Contract::ALL {
        let ran = manila(&["convert", "--to", to.id()], secret.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("[REDACTED]") && !ran.stdout.contains("hunter2x"), "{to}");
    }
    let folder = Folder::with("convert-config", &[("m.toml", "[redact]\noff = [\"password\"]\n")]);
    let args = ["convert", "--to", "envelope-v1", "--config", &folder.path("m.toml")];
    assert!(manila(&args, secret.as_bytes()).stdout.contains("hunter2x"));
}

/// Who has no id gets a fresh one, and no two lines the same.
#[test]
fn fresh_ids_differ() {
    let line = r#"{"schema_version":"mcp.envelope.v0.1","result":{"n":1}}"#;
    let input = format!("{line}\n").repeat(50);
    let ran = manila(&["convert", "--to", "response-v2", "--lines"], input.as_bytes());
    let id = |line: &str| tree(line)["meta"]["request_id"].as_str().unwrap().to_owned();
    let mut ids: Vec<String> = ran.stdout.lines().map(id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ran.code, ids.len()), (0, 50));
}

fn numbered(n: usize) -> String {
    GOOD.replace("{},", &format!("{{\"n\":{n}}},"))
}

#[test]
fn many_lines_come_out_in_order() {
    let mut input = String::new();
    for n in 0..50_000 {
        // A bad line now and then, and one that takes long.
        match n {
            20_000 => input.push_str(
                &numbered(n)
                    .replace("{\"n\"", &format!("{{\"pad\":\"{}\",\"n\"", "x".repeat(900_000))),
            ),
            n if n % 1999 == 1998 => input.push_str("nope"),
            n => input.push_str(&numbered(n)),
        }
        input.push('\n');
    }
    assert!(input.len() > 5_000_000);
    let ran = manila(&["convert", "--to", "envelope-v1", "--lines"], input.as_bytes());
    assert_eq!(ran.code, 1);
    let mut n_lines = 0;
    for (n, line) in ran.stdout.lines().enumerate() {
        n_lines += 1;
        if n % 1999 == 1998 {
            assert_eq!(line, "", "{n}");
        } else {
            assert!(line.contains(&format!("\"n\":{n}}}")), "{n}: {line}");
        }
    }
    assert_eq!(n_lines, 50_000);
    let numbers = ran.stderr.lines().filter_map(|line| line.split(", line ").nth(1));
    let numbers: Vec<usize> =
        numbers.map(|rest| rest.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(numbers, (1..=25).map(|k| k * 1999).collect::<Vec<_>>());
}

#[test]
fn of_many_bad_lines_the_first_are_told() {
    for (args, done) in [
        (&["convert", "--to", "envelope-v1", "--lines"][..], "converted"),
        (&["seal", "--lines"], "sealed"),
    ] {
        let Ran { stdout, stderr, code } = manila(args, "nope\n".repeat(3000).as_bytes());
        assert_eq!((code, stdout.len()), (1, 3000));
        assert_eq!(stderr.matches("error: ").count(), 1000);
        let end = format!(
            "note: 3000 of 3000 lines could not be {done}; the first 1000 of them are told above\n"
        );
        assert!(stderr.ends_with(&end));
    }
}

/// Who waits for an envelope before sending the next line gets it.
#[test]
fn an_envelope_is_handed_on_before_the_next_line_is_whole() {
    let mut child = start(&["convert", "--to", "mcp.envelope.v0.1", "--lines"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for n in 0..20 {
        stdin.write_all(format!("{}\n ", numbered(n)).as_bytes()).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains(&format!("\"n\":{n}}}")), "{line}");
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A reader that goes away ends the program, though nothing more comes in.
#[test]
fn a_closed_pipe_is_told_while_the_input_stays_open() {
    let mut child = start(&["convert", "--to", "envelope-v1", "--lines"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdin.write_all(format!("{GOOD}\n").as_bytes()).unwrap();
    stdout.read_exact(&mut [0; 5]).unwrap();
    drop(stdout);
    // A program that another test is about to start holds the pipe's other end, too, until it runs.
    // What is written before that is taken, and nothing is noticed; so more is written until it is.
    while stdin.write_all(format!("{GOOD}\n").as_bytes()).is_ok() {}
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("standard output was closed") && stderr.contains("hint: "), "{stderr}");
    drop(stdin);
}
