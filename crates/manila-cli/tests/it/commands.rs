//! The commands as a person or a script uses them.

use serde_json::Value;

use crate::program::{files, manila};

#[track_caller]
fn run(args: &[&str]) -> String {
    let ran = manila(args, b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    ran.stdout
}

#[track_caller]
fn check_prints(args: &[&str], expected: &[&str]) {
    let stdout = run(args);
    for text in expected {
        assert!(stdout.contains(text), "{args:?}: {text:?} is missing from:\n{stdout}");
    }
}

#[test]
fn help_lists_the_contracts_and_a_first_command() {
    for help in ["-h", "--help"] {
        check_prints(
            &[help],
            &[
                "response-v2",
                "envelope-v1",
                "machine-readable-v1",
                "mcp.envelope.v0.1",
                "when",
                "Try:",
            ],
        );
    }
    check_prints(&["seal", "--help"], &["\"answered\"", "\"exited\"", "--lines", "--losses"]);
    let bare = manila(&[], b"");
    assert_eq!(bare.code, 2);
    assert!(bare.stderr.contains("Usage: manila <COMMAND>"));
}

#[test]
fn contracts_and_errors_are_listed_as_text_and_as_json() {
    check_prints(&["contracts"], &["response-v2 (default)", "mcp.envelope.v0.1", "when  "]);
    let contracts: Value = serde_json::from_str(&run(&["contracts", "--json"])).unwrap();
    assert_eq!(contracts.as_array().unwrap().len(), 4);
    assert_eq!(contracts[0]["default"], true);

    check_prints(
        &["errors"],
        &["TOOL_NOT_FOUND             404  -32001  -32602    no  Unknown tool"],
    );
    let errors: Value = serde_json::from_str(&run(&["errors", "--json"])).unwrap();
    assert_eq!(errors.as_array().unwrap().len(), manila::Code::ALL.len());
    assert_eq!(errors[5]["spellings"][0]["word"], "NOT_FOUND");
}

#[test]
fn explain_knows_every_spelling() {
    check_prints(
        &["explain", "TOOL_NOT_FOUND"],
        &["No server offers", "404", "ADAPTER.TOOL.NOT_FOUND"],
    );
    check_prints(&["explain", "upgrade_required"], &["UPGRADE_REQUIRED", "higher tier"]);
    check_prints(&["explain", "RATE_LIMIT_EXCEEDED"], &["RATE_LIMITED", "retry        yes"]);
    check_prints(
        &["explain", "not_found"],
        &["stands for NOT_FOUND or TOOL_NOT_FOUND", "reads it as NOT_FOUND"],
    );
    check_prints(&["explain", "SPEC_NOT_FOUND"], &["NOT_FOUND"]);
    check_prints(&["explain", "EXIT_127"], &["COMMAND_FAILED"]);
    check_prints(&["explain", "NU1101"], &["what to do", "learn.microsoft.com", "COMMAND_FAILED"]);
    check_prints(&["explain", "nu1101"], &["NU1101"]);
    let json: Value = serde_json::from_str(&run(&["explain", "CS0103", "--json"])).unwrap();
    assert_eq!(json[0]["canonical"], "COMMAND_FAILED");
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        check_prints(&["completions", shell], &["seal", "explain"]);
    }
}

/// R14.
#[test]
fn seal_prints_compact_in_a_pipe_and_pretty_with_the_option() {
    let example = "examples/file_not_found.json";
    let compact = run(&["seal", example]);
    assert_eq!(compact.lines().count(), 1);
    let pretty = run(&["seal", "--pretty", example]);
    assert!(pretty.lines().count() > 10);
    let tree = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(tree(&compact), tree(&pretty));
    assert_eq!(tree(&compact)["data"]["error_code"], "NOT_FOUND");
}

#[test]
fn seal_writes_all_contracts_side_by_side() {
    let all: Value =
        serde_json::from_str(&run(&["seal", "--contract", "all", "examples/failed_build.json"]))
            .unwrap();
    assert_eq!(all.as_object().unwrap().len(), 4);
    assert_eq!(all["machine-readable-v1"]["errors"][0]["code"], "CS0103");
    assert_eq!(all["envelope-v1"]["tool_id"], "dotnet_project");
}

#[test]
fn contract_all_accepts_what_a_single_contract_accepts() {
    let deep = format!("{{\"observed\":{{\"answered\":{}{}}}}}", "[".repeat(124), "]".repeat(124));
    for contract in ["response-v2", "all"] {
        let ran = manila(&["seal", "--contract", contract], deep.as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{contract}");
    }
}

#[test]
fn seal_reads_stdin_by_name_and_by_default() {
    let json = b"{\"observed\":{\"said\":\"hi\"},\"request_id\":\"r\"}";
    let expected = "{\"success\":true,\"data\":{\"result\":\"hi\"},\"error\":null,\
                    \"meta\":{\"version\":\"response-v2\",\"request_id\":\"r\"}}\n";
    assert_eq!(manila(&["seal", "-"], json).stdout, expected);
    assert_eq!(manila(&["seal"], json).stdout, expected);
}

#[test]
fn seal_reports_losses_with_the_option() {
    let args =
        ["seal", "--losses", "--contract", "machine-readable-v1", "examples/security_scan.json"];
    let ran = manila(&args, b"");
    assert_eq!(ran.code, 0);
    let note = "note: machine-readable-v1 cannot carry `warnings`";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
}

#[test]
fn ids_are_fresh_unless_the_call_is_deterministic() {
    let id = |json: &str, contract: &str| {
        let ran = manila(&["seal", "-c", contract], json.as_bytes());
        let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
        let id = envelope.pointer("/meta/request_id").or(envelope.pointer("/request_id"));
        id.unwrap().as_str().unwrap().to_owned()
    };
    let random = r#"{"observed":{"said":"x"}}"#;
    assert_ne!(id(random, "response-v2"), id(random, "response-v2"));
    let short = id(random, "response-v2");
    let digits = short.strip_prefix("req_").unwrap();
    assert!(digits.len() == 12 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{short}");
    assert_eq!(id(random, "envelope-v1").len(), 32);

    // Q7: UUIDv5 over the key-sorted request, so member order and white space do not matter.
    let one = r#"{"deterministic":true,"observed":{"answered":{"b":1,"a":2}}}"#;
    let two = r#"{"observed":{"answered":{ "a":2, "b":1}},"deterministic":true}"#;
    assert_eq!(id(one, "envelope-v1"), "386c53b832f55396a8673022e9071361");
    assert_eq!(id(two, "envelope-v1"), id(one, "envelope-v1"));
    assert_eq!(id(one, "response-v2"), "req_386c53b832f5");
}

#[test]
fn every_shipped_example_can_be_sealed() {
    for path in files("examples").into_iter().filter(|path| path.is_file()) {
        let is_lines = path.extension().is_some_and(|extension| extension == "jsonl");
        let flag = if is_lines { "--lines" } else { "--compact" };
        run(&["seal", "--contract", "all", flag, path.to_str().unwrap()]);
    }
}
