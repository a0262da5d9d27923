use manila::{Code, Diagnosis, JsonObject, Observed, RawJson};
use proptest::prelude::*;

use super::{LoadedPack, Pack, PreparedCall, Refusal, Roots, Target};

pub(super) const GOOD: &str = r#"
name = "shelf"
about = "Books on a shelf"
program = "shelf"
platforms = ["linux", "macos"]
missing = { feature = "shelf CLI", alternatives = ["Install it"] }

[[tool]]
name = "book"
about = "One book"

[[tool.parameter]]
name = "project"
about = "The file"
type = "path"
extensions = [".csproj", ".sln"]

[[tool.parameter]]
name = "title"
about = "The title"
except = ["install"]
characters = "A-Za-z0-9 ._-"

[[tool.parameter]]
name = "format"
about = "How it is bound"
values = ["pfx", "pem"]

[[tool.parameter]]
name = "take"
about = "How many"
type = "integer"
minimum = 1
maximum = 100

[[tool.parameter]]
name = "quiet"
about = "Prints less"
type = "boolean"

[[tool.parameter]]
name = "place"
about = "Where to put it"
type = "path"
relative_to = "project"

[[tool.action]]
name = "Build"
about = "Builds it."
arguments = ["build", "{project}", "-f {format}", "-q {?quiet}", "-o {place}"]
exclusive = [["format", "quiet"]]
effect = "writes"
target = "project"

[[tool.action]]
name = "Find"
about = "Finds some."
arguments = ["find", "{title}", "--take {take}", "--new {runner=new}"]
required = ["title"]

[[tool.action.choice]]
[[tool.action.choice.cases]]
file = "shelf.json"
pointer = "/test/runner"
equals = "New"
set = { runner = "new", source = "shelf.json" }
[[tool.action.choice.cases]]
set = { runner = "old", source = "default" }
"#;

fn roots(test: &str) -> (Roots, std::path::PathBuf) {
    let folder = std::env::temp_dir().join(format!("manila-pack-{test}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    let folder = folder.canonicalize().unwrap();
    (Roots::new([folder.clone()]).unwrap(), folder)
}

fn prepare(roots: &Roots, arguments: &str) -> Result<PreparedCall, Refusal> {
    let pack = Pack::from_toml(GOOD).unwrap();
    let arguments = JsonObject::new(RawJson::parse(arguments.to_owned()).unwrap());
    pack.prepare("book", &arguments.unwrap(), roots)
}

#[test]
fn builds_a_command_line_from_arguments() {
    let (roots, folder) = roots("line");
    let built = prepare(&roots, r#"{"action":"Build","project":"a.csproj","quiet":true}"#).unwrap();
    assert_eq!(built.arguments, ["build", "a.csproj", "-q"]);
    assert_eq!(built.target, Some(Target::Path(folder.join("a.csproj"))));
    let built = prepare(&roots, r#"{"action":"Build","workingDirectory":"inner"}"#).unwrap();
    assert_eq!(built.folder, folder.join("inner"));
    assert_eq!(built.target, Some(Target::Path(folder.join("inner"))));
    // `../x` is relative to the folder of the file, not to the working directory.
    let placed = r#"{"action":"Build","project":"inner/a.csproj","place":"../x"}"#;
    assert_eq!(
        prepare(&roots, placed).unwrap().arguments,
        ["build", "inner/a.csproj", "-o", "../x"]
    );
    let placed = placed.replace("inner/", "");
    assert!(matches!(*prepare(&roots, &placed).unwrap_err(), Observed::Failed(_)));
    // The only project in a folder is the target.
    std::fs::write(folder.join("inner/Only.CSPROJ"), "").unwrap();
    let built = prepare(&roots, r#"{"action":"Build","workingDirectory":"inner"}"#).unwrap();
    assert_eq!(built.target, Some(Target::Path(folder.join("inner/Only.CSPROJ"))));
    std::fs::write(folder.join("inner/b.sln"), "").unwrap();
    let built = prepare(&roots, r#"{"action":"Build","workingDirectory":"inner"}"#).unwrap();
    assert_eq!(built.target, Some(Target::Path(folder.join("inner"))));
    let found = prepare(&roots, r#"{"action":"Find","title":"a b","take":3}"#).unwrap();
    assert_eq!(found.arguments, ["find", "a b", "--take", "3"]);
    assert_eq!(found.target, None);
    assert_eq!(found.metadata[1], ("source".to_owned(), "default".to_owned()));
    // A file in the folder, or above it, determines the choice.
    std::fs::write(folder.join("shelf.json"), r#"{"test": {"runner": "New"}}"#).unwrap();
    let arguments = r#"{"action":"Find","title":"x","workingDirectory":"inner"}"#;
    let found = prepare(&roots, arguments).unwrap();
    assert_eq!(found.arguments, ["find", "x", "--new"]);
    assert_eq!(found.metadata[1], ("source".to_owned(), "shelf.json".to_owned()));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn refuses_invalid_arguments_before_anything_runs() {
    let (roots, folder) = roots("wrong");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc", folder.join("link")).unwrap();
        std::fs::create_dir_all(folder.join("vendor/a/b")).unwrap();
        std::os::unix::fs::symlink("vendor/a/b", folder.join("deeper")).unwrap();
    }
    let check = |arguments: &str, parameter: &str, reason: &str| {
        let refused = prepare(&roots, arguments).unwrap_err();
        let Observed::Invalid(invalid) = &*refused else { panic!("{arguments}: {refused:?}") };
        assert_eq!(invalid.parameter.as_deref(), Some(parameter), "{arguments}: {refused:?}");
        assert_eq!(invalid.reason.as_deref().unwrap_or(""), reason, "{arguments}: {refused:?}");
    };
    check("{}", "action", "required");
    check(r#"{"action":7}"#, "action", "invalid value");
    check(r#"{"action":"build"}"#, "action", "");
    check(r#"{"action":"Find"}"#, "title", "required");
    check(r#"{"action":"Find","title":" "}"#, "title", "required");
    check(r#"{"action":"Find","title":"Install"}"#, "title", "invalid value");
    check(r#"{"action":"Find","title":"x","take":0}"#, "take", "invalid value");
    check(r#"{"action":"Find","title":"x","take":"3"}"#, "take", "invalid value");
    check(r#"{"action":"Find","title":"x","quiet":true}"#, "quiet", "invalid value");
    check(r#"{"action":"Find","title":"x","tak":1}"#, "tak", "invalid value");
    check(r#"{"action":"Find","title":"x","title":"y"}"#, "title", "invalid value");
    check(r#"{"action":"Find","action":"Build","title":"x"}"#, "action", "invalid value");
    check(r#"{"action":"Build","quiet":true,"format":"pfx"}"#, "quiet", "mutually exclusive");
    check(r#"{"action":"Find","title":"a\u202eb"}"#, "title", "invalid characters");
    check(r#"{"action":"Build","format":"p12"}"#, "format", "invalid value");
    check(r#"{"action":"Build","quiet":"yes"}"#, "quiet", "invalid value");
    check(r#"{"action":"Build","project":"a.txt"}"#, "project", "invalid extension");
    // No value can inject an option, a second command or a second line.
    for text in ["; rm -rf x", "$(id)", "`id`", "a\\nb", "a\\u0000b", "--config=x", "-x", "a|b"] {
        let arguments = format!(r#"{{"action":"Find","title":"{text}"}}"#);
        check(&arguments, "title", "invalid characters");
    }
    for path in ["-o.csproj", "a\\n.csproj"] {
        let arguments = format!(r#"{{"action":"Build","project":"{path}"}}"#);
        check(&arguments, "project", "invalid characters");
    }
    for path in [
        "../x.csproj",
        "/etc/x.csproj",
        "link/x.csproj",
        "inner/../../x.csproj",
        "no/../../../x.csproj",
        // Inside for the system, but outside for a program that resolves `..` in the text.
        "deeper/../../x.csproj",
        "deeper/../../../x.csproj",
    ] {
        let arguments = format!(r#"{{"action":"Build","project":"{path}"}}"#);
        let refused = prepare(&roots, &arguments).unwrap_err();
        let Observed::Failed(failed) = &*refused else { panic!("{path}: {refused:?}") };
        assert_eq!(failed.code, Code::InvalidPath, "{path}");
        let details = r#"{"parameter":"project","reason":"invalid value"}"#;
        assert_eq!(failed.details.to_string(), details, "{path}");
    }
    for folder in ["..", "/", "no", "link"] {
        let arguments = format!(r#"{{"action":"Build","workingDirectory":"{folder}"}}"#);
        let refused = prepare(&roots, &arguments).unwrap_err();
        assert!(matches!(*refused, Observed::Failed(_)), "{folder}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn refuses_negative_numbers_without_a_minimum() {
    let (roots, folder) = roots("number");
    let unlimited = GOOD.replace("minimum = 1\n", "").replace("maximum = 100\n", "");
    let is_accepted = |pack: &str, take: &str| {
        let arguments = format!(r#"{{"action":"Find","title":"x","take":{take}}}"#);
        let arguments = JsonObject::new(RawJson::parse(arguments).unwrap()).unwrap();
        Pack::from_toml(pack).unwrap().prepare("book", &arguments, &roots).is_ok()
    };
    assert!(is_accepted(&unlimited, "5") && !is_accepted(&unlimited, "-5"));
    assert!(is_accepted(&GOOD.replace("minimum = 1\n", "minimum = -9\n"), "-5"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn lists_tools_with_their_schemas() {
    let pack = Pack::from_toml(GOOD).unwrap();
    let [book, capabilities] = pack.tool_definitions().try_into().unwrap();
    assert_eq!(capabilities.get("name").unwrap().as_str(), "\"server_capabilities\"");
    let schema = book.get("inputSchema").unwrap();
    let action = schema.get("properties").unwrap().get("action").unwrap();
    assert_eq!(action.get("enum").unwrap().as_str(), r#"["Build","Find"]"#);
    let take = schema.get("properties").unwrap().get("take").unwrap();
    assert_eq!(take.get("maximum").unwrap().as_str(), "100");
    assert_eq!(pack.public_name(&pack.tools[0]), "shelf_book");
}

/// Generates packs, outputs and arguments from typical pieces.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("error[E0308]: mismatched\n --> src/a.rs:1:2\n".to_owned()),
        Just("error: x\n".to_owned()),
        Just("warning: y\n --> b:3:4\n".to_owned()),
        Just("thread 'a' panicked at src/b.rs:5:6:\nboom\n".to_owned()),
        Just("{\"message\":{\"message\":\"m\",\"level\":\"error\",\"spans\":[]}}\n".to_owned()),
        Just("test a ... FAILED\n".to_owned()),
        Just("[[diagnostic]]\npattern = '".to_owned()),
        Just("-".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn reads_output_in_time_if_every_line_looks_like_a_match() {
    let cargo = LoadedPack::from_name("cargo").unwrap().pack;
    let found = cargo.diagnose_output("", &"error: x\n".repeat(40_000));
    assert!(!found.is_unfinished);
    assert_eq!(found.failures[0].message, "x");
}

#[test]
fn reports_the_first_diagnostics_whichever_rule_finds_them() {
    let cargo = LoadedPack::from_name("cargo").unwrap().pack;
    let located = |n: usize| format!("error[E0308]: m{n}\n --> a.rs:{n}:1\n\n");
    let many: String = (1..=3 * Diagnosis::MAX).map(located).collect();
    let found = cargo.diagnose_output("", &format!("error: first\n --> a.rs:9:9\n\n{many}"));
    assert_eq!(found.failures.len(), Diagnosis::MAX);
    assert_eq!(found.failures[0].message, "first");
    assert_eq!(found.failures[1].message, "m1");
    assert_eq!(found.failures[Diagnosis::MAX - 1].message, format!("m{}", Diagnosis::MAX - 1));
    assert_eq!(found.n_omitted, 2 * Diagnosis::MAX as u64 + 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_any_output_and_reports_nothing_twice(stdout in pieces(), stderr in pieces()) {
        let cargo = LoadedPack::from_name("cargo").unwrap().pack;
        let found = cargo.diagnose_output(&stdout, &stderr);
        for failure in &found.failures {
            let line = failure.line.as_deref().unwrap();
            let is_json = |text: &str| text.contains("{\"message\"");
            let is_in_output = stdout.contains(line) || stderr.contains(line);
            prop_assert!(is_in_output || is_json(&stdout) || is_json(&stderr), "{line}");
        }
        let mut lines: Vec<_> = found.failures.iter().map(|it| &it.line).collect();
        let n_lines = lines.len();
        lines.sort();
        lines.dedup();
        prop_assert_eq!(lines.len(), n_lines, "duplicates are reported once");
    }

    #[test]
    fn parses_any_file_without_panic(text in pieces()) {
        let _ = Pack::from_toml(&text);
        let _ = Pack::from_toml(&GOOD.replacen("shelf", &text, 1));
        let _ = Pack::from_toml(&GOOD.replacen("{project}", &text, 1));
    }

    #[test]
    fn turns_no_text_into_an_option_or_a_second_word(text in pieces()) {
        let roots = Roots::new([std::env::temp_dir()]).unwrap();
        let member = |text: &str| RawJson::of(text).unwrap();
        let arguments = [("action", member("Find")), ("title", member(&text))];
        let pack = Pack::from_toml(&GOOD.replace("characters = \"A-Za-z0-9 ._-\"\n", "")).unwrap();
        let prepared = pack.prepare("book", &JsonObject::from_members(arguments), &roots);
        if let Ok(prepared) = prepared {
            prop_assert_eq!(&prepared.arguments[..2], &["find".to_owned(), text.clone()]);
            prop_assert!(!text.starts_with('-') && !text.contains(char::is_control));
        }
    }
}
