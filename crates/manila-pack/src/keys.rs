//! The keys of a pack. The reference page and the JSON Schema are generated from this table.

use manila::JsonObject;

use manila_files::{Key, Kind, key, schema_of_keys};

/// Returns the JSON Schema of a pack, in draft-07: TOML editors support no later draft.
///
/// ```
/// let schema = manila_pack::schema().to_string();
/// assert!(schema.contains(r#""enum":["reads","writes","global"]"#));
/// ```
#[must_use]
pub fn schema() -> JsonObject {
    let about = "A program and the tools made from it";
    schema_of_keys(&KEYS, "Manila pack", about, &["name", "about", "program", "tool"])
}

/// The keys of a pack, each with its description.
pub const KEYS: [Key; 73] = [
    key("name", Kind::String, "prefix of the names of its tools: letters, digits and `-`"),
    key("about", Kind::String, "description of the pack, for people"),
    key("program", Kind::String, "the program: its name on the `PATH`, or an absolute path"),
    key(
        "platforms",
        Kind::Strings,
        "systems on which the program works: `linux`, `macos`, `windows`; default: all",
    ),
    key(
        "pass_env",
        Kind::Strings,
        "environment variables that the program receives, in addition to those that every program \
         needs (`PATH`, `HOME`, the language, folders for temporary files); a trailing `*` \
         matches any suffix",
    ),
    key(
        "missing",
        Kind::TableWith(&["feature"]),
        "what to report if the program is missing, too old, or not available on this system",
    ),
    key("missing.feature", Kind::String, "what is missing"),
    key("missing.alternatives", Kind::Strings, "what the caller can do instead"),
    key(
        "probe",
        Kind::TableWith(&["arguments", "version"]),
        "how to test that the program is installed, and which version it has",
    ),
    key(
        "probe.arguments",
        Kind::Strings,
        "arguments that make the program print its version, e.g. `[\"--version\"]`",
    ),
    key(
        "probe.version",
        Kind::String,
        "regular expression that finds the version in that output; its first group is the version",
    ),
    key("probe.minimum", Kind::String, "oldest supported version, e.g. `\"8.0\"`"),
    key(
        "progress",
        Kind::TableWith(&["pattern"]),
        "how to read progress from the program's output",
    ),
    key(
        "progress.pattern",
        Kind::String,
        "regular expression for a progress line, with the groups `message`, `done` and `total`, \
         all optional. Without it, lines are counted",
    ),
    key(
        "diagnostic",
        Kind::TablesWith(&[]),
        "rules that read errors from the output of a failed program, each with a `pattern` or \
         with `json`. If two rules match, the first one wins",
    ),
    key(
        "diagnostic.pattern",
        Kind::String,
        "regular expression over the whole output, with the groups `file`, `line`, `column`, \
         `severity`, `code`, `subject` (what the error is about, such as a test) and `message`, \
         all optional. `^` and `$` match the start and the end of a line",
    ),
    key(
        "diagnostic.lines_with",
        Kind::Strings,
        "words; the rule only looks at lines that contain one of them, and a pattern starts at \
         the beginning of such a line. This makes long outputs much faster to read, especially if \
         the pattern does not begin with literal text",
    ),
    key(
        "diagnostic.json",
        Kind::TableWith(&["message"]),
        "JSON pointers to the parts of a diagnostic, for output lines that are JSON objects; in \
         an array, `NAME=VALUE` selects the first item with that member",
    ),
    key(
        "diagnostic.json.message",
        Kind::String,
        "pointer to the message; a line without one is not a diagnostic",
    ),
    key("diagnostic.json.code", Kind::String, "pointer to the code"),
    key("diagnostic.json.severity", Kind::String, "pointer to the severity"),
    key("diagnostic.json.file", Kind::String, "pointer to the file"),
    key("diagnostic.json.line", Kind::String, "pointer to the line"),
    key("diagnostic.json.column", Kind::String, "pointer to the column"),
    key("diagnostic.json.raw", Kind::String, "pointer to the human-readable text"),
    key(
        "diagnostic.only",
        Kind::String,
        "regular expression for the codes to which this rule applies",
    ),
    key(
        "diagnostic.unless",
        Kind::String,
        "regular expression for messages that are not errors themselves, such as `2 errors found`",
    ),
    key(
        "diagnostic.otherwise",
        Kind::Flag,
        "`true`: report matches of this rule only if no other rule finds an error",
    ),
    key(
        "diagnostic.message",
        Kind::String,
        "template for the message, e.g. `\"{subject}: {message}\"`",
    ),
    key(
        "diagnostic.code",
        Kind::String,
        "code to use if the output has none; default: the pack's name in capitals",
    ),
    key(
        "diagnostic.severity",
        Kind::Enum(&["error", "warning"]),
        "severity to use if the output has none: `error` or `warning`. Warnings are reported only \
         if there is no error; other severities in the output, such as `note`, are not reported",
    ),
    key(
        "diagnostic.category",
        Kind::Enum(&["Compilation", "Build", "Package", "Runtime", "Unknown"]),
        "category in `machine-readable-v1`: `Compilation`, `Build`, `Package`, `Runtime` or \
         `Unknown`; default: `Unknown`",
    ),
    key(
        "diagnostic.hint",
        Kind::String,
        "what to do. This and the next three keys may contain `{code}`, `{file}`, `{line}`, \
         `{column}`, `{severity}`, `{subject}` and `{message}`; a text that refers to a part that \
         was not found is left out",
    ),
    key("diagnostic.explanation", Kind::String, "what the error means"),
    key("diagnostic.link", Kind::String, "URL of a page with more information"),
    key("diagnostic.fixes", Kind::Strings, "steps that may fix the error"),
    key("tool", Kind::TablesWith(&["name", "about", "action"]), "the tools"),
    key(
        "tool.name",
        Kind::String,
        "name of the tool; callers see it as `PACK_TOOL`, prefixed with the pack's name",
    ),
    key("tool.about", Kind::String, "purpose of the tool"),
    key(
        "tool.parameter",
        Kind::TablesWith(&["name", "about"]),
        "parameters of the tool, in addition to `action`, `workingDirectory`, `wait_ms`, \
         `machineReadable` and `unsafeOutput`",
    ),
    key("tool.parameter.name", Kind::String, "name of the parameter"),
    key("tool.parameter.about", Kind::String, "description of the parameter, for agents"),
    key(
        "tool.parameter.type",
        Kind::Enum(&["string", "integer", "boolean", "path", "strings", "paths"]),
        "`string` (the default), `integer`, `boolean`, `path`, `strings` or `paths`. A path must \
         lie in one of the allowed folders after links and `..` are resolved. Text must not begin \
         with `-`, unless `--` always precedes it, and must not contain control characters; a \
         path must not begin with `@`",
    ),
    key("tool.parameter.default", Kind::Any, "value to use if the caller gives none"),
    key("tool.parameter.values", Kind::Strings, "for texts: the allowed values"),
    key(
        "tool.parameter.except",
        Kind::Strings,
        "for texts: values that are refused, ignoring case, such as subcommands of the program \
         where a name is expected",
    ),
    key(
        "tool.parameter.pattern",
        Kind::String,
        "for texts: regular expression that the whole value must match",
    ),
    key(
        "tool.parameter.characters",
        Kind::String,
        "for texts and paths: the allowed characters, as in the brackets of a regular expression, \
         e.g. `A-Za-z0-9._-`",
    ),
    key(
        "tool.parameter.extensions",
        Kind::Strings,
        "for paths: the allowed extensions, e.g. `[\".csproj\"]`",
    ),
    key("tool.parameter.must_exist", Kind::Flag, "for paths: whether the path must exist"),
    key(
        "tool.parameter.relative_to",
        Kind::String,
        "for paths that the program resolves against the folder of a file instead of the working \
         directory: the parameter of type `path` that names the file",
    ),
    key(
        "tool.parameter.minimum",
        Kind::Number,
        "for integers: the smallest allowed value. Without it, negative numbers are refused unless \
         `--` always precedes them, since a program may read `-5` as an option",
    ),
    key("tool.parameter.maximum", Kind::Number, "for integers: the largest allowed value"),
    key(
        "tool.action",
        Kind::TablesWith(&["name", "about", "arguments"]),
        "actions of the tool. A caller selects one with the parameter `action`",
    ),
    key("tool.action.name", Kind::String, "name of the action in PascalCase, e.g. `MigrationsAdd`"),
    key("tool.action.about", Kind::String, "what the action does, in one sentence"),
    key(
        "tool.action.arguments",
        Kind::Strings,
        "the program's arguments, in groups of words. A group is used only if all of its \
         placeholders hold. `{name}` inserts a parameter's value and holds if there is one; a list \
         repeats the group. `{?name}` holds if the value is present and not `false`, `{!name}` \
         otherwise. `{name=value}` holds if the parameter equals `value`, `{name~end}` if it ends \
         with `end`",
    ),
    key("tool.action.required", Kind::Strings, "parameters that the action requires"),
    key(
        "tool.action.exclusive",
        Kind::StringLists,
        "groups of mutually exclusive parameters, e.g. `[[\"version\", \"prerelease\"]]`",
    ),
    key(
        "tool.action.good_exits",
        Kind::Numbers,
        "exit codes other than 0 that mean success, e.g. `[1]` for a search without matches; the \
         metadata reports them as `exitCode`",
    ),
    key(
        "tool.action.effect",
        Kind::Enum(&["reads", "writes", "global"]),
        "`reads` (the default) changes nothing; two `writes` actions never run on the \
         same target at once, nor do two `global` ones",
    ),
    key(
        "tool.action.target",
        Kind::String,
        "parameter that names what the action writes. If the caller does not give it, the target \
         is the only matching file in the working directory, else what the action `needs`, else \
         the working directory",
    ),
    key(
        "tool.action.timeout",
        Kind::Time,
        "time limit, e.g. `\"30m\"`; default: the operator's setting",
    ),
    key(
        "tool.action.needs",
        Kind::String,
        "file or folder that must be in the working directory, or above it within the allowed \
         folders, e.g. `Cargo.toml`, for a program that would look further up. It is also the \
         default target of an action that writes. A path parameter whose `extensions` is only \
         this name can replace it",
    ),
    key(
        "tool.action.output",
        Kind::Enum(&["stdout", "both"]),
        "where the program writes its result: `stdout` (the default), or `both`, which adds \
         stderr to the output of a success",
    ),
    key("tool.action.minimum", Kind::String, "oldest version of the program that has this action"),
    key(
        "tool.action.choice",
        Kind::TablesWith(&["cases"]),
        "values that are chosen before the command line is built, and reported as metadata",
    ),
    key(
        "tool.action.choice.cases",
        Kind::TablesWith(&["set"]),
        "the cases; the first one that holds is chosen",
    ),
    key(
        "tool.action.choice.cases.when",
        Kind::String,
        "conditions on parameters and earlier choices: `{?name}`, `{!name}`, `{name=value}`, \
         `{name~end}`",
    ),
    key(
        "tool.action.choice.cases.file",
        Kind::String,
        "name of a JSON file in the working directory, or in the nearest folder above that has it",
    ),
    key("tool.action.choice.cases.pointer", Kind::String, "JSON pointer into that file"),
    key(
        "tool.action.choice.cases.equals",
        Kind::String,
        "text expected at the pointer, ignoring case",
    ),
    key(
        "tool.action.choice.cases.set",
        Kind::StringTable,
        "values to set: `arguments` can use them like parameters, and the metadata reports them",
    ),
];
