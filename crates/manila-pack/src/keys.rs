//! Every key of a pack, from which its page and its schema follow.

use manila::JsonObject;

use manila_files::{Key, Kind, key, schema_of_keys};

/// The JSON Schema of a pack, in draft-07: editors of TOML know no later one.
///
/// ```
/// let schema = manila_pack::schema().to_string();
/// assert!(schema.contains(r#""enum":["reads","writes","global"]"#));
/// ```
#[must_use]
pub fn schema() -> JsonObject {
    let about = "A program, and the tools that it is made into";
    schema_of_keys(&KEYS, "A pack of Manila", about, &["name", "about", "program", "tool"])
}

/// The keys of a pack, each with what it does.
pub const KEYS: [Key; 73] = [
    key("name", Kind::Text, "what the names of its tools begin with: letters, digits and `-`"),
    key("about", Kind::Text, "what it is, for people"),
    key("program", Kind::Text, "the program, as it is found on the `PATH`, or its whole path"),
    key(
        "platforms",
        Kind::Texts,
        "the systems on which it works: `linux`, `macos`, `windows`; all, if none is named",
    ),
    key(
        "pass_env",
        Kind::Texts,
        "variables of the environment that the program is given, beside those that every program \
         needs (`PATH`, `HOME`, the language, folders for temporary files); a `*` at the end \
         stands for any letters",
    ),
    key(
        "missing",
        Kind::TableWith(&["feature"]),
        "what is said where the program is missing, too old, or not for this system",
    ),
    key("missing.feature", Kind::Text, "what is missing"),
    key("missing.alternatives", Kind::Texts, "what can be done about it"),
    key(
        "probe",
        Kind::TableWith(&["arguments", "version"]),
        "how to test that the program is there, and how new it is",
    ),
    key("probe.arguments", Kind::Texts, "with which it tells its version, e.g. `[\"--version\"]`"),
    key(
        "probe.version",
        Kind::Text,
        "a regular expression that finds the version in what it prints; its first group is the \
         version",
    ),
    key("probe.minimum", Kind::Text, "the oldest version that will do, e.g. `\"8.0\"`"),
    key("progress", Kind::TableWith(&["pattern"]), "how the program tells how far it has come"),
    key(
        "progress.pattern",
        Kind::Text,
        "a regular expression for a line that tells it, with the groups `message`, `done` and \
         `total`, all optional. Without this, lines are counted",
    ),
    key(
        "diagnostic",
        Kind::TablesWith(&[]),
        "rules by which errors are read from the output of a program that failed, each with a \
         `pattern` or with `json`. Where two fit, the first counts",
    ),
    key(
        "diagnostic.pattern",
        Kind::Text,
        "a regular expression over the whole output, in which `^` and `$` are the start and the \
         end of a line, with the groups `file`, `line`, `column`, `severity`, `code`, `subject` \
         (what it is about, such as a test) and `message`, all optional",
    ),
    key(
        "diagnostic.lines_with",
        Kind::Texts,
        "words of which a line must have one to be looked at, a pattern from the start of that \
         line. Long outputs are read much faster with them, the more so where a pattern does not \
         begin with words",
    ),
    key(
        "diagnostic.json",
        Kind::TableWith(&["message"]),
        "where the parts stand in a line that is a JSON object, as JSON pointers; in a list, \
         `NAME=VALUE` is the first item with that member",
    ),
    key("diagnostic.json.message", Kind::Text, "the place of the message; without one it is none"),
    key("diagnostic.json.code", Kind::Text, "the place of the code"),
    key("diagnostic.json.severity", Kind::Text, "the place of the severity"),
    key("diagnostic.json.file", Kind::Text, "the place of the file"),
    key("diagnostic.json.line", Kind::Text, "the place of the line"),
    key("diagnostic.json.column", Kind::Text, "the place of the column"),
    key("diagnostic.json.raw", Kind::Text, "the place of the text that people would have read"),
    key("diagnostic.only", Kind::Text, "a regular expression for the codes that this rule is for"),
    key(
        "diagnostic.unless",
        Kind::Text,
        "a regular expression for messages that are no errors of their own, such as `2 errors \
         found`",
    ),
    key(
        "diagnostic.otherwise",
        Kind::Flag,
        "`true` tells what this rule finds only where no other rule finds an error",
    ),
    key(
        "diagnostic.message",
        Kind::Text,
        "the message, where it is made of what was found, e.g. `\"{subject}: {message}\"`",
    ),
    key(
        "diagnostic.code",
        Kind::Text,
        "the code, where the output names none; the pack's name in capitals by default",
    ),
    key(
        "diagnostic.severity",
        Kind::Words(&["error", "warning"]),
        "how bad it is, where the output does not say it: `error`, or `warning`. Warnings are told \
         only where there is no error; what the output calls otherwise, such as `note`, is not \
         told",
    ),
    key(
        "diagnostic.category",
        Kind::Words(&["Compilation", "Build", "Package", "Runtime", "Unknown"]),
        "what it is about, in the words of `machine-readable-v1`: `Compilation`, `Build`, \
         `Package`, `Runtime`, or `Unknown`, which is the default",
    ),
    key(
        "diagnostic.hint",
        Kind::Text,
        "what to do. In this and the next three, `{code}`, `{file}`, `{line}`, `{column}`, \
         `{severity}`, `{subject}` and `{message}` stand for what was found; a text with something \
         that was not found is left out",
    ),
    key("diagnostic.explanation", Kind::Text, "what it means"),
    key("diagnostic.link", Kind::Text, "where to read more"),
    key("diagnostic.fixes", Kind::Texts, "steps that may mend it"),
    key("tool", Kind::TablesWith(&["name", "about", "action"]), "the tools"),
    key("tool.name", Kind::Text, "its name, to which the pack's is added: `NAME_TOOL`"),
    key("tool.about", Kind::Text, "what it is for"),
    key(
        "tool.parameter",
        Kind::TablesWith(&["name", "about"]),
        "what callers can give. `action`, `workingDirectory`, `wait_ms`, `machineReadable` and \
         `unsafeOutput` are there already",
    ),
    key("tool.parameter.name", Kind::Text, "its name"),
    key("tool.parameter.about", Kind::Text, "what it is, for agents"),
    key(
        "tool.parameter.type",
        Kind::Words(&["string", "integer", "boolean", "path", "strings", "paths"]),
        "what may be given: `string`, which is the default, `integer`, `boolean`, `path`, \
         `strings` or `paths`. A path must lie in one of the allowed folders, whatever links and \
         `..` are in it. No text may begin with `-`, unless a `--` always comes before it; none \
         may have control characters; no path may begin with `@`",
    ),
    key("tool.parameter.default", Kind::Any, "what counts where nothing is given"),
    key("tool.parameter.values", Kind::Texts, "for texts: the only ones that may be given"),
    key(
        "tool.parameter.except",
        Kind::Texts,
        "for texts: those that may not be given, in large letters or small ones, such as commands \
         of the program where a name belongs",
    ),
    key(
        "tool.parameter.pattern",
        Kind::Text,
        "for texts: a regular expression that all of it must match",
    ),
    key(
        "tool.parameter.characters",
        Kind::Text,
        "for texts and paths: the characters that it may have, as in the brackets of a regular \
         expression, e.g. `A-Za-z0-9._-`",
    ),
    key(
        "tool.parameter.extensions",
        Kind::Texts,
        "for paths: how it must end, e.g. `[\".csproj\"]`",
    ),
    key("tool.parameter.must_exist", Kind::Flag, "for paths: whether there must be something"),
    key(
        "tool.parameter.relative_to",
        Kind::Text,
        "for paths that the program looks for in the folder of a file, and not in the working \
         directory: the parameter of type `path` that names the file",
    ),
    key(
        "tool.parameter.minimum",
        Kind::Number,
        "for integers: the least; without it, none is negative, since `-5` would be an option",
    ),
    key("tool.parameter.maximum", Kind::Number, "for integers: the most"),
    key(
        "tool.action",
        Kind::TablesWith(&["name", "about", "arguments"]),
        "what the tool can do. A caller says which by the parameter `action`",
    ),
    key("tool.action.name", Kind::Text, "its name in PascalCase, e.g. `MigrationsAdd`"),
    key("tool.action.about", Kind::Text, "what it does, in a sentence"),
    key(
        "tool.action.arguments",
        Kind::Texts,
        "the program's arguments in groups of words. A group is there only if everything in braces \
         holds: `{name}` is a parameter's value and holds if there is one (a list repeats the \
         group), `{?name}` holds if it is there and not `false`, `{!name}` if it is not, \
         `{name=value}` if it is that, `{name~end}` if it ends with that",
    ),
    key("tool.action.required", Kind::Texts, "the parameters that it cannot do without"),
    key(
        "tool.action.exclusive",
        Kind::Groups,
        "groups of parameters of which only one may be given, e.g. `[[\"version\", \
         \"prerelease\"]]`",
    ),
    key(
        "tool.action.good_exits",
        Kind::Numbers,
        "exit codes beside 0 that are no failure, e.g. `[1]` for a search that found nothing; they \
         are told as `exitCode` in the metadata",
    ),
    key(
        "tool.action.effect",
        Kind::Words(&["reads", "writes", "global"]),
        "what it does: `reads` changes nothing, which is what counts otherwise; two that `writes` \
         the same target do not run at once; nor do two that are `global`",
    ),
    key(
        "tool.action.target",
        Kind::Text,
        "the parameter that names what it writes; where that is not given, the only file in the \
         working directory that could be, or else what it `needs`, or else the working directory",
    ),
    key(
        "tool.action.timeout",
        Kind::Time,
        "how long it may take, e.g. `\"30m\"`; what the operator says otherwise",
    ),
    key(
        "tool.action.needs",
        Kind::Text,
        "a file or folder that must be in the working directory, or above it inside of the allowed \
         folders, e.g. `Cargo.toml`, for a program that would look further up. It is also what the \
         action writes, where no target is given. A path parameter whose `extensions` is this name \
         alone stands for it",
    ),
    key(
        "tool.action.output",
        Kind::Words(&["stdout", "both"]),
        "where the program tells what it did: on standard output, which is what counts otherwise, \
         or on `both`: then standard error of a success is output, too",
    ),
    key("tool.action.minimum", Kind::Text, "the oldest version of the program that has it"),
    key(
        "tool.action.choice",
        Kind::TablesWith(&["cases"]),
        "something that is decided before the command line is made, and told as metadata",
    ),
    key(
        "tool.action.choice.cases",
        Kind::TablesWith(&["set"]),
        "the cases, of which the first that holds counts",
    ),
    key(
        "tool.action.choice.cases.when",
        Kind::Text,
        "conditions on parameters, and on what was decided before: `{?name}`, `{!name}`, \
         `{name=value}`, `{name~end}`",
    ),
    key(
        "tool.action.choice.cases.file",
        Kind::Text,
        "the name of a JSON file in the working directory, or in the nearest folder above that has \
         it",
    ),
    key("tool.action.choice.cases.pointer", Kind::Text, "the place in it, as a JSON pointer"),
    key(
        "tool.action.choice.cases.equals",
        Kind::Text,
        "the text that must stand there, in large letters or small ones",
    ),
    key(
        "tool.action.choice.cases.set",
        Kind::NamedTexts,
        "what holds then: it can be used in `arguments` like a parameter, and is told",
    ),
];
