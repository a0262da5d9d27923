//! Arguments that are not UTF-8: paths and the arguments of programs work, others are refused.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::program::{Scratch, manila, manila_with as run};

/// An argument that is not UTF-8.
fn bad(text: &str) -> OsString {
    OsString::from_vec([text.as_bytes(), b"\xff"].concat())
}

/// Returns all commands as their words, e.g. `["pack", "show"]`.
fn commands() -> Vec<Vec<String>> {
    let listed = |help: &str| {
        let list = help.split("Commands:\n").nth(1).unwrap_or_default();
        let lines = list.lines().take_while(|line| !line.is_empty());
        let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let names = names.filter_map(|line| line.split_whitespace().next().map(str::to_owned));
        names.filter(|name| name != "help").collect::<Vec<String>>()
    };
    let mut all = Vec::new();
    for command in listed(&manila(&["-h"], b"").stdout) {
        let subcommands = listed(&manila(&[&command, "-h"], b"").stdout);
        all.extend(subcommands.iter().map(|it| vec![command.clone(), it.clone()]));
        all.push(vec![command]);
    }
    all
}

/// Checks that a run ends without a panic, and that an error comes with a hint.
#[track_caller]
fn check_no_panic(args: &[&OsStr]) {
    let ran = run(args);
    assert!(!ran.stderr.contains("panicked") && ran.code <= 2, "{args:?}: {ran:?}");
    if ran.code == 2 && !ran.stderr.contains("Usage:") {
        let is_clear = ran.stderr.contains("error: ") && ran.stderr.contains("\nhint: ");
        assert!(is_clear && !ran.stderr.contains("invalid UTF-8 was"), "{args:?}: {ran:?}");
    }
}

#[test]
fn no_command_and_no_option_panics() {
    let all = commands();
    assert!(all.len() >= 20, "{all:?}");
    let value = bad("");
    for words in &all {
        let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        // These would serve until they are stopped.
        let is_server = matches!(words[0].as_bytes(), b"serve" | b"sample-server");
        if !is_server {
            check_no_panic(&[&words[..], &[&value]].concat());
        }
        let help = manila(
            &words.iter().map(|it| it.to_str().unwrap()).chain(["-h"]).collect::<Vec<_>>(),
            b"",
        );
        let options = help.stdout.split_whitespace().filter(|word| word.starts_with("--"));
        for option in options.filter(|option| option.len() > 2) {
            let option = option.trim_end_matches([',', '.', ')']);
            check_no_panic(&[&words[..], &[OsStr::new(option), &value]].concat());
            check_no_panic(&[&words[..], &[&bad(&format!("{option}="))]].concat());
        }
    }
    check_no_panic(&[&value]);
    check_no_panic(&[OsStr::new("run"), OsStr::new("--"), &value]);
    check_no_panic(&[OsStr::new("call"), OsStr::new("t"), OsStr::new("--"), &value]);
}

#[test]
fn a_refusal_names_the_argument() {
    let [explain, log, tool] = ["explain", "log", "--tool"].map(OsStr::new);
    for (args, expected) in [
        (vec![explain, &bad("secret")], "error: argument 2 is not valid UTF-8\nhint: use UTF-8"),
        (vec![log, tool, &bad("x")], "error: argument 3 is not valid UTF-8\n"),
        (vec![log, &bad("f"), tool, &bad("x")], "one of the arguments 2, 4 is not valid UTF-8\n"),
    ] {
        let ran = run(&args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(expected), "{args:?}: {ran:?}");
        assert!(!ran.stderr.contains("secret"), "{ran:?}");
    }
}

#[test]
fn paths_and_program_arguments_need_not_be_utf8() {
    let scratch = Scratch::new("not-utf8");
    let folder = scratch.file("folder/keep", "");
    let folder = folder.trim_end_matches("/keep");
    let file = |name: &str, text: &str| {
        let path = bad(&format!("{folder}/{name}"));
        std::fs::write(&path, text).unwrap();
        path
    };
    let observation = file("observation", r#"{"observed": {"said": "fine"}}"#);
    let config = file("config", "contract = \"envelope-v1\"\n");
    let client = file("client", r#"{"mcpServers": {"fine": {"command": "x"}}}"#);
    let pack = std::fs::read_to_string(crate::program::root().join("examples/packs/git.toml"));
    // The name must end with .toml or contain a slash.
    let pack = file("pack", &pack.unwrap().replace("name = \"git\"", "name = \"fine\""));
    let new = bad(&format!("{folder}/new"));
    let word = |text| OsStr::new(text);
    let print = "printf %s \"$1\" | od -An -tx1";
    for (args, expected) in [
        (vec![word("seal"), &observation], "fine"),
        (vec![word("redact"), &observation], "fine"),
        (vec![word("redact"), word("--config"), &config, &observation], "fine"),
        (vec![word("import"), &client], "fine"),
        (vec![word("import"), &client, word("--output"), &new], ""),
        (vec![word("pack"), word("show"), &pack], "fine"),
        (vec![word("pack"), word("check"), &pack], "is valid"),
        (vec![word("tools"), word("--pack"), &pack], "fine_repository"),
        (vec![word("run"), word("--pack"), &pack, word("--"), word("echo"), word("fine")], "fine"),
        (
            vec![
                word("run"),
                word("--"),
                word("sh"),
                word("-c"),
                word(print),
                word("x"),
                &bad("a"),
            ],
            " 61 ff",
        ),
        (
            vec![
                word("run"),
                word("--env"),
                &bad("V=b"),
                word("--"),
                word("sh"),
                word("-c"),
                word("printf %s \"$V\" | od -An -tx1"),
            ],
            " 62 ff",
        ),
        (vec![word("run"), word("--stdin"), &observation, word("--"), word("cat")], "fine"),
    ] {
        let ran = run(&args);
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        assert!(ran.stdout.contains(expected), "{args:?}: {ran:?}");
    }
    assert!(std::fs::read_to_string(new).unwrap().contains("[upstream.fine]"));
}
