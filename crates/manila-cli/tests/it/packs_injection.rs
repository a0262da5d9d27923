//! The built-in packs: no parameter can inject an option, a second command, a second line, or a
//! path outside the allowed folders.

use std::path::Path;

use manila_pack::{Kind, LoadedPack};
use serde_json::{Map, Value, json};

use crate::mcp::Client;
use crate::program::Scratch;
use crate::test_pack::{executable, text};

const ATTEMPTS: [&str; 16] = [
    "; rm -rf x",
    "$(id)",
    "`id`",
    "a\nb",
    "a\0b",
    "--config=x",
    "-x",
    "@list",
    "../../x",
    "../../Cargo.toml",
    "/etc/x",
    "a|b",
    "a && b",
    "x;y=z",
    "-p:x=y",
    "1.0.0 --source x",
];

/// Paths that lead outside through links. `outside` is such a link; `deeper` leads outside for
/// programs that resolve `..` in the text.
const LINKS: [&str; 6] = [
    "outside",
    "outside/a.csproj",
    "outside/Cargo.toml",
    "outside/a.pem",
    "deeper/../../a.csproj",
    "deeper/../../x/Cargo.toml",
];

/// A program that records its arguments.
const STUB: &str = r#"#!/bin/sh
D=$(dirname "$0")
if [ "$*" = --version ]; then echo 'VERSION'; exit; fi
for argument in "$@"; do printf '%s\n' "$argument"; done > "$D/ran"
"#;

/// Returns a valid value for a required parameter.
fn valid_value(parameter: &str) -> Value {
    match parameter {
        "projects" | "references" => json!(["a.csproj"]),
        "exportPath" => json!("a.pem"),
        "connection" => json!("Name=Main"),
        "template" => json!("webapi"),
        "provider" => json!("Microsoft.EntityFrameworkCore.Sqlite"),
        _ => json!("Good"),
    }
}

/// Tries every attempt in every parameter. Only the parameters in `free`, which take prose or file
/// names, accept some of them, as a single argument that is not an option.
fn check(pack: &str, version: &str, free: &[&str]) {
    let scratch = Scratch::new(&format!("packs-smuggle-{pack}"));
    let program = executable(&scratch, &format!("bin/{pack}"), &STUB.replace("VERSION", version));
    let bin = program.trim_end_matches(pack).to_owned();
    let manifest = scratch.file("work/Cargo.toml", "");
    scratch.file("work/a.csproj", "");
    let work = manifest.trim_end_matches("/Cargo.toml");
    scratch.file("elsewhere/a.csproj", "");
    std::os::unix::fs::symlink("../elsewhere", format!("{work}/outside")).unwrap();
    scratch.file("work/v/a/b/keep", "");
    std::os::unix::fs::symlink("v/a/b", format!("{work}/deeper")).unwrap();
    let config = format!(
        "contract = \"machine-readable-v1\"\n[pack.{pack}]\nroots = [\"{work}\"]\n\
         env = {{ PATH = \"{bin}:/usr/bin:/bin\" }}\n"
    );
    let config = scratch.file("manila.toml", config);
    let mut client = Client::start_manila(&["serve", "--stdio", "--config", &config]);
    client.handshake("2025-11-25");
    let ran = Path::new(&bin).join("ran");
    let pack = LoadedPack::from_name(pack).unwrap().pack;
    for tool in &pack.tools {
        for action in &tool.actions {
            for parameter in tool.parameters_of(action) {
                let is_list = matches!(parameter.kind, Kind::Texts(_) | Kind::Paths(_));
                if !is_list && !matches!(parameter.kind, Kind::Text(_) | Kind::Path(_)) {
                    continue;
                }
                let is_path = matches!(parameter.kind, Kind::Path(_) | Kind::Paths(_));
                let links = LINKS.into_iter().filter(|_| is_path);
                for attempt in ATTEMPTS.into_iter().chain(links) {
                    let _ = std::fs::remove_file(&ran);
                    let mut arguments: Map<String, Value> =
                        action.required.iter().map(|it| (it.clone(), valid_value(it))).collect();
                    let value = if is_list { json!([attempt]) } else { json!(attempt) };
                    arguments.insert(parameter.name.clone(), value);
                    arguments.insert("action".to_owned(), json!(action.name));
                    arguments.insert("machineReadable".to_owned(), json!(true));
                    let arguments = Value::Object(arguments);
                    let result = client.call(&pack.public_name(tool), &arguments);
                    let received = std::fs::read_to_string(&ran).unwrap_or_default();
                    let name = parameter.name.as_str();
                    if received.is_empty() {
                        assert_eq!(result["isError"], true, "{arguments}: {result}");
                        let message = text(&result);
                        assert!(message.contains(&format!("'{name}'")), "{arguments}: {message}");
                        continue;
                    }
                    let is_link = LINKS.contains(&attempt);
                    assert!(free.contains(&name) && !is_link, "{arguments}: {received}");
                    // The arguments after `--` are for the application that the program runs.
                    let before = received.lines().take_while(|it| *it != "--");
                    for argument in before.filter(|it| it.contains(attempt)) {
                        let is_option = argument.starts_with(['-', '@']);
                        assert!(argument == attempt && !is_option, "{received}");
                    }
                }
            }
        }
    }
}

#[test]
fn dotnet_resists_injection() {
    let free = [
        "applicationArguments",
        "filter",
        "include",
        "launchProfile",
        "output",
        "schemas",
        "searchTerm",
        "solutionFolder",
        "tables",
    ];
    check("dotnet", "10.0.100", &free);
}

#[test]
fn cargo_resists_injection() {
    check("cargo", "cargo 1.95.0 (f2d3ce0bd 2026-03-21)", &["arguments", "query"]);
}
