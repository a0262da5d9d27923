//! Operating `manila serve`: configuration, reload, shutdown, diagnosis and resource limits.

use std::cell::Cell;

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::mcp::{Client, WAIT_MAX, manila_path, signal};
use crate::program::{Scratch, manila};
use crate::serve::{names, sample, serve, wait_until};

#[test]
fn a_server_gets_the_configured_environment_and_folder() {
    let scratch = Scratch::new("serve-environment");
    let seen = scratch.file("seen", "");
    let folder = std::path::Path::new(&seen).parent().unwrap().to_string_lossy().into_owned();
    let script = format!("env > {seen}; pwd >> {seen}; exec {} sample-server", manila_path());
    let text = format!(
        "[upstream.one]\ncommand = [\"sh\", \"-c\", {script:?}]\ncwd = {folder:?}\n\
         env = {{ GREETING = \"hello ${{CARGO_PKG_NAME}}\", LITERAL = \"$${{X}}\" }}\n\
         pass_env = [\"CARGO_PKG_NAME\"]\n"
    );
    let config = scratch.file("manila.toml", text);
    let served = serve(&config);
    wait_until("the server runs", || served.call("echo", &json!({"message": "x"})).status == 200);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("GREETING=hello manila-cli\n"), "{seen}");
    assert!(seen.contains("LITERAL=${X}\n"), "{seen}");
    assert!(seen.contains("CARGO_PKG_NAME=manila-cli\n") && seen.contains("PATH="), "{seen}");
    assert!(!seen.contains("CARGO_MANIFEST_DIR"), "{seen}");
    let real = std::fs::canonicalize(folder).unwrap();
    assert!(seen.contains(&format!("{}\n", real.display())), "{seen}");
}

#[test]
fn a_reload_applies_only_the_changes() {
    let scratch = Scratch::new("serve-reload");
    let first = sample("one", &[], "") + &sample("two", &[], "");
    let config = scratch.file("manila.toml", &first);
    let served = serve(&config);
    let calls = |tool: &str| served.call(tool, &json!({})).json()["data"]["calls"].clone();
    let client = served.connect("2025-11-25");
    assert_eq!(client.call("one_echo", &json!({"message": "x"}))["isError"], false);
    let mut stream = client.listen(None);
    let slow = client.start_request(
        &json!("slow"),
        "tools/call",
        &json!({"name": "two_wait", "arguments": {"ms": 3_000}}),
    );
    // The other calls may arrive before it.
    let n_others = Cell::new(0);
    wait_until("the slow call runs", || {
        n_others.set(n_others.get() + 1);
        calls("two_about") == json!(n_others.get() + 1)
    });
    for n in 0..100 {
        // Truncated valid files, and files that were never valid.
        let garbage = match n % 5 {
            0 => first.as_bytes()[..n / 5].to_vec(),
            1 => format!("contract = {n}").into_bytes(),
            2 => format!("[upstream.x{n}]\nurl = \"${{NOT_SET_AT_ALL}}\"").into_bytes(),
            3 => vec![u8::try_from(n).unwrap() ^ 0xa5; n * 1_000],
            _ => Vec::new(),
        };
        let n_before = served.stderr().matches("cannot reload the configuration").count();
        scratch.file("manila.toml", garbage);
        signal("HUP", served.pid());
        wait_until("it is refused", || {
            served.stderr().matches("cannot reload the configuration").count() == n_before + 1
        });
    }
    assert_eq!(served.stderr().matches("is ready again").count(), 0, "{}", served.stderr());
    assert_eq!(client.call("one_echo", &json!({"message": "x"}))["isError"], false);
    scratch.file(
        "manila.toml",
        sample("one", &[], "contract = \"envelope-v1\"") + &sample("three", &[], ""),
    );
    signal("HUP", served.pid());
    stream.wait(|message| message["method"] == "notifications/tools/list_changed");
    // The removed server completes its open call, and the remaining one was not restarted.
    let completed = slow.read_reply().answer(&json!("slow"));
    assert_eq!(completed["result"]["isError"], false, "{completed}");
    let tools = names(&client.request(1, "tools/list", &json!({})), "tools", "name");
    assert!(tools.iter().any(|it| it == "three_echo"), "{tools:?}");
    assert!(!tools.iter().any(|it| it.starts_with("two_")), "{tools:?}");
    let one = client.call("one_about", &json!({}));
    assert_eq!(one["structuredContent"]["tool_id"], "one_about", "{one}");
    assert!(one["structuredContent"]["data"]["calls"].as_u64().unwrap() >= 3, "{one}");
}

#[test]
fn a_reload_applies_allow_none() {
    let scratch = Scratch::new("serve-allow-none");
    let first = sample("one", &[], "");
    let config = scratch.file("manila.toml", &first);
    let served = serve(&config);
    let call = |contract: &str| {
        let head = format!("Manila-Contract: {contract}");
        served.request("POST", "/tools/echo", &[&head], r#"{"message":"x"}"#)
    };
    assert_eq!(call("none").status, 200);
    scratch.file("manila.toml", first + "[listen]\nallow_none = false\n");
    signal("HUP", served.pid());
    wait_until("the file is reloaded", || served.stderr().contains("manila.toml: 1 server"));
    let refused = call("none");
    assert!(refused.body.contains("the operator does not allow `none`"), "{refused:?}");
    assert_eq!(call("envelope-v1").status, 200);
    assert!(!served.stderr().contains("after a restart"), "{}", served.stderr());
}

#[test]
fn reloaded_redaction_rules_apply_to_the_log() {
    let scratch = Scratch::new("serve-rules");
    let first = sample("one", &[], "");
    let config = scratch.file("manila.toml", &first);
    let served = serve(&config);
    let write_stderr = |text: &str| served.call("stderr", &json!({"text": text}));
    write_stderr("before INT-12345678");
    wait_until("the id is logged", || served.stderr().contains("[one] before INT-12345678"));
    let rule = "[redact]\nextra = [{ name = \"internal-id\", pattern = \"INT-[0-9]{8}\" }]\n";
    scratch.file("manila.toml", first + rule);
    signal("HUP", served.pid());
    wait_until("the file is reloaded", || served.stderr().contains("manila.toml: 1 server"));
    write_stderr("after INT-87654321");
    wait_until("the id is redacted", || served.stderr().contains("[one] after [REDACTED]"));
    served.call("INT-87654321", &json!({}));
    wait_until("the call is logged", || served.stderr().contains("TOOL_NOT_FOUND"));
    assert!(!served.stderr().contains("INT-8"), "{}", served.stderr());
    // The rules also match a secret that contains an escape sequence.
    write_stderr("colour INT-8765\u{1b}[1m4321");
    wait_until("the id is redacted", || served.stderr().contains("[one] colour [REDACTED]"));
}

#[test]
fn reloaded_redaction_rules_apply_to_an_unfinished_line() {
    let scratch = Scratch::new("serve-rules-line");
    let script = format!("printf 'start INT-1234' >&2; exec {} sample-server", manila_path());
    let first = format!("[upstream.one]\ncommand = [\"sh\", \"-c\", {script:?}]\n");
    let config = scratch.file("manila.toml", &first);
    let served = serve(&config);
    wait_until("the server runs", || served.call("echo", &json!({"message": "x"})).status == 200);
    let rule = "[redact]\nextra = [{ name = \"internal-id\", pattern = \"INT-[0-9]{8}\" }]\n";
    scratch.file("manila.toml", first + rule);
    signal("HUP", served.pid());
    wait_until("the file is reloaded", || served.stderr().contains("manila.toml: 1 server"));
    served.call("stderr", &json!({"text": "5678 end"}));
    wait_until("the line is logged", || served.stderr().contains(" end\n"));
    assert!(served.stderr().contains("[one] start [REDACTED] end\n"), "{}", served.stderr());
}

#[test]
fn http_and_stdio_stop_together() {
    let scratch = Scratch::new("serve-both");
    let config = scratch.file("manila.toml", sample("one", &[], ""));
    let mut client = Client::start_manila(&[
        "serve",
        "--config",
        &config,
        "--stdio",
        "--http",
        "127.0.0.1:0",
        "-v",
    ]);
    client.handshake("2025-11-25");
    // With only one server, tool names have no prefix.
    assert_eq!(client.envelope("echo", &json!({"message": "x"}))["data"]["result"], "x");
    let stderr = client.stderr();
    let (_, url) = stderr.split_once("http://").unwrap();
    let (address, _) = url.split_once("/mcp").unwrap();
    let url = format!("http://{address}/mcp");
    let called = manila(&["call", "echo", "--arg", "message=z", "--url", &url], b"");
    assert!(called.stdout.contains("\"z\""), "{called:?}");
    let ran = client.end();
    assert_eq!(ran.code, 0);
}

#[test]
fn without_a_configuration_it_serves_the_sample_server() {
    let served = HttpProgram::start(&["serve", "--http", "127.0.0.1:0"]);
    wait_until("it logs an example command", || served.stderr().contains("curl -d"));
    assert!(served.stderr().contains("serving MCP"), "{}", served.stderr());
    let echoed = served.call("echo", &json!({"message": "hello"}));
    assert_eq!(echoed.json()["data"]["result"], "hello");
}

#[test]
fn checks_a_configuration_without_serving() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let scratch = Scratch::new("serve-check");
        let config = scratch.file("manila.toml", text);
        let ran = manila(&["serve", "--check", "--config", &config], b"");
        let output = ran.stdout.clone() + &ran.stderr;
        assert!(output.contains(expected), "{text:?}: {output}");
        assert_eq!(ran.code, if expected.contains("is valid") { 0 } else { 2 }, "{output}");
    }
    check("[upstream.a]\nurl = \"http://127.0.0.1:1/mcp\"\n", "is valid: 1 server: a");
    check("[upstream.a]\nurl = \"http://127.0.0.1:1/mcp\"\n[lisen]\n", "did you mean `listen`?");
    check("[upstream.a_b]\nurl = \"http://x/\"", "line 1, column 11: invalid server name `a_b`");
    check("[upstream.a]\n", "has no `command` and no `url`");
    check("[upstream.a]\ncommand = []", "line 2, column 11: the command is empty");
    check("[upstream.a]\nurl = \"ftp://x\"", "must start with http:// or https://");
    check(
        "[upstream.a]\ncommand = [\"x\"]\nurl = \"http://x\"",
        "has both a `command` and a `url`",
    );
    check("[upstream.a]\ncommand = [\"x\"]\nheaders = { A = \"b\" }", "`headers` need a `url`");
    check("[upstream.a]\nurl = \"http://x\"\ncwd = \"/\"", "need a `command`");
    check("[upstream.a]\ncommand = [\"${NOT_SET_AT_ALL}\"]", "`${NOT_SET_AT_ALL}` is not set");
    check("[upstream.a]\ncommand = [\"x\"]\ntimeout = \"soon\"", "use a number with ms");
    check("contract = \"respons-v2\"", "did you mean `response-v2`?");
    check("[limits]\nmessage_bytes_max = \"1\"", "from 1KiB to 4GiB");
    check("[limits]\nconnections_max = 0", "expected a whole number above 0");
    check("[listen]\nhttp = \"0.0.0.0:7300\"", "not a loopback address");
    check("", "contains no server");
}

#[test]
fn the_doctor_reports_problems_with_hints() {
    let scratch = Scratch::new("serve-doctor");
    let folder = std::path::Path::new(&scratch.file("x", "")).parent().unwrap().join("runs");
    let text = sample("one", &[], "")
        + "[upstream.broken]\ncommand = [\"/no/such/program\"]\n"
        + "[upstream.away]\nurl = \"http://127.0.0.1:1/mcp\"\n"
        + "[upstream.silent]\ncommand = [\"sleep\", \"60\"]\nstart_timeout = \"300ms\"\n"
        + &format!(
            "[journal]\nfolder = \"{}\"\n[listen]\nhttp = \"127.0.0.1:0\"\n",
            folder.display()
        );
    let config = scratch.file("manila.toml", text);
    let ran = manila(&["doctor", "--config", &config], b"");
    assert_eq!(ran.code, 1, "{ran:?}");
    for (line, hint) in [
        ("ok   configuration", ""),
        ("ok   http", ""),
        ("ok   journal", ""),
        ("ok   one            32 tools, MCP 2026-07-28", ""),
        ("bad  broken         `/no/such/program` could not be started", "hint: install it"),
        ("bad  away           ", "hint: check that it runs"),
        ("bad  silent         ", "hint: "),
    ] {
        let (_, rest) = ran.stdout.split_once(line).unwrap_or_else(|| panic!("{line}: {ran:?}"));
        assert!(rest.lines().nth(1).unwrap_or_default().contains(hint), "{line}: {ran:?}");
    }
    let findings: Value =
        serde_json::from_str(&manila(&["doctor", "--json", "--config", &config], b"").stdout)
            .unwrap();
    assert_eq!(findings.as_array().unwrap().len(), 7, "{findings}");
    let two = sample("one", &[], "") + &sample("two", &[], "");
    let tables = "[tool.one_echo]\nplacement = \"text\"\n[tool.two_ecko]\nplacement = \"text\"\n";
    let unknown = scratch.file("unknown.toml", two + tables + "[journal]\nfiles_max = 0\n");
    let ran = manila(&["doctor", "--config", &unknown], b"");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.stdout.matches("bad ").count(), 1, "{ran:?}");
    let (_, rest) = ran.stdout.split_once("bad  tool.two_ecko  no server has this tool").unwrap();
    assert!(rest.contains("hint: did you mean `two_echo`?"), "{ran:?}");
    let wrong = scratch.file("wrong.toml", "contract = 7");
    let ran = manila(&["doctor", "--config", &wrong], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("bad  configuration"), "{ran:?}");
}

#[test]
fn notifies_systemd_of_start_and_stop() {
    let scratch = Scratch::new("serve-notify");
    let config = scratch.file("manila.toml", sample("one", &[], "") + "[journal]\nfiles_max = 0\n");
    let socket = std::path::Path::new(&config).with_file_name("notify");
    let listener = std::os::unix::net::UnixDatagram::bind(&socket).unwrap();
    listener.set_read_timeout(Some(WAIT_MAX)).unwrap();
    let mut child = std::process::Command::new(manila_path())
        .args(["serve", "--config", &config, "--http", "127.0.0.1:0"])
        .env("NOTIFY_SOCKET", &socket)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut state = [0; 64];
    let n_bytes = listener.recv(&mut state).unwrap();
    assert_eq!(&state[..n_bytes], b"READY=1");
    signal("TERM", child.id());
    let n_bytes = listener.recv(&mut state).unwrap();
    assert_eq!(&state[..n_bytes], b"STOPPING=1");
    assert!(child.wait().unwrap().success());
}

#[test]
fn responds_503_when_no_more_files_can_be_opened() {
    let scratch = Scratch::new("serve-files");
    let config = scratch.file(
        "manila.toml",
        sample("one", &[], "") + "[journal]\nfolder = \"/dev/shm/never\"\nfiles_max = 0\n",
    );
    let mut served = HttpProgram::start_after(
        "ulimit -Sn 64; ulimit -Hn 64",
        &["serve", "--config", &config, "--http", "127.0.0.1:0"],
    );
    let address = served.address.clone();
    let request = |stream: &mut std::net::TcpStream| {
        use std::io::{Read, Write};
        stream.set_read_timeout(Some(WAIT_MAX)).unwrap();
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        let mut response = [0; 512];
        let n_bytes = stream.read(&mut response).unwrap_or(0);
        String::from_utf8_lossy(&response[..n_bytes]).into_owned()
    };
    let mut first = std::net::TcpStream::connect(&address).unwrap();
    assert!(request(&mut first).starts_with("HTTP/1.1 200"));
    let mut others = Vec::new();
    let refused = (0..100).find_map(|_| {
        let mut next = std::net::TcpStream::connect(&address).unwrap();
        let response = request(&mut next);
        others.push(next);
        (!response.starts_with("HTTP/1.1 200")).then_some(response)
    });
    let refused = refused.unwrap();
    assert!(
        refused.starts_with("HTTP/1.1 503") && refused.contains("too many open files"),
        "{refused:?}"
    );
    // Existing connections keep working, and when others close, new ones are accepted again.
    assert!(request(&mut first).starts_with("HTTP/1.1 200"));
    others.clear();
    wait_until("connections are accepted again", || {
        let mut next = std::net::TcpStream::connect(&address).unwrap();
        request(&mut next).starts_with("HTTP/1.1 200")
    });
    signal("TERM", served.pid());
    assert_eq!(served.wait(), Some(0));
}
