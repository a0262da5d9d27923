//! `manila import`: configurations of clients, each with the expected output.
//!
//! Each folder in `import/` is a case: the configuration, the expected stdout in `manila.toml`, and
//! the expected stderr in `stderr.txt`.

use std::path::Path;

use crate::program::{Scratch, check_generated, files, manila};

const FOLDER: &str = "crates/manila-cli/tests/it/import";

/// Runs a case, and compares stdout and stderr.
#[track_caller]
fn check(case: &Path) {
    let known = ["manila.toml", "stderr.txt"];
    let names = files(case.to_str().unwrap());
    let is_config = |path: &&std::path::PathBuf| !known.iter().any(|name| path.ends_with(name));
    let config = names.iter().find(is_config).expect("a case has a configuration");
    let ran = manila(&["import", config.to_str().unwrap()], b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let read: toml::Table = toml::from_str(&ran.stdout).unwrap();
    assert!(read["upstream"].as_table().is_some_and(|upstreams| !upstreams.is_empty()));
    for secret in ["not-a-real", "PRIVATE"] {
        assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{}", ran.stderr);
    }
    check_generated(&case.join("manila.toml"), &ran.stdout);
    check_generated(&case.join("stderr.txt"), &ran.stderr);
}

#[test]
fn the_configuration_of_each_client_is_imported() {
    let cases = files(FOLDER);
    assert!(cases.len() >= 8, "the cases were not found");
    for case in cases {
        check(&case);
    }
}

/// Checks that a configuration is refused, and that stderr contains the expected texts.
#[track_caller]
fn check_refused(config: &str, expected: &[&str]) {
    let ran = manila(&["import", "-"], config.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: stdin: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: "), "{}", ran.stderr);
    for text in expected {
        assert!(ran.stderr.contains(text), "{text:?} is missing from {}", ran.stderr);
    }
}

#[test]
fn invalid_configurations_are_reported_with_a_position() {
    check_refused("", &["the input is empty"]);
    check_refused("[upstream.a]\ncommand = []\n", &["not JSON", "line 1, column 2"]);
    // Comments do not change the positions after them.
    check_refused("{ // é\n /* é */ \"a\": x}", &["not JSON", "line 2, column 15"]);
    check_refused("{\"mcpServers\": {}} /* open", &["not JSON", "line 1, column 20"]);
    check_refused("[]", &["stdin: must be an object, but is an array"]);
    check_refused("{\"a\": 1}", &["no MCP servers", "claude_desktop_config.json"]);
    check_refused("{\"a\": {\"command\": \"x\"}}", &["no MCP servers", "put the servers in"]);
    check_refused("{\"mcpServers\": {}}", &["the list of servers is empty", "add a server"]);
    check_refused(
        "{\"projects\": {\"/x\": {\"mcpServers\": {}}}}",
        &["the list of servers is empty"],
    );
    check_refused("{\"mcpServers\": []}", &["/mcpServers: must be an object, but is an array"]);
    check_refused("{\"servers\": {\"a\": \"npx\"}}", &["/servers/a: must be an object"]);
}

#[test]
fn errors_in_a_server_are_reported_with_a_json_pointer() {
    let cases: [(&str, &[&str]); 19] = [
        ("{}", &["/mcpServers/a: has neither `command` nor `url` (line 1, column 22)"]),
        ("{\"type\": \"stdio\"}", &["is of type `stdio`, but has no `command`"]),
        ("{\"type\": \"http\", \"command\": \"x\"}", &["of type `http`, but has no `url`"]),
        ("{\"type\": 1, \"command\": \"x\"}", &["/a/type: must be a string"]),
        ("{\"command\": \"x\", \"url\": \"http://x\"}", &["both `command` and `url`", "`type`"]),
        ("{\"command\": 5}", &["/a/command: must be a string, but is a number", "quotes"]),
        ("{\"command\": [\"npx\"]}", &["/a/command: must be a string, but is an array"]),
        ("{\"command\": \" \"}", &["/a/command: must not be empty"]),
        ("{\"command\": \"x\", \"args\": \"-y\"}", &["/a/args: must be an array"]),
        (
            "{\"command\": \"x\", \"args\": [\"-p\",\n 80]}",
            &["/a/args/1: must be", "line 2, column 2"],
        ),
        ("{\"command\": \"x\", \"env\": []}", &["/a/env: must be an object"]),
        ("{\"command\": \"x\", \"env\": {\"A\": true}}", &["/a/env/A: must be a string"]),
        ("{\"command\": \"x\", \"cwd\": {}}", &["/a/cwd: must be a string"]),
        ("{\"command\": \"x\", \"disabled\": \"yes\"}", &["/a/disabled: must be a boolean"]),
        ("{\"command\": \"x\", \"command\": \"y\"}", &["/a/command: duplicate member name"]),
        ("{\"command\": \"x\", \"args\": [\"\\ud800\"]}", &["/a/args/0: contains a lone surr"]),
        ("{\"url\": \"http://\"}", &["/a/url: is not a URL", "https://example.com/mcp"]),
        ("{\"url\": \"http://x\", \"headers\": {\"a b\": \"c\"}}", &["is not a header name"]),
        ("{\"url\": \"http://x\", \"headers\": [\"A: b\"]}", &["/a/headers: must be an object"]),
    ];
    for (server, expected) in cases {
        check_refused(&format!("{{\"mcpServers\": {{\"a\": {server}}}}}"), expected);
    }
    let server = "\"servers\": {\"a\": {\"command\": \"x\"}}";
    check_refused(&format!("{{{server}, \"inputs\": {{}}}}"), &["/inputs: must be an array"]);
    check_refused(&format!("{{{server}, \"inputs\": [{{}}]}}"), &["/inputs/0: an input must have"]);
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let large = format!("{{\"mcpServers\": {{}}}}{}", " ".repeat(4 * 1024 * 1024));
    let ran = manila(&["import"], large.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("exceeds the limit of 4194304 bytes"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: raise the limit with `--bytes-max`"), "{}", ran.stderr);
}

#[test]
fn too_many_servers_are_refused_and_many_arguments_accepted() {
    let many = |n: usize, one: &dyn Fn(usize) -> String| {
        (0..n).map(one).collect::<Vec<String>>().join(",")
    };
    let servers = many(1001, &|n| format!("\"s{n}\": {{\"command\": \"x\"}}"));
    check_refused(&format!("{{\"mcpServers\": {{{servers}}}}}"), &["1001 servers", "at most 1000"]);
    let args = many(100_000, &|n| format!("\"--token={n}x\""));
    let config =
        format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"x\", \"args\": [{args}]}}}}}}");
    let ran = manila(&["import"], config.as_bytes());
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("\"--token=${A_TOKEN_100000}\""));
}

#[test]
fn secrets_are_kept_with_the_option() {
    let config = r#"{"mcpServers": {"a": {"command": "x", "env": {"API_KEY": "PRIVATE"}}}}"#;
    let ran = manila(&["import", "--keep-secrets"], config.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("env = { API_KEY = \"PRIVATE\" }"), "{}", ran.stdout);
    assert!(ran.stdout.starts_with("# From stdin, by `manila import`.\n"));
}

#[test]
fn an_existing_file_is_overwritten_only_with_force() {
    let scratch = Scratch::new("import");
    let config = scratch.file("mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    let existing = scratch.file("existing.toml", "mine");
    let new = existing.replace("existing.toml", "new.toml");
    let expected = "# From mcp.json, by `manila import`.\n\n[upstream.a]\ncommand = [\"x\"]\n";
    let import = |args: &[&str]| manila(&[&["import", &config], args].concat(), b"");

    let ran = import(&["--output", &new]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    assert_eq!(std::fs::read_to_string(&new).unwrap(), expected);

    let refused = |args: &[&str], message: &str| {
        let ran = import(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(message) && ran.stderr.contains("hint: "), "{}", ran.stderr);
    };
    refused(&["--output", &existing], "the file exists");
    assert_eq!(std::fs::read_to_string(&existing).unwrap(), "mine");
    refused(&["--output", &config, "--force"], "it is the input file");
    refused(&["--output", &format!("{new}/x")], "cannot write");
    refused(&["--force"], "--output");

    assert_eq!(import(&["--output", &existing, "--force"]).code, 0);
    assert_eq!(std::fs::read_to_string(&existing).unwrap(), expected);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("import-mode");
    let config = scratch.file("mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    let existing = scratch.file("existing.toml", "mine");
    std::fs::set_permissions(&existing, PermissionsExt::from_mode(0o644)).unwrap();
    let new = existing.replace("existing.toml", "new.toml");
    for args in [&["--output", &new][..], &["--output", &existing, "--force", "--keep-secrets"]] {
        let ran = manila(&[&["import", &config], args].concat(), b"");
        assert_eq!(ran.code, 0, "{ran:?}");
        let mode = std::fs::metadata(args[1]).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{args:?}");
    }
    // A device is not changed.
    let ran = manila(&["import", &config, "--output", "/dev/null", "--force"], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_help_names_every_client() {
    let help = manila(&["import", "--help"], b"").stdout;
    for text in
        ["Claude Desktop", "Claude Code", "Cursor", "VS Code", "--keep-secrets", "[upstream.NAME]"]
    {
        assert!(help.contains(text), "{text}");
    }
}
