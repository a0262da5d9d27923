//! `manila convert`: conversion between all contracts, reported losses and unreadable input.

use std::io::{BufRead, BufReader, Read, Write};

use manila::Contract;
use serde_json::{Value, json};

use crate::check::{BROKEN, Folder, GOOD};
use crate::program::{RunOutput, manila, start};

/// An envelope with a warning, for which other contracts have no place.
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
    for text in expected {
        assert!(ran.stderr.contains(text), "{args:?}: {text:?} is missing from {}", ran.stderr);
    }
}

#[test]
fn every_contract_converts_to_every_other() {
    for from in Contract::ALL {
        let sealed = manila(&["seal", "-c", from.id(), "examples/security_scan.json"], b"").stdout;
        for to in Contract::ALL {
            let args = ["convert", "--from", from.id(), "--to", to.id()];
            let ran = manila(&args, sealed.as_bytes());
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
            let checked = manila(&["check", "-c", to.id()], ran.stdout.as_bytes());
            assert_eq!(checked.code, 0, "{args:?}: {}", checked.stdout);
            if from != Contract::MachineReadableV1 {
                let by_mark = manila(&["convert", "--to", to.id()], sealed.as_bytes());
                assert_eq!(by_mark.code, 0, "{args:?}: {}", by_mark.stderr);
            }
        }
    }
}

#[test]
fn compact_and_pretty_layouts_are_as_in_other_commands() {
    let run = |flag: &str| manila(&["convert", "--to", "envelope-v1", flag], GOOD.as_bytes());
    assert_eq!(run("--compact").stdout.lines().count(), 1);
    let pretty = run("--pretty").stdout;
    assert!(pretty.lines().count() > 5, "{pretty}");
    // R2: an empty object means that there is no payload.
    assert_eq!(tree(&pretty)["data"], json!(null));
    check_refused(&["--to", "envelope-v1", "--pretty", "--lines"], GOOD, &["cannot be used with"]);
}

#[test]
fn losses_are_printed_or_written_to_a_file() {
    let args = ["convert", "--to", "envelope-v1"];
    let ran = manila(&args, WARNED.as_bytes());
    assert_eq!(ran.code, 0);
    let note = "note: envelope-v1 cannot carry `warnings` (from response-v2)\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);

    let folder = Folder::with("convert-losses", &[("in.json", WARNED), ("old.jsonl", "old")]);
    let (input, losses) = (folder.path("in.json"), folder.path("old.jsonl"));
    let ran = manila(&[&args[..], &["--losses", &losses, &input]].concat(), b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let row = tree(&std::fs::read_to_string(&losses).unwrap());
    assert_eq!((&row["from"], &row["to"]), (&json!("response-v2"), &json!("envelope-v1")));
    let loss = json!({"what": "warnings", "why": "the contract has no place for it"});
    assert!(row["losses"].as_array().unwrap().contains(&loss), "{row}");
    assert!(row.get("line").is_none());
    // Without losses, the file is empty.
    let same = ["convert", "--to", "response-v2", "--losses", &losses];
    assert_eq!(manila(&same, GOOD.as_bytes()).code, 0);
    assert_eq!(std::fs::read_to_string(&losses).unwrap(), "");

    let to = ["--to", "envelope-v1", "--losses"];
    check_refused(&[&to[..], &["-"]].concat(), GOOD, &["stdout, which is for envelopes"]);
    check_refused(&[&to[..], &[&input, &input]].concat(), "", &["would overwrite the input"]);
    check_refused(&[&to[..], &["/no/such/x"]].concat(), GOOD, &["cannot write `/no/such/x`"]);
    assert_eq!(std::fs::read_to_string(&input).unwrap(), WARNED);
}

/// Returns the `what` of each loss of a conversion.
fn losses_of(from: Contract, to: Contract, envelope: &str) -> Vec<String> {
    let folder = Folder::with("convert-lost", &[("in.json", envelope)]);
    let (input, output) = (folder.path("in.json"), folder.path("lost.jsonl"));
    let args = ["convert", "--from", from.id(), "--to", to.id(), "--losses", &output, &input];
    let ran = manila(&args, b"");
    assert_eq!(ran.code, 0, "{envelope}: {}", ran.stderr);
    let text = std::fs::read_to_string(&output).unwrap();
    if text.is_empty() {
        return Vec::new();
    }
    let row = tree(&text);
    let losses = row["losses"].as_array().unwrap();
    losses.iter().map(|loss| loss["what"].as_str().unwrap().to_owned()).collect()
}

type LossCase = (Contract, Contract, &'static str, &'static [&'static str]);

/// Envelopes whose conversion invents or changes a value, with the names of the expected losses.
const LOSS_CASES: [LossCase; 10] = {
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
fn invented_and_changed_values_are_reported_as_losses() {
    for (from, to, envelope, expected) in LOSS_CASES {
        let lost = losses_of(from, to, envelope);
        for what in expected {
            assert!(lost.iter().any(|it| it == what), "{what} of {envelope}: {lost:?}");
        }
        let args = ["convert", "--from", from.id(), "--to", to.id()];
        let written = manila(&args, envelope.as_bytes()).stdout;
        let checked = manila(&["check", "-c", to.id()], written.as_bytes());
        assert_eq!(checked.code, 0, "{written}: {}", checked.stdout);
    }
}

#[test]
fn losses_never_overwrite_an_input() {
    let folder = Folder::with("convert-over", &[("in.json", WARNED), ("manila.toml", "")]);
    let (input, link) = (folder.path("in.json"), folder.path("link.json"));
    let config = folder.path("manila.toml");
    std::fs::hard_link(&input, &link).unwrap();
    let to = ["--to", "envelope-v1", "--losses"];
    check_refused(&[&to[..], &[&link, &input]].concat(), "", &["would overwrite the input"]);
    let over_config = [&to[..], &[&config, "--config", &config]].concat();
    check_refused(&over_config, GOOD, &["would overwrite the configuration"]);
    let stdin = std::fs::File::open(&input).unwrap();
    let program = env!("CARGO_BIN_EXE_manila");
    let mut convert = std::process::Command::new(program);
    let ran = convert.arg("convert").args(to).arg(&input).stdin(stdin).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("would overwrite the input"));
    assert_eq!(std::fs::read_to_string(&input).unwrap(), WARNED);
}

#[test]
fn losses_of_lines_have_line_numbers() {
    let input = format!("{GOOD}\n\n{WARNED}\r\n{GOOD}\n{WARNED}\n");
    let args = ["convert", "--to", "envelope-v1", "--lines"];
    let ran = manila(&args, input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let loss = "envelope-v1 cannot carry `warnings` (from response-v2)\n";
    assert_eq!(ran.stderr.matches(loss).count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("note: line 3: {loss}")), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("note: in 2 lines: {loss}")), "{}", ran.stderr);
    let folder = Folder::with("convert-lost-lines", &[]);
    let output = folder.path("lost.jsonl");
    let ran = manila(&[&args[..], &["--losses", &output]].concat(), input.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let text = std::fs::read_to_string(output).unwrap();
    let has_warning = |row: &Value| row["losses"].to_string().contains("\"warnings\"");
    let rows = text.lines().map(tree).filter(has_warning);
    let numbers: Vec<Value> = rows.map(|row| row["line"].clone()).collect();
    assert_eq!(numbers, [json!(3), json!(5)]);
}

#[test]
fn unreadable_input_is_reported_with_a_next_step() {
    let to = ["--to", "envelope-v1"];
    let unmarked = r#"{"success":true,"output":"hi","exitCode":0}"#;
    let hint =
        "hint: name the envelope's contract with `--from`; machine-readable-v1 is never recognised";
    check_refused(&to, unmarked, &["stdin is not recognised as an envelope", hint]);
    check_refused(&to, "{}", &[hint]);
    let request = r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#;
    check_refused(&to, request, &["is a `request-envelope` document, not an envelope"]);
    let older = GOOD.replace("response-v2", "response-v1");
    check_refused(&to, &older, &["has a meta.version that names no contract"]);
    check_refused(&to, "nope", &["not JSON", "line 1, column 1"]);
    check_refused(&to, &format!("{GOOD}{GOOD}"), &["use `--lines`"]);
    let hint = "check it with `manila check --contract response-v2 FILE`";
    let found = ["-:1:", "response-v2 R3 /error ", "does not conform to response-v2: ", hint];
    check_refused(&to, BROKEN, &found);
    let other = ["--to", "envelope-v1", "--from", "machine-readable-v1"];
    check_refused(&other, GOOD, &["does not conform to machine-readable-v1: "]);
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
fn a_bad_line_becomes_an_empty_line_and_is_reported_by_number() {
    let input = format!("{GOOD}\r\nnope\n\n{BROKEN}\n{{}}\n{GOOD}");
    let ran = manila(&["convert", "--to", "envelope-v1", "--lines"], input.as_bytes());
    assert_eq!(ran.code, 1);
    let is_envelope: Vec<bool> = ran.stdout.lines().map(|line| line.starts_with('{')).collect();
    assert_eq!(is_envelope, [true, false, false, false, false, true]);
    for expected in [
        "error: stdin, line 2, column 1: not JSON",
        "error: stdin, line 4, column ",
        "response-v2 R3 /error ",
        "error: stdin, line 5 is not recognised as an envelope",
    ] {
        assert!(ran.stderr.contains(expected), "{expected:?} is missing from {}", ran.stderr);
    }
    assert_eq!(ran.stderr.matches("hint: ").count(), 3);
    let end = "note: 3 of 6 lines could not be converted\n";
    assert!(ran.stderr.ends_with(end), "{}", ran.stderr);
}

#[test]
fn secrets_are_redacted() {
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

/// An envelope without an id gets a fresh one, which differs on each line.
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

fn numbered_envelope(n: usize) -> String {
    GOOD.replace("{},", &format!("{{\"n\":{n}}},"))
}

#[test]
fn many_lines_come_out_in_order() {
    let mut input = String::new();
    for n in 0..50_000 {
        // Some lines are bad, and one takes long.
        match n {
            20_000 => input.push_str(
                &numbered_envelope(n)
                    .replace("{\"n\"", &format!("{{\"pad\":\"{}\",\"n\"", "x".repeat(900_000))),
            ),
            n if n % 1999 == 1998 => input.push_str("nope"),
            n => input.push_str(&numbered_envelope(n)),
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
fn only_the_first_bad_lines_are_listed() {
    for (args, done) in [
        (&["convert", "--to", "envelope-v1", "--lines"][..], "converted"),
        (&["seal", "--lines"], "sealed"),
    ] {
        let RunOutput { stdout, stderr, code } = manila(args, "nope\n".repeat(3000).as_bytes());
        assert_eq!((code, stdout.len()), (1, 3000));
        assert_eq!(stderr.matches("error: ").count(), 1000);
        let end = format!(
            "note: 3000 of 3000 lines could not be {done}; the first 1000 are listed above\n"
        );
        assert!(stderr.ends_with(&end));
    }
}

/// A caller that waits for each envelope before it sends the next line gets the envelope.
#[test]
fn an_envelope_is_written_before_the_next_line_is_complete() {
    let mut child = start(&["convert", "--to", "mcp.envelope.v0.1", "--lines"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for n in 0..20 {
        stdin.write_all(format!("{}\n ", numbered_envelope(n)).as_bytes()).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains(&format!("\"n\":{n}}}")), "{line}");
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A closed stdout ends the program, even though stdin stays open.
#[test]
fn a_closed_stdout_is_reported_while_stdin_stays_open() {
    let mut child = start(&["convert", "--to", "envelope-v1", "--lines"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdin.write_all(format!("{GOOD}\n").as_bytes()).unwrap();
    stdout.read_exact(&mut [0; 5]).unwrap();
    drop(stdout);
    // A process that another test is starting also holds the read end of stdout until it runs.
    // Until then, writes to stdout succeed, so the test sends lines until the program ends.
    while stdin.write_all(format!("{GOOD}\n").as_bytes()).is_ok() {}
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("stdout was closed") && stderr.contains("hint: "), "{stderr}");
    drop(stdin);
}
