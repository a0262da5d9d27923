//! Packs: programs that are made into tools by a file, behind the gateway.

use serde_json::{Value, json};

use crate::http_client::Served;
use crate::program::{Scratch, manila, root};
use crate::shelf::{SHELF, Shelf, call, envelope, text};

#[test]
fn a_program_is_a_tool() {
    let shelf = Shelf::new("packs-tool");
    let mut client = shelf.client("");
    let listed = client.ask("list", "tools/list", &json!({}));
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
    // Whatever stands after `--` may look like an option.
    let rest = json!({"action": "Read", "rest": ["--deep", "x"]});
    let found = client.envelope("shelf_book", &rest);
    assert_eq!(found["data"]["result"], "reading read -- --deep x\n", "{found}");
}

#[test]
fn what_is_refused_is_an_envelope_and_runs_nothing() {
    let shelf = Shelf::new("packs-refused");
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, format!("{}/{name}", shelf.work)).unwrap();
    };
    link("/etc", "link");
    link("../outside", "dangling");
    link("loop", "loop");
    let mut client = shelf.client("");
    let mut check = |arguments: Value, code: &str, says: &str| {
        let result = client.call("shelf_book", &arguments);
        assert_eq!(result["_meta"]["dev.manila/code"], code, "{arguments}: {result}");
        let envelope = &result["structuredContent"];
        assert_eq!((&envelope["success"], &result["isError"]), (&json!(false), &json!(true)));
        assert!(envelope.to_string().contains(says), "{arguments}: {envelope}");
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
    assert_eq!(shelf.n_ran(""), 0);
    // What looks like a shell's words is only a word.
    let found = client.envelope("shelf_book", &json!({"action": "Read", "rest": ["$(id);", "*"]}));
    assert_eq!(found["data"]["result"], "reading read -- $(id); *\n", "{found}");
}

#[test]
fn plain_text_comes_unless_an_envelope_is_asked_for() {
    let shelf = Shelf::new("packs-plain");
    let readable = "contract = \"machine-readable-v1\"";
    let mut client = shelf.client(readable);
    let listed = client.ask("list", "tools/list", &json!({}));
    let tool = &listed["result"]["tools"][0];
    assert_eq!(tool["inputSchema"]["properties"]["machineReadable"]["type"], "boolean", "{tool}");
    assert_eq!(tool["inputSchema"]["properties"].get("unsafeOutput"), None);
    assert_eq!(tool.get("outputSchema"), None);
    let arguments = json!({"action": "Read", "title": "x"});
    let plain = client.call("shelf_book", &arguments);
    assert_eq!(text(&plain), "reading read x\nExit Code: 0", "{plain}");
    assert_eq!((&plain["isError"], plain.get("structuredContent")), (&json!(false), None));
    let refused = client.call("shelf_book", &json!({"action": "read"}));
    let says = "Error: Invalid action 'read' is not supported. For tool 'shelf_book'.";
    assert_eq!((text(&refused), &refused["isError"]), (says, &json!(true)));
    let asked = json!({"action": "Read", "title": "x", "machineReadable": true});
    let envelope: Value = serde_json::from_str(text(&client.call("shelf_book", &asked))).unwrap();
    assert_eq!(envelope["output"], "reading read x\n", "{envelope}");
    assert!(envelope["command"].as_str().unwrap().ends_with("/shelf read x"), "{envelope}");
    // Who chooses the contract wants its envelopes.
    let meta = json!({"dev.manila/contract": "machine-readable-v1"});
    let params = json!({"name": "shelf_book", "arguments": arguments, "_meta": meta});
    let answer = client.ask("meta", "tools/call", &params);
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
    // Elsewhere nothing is plain, and a tool's own contract is meant so, too.
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
fn secrets_stay_hidden_unless_the_operator_and_the_caller_say_otherwise() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let script = format!("#!/bin/sh\necho token={token}\n");
    let shelf = Shelf::with("packs-secret", &script);
    let asked = json!({"action": "Read", "machineReadable": true, "unsafeOutput": true});
    let mut client = shelf.client("contract = \"machine-readable-v1\"");
    let kept = client.call("shelf_book", &asked).to_string();
    assert!(!kept.contains(&token) && kept.contains("UNSAFE_OUTPUT_IGNORED"), "{kept}");
    // Whoever has learned to ask so may ask under every contract.
    let mut client = shelf.client("");
    let kept = client.call("shelf_book", &asked).to_string();
    assert!(!kept.contains(&token) && kept.contains("UNSAFE_OUTPUT_IGNORED"), "{kept}");
    let wrong = json!({"action": "Read", "machineReadable": "yes"});
    let wrong = client.call("shelf_book", &wrong);
    assert!(wrong.to_string().contains("must be true or false"), "{wrong}");
    let allowed = "contract = \"machine-readable-v1\"\n[redact]\nunsafe_output = true";
    let mut client = shelf.client(allowed);
    assert!(client.call("shelf_book", &asked).to_string().contains(&token));
    let listed = client.ask("list", "tools/list", &json!({})).to_string();
    assert!(listed.contains("unsafeOutput"), "{listed}");
    client.until_stderr(|line| line.contains("shelf_book").then_some(()));
}

#[test]
fn what_is_missing_is_told_with_what_can_be_done() {
    let shelf = Shelf::new("packs-missing");
    let mut client = shelf.client("");
    let old = client.call("shelf_book", &json!({"action": "Newer"}));
    assert_eq!(old["_meta"]["dev.manila/code"], "CAPABILITY_NOT_AVAILABLE", "{old}");
    let says = old["structuredContent"]["error"].as_str().unwrap();
    assert!(says.contains("9.0 or newer, but 2.5 is installed"), "{says}");
    assert!(old.to_string().contains("\"Install "), "{old}");
    let wrong = client.call("shelf_server_capabilities", &json!({"bogus": 1}));
    assert_eq!(wrong["_meta"]["dev.manila/code"], "INVALID_TOOL_INPUT", "{wrong}");
    assert_eq!(shelf.n_ran("newer"), 0);
    // A program that is not there: its tools are listed all the same, and say so.
    let gone = SHELF.replace("PROGRAM", "no-such-shelf");
    let missing = shelf.scratch.file("missing.toml", &gone);
    let listed = manila(&["tools", "--pack", &missing], b"");
    assert!(listed.stdout.contains("shelf_book"), "{listed:?}");
    let ran = call(&missing, &["-c", "machine-readable-v1"], "Read");
    let error = &envelope(&ran)["errors"][0];
    assert_eq!(error["code"], "CAPABILITY_NOT_AVAILABLE", "{ran:?}");
    assert_eq!(error["alternatives"], json!(["Buy a shelf"]));
    assert_eq!(error["mcpErrorCode"], -32001);
    assert_eq!(error["data"]["command"], "no-such-shelf read");
    // One for another system.
    let elsewhere = gone.replace("[missing]", "platforms = [\"windows\"]\n[missing]");
    let elsewhere = shelf.scratch.file("elsewhere.toml", elsewhere);
    let error = &envelope(&call(&elsewhere, &["-c", "machine-readable-v1"], "Read"))["errors"][0];
    let says = "The 'shelf CLI' capability is not available: Requires windows, but this is linux";
    assert_eq!((&error["message"], &error["mcpErrorCode"]), (&json!(says), &json!(-32603)));
}

#[test]
fn the_doctor_looks_for_the_program() {
    let shelf = Shelf::new("packs-doctor");
    let beside = crate::serve::sample("one", &[], "") + "[tool.shelf_book]\nplacement = \"text\"\n";
    let ran = manila(&["doctor", "--config", &shelf.config(&beside)], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = manila(&["doctor", "--config", &shelf.config("")], b"");
    assert!(ran.stdout.contains("ok   shelf          2 tools"), "{ran:?}");
    shelf.scratch.file("shelf.toml", SHELF.replace("PROGRAM", "no-such-shelf"));
    let ran = manila(&["doctor", "--config", &shelf.config("")], b"");
    assert_eq!(ran.code, 1, "{ran:?}");
    let says = "bad  shelf          `no-such-shelf` cannot be used: No such file";
    assert!(ran.stdout.contains(says) && ran.stdout.contains("hint: Buy a shelf"), "{ran:?}");
}

#[test]
fn packs_are_checked_listed_and_shown() {
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
    let piped = manila(&["pack", "check", "-"], SHELF.as_bytes());
    assert!(piped.code == 0 && piped.stdout.contains("- is good: 1 tool"), "{piped:?}");
    let piped = manila(&["pack", "check", "-"], b"name = 3");
    assert!(piped.code == 1 && piped.stderr.contains("standard input, line 1, column 8"));
    let shown = manila(&["pack", "show", "cargo", "--toml"], b"");
    let scratch = Scratch::new("packs-check");
    let own = scratch.file("own.toml", &shown.stdout);
    let checked = manila(&["pack", "check", &own], b"");
    assert!(checked.stdout.contains("is good: 2 tools, 14 actions"), "{checked:?}");
    let wrong =
        shown.stdout.replacen("arguments = [\"build\", ", "arguments = [\"build\", \"{x}\", ", 1);
    let wrong = scratch.file("wrong.toml", wrong);
    let checked = manila(&["pack", "check", &wrong, &own], b"");
    assert!(checked.stdout.contains("own.toml is good"), "{checked:?}");
    let line =
        crate::program::read(wrong.as_ref()).lines().position(|it| it.contains("{x}")).unwrap();
    assert_eq!(checked.code, 1);
    assert!(checked.stderr.contains(&format!("line {}, column 23", line + 1)), "{checked:?}");
    assert!(checked.stderr.contains("there is no parameter `x`"), "{checked:?}");
    for (args, says) in [
        (["pack", "show", "crago"], "did you mean `cargo`?"),
        (["pack", "check", "no-such.toml"], "check the path"),
        (["tools", "--pack", "gti"], "there are cargo and dotnet"),
    ] {
        let ran = manila(&args, b"");
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
    let example = root().join("examples/packs/git.toml");
    let checked = manila(&["pack", "check", example.to_str().unwrap()], b"");
    assert_eq!(checked.code, 0, "{checked:?}");
}

#[test]
fn a_pack_is_served_over_http_beside_servers() {
    let shelf = Shelf::new("packs-http");
    let config = shelf.config("[upstream.sample]\ncommand = [\"manila\", \"sample-server\"]\n");
    let served = Served::start(&["serve", "--http", "127.0.0.1:0", "--config", &config]);
    let read = served.call("shelf_book", &json!({"action": "Read", "title": "x"}));
    assert_eq!(read.json()["data"]["result"], "reading read x\n");
    let echo = served.call("sample_echo", &json!({"message": "x"}));
    assert_eq!(echo.status, 200, "{echo:?}");
    let refused = served.call("shelf_book", &json!({"action": "read"}));
    assert_eq!(refused.status, 422, "{refused:?}");
    let modern = served.modern(
        "tools/call",
        &json!({"name": "shelf_book",
        "arguments": {"action": "Read"}}),
    );
    let answer = modern.whole().answer(&json!(1));
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
}

#[test]
fn what_cannot_be_meant_is_told_before_anything_is_served() {
    let shelf = Shelf::new("packs-config");
    let check = |lines: &str, says: &str| {
        let (work, pack) = (&shelf.work, &shelf.pack);
        let text = format!("[pack.shelf]\nfile = \"{pack}\"\nroots = [\"{work}\"]\n{lines}\n");
        let config = shelf.scratch.file("manila.toml", text);
        let ran = manila(&["serve", "--check", "--config", &config], b"");
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?}");
    };
    check("deny = [\"shelf_book\"]", "its tools are book, server_capabilities");
    check("allow = [\"boook\"]", "`boook` is none of the pack's tools");
    check("output_chars_max = 90000000", "at most 2796202");
    check("[pack.crago]", "did you mean `cargo`?");
    check("[upstream.shelf]\ncommand = [\"x\"]", "a server is called `shelf`, too");
    check("[pack.git]\nfile = \"/no/such.toml\"", "cannot be read: No such file");
    check("[pack.cargo]\nroots = [\"/no/such/folder\"]", "`/no/such/folder` is no folder");
    let everything = crate::program::start_after("cd /", &["tools", "--pack", "cargo"]);
    let output = everything.wait_with_output().unwrap();
    let says = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(says.contains("the current folder is everything"), "{says}");
}
