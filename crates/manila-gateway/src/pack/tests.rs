use manila::{Code, JsonObject, Observed};

use super::{Pack, Prepared, Refused, Roots, Target};

const GOOD: &str = r#"
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
characters = "A-Za-z0-9 ._-"

[[tool.parameter]]
name = "format"
about = "How it is bound"
values = ["pfx", "pem"]
default = "pem"

[[tool.parameter]]
name = "take"
about = "How many"
type = "integer"
minimum = 1
maximum = 100

[[tool.parameter]]
name = "quiet"
about = "Says less"
type = "boolean"

[[tool.action]]
name = "Build"
about = "Builds it."
arguments = ["build", "{project}", "-f {format}", "-q {?quiet}"]
effect = "writes"
target = "project"

[[tool.action]]
name = "Find"
about = "Finds some."
arguments = ["find", "{title}", "--take {take}", "--new {runner=new}"]
required = ["title"]

[[tool.action.choice]]
cases = [
    { file = "shelf.json", pointer = "/test/runner", equals = "New", set = { runner = "new", source = "shelf.json" } },
    { set = { runner = "old", source = "default" } },
]
"#;

fn roots(test: &str) -> (Roots, std::path::PathBuf) {
    let folder = std::env::temp_dir().join(format!("manila-pack-{test}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    let folder = folder.canonicalize().unwrap();
    (Roots::new([folder.clone()]).unwrap(), folder)
}

fn prepared(roots: &Roots, arguments: &str) -> Result<Prepared, Refused> {
    let pack = Pack::from_toml(GOOD).unwrap();
    let arguments = JsonObject::new(manila::RawJson::parse(arguments.to_owned()).unwrap());
    pack.prepare("book", &arguments.unwrap(), roots)
}

#[test]
fn what_is_given_becomes_a_command_line() {
    let (roots, folder) = roots("line");
    let built =
        prepared(&roots, r#"{"action":"Build","project":"a.csproj","quiet":true}"#).unwrap();
    assert_eq!(built.arguments, ["build", "a.csproj", "-f", "pem", "-q"]);
    assert_eq!(built.target, Some(Target::Path(folder.join("a.csproj"))));
    let built = prepared(&roots, r#"{"action":"Build","workingDirectory":"inner"}"#).unwrap();
    assert_eq!(built.folder, folder.join("inner"));
    assert_eq!(built.target, Some(Target::Path(folder.join("inner"))));
    let found = prepared(&roots, r#"{"action":"Find","title":"a b","take":3}"#).unwrap();
    assert_eq!(found.arguments, ["find", "a b", "--take", "3"]);
    assert_eq!(found.target, None);
    assert_eq!(found.metadata[1], ("source".to_owned(), "default".to_owned()));
    // A file in the folder, or above it, decides.
    std::fs::write(folder.join("shelf.json"), r#"{"test": {"runner": "New"}}"#).unwrap();
    let arguments = r#"{"action":"Find","title":"x","workingDirectory":"inner"}"#;
    let found = prepared(&roots, arguments).unwrap();
    assert_eq!(found.arguments, ["find", "x", "--new"]);
    assert_eq!(found.metadata[1], ("source".to_owned(), "shelf.json".to_owned()));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_wrong_is_refused_before_anything_runs() {
    let (roots, folder) = roots("wrong");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc", folder.join("link")).unwrap();
    let check = |arguments: &str, parameter: &str, reason: &str| {
        let refused = prepared(&roots, arguments).unwrap_err();
        let Observed::Invalid(invalid) = &*refused else { panic!("{arguments}: {refused:?}") };
        assert_eq!(invalid.parameter.as_deref(), Some(parameter), "{arguments}: {refused:?}");
        assert_eq!(invalid.reason.as_deref().unwrap_or(""), reason, "{arguments}: {refused:?}");
    };
    check("{}", "action", "required");
    check(r#"{"action":7}"#, "action", "invalid value");
    check(r#"{"action":"build"}"#, "action", "");
    check(r#"{"action":"Find"}"#, "title", "required");
    check(r#"{"action":"Find","title":" "}"#, "title", "required");
    check(r#"{"action":"Find","title":"x","take":0}"#, "take", "invalid value");
    check(r#"{"action":"Find","title":"x","take":"3"}"#, "take", "invalid value");
    check(r#"{"action":"Find","title":"x","quiet":true}"#, "quiet", "invalid value");
    check(r#"{"action":"Find","title":"x","tak":1}"#, "tak", "invalid value");
    check(r#"{"action":"Build","format":"p12"}"#, "format", "invalid value");
    check(r#"{"action":"Build","quiet":"yes"}"#, "quiet", "invalid value");
    check(r#"{"action":"Build","project":"a.txt"}"#, "project", "invalid extension");
    // Nothing smuggles an option, a second command or a second line in.
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
    ] {
        let arguments = format!(r#"{{"action":"Build","project":"{path}"}}"#);
        let refused = prepared(&roots, &arguments).unwrap_err();
        let Observed::Failed(failed) = &*refused else { panic!("{path}: {refused:?}") };
        assert_eq!(failed.code, Code::InvalidPath, "{path}");
    }
    for folder in ["..", "/", "no", "link"] {
        let arguments = format!(r#"{{"action":"Build","workingDirectory":"{folder}"}}"#);
        let refused = prepared(&roots, &arguments).unwrap_err();
        assert!(matches!(*refused, Observed::Failed(_)), "{folder}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn tools_are_listed_with_their_schemas() {
    let pack = Pack::from_toml(GOOD).unwrap();
    let [book] = pack.listed().try_into().unwrap();
    let schema = book.get("inputSchema").unwrap();
    let action = schema.get("properties").unwrap().get("action").unwrap();
    assert_eq!(action.get("enum").unwrap().as_str(), r#"["Build","Find"]"#);
    let take = schema.get("properties").unwrap().get("take").unwrap();
    assert_eq!(take.get("maximum").unwrap().as_str(), "100");
    assert_eq!(pack.public_name(&pack.tools[0]), "shelf_book");
}

#[test]
fn what_is_wrong_in_a_pack_is_told_with_its_place() {
    let check = |from: &str, to: &str, expected: &str| {
        assert!(GOOD.contains(from), "{from}");
        let wrong = Pack::from_toml(&GOOD.replacen(from, to, 1)).unwrap_err();
        let told = format!("{}:{} {} | {}", wrong.line, wrong.column, wrong.message, wrong.hint);
        assert!(told.contains(expected), "{told}");
    };
    check("name = \"shelf\"", "name = \"my_shelf\"", "2:8 `my_shelf` cannot be the name of a pack");
    check("program =", "programm =", "4:1 unknown field `programm`");
    check("\"macos\"", "\"beos\"", "there is no system `beos`");
    check("{project}", "{projekt}", "there is no parameter `projekt` | did you mean `project`?");
    check("\"-q {?quiet}\"", "\"-q {?quiet\"", "not closed");
    check("name = \"Find\"", "name = \"find\"", "use PascalCase");
    check("name = \"Find\"", "name = \"Build\"", "two of the action `Build`");
    check("name = \"take\"", "name = \"action\"", "is a parameter of every tool");
    check("default = \"pem\"", "default = \"p12\"", "breaks its own rules");
    check("characters = \"A-Z", "characters = \"Z-A", "is no regular expression");
    check("type = \"boolean\"", "type = \"boolean\"\nminimum = 1", "`minimum` means nothing");
    check("required = [\"title\"]", "required = [\"titel\"]", "did you mean `title`?");
    check("effect = \"writes\"", "effect = \"global\"", "only an action that writes");
    check("equals = \"New\", ", "", "belong together");
    check(", \"-q {?quiet}\"", "", "no action of `book` uses the parameter `quiet`");
}
