//! Redaction: no output of the program contains a secret.

use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::program::{RunOutput, Scratch, manila, root, start};
use crate::scripted::{ANSWER_INITIALIZE, connect};

const SECRET: &str = "AKIAIOSFODNN7REDACTE";

#[track_caller]
fn check(args: &[&str], stdin: &str, stdout: &str) {
    let ran = manila(&[&["redact"], args].concat(), stdin.as_bytes());
    assert_eq!((ran.stdout.as_str(), ran.code), (stdout, 0), "{}", ran.stderr);
}

#[test]
fn redacts_text() {
    check(&[], "", "");
    check(&[], "a password=hunter2x\r\nno secret", "a password=[REDACTED]\r\nno secret");
    check(&["-"], "\u{0}pwd=hunter2x\n\n", "\u{0}pwd=[REDACTED]\n\n");
}

#[test]
fn json_keeps_its_structure() {
    check(&["--json"], "{\"password\":12345678}\n", "{\"password\":\"[REDACTED]\"}\n");
    check(
        &["--json"],
        "{\n  \"a\\u0070i_key\": \"hunter2\",\n  \"n\": 1.0\n}\n",
        "{\n  \"a\\u0070i_key\": \"[REDACTED]\",\n  \"n\": 1.0\n}\n",
    );
    check(
        &["--json"],
        "\n{\n \"passwords\": [\n \"hunter2xyz\"\n]\n}\n",
        "\n{\n \"passwords\": [\n \"[REDACTED]\"\n]\n}\n",
    );
    // A line that is not JSON is redacted as text, and the others are still processed.
    let ran = manila(&["redact", "--json"], b"{\"n\":1}\npwd=hunter2x {\n");
    assert_eq!((ran.stdout.as_str(), ran.code), ("{\"n\":1}\npwd=[REDACTED] {\n", 0));
    assert!(ran.stderr.contains("1 line is not JSON"), "{}", ran.stderr);
    let ran = manila(&["redact", "--json"], b"{\n\"n\": pwd=hunter2x\n");
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    assert!(!ran.stderr.contains("hunter2x"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: remove `--json`"), "{}", ran.stderr);
}

#[test]
fn a_report_has_locations_and_no_secrets() {
    let text = "fine\nx password=hunter2x\n  AKIAIOSFODNN7EXAMPLE\n";
    let ran = manila(&["redact", "--report"], text.as_bytes());
    assert_eq!(ran.stdout, "-:2:12: password\n-:3:3: aws-access-key-id\n");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let ran = manila(&["redact", "--report", "--json"], b"{\"password\":\"hunter2x\"}\n");
    let rows: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(rows, json!([{"file": "-", "line": 1, "column": 14, "rule": "password"}]));
    let ran = manila(&["redact", "--report", "--json"], format!("\n{text}").as_bytes());
    let rows: Value = serde_json::from_str(&ran.stdout).unwrap();
    let password = json!({"file": "-", "line": 3, "column": 12, "rule": "password"});
    let key = json!({"file": "-", "line": 4, "column": 3, "rule": "aws-access-key-id"});
    assert_eq!((rows, ran.code), (json!([password, key]), 1));
    assert_eq!(ran.stderr, "note: stdin is not JSON and was searched as text\n");
    let ran = manila(&["redact", "--report", "--json"], b"just text\n");
    assert_eq!((ran.stdout.trim(), ran.code), ("[]", 0), "{ran:?}");
    let ran = manila(&["redact", "--report", "LICENSE-MIT", "LICENSE-APACHE"], b"");
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 0));
}

#[test]
fn lists_the_rules() {
    let ran = manila(&["redact", "--rules", "--json"], b"");
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(rows.len(), manila_redact::rules().len());
    let text = manila(&["redact", "--rules"], b"").stdout;
    assert!(text.contains("\n    GitHub "), "{text}");
}

/// Each line is written as soon as it is complete, before the input ends.
#[test]
fn redacts_a_pipe_line_by_line() {
    let mut child = start(&["redact"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdin.write_all(b"password=hun").unwrap();
    stdin.flush().unwrap();
    stdin.write_all(b"ter2x\nAKIAIOSFO").unwrap();
    let mut line = [0; 20];
    stdout.read_exact(&mut line).unwrap();
    assert_eq!(&line, b"password=[REDACTED]\n");
    stdin.write_all(b"DNN7EXAMPLE\n").unwrap();
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "[REDACTED]\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_configuration_applies_to_every_command() {
    let folder = std::env::temp_dir().join(format!("manila-redact-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = write(
        "good.toml",
        "[redact]\noff = [\"aws-access-key-id\"]\nallow = [\"hunter2x\"]\n\
         extra = [{ name = \"internal-id\", pattern = \"INT-[0-9]{8}\" }]\n\
         [tool.secrets]\nredact = false\n",
    );
    let text = "AKIAIOSFODNN7EXAMPLE password=hunter2x password=hunter3x INT-12345678\n";
    check(
        &["--config", &good],
        text,
        "AKIAIOSFODNN7EXAMPLE password=hunter2x password=[REDACTED] [REDACTED]\n",
    );
    let seal = |extra: &[&str]| {
        let observation = r#"{"observed": {"said": "INT-12345678"}}"#;
        manila(&[&["seal"], extra].concat(), observation.as_bytes()).stdout
    };
    assert!(seal(&["--config", &good]).contains(r#""internal-id":1"#), "{}", seal(&[]));
    assert!(seal(&[]).contains("INT-12345678"));
    let call = |extra: &[&str]| {
        let server = ["--", "manila", "sample-server"];
        manila(&[&["call", "secrets"], extra, &server].concat(), b"")
    };
    let RunOutput { stdout, stderr, .. } = call(&["--config", &good]);
    assert!(stdout.contains("not-a-real-password"), "{stdout}");
    assert!(stderr.contains("the response of `secrets` was not redacted"), "{stderr}");
    assert!(!call(&[]).stdout.contains("not-a-real-password"));
    let bad = write("bad.toml", "[redact]\nofff = []\n");
    let ran = manila(&["redact", "--config", &bad], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("line 2, column 1: unknown key `offf`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: did you mean `off`?"), "{}", ran.stderr);
    let ran = manila(&["redact", "--config", "no-such.toml"], b"");
    assert!(ran.stderr.contains("there is no such file"), "{}", ran.stderr);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Every response of the server contains secrets, in every contract and without one.
#[test]
fn no_response_contains_a_secret() {
    let answer = |id: u64, members: &str| {
        let members = members.replace("SECRET", SECRET);
        format!(r#"read line; echo '{{"jsonrpc":"2.0","id":{id},{members}}}'; "#)
    };
    let list = r#""result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let listed = answer(2, list);
    let results = [
        r#""result":{"content":[{"type":"text","text":"is SECRET"}],"_meta":{"x":"SECRET"}}"#,
        r#""result":{"content":[],"structuredContent":{"a":[{"SECRET":"SECRET"}]}}"#,
        r#""result":{"content":[{"type":"text","text":"SECRET"}],"isError":true}"#,
        r#""result":{"content":[{"type":"resource","resource":{"uri":"x:y","text":"SECRET"}}]}"#,
        r#""error":{"code":-32000,"message":"no SECRET","data":{"why":["SECRET"]}}"#,
        r#""result":"SECRET""#,
    ];
    let contracts =
        ["response-v2", "envelope-v1", "machine-readable-v1", "mcp.envelope.v0.1", "none"];
    for contract in contracts {
        for members in results {
            let script = listed.clone() + &answer(3, members);
            let script = format!("read confirmed; {script} cat >/dev/null");
            let mut client = connect(&["--contract", contract, "--verbose"], &script);
            client.start_request("x", "tools/call", &json!({"name": "t"}));
            let line = client.line();
            let end = client.end();
            assert!(!line.contains(SECRET), "{contract}: {line}");
            let is_marked = line.contains("[REDACTED]") || members.contains(r#""result":"SECRET""#);
            assert!(is_marked, "{contract}: {line}");
            assert!(!end.stdout.contains(SECRET), "{contract}: {}", end.stdout);
            assert!(!end.stderr.contains(SECRET), "{contract}: {}", end.stderr);
        }
    }
    for method in ["resources/read", "prompts/get", "completion/complete", "tasks/get", "x/y"] {
        for members in results {
            let script = format!("read confirmed; {} cat >/dev/null", answer(2, members));
            let mut client = connect(&[], &script);
            client.start_request("x", method, &json!({}));
            let line = client.line();
            assert!(line.contains("[REDACTED]") && !line.contains(SECRET), "{method}: {line}");
        }
    }
}

/// Values that the protocol itself uses are never redacted.
#[test]
fn does_not_redact_protocol_members() {
    let members = concat!(
        r#""result":{"contents":[{"uri":"x://u:hunter2x@h/SECRET","blob":"BLOB"}],"#,
        r#""nextCursor":"SECRET","_meta":{"progressToken":"SECRET","taskId":"SECRET"}}"#,
    );
    let blob = format!("{}//{SECRET}//{}", "QUJD".repeat(12), "QUJD".repeat(12));
    let members = members.replace("SECRET", SECRET).replace("BLOB", &blob);
    let answer = format!(r#"{{"jsonrpc":"2.0","id":2,{members}}}"#);
    let mut client = connect(&[], &format!("read a; read b; echo '{answer}'; cat >/dev/null"));
    client.start_request("x", "resources/read", &json!({}));
    assert_eq!(client.line(), answer.replace(r#""id":2"#, r#""id":"x""#));
}

#[test]
fn redacts_notifications() {
    let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params":
        {"level": "info", "data": {"m": SECRET, "password": "hunter2x"}}});
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params":
        {"progressToken": SECRET, "progress": 1, "message": SECRET}});
    let script = format!("read a; echo '{message}'; echo '{progress}'; cat >/dev/null");
    let mut client = connect(&[], &script);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let log = client.line();
    assert!(!log.contains(SECRET) && !log.contains("hunter2x"), "{log}");
    let progress = client.line();
    let (token, message) = (json!(SECRET), json!("[REDACTED]"));
    let progress: Value = serde_json::from_str(&progress).unwrap();
    assert_eq!(
        progress["params"],
        json!({"progressToken": token, "progress": 1, "message": message})
    );
}

/// Covers the last stderr lines of a server that exits, and its command line.
#[test]
fn an_exit_reports_no_secret() {
    let script = format!(
        "{ANSWER_INITIALIZE} read a; printf '{SECRET} at last\\n-----BEGIN PRIVATE KEY-----\\n\
         MIIEvQIBADANBgkqhkiG9w0B\\nabc=\\n-----END PRIVATE KEY-----\\n' >&2; exit 3"
    );
    let mut client = Client::start(&[], &["sh", "-c", &script, "x", "--password", "hunter2x"]);
    assert!(client.handshake("2025-11-25")["result"].is_object());
    let answer = client.request("x", "tools/call", &json!({"name": "t"})).to_string();
    let end = client.end();
    for secret in [SECRET, "MIIEvQ", "abc=", "hunter2x"] {
        // The script is part of the command line, which is shown with shell escapes.
        assert!(!answer.contains(secret), "{secret}: {answer}");
        assert!(!end.stderr.contains(secret), "{secret}: {}", end.stderr);
    }
    assert!(answer.contains("[REDACTED] at last"), "{answer}");
}

/// Writes a configuration that lets callers request secrets; `test` is part of its folder's name.
fn allow_unsafe_output(test: &str) -> (Scratch, String) {
    let folder = Scratch::new(test);
    let path = folder.file("manila.toml", "[redact]\nunsafe_output = true\n");
    (folder, path)
}

#[test]
fn a_caller_gets_secrets_only_if_the_operator_allows_it() {
    let (_folder, path) = allow_unsafe_output("meta");
    let request = |options: &[&str]| {
        let mut client = Client::start(options, &["manila", "sample-server"]);
        client.handshake("2025-11-25");
        let meta = json!({"dev.manila/unsafeOutput": true});
        let params = json!({"name": "secrets", "arguments": {}, "_meta": meta});
        let answer =
            client.request("x", "tools/call", &params)["result"]["structuredContent"].clone();
        (answer, client.end().stderr)
    };
    let (answer, stderr) = request(&["--config", &path]);
    assert!(answer.to_string().contains("not-a-real-password"), "{answer}");
    assert!(stderr.contains("was not redacted: the caller requested it"), "{stderr}");
    let (answer, stderr) = request(&[]);
    assert!(!answer.to_string().contains("not-a-real-password"), "{answer}");
    assert_eq!(answer["meta"]["warning_details"][0]["code"], "UNSAFE_OUTPUT_IGNORED");
    assert!(!stderr.contains("was not redacted"), "{stderr}");
}

/// A server with one tool that accepts only the arguments in its schema, and returns them. The
/// schema has the parameters `name` and `extra`.
fn argument_echo_server(extra: &str) -> String {
    let schema = json!({"type": "object", "additionalProperties": false,
        "properties": {"name": {"type": "string"}, extra: {"type": "boolean"}}});
    let list = json!({"jsonrpc": "2.0", "id": 2, "result":
        {"tools": [{"name": "t", "inputSchema": schema}]}});
    format!(
        "{ANSWER_INITIALIZE}read ready; read list; echo '{list}'; read call; \
         args=$(echo \"$call\" | \
         sed -E 's/.*\"arguments\":(\\{{[^}}]*\\}}).*/\\1/; s/\"/\\\\\"/g'); \
         echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{{\"content\":[{{\
         \"type\":\"text\",\"text\":\"'\"$args\"' \
         password=not-a-real-password\"}}]}}}}'; cat > /dev/null"
    )
}

/// M12: callers of this contract send it among the arguments, and the tool does not receive it.
#[test]
fn unsafe_output_is_an_argument_of_machine_readable() {
    let (_folder, path) = allow_unsafe_output("argument");
    let allowed = ["--contract", "machine-readable-v1", "--config", &path];
    let request = |options: &[&str], extra: &str, arguments: &Value| {
        let mut client = Client::start(options, &["sh", "-c", &argument_echo_server(extra)]);
        client.handshake("2025-11-25");
        let params = json!({"name": "t", "arguments": arguments});
        let answer = client.request("x", "tools/call", &params)["result"].clone();
        (answer.to_string(), client.end().stderr)
    };
    let arguments = json!({"name": "n", "machineReadable": true, "unsafeOutput": true});

    let (answer, stderr) = request(&allowed, "extra", &arguments);
    assert!(answer.contains("not-a-real-password"), "{answer}");
    assert!(answer.contains("name") && !answer.contains("unsafeOutput"), "{answer}");
    assert!(!answer.contains("machineReadable"), "{answer}");
    assert!(stderr.contains("was not redacted: the caller requested it"), "{stderr}");

    let (answer, stderr) = request(&allowed[..2], "extra", &arguments);
    assert!(!answer.contains("not-a-real-password"), "{answer}");
    assert!(answer.contains("UNSAFE_OUTPUT_IGNORED"), "{answer}");
    assert!(!stderr.contains("was not redacted"), "{stderr}");

    // `false` requests nothing, and the tool does not receive it either.
    let (answer, _) = request(&allowed, "extra", &json!({"name": "n", "unsafeOutput": false}));
    assert!(!answer.contains("not-a-real-password"), "{answer}");
    assert!(!answer.contains("unsafeOutput") && !answer.contains("IGNORED"), "{answer}");

    // A parameter in the tool's schema belongs to the tool.
    let (answer, _) = request(&allowed, "unsafeOutput", &json!({"unsafeOutput": true}));
    assert!(!answer.contains("not-a-real-password"), "{answer}");
    assert!(answer.contains("unsafeOutput"), "{answer}");

    // Other contracts do not have this argument.
    let (answer, _) = request(&[], "extra", &json!({"unsafeOutput": true}));
    assert!(answer.contains("INVALID_TOOL_INPUT") && answer.contains("unsafeOutput"), "{answer}");

    let (answer, _) = request(&allowed, "extra", &json!({"unsafeOutput": "yes"}));
    assert!(answer.contains("must be true or false"), "{answer}");
}

#[test]
fn refuses_text_in_another_encoding() {
    for (text, name) in
        [("\u{feff}password=hunter2x\n", "UTF-16"), ("password=hunter2x\n", "UTF-16")]
    {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let wide: Vec<u8> = text.chars().flat_map(|it| u32::from(it).to_le_bytes()).collect();
        let after = [b"fine\n".as_slice(), &little].concat();
        for (text, name) in [(&little, name), (&big, name), (&wide, "UTF-32"), (&after, name)] {
            for args in [["redact"].as_slice(), &["redact", "--report"], &["redact", "--json"]] {
                let ran = manila(args, text);
                assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?} {text:?}: {ran:?}");
                let expected = format!("has text in {name}; only UTF-8");
                assert!(ran.stderr.contains(&expected), "{args:?} {text:?}: {ran:?}");
                assert!(ran.stderr.contains("iconv"), "{ran:?}");
            }
        }
    }
}

#[test]
fn writes_no_part_of_text_in_another_encoding() {
    // The program reads pieces of 256 KiB. The first one ends within the other text, after a line.
    let narrow = "x\n".repeat(128 * 1024 - 7);
    let wide = "abcde\n, password=hunter2x\n".encode_utf16();
    let wide: Vec<u8> = wide.flat_map(u16::to_le_bytes).collect();
    let scratch = Scratch::new("redact-wide");
    let file = scratch.file("log", [narrow.as_bytes(), &wide].concat());
    let ran = manila(&["redact", &file], b"");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(narrow.starts_with(&ran.stdout), "{:?}", ran.stdout.get(narrow.len()..));
    // Text with zero bytes that is not in another encoding is complete.
    let other = [narrow.as_bytes(), b"a\0b\0c\0\nd\0e\0\nf\0"].concat();
    let file = scratch.file("other", &other);
    let ran = manila(&["redact", &file], b"");
    assert_eq!((ran.code, ran.stdout.as_bytes() == other), (0, true), "{}", ran.stderr);
}

/// The error messages of commands end up in terminals and logs.
#[test]
fn an_error_at_startup_contains_no_password() {
    let ran = manila(&["call", "t", "--", "no-such-program", "--password", "hunter2x"], b"");
    assert_eq!(ran.code, 2);
    assert!(!ran.stderr.contains("hunter2x"), "{}", ran.stderr);
    assert!(ran.stderr.contains("[REDACTED]"), "{}", ran.stderr);
    assert!(root().join("LICENSE-MIT").exists());
}
