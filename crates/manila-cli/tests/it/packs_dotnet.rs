//! The pack `dotnet` with a stand-in for the program: every example of its contract comes out.

use std::path::Path;

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::program::{Scratch, manila, read, root};
use crate::shelf::{executable, text};

/// Writes down its arguments, and says what it was told to say.
const STAND_IN: &str = r#"#!/bin/sh
D=$(dirname "$0")
if [ "$*" = --version ]; then echo 10.0.100; exit; fi
for word in "$@"; do printf '%s\n' "$word"; done > "$D/ran"
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
    let mut client = Client::started(&["serve", "--stdio", "--config", &config]);
    client.greet("2025-11-25");
    client
}

#[test]
fn every_example_of_a_call_comes_out() {
    let vectors = read(&root().join("conformance/packs/dotnet.json"));
    let vectors: Vec<Value> = serde_json::from_str(&vectors).unwrap();
    assert!(vectors.len() >= 25);
    let scratch = Scratch::new("packs-dotnet");
    let program = executable(&scratch, "bin/dotnet", STAND_IN);
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
        let words = std::fs::read_to_string(&ran).ok();
        let words: Option<Vec<Value>> =
            words.map(|words| words.lines().map(|word| json!(word)).collect());
        assert_eq!(words.map_or(Value::Null, Value::from), vector["ran"], "{name}");
        for (path, _) in files {
            std::fs::remove_file(Path::new(&bin).join("../work").join(path)).unwrap();
        }
    }
}

/// The real program, where it is installed.
#[test]
fn the_real_program_tells_its_version() {
    let asked = std::process::Command::new("dotnet").arg("--version").output();
    let is_there = asked.is_ok_and(|it| it.status.success());
    let args = ["call", "dotnet_sdk", "--arg", "action=Version", "--pack", "dotnet"];
    let ran = manila(&[&args[..], &["-c", "machine-readable-v1"]].concat(), b"");
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(envelope["success"], is_there, "{envelope}");
    if !is_there {
        assert_eq!(envelope["errors"][0]["code"], "CAPABILITY_NOT_AVAILABLE", "{envelope}");
    }
}
