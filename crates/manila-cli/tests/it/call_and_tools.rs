//! `manila call` and `manila tools`: call and list a server's tools from the command line.

use serde_json::{Value, json};

use crate::program::{RunOutput, Scratch, manila};
use crate::serve::sample;

fn call(args: &[&str]) -> RunOutput {
    let args: Vec<&str> = ["call"].iter().chain(args).copied().collect();
    let args = [args.as_slice(), &["--", "manila", "sample-server"]].concat();
    manila(&args, b"")
}

#[track_caller]
fn check(args: &[&str], code: i32, pointer: &str, expected: &Value) {
    let ran = call(args);
    assert_eq!(ran.code, code, "{args:?}: {} {}", ran.stdout, ran.stderr);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(envelope.pointer(pointer), Some(expected), "{args:?}: {envelope}");
}

#[test]
fn arguments_are_converted_to_the_types_of_the_schema() {
    check(&["echo", "--arg", "message=5"], 0, "/data/result", &json!("5"));
    check(&["echo", "--arg", "message=a=b"], 0, "/data/result", &json!("a=b"));
    check(&["add", "--arg", "a=5", "--arg", "b=0.5"], 0, "/data/sum", &json!(5.5));
    let both = ["add", "--args", r#"{"a": 1, "b": 2}"#, "--arg", "b=4"];
    check(&both, 0, "/data/sum", &json!(5));
    let last = ["echo", "--arg", "message=x", "--arg", "message=y"];
    check(&last, 0, "/data/result", &json!("y"));
}

#[test]
fn failures_are_envelopes_with_exit_status_1() {
    let wrong = ["add", "--arg", "a=1", "--arg", "b=x"];
    check(&wrong, 1, "/data/details/violations/0/pointer", &json!("/b"));
    check(&["fail", "--arg", "how=not_found"], 1, "/data/error_code", &json!("NOT_FOUND"));
    check(&["crash"], 1, "/data/error_code", &json!("UNAVAILABLE"));
    let slow = ["wait", "--arg", "ms=60000", "--timeout", "200ms"];
    check(&slow, 1, "/data/error_code", &json!("UNAVAILABLE"));
    check(&["ask_user", "--arg", "question=who"], 1, "/success", &json!(false));
    let other = ["fail", "--arg", "how=text", "--contract", "machine-readable-v1"];
    check(&other, 1, "/errors/0/code", &json!("TOOL_FAILED"));
    let none = ["fail", "--arg", "how=text", "--contract", "none"];
    check(&none, 1, "/isError", &json!(true));
}

#[test]
fn media_blocks_are_in_the_payload() {
    check(&["image"], 0, "/data/result/1/type", &json!("image"));
}

#[track_caller]
fn check_refused(args: &[&str], message: &str, hint: &str) {
    let ran = manila(args, b"");
    assert_eq!(ran.code, 2, "{args:?}");
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("hint: {hint}")), "{}", ran.stderr);
}

#[test]
fn calls_that_cannot_be_made_are_refused_with_a_hint() {
    let sample = ["--", "manila", "sample-server"];
    let with = |args: &[&'static str]| [args, &sample].concat();
    check_refused(&with(&["call", "ecko"]), "no tool `ecko`", "did you mean `echo`?");
    check_refused(
        &with(&["call", "echo", "--arg", "message"]),
        "there is no `=` in `message`",
        "e.g. --arg",
    );
    check_refused(&with(&["call", "echo", "--arg", "=x"]), "there is no name", "e.g. --arg");
    check_refused(
        &with(&["call", "echo", "m=x"]),
        "unexpected argument",
        "pass a tool's arguments as",
    );
    let size = ["wrap", "--message-bytes-max", "64XB", "--", "x"];
    check_refused(&size, "a number with KiB", "`manila wrap --help`");
    check_refused(
        &with(&["call", "echo", "--args", "[1]"]),
        "must be a JSON object",
        "pass a JSON",
    );
    check_refused(&with(&["call", "echo", "--args", "{"]), "--args", "pass a JSON object");
    check_refused(&["call", "echo", "--", "no-such-program"], "could not be started", "check the");
    check_refused(&["tools", "--", "false"], "exited with code 1", "run the command");
    check_refused(&["wrap", "npx", "x"], "unexpected argument", "put the server's command after");
    check_refused(&["wrap", "--timeout", "never", "--", "x"], "a number with ms", "`manila wrap");
}

#[test]
fn tools_are_listed_as_text_and_as_json() {
    let as_text = manila(&["tools", "--", "manila", "sample-server"], b"");
    assert_eq!(as_text.code, 0, "{}", as_text.stderr);
    assert!(as_text.stdout.starts_with("echo {message: string}\n    "), "{}", as_text.stdout);
    assert!(as_text.stdout.contains("list {count?: integer}"));
    assert!(as_text.stdout.contains("fail {how: \"text\"|"), "{}", as_text.stdout);
    let as_json = manila(&["tools", "--json", "--", "manila", "sample-server"], b"");
    let tools: Value = serde_json::from_str(&as_json.stdout).unwrap();
    assert_eq!(tools[1]["name"], "add");
    assert_eq!(tools[1]["outputSchema"]["properties"]["meta"]["type"], "object");
}

#[test]
fn tools_of_configured_servers_are_called_by_prefixed_name() {
    let scratch = Scratch::new("by-hand-config");
    let text = sample("one", &[], "")
        + &sample("two", &[], "contract = \"envelope-v1\"")
        + "[upstream.gone]\ncommand = [\"/no/such/program\"]\n\
           [tool.one_list]\ncontract = \"none\"\n";
    let config = scratch.file("manila.toml", text);
    let with = |args: &[&str]| manila(&[args, &["--config", &config]].concat(), b"");
    // Only the server that offers the tool must be available.
    let called = with(&["call", "two_echo", "--arg", "message=hello"]);
    assert_eq!((called.code, called.stderr.as_str()), (0, ""));
    let envelope: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!((&envelope["tool_id"], &envelope["data"]), (&json!("two_echo"), &json!("hello")));
    let plain = with(&["call", "one_list", "--arg", "count=1"]);
    assert!(plain.stdout.contains("\"content\":["), "{}", plain.stdout);
    let overridden = with(&["call", "two_echo", "--arg", "message=hello", "-c", "response-v2"]);
    assert!(overridden.stdout.contains("\"version\":\"response-v2\""), "{}", overridden.stdout);
    let refused = |args: &[&str], message: &str, hint: &str| {
        check_refused(&[args, &["--config", &config]].concat(), message, hint);
    };
    refused(&["call", "two_ecco"], "no tool `two_ecco`", "did you mean `two_echo`?");
    refused(
        &["call", "three_echo"],
        "no server in the configuration has the tool `three_echo`",
        "with several servers",
    );
    refused(&["call", "gone_echo"], "`/no/such/program` could not be started", "`manila doctor");
    refused(&["wrap"], "no server given", "pass its command");
    // The tools of available servers are listed, and unavailable servers are reported.
    let listed = with(&["tools"]);
    assert_eq!(listed.code, 1);
    assert!(
        listed.stderr.starts_with("note: the server `gone` is not available"),
        "{}",
        listed.stderr
    );
    for tool in ["\none_add {", "\ntwo_add {"] {
        assert!(listed.stdout.contains(tool), "{}", listed.stdout);
    }
    let empty = scratch.file("empty.toml", "contract = \"none\"");
    check_refused(&["tools", "--config", &empty], "contains no server", "add one");
}

#[test]
fn a_server_without_tools_lists_none() {
    let no_discover = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}"#;
    let initialized = r#"{"jsonrpc":"2.0","id":2,"result":{"capabilities":{}}}"#;
    let no_list = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}"#;
    let script = format!(
        "read a; echo '{no_discover}'; read b; echo '{initialized}'; read c; read d; \
         echo '{no_list}'; cat >/dev/null"
    );
    let ran = manila(&["tools", "--", "sh", "-c", &script], b"");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "No tools are offered.\n"), "{}", ran.stderr);
}

#[test]
fn a_silent_server_is_reported_after_the_timeout() {
    let silent = ["--timeout", "300ms", "--", "manila", "sample-server", "--fault", "silent"];
    check_refused(
        &[&["tools"], silent.as_slice()].concat(),
        "did not complete the handshake within",
        "run",
    );
}

#[test]
fn progress_is_printed_only_with_the_option() {
    let quiet = call(&["progress", "--arg", "steps=2"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    let shown = call(&["progress", "--arg", "steps=2", "--progress"]);
    assert_eq!(shown.stderr.lines().filter(|line| line.starts_with("progress: ")).count(), 2);
}
