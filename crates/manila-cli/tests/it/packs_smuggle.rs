//! The packs that come with Manila: through no parameter of theirs comes an option, a second
//! command, a second line, or a path to elsewhere.

use std::path::Path;

use manila_pack::{Kind, Source};
use serde_json::{Map, Value, json};

use crate::mcp::Client;
use crate::program::Scratch;
use crate::shelf::{executable, text};

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

/// Paths that lead outside through links: `outside` itself does, and `deeper` does for programs
/// that take `..` away from the text.
const LINKS: [&str; 6] = [
    "outside",
    "outside/a.csproj",
    "outside/Cargo.toml",
    "outside/a.pem",
    "deeper/../../a.csproj",
    "deeper/../../x/Cargo.toml",
];

/// Writes down how it was called.
const STAND_IN: &str = r#"#!/bin/sh
D=$(dirname "$0")
if [ "$*" = --version ]; then echo 'VERSION'; exit; fi
for word in "$@"; do printf '%s\n' "$word"; done > "$D/ran"
"#;

/// A value that is good for a parameter without which an action does nothing.
fn good(parameter: &str) -> Value {
    match parameter {
        "projects" | "references" => json!(["a.csproj"]),
        "exportPath" => json!("a.pem"),
        "connection" => json!("Name=Main"),
        "template" => json!("webapi"),
        "provider" => json!("Microsoft.EntityFrameworkCore.Sqlite"),
        _ => json!("Good"),
    }
}

/// Tries everything in every parameter. Only those in `free` take some of it: texts of people, and
/// names of files. There it is one word, and no option.
fn check(pack: &str, version: &str, free: &[&str]) {
    let scratch = Scratch::new(&format!("packs-smuggle-{pack}"));
    let program =
        executable(&scratch, &format!("bin/{pack}"), &STAND_IN.replace("VERSION", version));
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
    let mut client = Client::started(&["serve", "--stdio", "--config", &config]);
    client.greet("2025-11-25");
    let ran = Path::new(&bin).join("ran");
    let pack = Source::named(pack).unwrap().pack;
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
                        action.required.iter().map(|it| (it.clone(), good(it))).collect();
                    let value = if is_list { json!([attempt]) } else { json!(attempt) };
                    arguments.insert(parameter.name.clone(), value);
                    arguments.insert("action".to_owned(), json!(action.name));
                    arguments.insert("machineReadable".to_owned(), json!(true));
                    let arguments = Value::Object(arguments);
                    let result = client.call(&pack.public_name(tool), &arguments);
                    let words = std::fs::read_to_string(&ran).unwrap_or_default();
                    let name = parameter.name.as_str();
                    if words.is_empty() {
                        assert_eq!(result["isError"], true, "{arguments}: {result}");
                        let says = text(&result);
                        assert!(says.contains(&format!("'{name}'")), "{arguments}: {says}");
                        continue;
                    }
                    let is_link = LINKS.contains(&attempt);
                    assert!(free.contains(&name) && !is_link, "{arguments}: {words}");
                    // What an application itself is given stands behind `--`.
                    let before = words.lines().take_while(|word| *word != "--");
                    for word in before.filter(|word| word.contains(attempt)) {
                        assert!(word == attempt && !word.starts_with(['-', '@']), "{words}");
                    }
                }
            }
        }
    }
}

#[test]
fn through_dotnet() {
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
fn through_cargo() {
    check("cargo", "cargo 1.95.0 (f2d3ce0bd 2026-03-21)", &["arguments", "query"]);
}
