//! Errors for people: what failed, and a hint with the next step.

use std::ffi::OsString;
use std::fmt;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::Cli;
use crate::exit_status::ExitStatus;

/// An error with a hint.
#[derive(Debug)]
pub(crate) struct Refusal {
    message: String,
    hint: String,
    status: ExitStatus,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), hint: hint.into(), status: ExitStatus::Error }
    }

    /// Sets the exit status of the program.
    pub(crate) fn with_status(self, status: ExitStatus) -> Refusal {
        Refusal { status, ..self }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// Prints an error and its hint.
pub(crate) fn report(error: &anyhow::Error) {
    print_error(&format!("{error:#}"), hint(error));
}

/// Returns the hint of an error, or a general one.
pub(crate) fn hint(error: &anyhow::Error) -> &str {
    let hint = error.downcast_ref::<Refusal>().map(|refusal| refusal.hint.as_str());
    hint.unwrap_or("`manila --help` lists the commands")
}

/// Returns the exit status after an error.
pub(crate) fn exit_status(error: &anyhow::Error) -> ExitStatus {
    error.downcast_ref::<Refusal>().map_or(ExitStatus::Error, |refusal| refusal.status)
}

/// Prints an error and its hint to stderr.
pub(crate) fn print_error(message: &str, hint: &str) {
    const ERROR: Style = AnsiColor::Red.on_default().bold();
    const HINT: Style = AnsiColor::Cyan.on_default().bold();
    let (message, hint) = (one_line(message), one_line(hint));
    // If stderr is closed, the error cannot be reported.
    let _ = writeln!(
        anstream::stderr(),
        "{ERROR}error:{ERROR:#} {message}\n{HINT}hint:{HINT:#} {hint}"
    );
}

/// Prints a note to stderr.
pub(crate) fn print_note(text: &str) {
    // A failed write of a note does not change the result.
    let _ = writeln!(anstream::stderr(), "note: {}", one_line(text));
}

/// Returns a text on one line, shortened if it is long.
pub(crate) fn one_line(text: &str) -> String {
    const CHARS_MAX: usize = 600;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => visible(text.get(..end).unwrap_or_default()) + "...",
        None => visible(text),
    }
}

/// Escapes control characters, line separators and direction marks, so that a text stays on a line.
///
/// File names and texts of callers must not move the cursor or imitate Manila's output.
pub(crate) fn visible(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        let is_mark = matches!(letter, '\u{200E}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        if is_mark || (letter.is_control() && letter != '\t') {
            escaped.extend(letter.escape_default());
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

/// Prints a usage error in the same format as every other error. Help is not an error.
pub(crate) fn report_usage(usage: &clap::Error) -> ExitStatus {
    if let ErrorKind::DisplayHelp | ErrorKind::DisplayVersion = usage.kind() {
        let is_printed = usage.print().is_ok();
        return if is_printed { ExitStatus::Success } else { ExitStatus::Error };
    }
    if usage.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // If stderr is closed, the help cannot be shown.
        let _ = usage.print();
        return ExitStatus::Error;
    }
    if usage.kind() == ErrorKind::InvalidUtf8 {
        let hint = "use UTF-8; only paths and the command after `--` may have other bytes";
        print_error(&describe_invalid_utf8(std::env::args_os()), hint);
        return ExitStatus::Error;
    }
    let rendered = usage.render().to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    let lines = first.lines().map(str::trim).filter(|line| !line.starts_with("[possible"));
    let message = lines.collect::<Vec<_>>().join(" ");
    let message = message.trim_start_matches("error: ");
    print_error(&with_plain_rule(message), &usage_hint(usage));
    ExitStatus::Error
}

/// Describes which arguments are not UTF-8, without their values, which may be secret.
fn describe_invalid_utf8(arguments: impl Iterator<Item = OsString>) -> String {
    let own = arguments.take_while(|argument| argument != "--").enumerate();
    let invalid = own.filter(|(_, argument)| argument.to_str().is_none());
    let numbers: Vec<String> = invalid.map(|(n, _)| n.to_string()).collect();
    match numbers.as_slice() {
        [number] => format!("argument {number} is not valid UTF-8"),
        numbers => format!("one of the arguments {} is not valid UTF-8", numbers.join(", ")),
    }
}

/// Replaces the message of a Rust parser at the end of a usage error with a rule in plain words.
fn with_plain_rule(message: &str) -> String {
    const RULES: [(&str, &str); 4] = [
        ("invalid digit found in string", "must be a whole number"),
        ("cannot parse integer from empty string", "must be a whole number"),
        ("number too large to fit in target type", "is too large"),
        ("invalid socket address syntax", "use an address and a port, e.g. 127.0.0.1:7300"),
    ];
    let Some((start, rule)) = message.rsplit_once(": ") else { return message.to_owned() };
    if let Some((_, plain)) = RULES.iter().find(|(known, _)| *known == rule) {
        return format!("{start}: {plain}");
    }
    let range = rule.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="));
    match range {
        Some((min, max)) => format!("{start}: must be from {min} to {max}"),
        None => message.to_owned(),
    }
}

/// Returns the hint for a usage error.
fn usage_hint(usage: &clap::Error) -> String {
    let named = |kind| match usage.get(kind) {
        Some(ContextValue::String(name)) => vec![name.clone()],
        Some(ContextValue::Strings(names)) => names.clone(),
        _ => Vec::new(),
    };
    // clap lists the best suggestion last.
    let suggested =
        [ContextKind::SuggestedValue, ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg]
            .into_iter()
            .find_map(|kind| named(kind).pop());
    let is_call = std::env::args_os().nth(1).is_some_and(|command| command == "call");
    let call_hint = if is_call && usage.kind() == ErrorKind::UnknownArgument {
        "pass a tool's arguments as `--arg NAME=VALUE`"
    } else {
        ""
    };
    match (suggested, call_hint) {
        (Some(best), "") => return format!("did you mean `{best}`?"),
        (Some(best), call_hint) => return format!("did you mean `{best}`? {call_hint}"),
        (None, "") => {}
        (None, call_hint) => return call_hint.to_owned(),
    }
    let valid = named(ContextKind::ValidValue);
    if !valid.is_empty() {
        return format!("use one of: {}", valid.join(", "));
    }
    let (command, has_commands) = given_command();
    if has_commands {
        return format!("`{command} --help` lists the commands");
    }
    let invalid = named(ContextKind::InvalidArg);
    match command.as_str() {
        "manila run" if lacks_command(usage.kind(), &invalid) => {
            "put `--` before the program: manila run -- git status".to_owned()
        }
        "manila wrap" | "manila call" | "manila tools" if lacks_command(usage.kind(), &invalid) => {
            let others = if command == "manila wrap" {
                "--url or --pack"
            } else {
                "--url, --pack or --config"
            };
            format!(
                "put the server's command after `--`, e.g. `{command} ... -- npx some-server`, or \
                 use {others}"
            )
        }
        command => format!("`{command} --help` lists its options"),
    }
}

/// Returns whether the program after `--` is missing, or is given without `--`.
fn lacks_command(kind: ErrorKind, invalid: &[String]) -> bool {
    let is_named = |is_match: fn(&str) -> bool| invalid.iter().any(|name| is_match(name));
    if kind == ErrorKind::MissingRequiredArgument {
        return is_named(|name| name.contains("COMMAND"));
    }
    let has_separator = std::env::args_os().any(|argument| argument == "--");
    kind == ErrorKind::UnknownArgument && !has_separator && is_named(|name| !name.starts_with('-'))
}

/// Returns the command that was given, e.g. `manila pack list`, and whether it has commands.
fn given_command() -> (String, bool) {
    let (mut command, mut path) = (Cli::command(), "manila".to_owned());
    for argument in std::env::args_os().skip(1) {
        let Some(next) = command.find_subcommand(&argument).cloned() else { break };
        path = format!("{path} {}", next.get_name());
        command = next;
    }
    (path, command.has_subcommands())
}
