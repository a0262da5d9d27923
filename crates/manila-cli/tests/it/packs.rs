//! Packs behind the gateway: declarative files that offer programs as tools.

use serde_json::{Value, json};

use crate::http_client::HttpProgram;
use crate::program::{Scratch, manila, root};
use crate::test_pack::{TEST_PACK, TestPack, call, envelope, text};

#[test]
fn offers_a_program_as_a_tool() {
    let shelf = TestPack::new("packs-tool");
    let mut client = shelf.client("");
    let listed = client.request("list", "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["shelf_book", "shelf_server_capabilities"]);
    let properties = &tools[0]["inputSchema"]["properties"];
    assert_eq!(properties["action"]["enum"], json!(["Read", "WriteIt", "Burn", "Newer", "Quick"]));
    let found = client.envelope("shelf_book", &json!({"action": "Read", "title": "a b"}));
    assert_eq!(found["data"]["result"], "reading read a b\n", "{found}");
    let capabilities = client.envelope("shelf_server_capabilities", &json!({}));
    assert_eq!(capabilities["data"]["program"]["version"], "2.5", "{capabilities}");
    let actions = &capabilities["data"]["tools"][0]["actions"];
    assert_eq!(actions[3], json!({"name": "Newer", "available": false, "requires": "9.0"}));
    // Arguments after `--` may look like options.
    let rest = json!({"action": "Read", "rest": ["--deep", "x"]});
    let found = client.envelope("shelf_book", &rest);
    assert_eq!(found["data"]["result"], "reading read -- --deep x\n", "{found}");
}

#[test]
fn refusals_are_envelopes_and_run_nothing() {
    let shelf = TestPack::new("packs-refused");
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, format!("{}/{name}", shelf.work)).unwrap();
    };
    link("/etc", "link");
    link("../outside", "dangling");
    link("loop", "loop");
    let mut client = shelf.client("");
    let mut check = |arguments: Value, code: &str, expected: &str| {
        let result = client.call("shelf_book", &arguments);
        assert_eq!(result["_meta"]["dev.manila/code"], code, "{arguments}: {result}");
        let envelope = &result["structuredContent"];
        assert_eq!((&envelope["success"], &result["isError"]), (&json!(false), &json!(true)));
        assert!(envelope.to_string().contains(expected), "{arguments}: {envelope}");
    };
    let input = "INVALID_TOOL_INPUT";
    check(json!({}), input, "Parameter 'action' is required");
    check(json!({"action": "read"}), input, "Invalid action 'read' is not supported");
    check(json!({"action": "Read", "titel": "x"}), input, "did you mean 'title'?");
    check(json!({"action": "Read", "title": 7}), input, "must be text");
    for title in ["; rm -rf x", "$(id)", "`id`", "a\nb", "a\0b", "--config=x", "-x", "a|b", "../x"]
    {
        check(json!({"action": "Read", "title": title}), input, "invalid characters");
    }
    for path in
        ["../../etc/passwd", "/etc/passwd", "link/passwd", "./link/../../x", "no/../../../x"]
    {
        check(json!({"action": "Read", "file": path}), "INVALID_PATH", "allowed folders");
    }
    for path in ["dangling", "dangling/x", "loop", "loop/x"] {
        check(json!({"action": "Read", "file": path}), "INVALID_PATH", "allowed folders");
    }
    for path in ["-o", "@list", "a\nb", "a\0b", "--config=x"] {
        check(json!({"action": "Read", "file": path}), input, "invalid characters");
    }
    for folder in ["/", "..", "link", "no-such-folder", "notes.txt"] {
        check(
            json!({"action": "Read", "workingDirectory": folder}),
            "INVALID_PATH",
            "workingDirectory",
        );
    }
    check(json!({"action": "Burn", "wait_ms": -1}), input, "wait_ms");
    let long: Vec<String> = (0..50).map(|_| "x".repeat(10_000)).collect();
    check(json!({"action": "Read", "rest": long}), input, "more than 100000");
    assert_eq!(shelf.count_runs(""), 0);
    // No shell interprets the arguments.
    let found = client.envelope("shelf_book", &json!({"action": "Read", "rest": ["$(id);", "*"]}));
    assert_eq!(found["data"]["result"], "reading read -- $(id); *\n", "{found}");
}

#[test]
fn returns_plain_text_unless_an_envelope_is_requested() {
    let shelf = TestPack::new("packs-plain");
    let readable = "contract = \"machine-readable-v1\"";
    let mut client = shelf.client(readable);
    let listed = client.request("list", "tools/list", &json!({}));
    let tool = &listed["result"]["tools"][0];
    assert_eq!(tool["inputSchema"]["properties"]["machineReadable"]["type"], "boolean", "{tool}");
    assert_eq!(tool["inputSchema"]["properties"].get("unsafeOutput"), None);
    assert_eq!(tool.get("outputSchema"), None);
    let arguments = json!({"action": "Read", "title": "x"});
    let plain = client.call("shelf_book", &arguments);
    assert_eq!(text(&plain), "reading read x\nExit Code: 0", "{plain}");
    assert_eq!((&plain["isError"], plain.get("structuredContent")), (&json!(false), None));
    let refused = client.call("shelf_book", &json!({"action": "read"}));
    let message = "Error: Invalid action 'read' is not supported. For tool 'shelf_book'.";
    assert_eq!((text(&refused), &refused["isError"]), (message, &json!(true)));
    let machine = json!({"action": "Read", "title": "x", "machineReadable": true});
    let envelope: Value = serde_json::from_str(text(&client.call("shelf_book", &machine))).unwrap();
    assert_eq!(envelope["output"], "reading read x\n", "{envelope}");
    assert!(envelope["command"].as_str().unwrap().ends_with("/shelf read x"), "{envelope}");
    // A caller that selects the contract gets its envelopes.
    let meta = json!({"dev.manila/contract": "machine-readable-v1"});
    let params = json!({"name": "shelf_book", "arguments": arguments, "_meta": meta});
    let answer = client.request("meta", "tools/call", &params);
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
    // The contract of a single tool has the same effect, and other tools return envelopes.
    let mut client = shelf.client("[tool.shelf_book]\ncontract = \"machine-readable-v1\"");
    let plain = client.call("shelf_book", &json!({"action": "Read", "title": "x"}));
    assert_eq!(text(&plain), "reading read x\nExit Code: 0", "{plain}");
    let capabilities = client.call("shelf_server_capabilities", &json!({}));
    assert_eq!(capabilities["structuredContent"]["success"], true, "{capabilities}");
    let mut client = shelf.client("contract = \"none\"");
    let plain = client.call("shelf_book", &json!({"action": "Read", "title": "x"}));
    assert_eq!(text(&plain), "reading read x\nExit Code: 0", "{plain}");
    assert!(!plain.to_string().contains("dev.manila/observation"), "{plain}");
}

#[test]
fn secrets_are_redacted_unless_operator_and_caller_allow_them() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let script = format!("#!/bin/sh\necho token={token}\n");
    let shelf = TestPack::with("packs-secret", &script);
    let arguments = json!({"action": "Read", "machineReadable": true, "unsafeOutput": true});
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let redacted = client.call("shelf_book", &arguments).to_string();
    assert!(!redacted.contains(&token), "{redacted}");
    assert!(redacted.contains("UNSAFE_OUTPUT_IGNORED"), "{redacted}");
    // Callers may send these arguments under every contract.
    let mut client = shelf.client("");
    let redacted = client.call("shelf_book", &arguments).to_string();
    assert!(!redacted.contains(&token), "{redacted}");
    assert!(redacted.contains("UNSAFE_OUTPUT_IGNORED"), "{redacted}");
    let wrong = json!({"action": "Read", "machineReadable": "yes"});
    let wrong = client.call("shelf_book", &wrong);
    assert!(wrong.to_string().contains("must be true or false"), "{wrong}");
    let allowed = "contract = \"machine-readable-v1\"\n[redact]\nunsafe_output = true";
    let mut client = shelf.client(allowed);
    assert!(client.call("shelf_book", &arguments).to_string().contains(&token));
    let listed = client.request("list", "tools/list", &json!({})).to_string();
    assert!(listed.contains("unsafeOutput"), "{listed}");
    client.wait_for_stderr(|line| line.contains("shelf_book").then_some(()));
}

#[test]
fn reports_missing_programs_with_alternatives() {
    let shelf = TestPack::new("packs-missing");
    let mut client = shelf.client("");
    let old = client.call("shelf_book", &json!({"action": "Newer"}));
    assert_eq!(old["_meta"]["dev.manila/code"], "CAPABILITY_NOT_AVAILABLE", "{old}");
    let message = old["structuredContent"]["error"].as_str().unwrap();
    assert!(message.contains("9.0 or newer, but 2.5 is installed"), "{message}");
    assert!(old.to_string().contains("\"Install "), "{old}");
    let wrong = client.call("shelf_server_capabilities", &json!({"bogus": 1}));
    assert_eq!(wrong["_meta"]["dev.manila/code"], "INVALID_TOOL_INPUT", "{wrong}");
    assert_eq!(shelf.count_runs("newer"), 0);
    // The tools of a missing program are listed, and their calls report that it is missing.
    let pack = TEST_PACK.replace("PROGRAM", "no-such-shelf");
    let missing = shelf.scratch.file("missing.toml", &pack);
    let listed = manila(&["tools", "--pack", &missing], b"");
    assert!(listed.stdout.contains("shelf_book"), "{listed:?}");
    let ran = call(&missing, &["-c", "machine-readable-v1"], "Read");
    let error = &envelope(&ran)["errors"][0];
    assert_eq!(error["code"], "CAPABILITY_NOT_AVAILABLE", "{ran:?}");
    assert_eq!(error["alternatives"], json!(["Buy a shelf"]));
    assert_eq!(error["mcpErrorCode"], -32001);
    assert_eq!(error["data"]["command"], "no-such-shelf read");
    // A pack for another platform.
    let elsewhere = pack.replace("[missing]", "platforms = [\"windows\"]\n[missing]");
    let elsewhere = shelf.scratch.file("elsewhere.toml", elsewhere);
    let error = &envelope(&call(&elsewhere, &["-c", "machine-readable-v1"], "Read"))["errors"][0];
    let text = "The 'shelf CLI' capability is not available: Requires windows, but this is linux";
    assert_eq!((&error["message"], &error["mcpErrorCode"]), (&json!(text), &json!(-32603)));
}

#[test]
fn the_doctor_looks_for_the_program() {
    let shelf = TestPack::new("packs-doctor");
    let extra = crate::serve::sample("one", &[], "") + "[tool.shelf_book]\nplacement = \"text\"\n";
    let ran = manila(&["doctor", "--config", &shelf.config(&extra)], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = manila(&["doctor", "--config", &shelf.config("")], b"");
    assert!(ran.stdout.contains("ok   shelf          2 tools"), "{ran:?}");
    shelf.scratch.file("shelf.toml", TEST_PACK.replace("PROGRAM", "no-such-shelf"));
    let ran = manila(&["doctor", "--config", &shelf.config("")], b"");
    assert_eq!(ran.code, 1, "{ran:?}");
    let line = "bad  shelf          `no-such-shelf` cannot be used: No such file";
    assert!(ran.stdout.contains(line) && ran.stdout.contains("hint: Buy a shelf"), "{ran:?}");
}

#[test]
fn checks_lists_and_shows_packs() {
    let listed = manila(&["pack", "list"], b"");
    assert!(listed.stdout.contains("cargo_project") && listed.stdout.contains("dotnet_ef"));
    let listed: Value =
        serde_json::from_str(&manila(&["pack", "list", "--json"], b"").stdout).unwrap();
    assert_eq!(listed[0]["name"], "cargo");
    let shown = manila(&["pack", "show", "dotnet"], b"");
    assert!(
        shown.stdout.contains("dotnet build [{project}] [-c {configuration}]"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("format (string, one of pfx, pem"), "{}", shown.stdout);
    let piped = manila(&["pack", "check", "-"], TEST_PACK.as_bytes());
    assert!(piped.code == 0 && piped.stdout.contains("- is valid: 1 tool"), "{piped:?}");
    let piped = manila(&["pack", "check", "-"], b"name = 3");
    assert!(piped.code == 1 && piped.stderr.contains("`stdin`, line 1, column 8"));
    let shown = manila(&["pack", "show", "cargo", "--toml"], b"");
    let scratch = Scratch::new("packs-check");
    let copy = scratch.file("copy.toml", &shown.stdout);
    let checked = manila(&["pack", "check", &copy], b"");
    assert!(checked.stdout.contains("is valid: 2 tools, 14 actions"), "{checked:?}");
    let wrong =
        shown.stdout.replacen("arguments = [\"build\", ", "arguments = [\"build\", \"{x}\", ", 1);
    let wrong = scratch.file("wrong.toml", wrong);
    let checked = manila(&["pack", "check", &wrong, &copy], b"");
    assert!(checked.stdout.contains("copy.toml is valid"), "{checked:?}");
    let line =
        crate::program::read(wrong.as_ref()).lines().position(|it| it.contains("{x}")).unwrap();
    assert_eq!(checked.code, 1);
    assert!(checked.stderr.contains(&format!("line {}, column 23", line + 1)), "{checked:?}");
    assert!(checked.stderr.contains("there is no parameter `x`"), "{checked:?}");
    for (args, expected) in [
        (["pack", "show", "crago"], "did you mean `cargo`?"),
        (["pack", "check", "no-such.toml"], "check the path"),
        (["tools", "--pack", "gti"], "the built-in packs are cargo and dotnet"),
    ] {
        let ran = manila(&args, b"");
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
    }
    let example = root().join("examples/packs/git.toml");
    let checked = manila(&["pack", "check", example.to_str().unwrap()], b"");
    assert_eq!(checked.code, 0, "{checked:?}");
}

#[test]
fn the_example_pack_takes_paths_literally() {
    let scratch = Scratch::new("packs-git");
    let secret = scratch.file("work/notes.txt", "outside of the folder");
    scratch.file("work/sub/own.txt", "own");
    let work = secret.trim_end_matches("/notes.txt");
    let git = |args: &[&str]| {
        let ran = std::process::Command::new("git").args(["-C", work]).args(args).output();
        String::from_utf8(ran.unwrap().stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    git(&["add", "--intent-to-add", "."]);
    let example = root().join("examples/packs/git.toml").display().to_string();
    let config = format!("[pack.git]\nfile = \"{example}\"\nroots = [\"{work}\"]\n");
    let config = scratch.file("manila.toml", config);
    let call = |action: &str, path: &str| {
        let arguments = json!({"action": action, "workingDirectory": "sub", "paths": [path]});
        let arguments = arguments.to_string();
        manila(&["call", "git_repository", "--config", &config, "--args", &arguments], b"").stdout
    };
    for path in [":/", ":!own.txt", ":(top)notes.txt", "*"] {
        for action in ["Status", "Log", "Diff", "Stage"] {
            let found = call(action, path);
            let is_shown = found.contains("outside of") || found.contains("notes.txt\\n");
            assert!(!is_shown, "{action} {path}: {found}");
        }
        assert_eq!(git(&["diff", "--cached", "--name-only"]), "", "{path}");
    }
    assert!(call("Diff", "own.txt").contains("+own"), "{}", call("Diff", "own.txt"));
    assert!(call("Stage", ".").contains("\"success\":true"), "{}", call("Stage", "."));
    assert_eq!(git(&["diff", "--cached", "--name-only"]), "sub/own.txt\n");
}

#[test]
fn serves_a_pack_over_http_beside_servers() {
    let shelf = TestPack::new("packs-http");
    let config = shelf.config("[upstream.sample]\ncommand = [\"manila\", \"sample-server\"]\n");
    let served = HttpProgram::start(&["serve", "--http", "127.0.0.1:0", "--config", &config]);
    let read = served.call("shelf_book", &json!({"action": "Read", "title": "x"}));
    assert_eq!(read.json()["data"]["result"], "reading read x\n");
    let echo = served.call("sample_echo", &json!({"message": "x"}));
    assert_eq!(echo.status, 200, "{echo:?}");
    let refused = served.call("shelf_book", &json!({"action": "read"}));
    assert_eq!(refused.status, 422, "{refused:?}");
    let modern = served.send_modern(
        "tools/call",
        &json!({"name": "shelf_book",
        "arguments": {"action": "Read"}}),
    );
    let answer = modern.read_reply().answer(&json!(1));
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
}

#[test]
fn refuses_invalid_configurations_before_serving() {
    let shelf = TestPack::new("packs-config");
    let check = |lines: &str, expected: &str| {
        let (work, pack) = (&shelf.work, &shelf.pack);
        let text = format!("[pack.shelf]\nfile = \"{pack}\"\nroots = [\"{work}\"]\n{lines}\n");
        let config = shelf.scratch.file("manila.toml", text);
        let ran = manila(&["serve", "--check", "--config", &config], b"");
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
    };
    check("deny = [\"shelf_book\"]", "its tools are book, server_capabilities");
    check("allow = [\"boook\"]", "`boook` in `pack.shelf.allow` matches no tool");
    check("output_chars_max = 90000000", "is 90000000, more than 2796202");
    check("[pack.crago]", "did you mean `cargo`?");
    check("[upstream.shelf]\ncommand = [\"x\"]", "a server and a pack are both named `shelf`");
    check("[pack.git]\nfile = \"/no/such.toml\"", "cannot be read: No such file");
    check("[pack.cargo]\nroots = [\"/no/such/folder\"]", "`/no/such/folder` is not a folder");
    let child = crate::program::start_after("cd /", &["tools", "--pack", "cargo"]);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("the current folder is the root"), "{stderr}");
}
