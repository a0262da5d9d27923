//! Telling a person what could not be done, and the next step.

use std::fmt;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::Cli;
use crate::exit_status::ExitStatus;

/// Something that could not be done, with the next step.
#[derive(Debug)]
pub(crate) struct Refusal {
    message: String,
    hint: String,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), hint: hint.into() }
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

/// Tells an error and its hint.
pub(crate) fn report(error: &anyhow::Error) {
    tell(&format!("{error:#}"), hint(error));
}

/// The next step after an error.
pub(crate) fn hint(error: &anyhow::Error) -> &str {
    let hint = error.downcast_ref::<Refusal>().map(|refusal| refusal.hint.as_str());
    hint.unwrap_or("`manila --help` shows what can be done")
}

/// Tells what could not be done and the next step, on standard error.
pub(crate) fn tell(message: &str, hint: &str) {
    const ERROR: Style = AnsiColor::Red.on_default().bold();
    const HINT: Style = AnsiColor::Cyan.on_default().bold();
    let (message, hint) = (plain(message), plain(hint));
    // Where standard error is gone, too, there is nobody left to tell.
    let _ = writeln!(
        anstream::stderr(),
        "{ERROR}error:{ERROR:#} {message}\n{HINT}hint:{HINT:#} {hint}"
    );
}

/// Tells something beside the result, on standard error.
pub(crate) fn note(text: &str) {
    // A note that cannot be told changes nothing about the result.
    let _ = writeln!(anstream::stderr(), "note: {}", plain(text));
}

/// A text on one line, and short.
pub(crate) fn plain(text: &str) -> String {
    const CHARS_MAX: usize = 600;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => visible(text.get(..end).unwrap_or_default()) + "...",
        None => visible(text),
    }
}

/// A text on one line, without what could move a cursor or turn the direction of reading: names of
/// files and words of callers stand in it, and none of them may look like a line of ours.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        let turns = matches!(letter, '\u{200E}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        if turns || (letter.is_control() && letter != '\t') {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Tells wrong arguments in the same form as every other error; help is no error.
pub(crate) fn report_usage(usage: &clap::Error) -> ExitStatus {
    if let ErrorKind::DisplayHelp | ErrorKind::DisplayVersion = usage.kind() {
        let is_told = usage.print().is_ok();
        return if is_told { ExitStatus::Good } else { ExitStatus::CouldNot };
    }
    if usage.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Where standard error is gone, too, there is nobody left to tell.
        let _ = usage.print();
        return ExitStatus::CouldNot;
    }
    let rendered = usage.render().to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    let lines = first.lines().map(str::trim).filter(|line| !line.starts_with("[possible"));
    let message = lines.collect::<Vec<_>>().join(" ");
    tell(message.trim_start_matches("error: "), &usage_hint(usage));
    ExitStatus::CouldNot
}

fn usage_hint(usage: &clap::Error) -> String {
    let named = |kind| match usage.get(kind) {
        Some(ContextValue::String(name)) => vec![name.clone()],
        Some(ContextValue::Strings(names)) => names.clone(),
        _ => Vec::new(),
    };
    let suggested: Vec<String> =
        [ContextKind::SuggestedValue, ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg]
            .into_iter()
            .flat_map(named)
            .collect();
    let is_call = std::env::args().nth(1).is_some_and(|word| word == "call");
    let own = if is_call && usage.kind() == ErrorKind::UnknownArgument {
        "a tool's own arguments are given as `--arg NAME=VALUE`"
    } else {
        ""
    };
    match (suggested.as_slice(), own) {
        ([first, ..], "") => return format!("did you mean `{first}`?"),
        ([first, ..], own) => return format!("did you mean `{first}`? {own}"),
        ([], "") => {}
        ([], own) => return own.to_owned(),
    }
    let valid = named(ContextKind::ValidValue);
    if !valid.is_empty() {
        return format!("use one of: {}", valid.join(", "));
    }
    let command = std::env::args().nth(1).filter(|word| is_command(word));
    // A `--` with nothing behind it names no server.
    let is_split = std::env::args().rev().skip(1).any(|word| word == "--");
    match command {
        Some(command) if !is_split && WITH_SERVER.contains(&command.as_str()) => {
            let or_all = if command == "wrap" { "" } else { ", or --config FILE" };
            format!(
                "give the server's command after `--`: manila {command} ... -- npx some-server, or \
                 --url URL{or_all}"
            )
        }
        Some(command) => format!("`manila {command} --help` shows its options"),
        None => "`manila --help` lists the commands".to_owned(),
    }
}

/// The commands that take a server's command line after `--`.
const WITH_SERVER: [&str; 3] = ["wrap", "call", "tools"];

fn is_command(word: &str) -> bool {
    Cli::command().get_subcommands().any(|command| command.get_name() == word)
}
