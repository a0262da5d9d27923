//! The pack `dotnet` with a stub program: it reproduces every example of its contract.

use std::path::Path;

use serde_json::{Value, json};

use crate::mcp::{Client, signal};
use crate::program::{Scratch, manila, read, root, start};
use crate::serve::wait_until;
use crate::test_pack::{executable, text};

/// A program that records its arguments and prints the given output.
const STUB: &str = r#"#!/bin/sh
D=$(dirname "$0")
if [ "$*" = --version ]; then echo 10.0.100; exit; fi
for argument in "$@"; do printf '%s\n' "$argument"; done > "$D/ran"
cat "$D/stdout"
cat "$D/stderr" >&2
exit "$(cat "$D/exit")"
"#;

fn client(scratch: &Scratch, path: &str) -> Client {
    let work = scratch.file("work/keep", "");
    let work = work.trim_end_matches("/keep");
    let config = format!(
        "contract = \"machine-readable-v1\"\n[pack.dotnet]\nroots = [\"{work}\"]\n\
         env = {{ PATH = \"{path}\" }}\n"
    );
    let config = scratch.file("manila.toml", config);
    let mut client = Client::start_manila(&["serve", "--stdio", "--config", &config]);
    client.handshake("2025-11-25");
    client
}

#[test]
fn reproduces_every_example_of_a_call() {
    let vectors = read(&root().join("conformance/packs/dotnet.json"));
    let vectors: Vec<Value> = serde_json::from_str(&vectors).unwrap();
    assert!(vectors.len() >= 25);
    let scratch = Scratch::new("packs-dotnet");
    let program = executable(&scratch, "bin/dotnet", STUB);
    let bin = program.trim_end_matches("/dotnet").to_owned();
    let mut here = client(&scratch, &format!("{bin}:/usr/bin:/bin"));
    let mut elsewhere = client(&scratch, "/no/such/folder");
    for vector in &vectors {
        let name = &vector["name"];
        let files = vector["files"].as_object().into_iter().flatten();
        for (path, content) in files.clone() {
            scratch.file(&format!("work/{path}"), content.as_str().unwrap());
        }
        let prints = &vector["prints"];
        scratch.file("bin/stdout", prints["stdout"].as_str().unwrap_or_default());
        scratch.file("bin/stderr", prints["stderr"].as_str().unwrap_or_default());
        scratch.file("bin/exit", prints["exit"].to_string());
        let ran = Path::new(&bin).join("ran");
        let _ = std::fs::remove_file(&ran);
        let client = if vector["installed"] == false { &mut elsewhere } else { &mut here };
        let tool = vector["tool"].as_str().unwrap();
        let result = client.call(tool, &vector["arguments"]);
        let envelope: Value = serde_json::from_str(text(&result)).unwrap();
        assert_eq!(envelope, vector["envelope"], "{name}");
        let facts = ["selectedTestRunner", "projectArgumentStyle", "selectionSource"];
        if envelope["metadata"][facts[0]].is_string() {
            let places = facts.map(|fact| text(&result).find(fact).unwrap());
            assert!(places.is_sorted(), "{name}: {envelope}");
        }
        let lines = std::fs::read_to_string(&ran).ok();
        let arguments: Option<Vec<Value>> =
            lines.map(|lines| lines.lines().map(|argument| json!(argument)).collect());
        assert_eq!(arguments.map_or(Value::Null, Value::from), vector["ran"], "{name}");
        for (path, _) in files {
            std::fs::remove_file(Path::new(&bin).join("../work").join(path)).unwrap();
        }
    }
}

/// Runs the real program, where it is installed.
#[test]
fn the_real_program_reports_its_version() {
    let version = std::process::Command::new("dotnet").arg("--version").output();
    let is_installed = version.is_ok_and(|it| it.status.success());
    let args = ["call", "dotnet_sdk", "--arg", "action=Version", "--pack", "dotnet"];
    let ran = manila(&[&args[..], &["-c", "machine-readable-v1"]].concat(), b"");
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(envelope["success"], is_installed, "{envelope}");
    if !is_installed {
        assert_eq!(envelope["errors"][0]["code"], "CAPABILITY_NOT_AVAILABLE", "{envelope}");
    }
}

/// A program whose `restore` runs until it is stopped.
const SLOW: &str = r#"#!/bin/sh
D=$(dirname "$0")
case "$1" in
restore) echo "Restoring packages for MyProject.csproj..."; echo > "$D/begun"; sleep 100 ;;
*) echo "Build succeeded." ;;
esac
"#;

#[test]
fn reproduces_the_examples_of_a_conflict_and_a_cancellation() {
    let scratch = Scratch::new("packs-dotnet-slow");
    let program = executable(&scratch, "bin/dotnet", SLOW);
    scratch.file("work/MyProject.csproj", "<Project/>");
    let bin = program.trim_end_matches("/dotnet").to_owned();
    let mut client = client(&scratch, &format!("{bin}:/usr/bin:/bin"));
    let call = |action: &str| {
        json!({"name": "dotnet_project", "arguments": {
            "action": action, "project": "MyProject.csproj", "machineReadable": true}})
    };
    client.send(
        &json!({"jsonrpc": "2.0", "id": 71, "method": "tools/call", "params": call("Restore")}),
    );
    wait_until("the restore runs", || Path::new(&bin).join("begun").exists());
    let conflict = client.call("dotnet_project", &call("Build")["arguments"]);
    let mut conflict: Value = serde_json::from_str(text(&conflict)).unwrap();
    let since = conflict["metadata"]["conflictingSince"].take();
    assert!(since.as_str().is_some_and(|it| it.starts_with("20")), "{since}");
    conflict.as_object_mut().unwrap().remove("metadata");
    let given = read(&root().join("conformance/given/machine_readable_v1/conflict.json"));
    let given: Value = serde_json::from_str(&given).unwrap();
    assert_eq!(conflict, given["envelope"]);
    // The same project, found in the working directory.
    let unnamed = json!({"action": "Build", "machineReadable": true});
    let unnamed = client.call("dotnet_project", &unnamed);
    assert!(text(&unnamed).contains("CONCURRENCY_CONFLICT"), "{unnamed}");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 71}}));
    // A cancelled call gets no response, and releases its lock.
    let built = json!({"action": "Build", "project": "MyProject.csproj", "machineReadable": true,
        "wait_ms": 20_000});
    let built = client.call("dotnet_project", &built);
    assert!(text(&built).contains("Build succeeded."), "{built}");
    let _ = std::fs::remove_file(Path::new(&bin).join("begun"));
    let config = scratch.file("manila.toml", format!(
        "[pack.dotnet]\nroots = [\"{bin}/../work\"]\nenv = {{ PATH = \"{bin}:/usr/bin:/bin\" }}\n"
    ));
    let arguments = ["--arg", "action=Restore", "--arg", "project=MyProject.csproj"];
    let contract = ["-c", "machine-readable-v1", "--config", &config];
    let child = start(&[&["call", "dotnet_project"], &arguments[..], &contract[..]].concat());
    wait_until("the restore runs", || Path::new(&bin).join("begun").exists());
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let mut cancelled: Value = serde_json::from_slice(&output.stdout).unwrap();
    let given = read(&root().join("conformance/given/machine_readable_v1/cancelled.json"));
    let given: Value = serde_json::from_str(&given).unwrap();
    // In this run, the output is not truncated.
    cancelled["errors"][0]["rawOutput"] = given["envelope"]["errors"][0]["rawOutput"].clone();
    assert_eq!(cancelled, given["envelope"]);
}
