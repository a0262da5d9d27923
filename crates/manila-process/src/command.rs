//! A program to start: its arguments, its environment and its folder.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// Environment variables that most programs need and that hold no secrets.
pub const ESSENTIAL_VARIABLES: [&str; 21] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "SYSTEMROOT",
    "APPDATA",
    "LOCALAPPDATA",
];

/// How to start a server: a program and its arguments, never a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// What it finds in its environment.
    pub environment: Environment,
    /// The folder in which it runs; ours, if none is given.
    pub folder: Option<PathBuf>,
    /// What people know it by, where its command line tells them nothing.
    pub known_as: Option<String>,
}

/// What a program finds in its environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Environment {
    /// All that we have: tokens live there.
    #[default]
    Ours,
    /// All that we have, and these variables, which win.
    OursAnd(Vec<(OsString, OsString)>),
    /// These variables, and nothing else.
    Only(Vec<(OsString, OsString)>),
}

impl Command {
    /// A program in our own environment and folder.
    #[must_use]
    pub fn new(program: OsString, arguments: Vec<OsString>) -> Command {
        let environment = Environment::Ours;
        Command { program, arguments, environment, folder: None, known_as: None }
    }

    /// The whole command line, as people would type it.
    #[must_use]
    pub fn typed(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell takes it for one. What it gives to a name stands in one pair of quotes: in
/// several, a secret would be in pieces that nobody knows for one.
fn quoted(word: &str) -> String {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || "_-.".contains(it))
    };
    match word.split_once('=') {
        Some((name, value)) if is_name(name) && !value.is_empty() => {
            format!("{name}={}", in_quotes(value))
        }
        Some(_) | None => in_quotes(word),
    }
}

fn in_quotes(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-./:=@%+,".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    let mut quoted = String::from("\"");
    for letter in word.chars() {
        if matches!(letter, '"' | '\\' | '$' | '`') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted.push('"');
    quoted
}

/// For people, who know it by its start: a whole script may be among the arguments.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHARS_MAX: usize = 120;
        if let Some(known_as) = &self.known_as {
            return f.write_str(known_as);
        }
        let mut line = self.program.to_string_lossy().into_owned();
        for argument in &self.arguments {
            line.push(' ');
            line.push_str(&argument.to_string_lossy());
        }
        let line = line.replace(char::is_control, " ");
        match line.char_indices().nth(CHARS_MAX) {
            Some((end, _)) => write!(f, "{}...", line.get(..end).unwrap_or_default()),
            None => f.write_str(&line),
        }
    }
}
