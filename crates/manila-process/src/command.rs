//! A program to start, with its arguments, environment and working directory.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use manila_redact::Redactor;

/// Environment variables that most programs need and that contain no secrets.
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

/// How to start a program: its name and its arguments, never a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its environment variables.
    pub environment: Environment,
    /// Its working directory; `None` means that of this process.
    pub folder: Option<PathBuf>,
    /// Whether the working directory has no links. If it leads elsewhere when the program starts,
    /// because something replaced a part of it, the program is not started.
    pub has_real_folder: bool,
    /// A name for people, to show instead of a command line that would not help them.
    pub display_name: Option<String>,
}

/// The environment variables of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Environment {
    /// All variables of this process, which may contain tokens.
    #[default]
    Inherited,
    /// All variables of this process, and these, which take precedence.
    InheritedAnd(Vec<(OsString, OsString)>),
    /// Only these variables.
    Only(Vec<(OsString, OsString)>),
}

impl Command {
    /// Creates a command with the environment and working directory of this process.
    #[must_use]
    pub fn new(program: OsString, arguments: Vec<OsString>) -> Command {
        let environment = Environment::Inherited;
        Command {
            program,
            arguments,
            environment,
            folder: None,
            has_real_folder: false,
            display_name: None,
        }
    }

    /// Returns the complete command line, quoted for a shell.
    #[must_use]
    pub fn to_command_line(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words.map(|word| quote(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }
}

/// Quotes a word for a shell. In `NAME=VALUE`, one pair of quotes encloses the value: redaction
/// would not recognise a secret that several pairs of quotes split.
fn quote(word: &str) -> String {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || "_-.".contains(it))
    };
    match word.split_once('=') {
        Some((name, value)) if is_name(name) && !value.is_empty() => {
            format!("{name}={}", quote_word(value))
        }
        Some(_) | None => quote_word(word),
    }
}

fn quote_word(word: &str) -> String {
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

/// Writes the start of the command line, for people. An argument may be a whole script.
///
/// The text is redacted later, so it is not cut inside a secret.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHARS_MAX: usize = 120;
        const MORE: &str = "...";
        if let Some(name) = &self.display_name {
            return f.write_str(name);
        }
        let mut line = self.program.to_string_lossy().into_owned();
        for argument in &self.arguments {
            line.push(' ');
            line.push_str(&argument.to_string_lossy());
        }
        let line = line.replace(char::is_control, " ");
        let shown = Redactor::standard().start_of(&line, CHARS_MAX, MORE);
        f.write_str(shown)?;
        f.write_str(if shown.len() < line.len() { MORE } else { "" })
    }
}

#[cfg(test)]
mod tests;
