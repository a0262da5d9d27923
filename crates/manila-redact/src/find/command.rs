//! Passwords on the command lines of programs that take them in an option or at a fixed position.

use std::ops::Range;

use crate::boundary::{is_start, is_word};
use crate::rules::Demand;
use crate::value::{self, Quoting};

/// The maximum number of bytes to read from a command line.
const LINE_MAX: usize = 4096;

/// The maximum number of words to read from a command line.
const WORDS_MAX: usize = 64;

/// The maximum number of passwords to find in a command line.
const FOUND_MAX: usize = 4;

/// A program and the arguments in which it takes passwords.
struct Program {
    name: &'static str,
    takes: &'static [Takes],
}

/// An argument with a password.
enum Takes {
    /// After this option: `-p x`, `-px`.
    Option(&'static str),
    /// After this option and a colon: `-u user:x`.
    UserOption(&'static str),
    /// After this option and a percent sign: `-U user%x`.
    PercentOption(&'static str),
    /// After this option and a prefix: `-passin pass:x`.
    PrefixOption(&'static str, &'static str),
    /// The argument with this number, not counting options.
    Word(usize),
}

#[rustfmt::skip]
const PROGRAMS: [Program; 24] = [
    Program { name: "sshpass", takes: &[Takes::Option("-p")] },
    Program { name: "mysql", takes: &[Takes::Option("-p")] },
    Program { name: "mysqldump", takes: &[Takes::Option("-p")] },
    Program { name: "mysqladmin", takes: &[Takes::Option("-p")] },
    Program { name: "mariadb", takes: &[Takes::Option("-p")] },
    Program { name: "docker login", takes: &[Takes::Option("-p")] },
    Program { name: "podman login", takes: &[Takes::Option("-p")] },
    Program { name: "curl", takes: &[
        Takes::UserOption("-u"), Takes::UserOption("--user"),
        Takes::UserOption("-U"), Takes::UserOption("--proxy-user"),
    ] },
    Program { name: "wget", takes: &[Takes::UserOption("--user")] },
    Program { name: "redis-cli", takes: &[Takes::Option("-a")] },
    Program { name: "ldapsearch", takes: &[Takes::Option("-w")] },
    Program { name: "sqlcmd", takes: &[Takes::Option("-P")] },
    Program { name: "mongo", takes: &[Takes::Option("-p")] },
    Program { name: "mongosh", takes: &[Takes::Option("-p")] },
    Program { name: "mongodump", takes: &[Takes::Option("-p")] },
    Program { name: "smbclient", takes: &[Takes::PercentOption("-U")] },
    Program { name: "htpasswd", takes: &[Takes::Word(3)] },
    Program { name: "zip", takes: &[Takes::Option("-P")] },
    Program { name: "unzip", takes: &[Takes::Option("-P")] },
    Program { name: "openssl", takes: &[
        Takes::PrefixOption("-passin", "pass:"), Takes::PrefixOption("-passout", "pass:"),
    ] },
    Program { name: "oc login", takes: &[Takes::Option("-p")] },
    Program { name: "az login", takes: &[Takes::Option("-p")] },
    Program { name: "helm registry login", takes: &[Takes::Option("-p")] },
    Program { name: "user-secrets", takes: &[Takes::Word(3)] },
];

/// Reports the passwords on the command line whose program is at `at`.
pub(super) fn find(text: &[u8], at: usize, len: usize, mut report: impl FnMut(Range<usize>)) {
    let Some((name, arguments)) = command_line(text, at, len) else { return };
    let Some(program) = PROGRAMS.iter().find(|it| it.name.as_bytes() == name) else { return };
    let start = at + name.len();
    find_passwords(arguments, name, program.takes, |found| {
        let mut end = start + found.end;
        if found.end == arguments.len() {
            // The limit cut the line inside the password.
            let rest = text.get(end..).unwrap_or_default();
            end += rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        }
        report(start + found.start..end);
    });
}

/// Returns the name of a program and the text after it.
fn command_line(text: &[u8], at: usize, len: usize) -> Option<(&[u8], &[u8])> {
    let is_letter = |it: u8| is_word(it) || it == b'-';
    if !is_start(text, at, is_letter) {
        return None;
    }
    let named = text.get(at..)?;
    let literal_len = named.get(..len)?.trim_ascii_end().len();
    let len = literal_len + named.get(literal_len..)?.iter().position(|it| !is_letter(*it))?;
    Some((named.get(..len)?, named.get(len..named.len().min(LINE_MAX))?))
}

fn find_passwords(
    arguments: &[u8],
    name: &[u8],
    takes: &[Takes],
    mut report: impl FnMut(Range<usize>),
) {
    let mut words = Words { text: arguments, at: 0 };
    let (mut n_plain, mut n_found) = (0, 0);
    for _ in 0..WORDS_MAX {
        let Some(word) = words.next() else { return };
        let text = arguments.get(word.clone()).unwrap_or_default();
        // A separate probe handles this occurrence of the program.
        if is_program(arguments, &word, name) {
            return;
        }
        let is_option = text.starts_with(b"-");
        n_plain += usize::from(!is_option);
        // The argument, and the part of it that is the password.
        let argument = takes.iter().find_map(|takes| match takes {
            Takes::Word(number) => (n_plain == *number).then(|| (word.clone(), Some(word.clone()))),
            _ if !is_option => None,
            Takes::Option(option) => {
                let argument = after_option(text, &word, option, &mut words)?;
                Some((argument.clone(), Some(argument)))
            }
            Takes::UserOption(option) => {
                let argument = after_option(text, &word, option, &mut words)?;
                Some((argument.clone(), after_delimiter(arguments, argument, b':')))
            }
            Takes::PercentOption(option) => {
                let argument = after_option(text, &word, option, &mut words)?;
                Some((argument.clone(), after_delimiter(arguments, argument, b'%')))
            }
            Takes::PrefixOption(option, prefix) => {
                let argument = (text == option.as_bytes()).then(|| words.next())??;
                let has_prefix = arguments.get(argument.clone())?.starts_with(prefix.as_bytes());
                let password = argument.start + prefix.len()..argument.end;
                Some((argument, has_prefix.then_some(password)))
            }
        });
        let Some((argument, password)) = argument else { continue };
        if is_program(arguments, &argument, name) {
            // The option has no value, and the next command follows.
            return;
        }
        let Some(password) = password else { continue };
        let value = arguments.get(password.clone()).unwrap_or_default();
        if !value.starts_with(b"-") && value::is_secret(value, Demand::Anything, Quoting::Bare) {
            report(password);
            n_found += 1;
            if n_found == FOUND_MAX {
                return;
            }
        }
    }
}

/// Returns whether a word is the program itself. Some names have several words.
fn is_program(arguments: &[u8], word: &Range<usize>, name: &[u8]) -> bool {
    let rest = arguments.get(word.start..).unwrap_or_default();
    arguments.get(word.clone()) == Some(name) || (name.contains(&b' ') && rest.starts_with(name))
}

/// Returns the value of an option: `-p x`, `-px`, `--user=x`
fn after_option(
    text: &[u8],
    word: &Range<usize>,
    option: &str,
    words: &mut Words<'_>,
) -> Option<Range<usize>> {
    // `-sSu` is `-s -S -u`.
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let is_joined = letter.is_some_and(|letter| {
        let letters = text.strip_prefix(b"-").unwrap_or_default();
        letters.ends_with(letter.as_bytes()) && letters.iter().all(u8::is_ascii_alphabetic)
    });
    let rest = text.strip_prefix(option.as_bytes());
    if rest.is_none() && is_joined {
        return words.next();
    }
    match rest? {
        [] => words.next(),
        [b'=', ..] => Some(word.start + option.len() + 1..word.end),
        [_, ..] if option.len() == 2 => Some(word.start + option.len()..word.end),
        _ => None,
    }
}

/// Returns the part of a word after the first `delimiter`.
fn after_delimiter(text: &[u8], word: Range<usize>, delimiter: u8) -> Option<Range<usize>> {
    let at = memchr::memchr(delimiter, text.get(word.clone())?)?;
    Some(word.start + at + 1..word.end)
}

/// The words of a command line up to its end or a pipe, without their quotes.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..)?;
        let start = self.at + rest.iter().position(|it| !matches!(it, b' ' | b'\t'))?;
        let rest = self.text.get(start..)?;
        let quote = rest.first().copied().filter(|it| matches!(it, b'"' | b'\''));
        if let Some(quote) = quote
            && let Some(len) = memchr::memchr2(quote, b'\n', rest.get(1..)?)
            && rest.get(len + 1) == Some(&quote)
        {
            self.at = start + len + 2;
            return Some(start + 1..start + 1 + len);
        }
        if let Some(b'\n' | b'\r' | b'|' | b';') = rest.first() {
            return None;
        }
        let is_end = |it: &u8| {
            matches!(it, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'\\' | b'\n' | b'\r' | b'|' | b';')
        };
        let len = rest.iter().position(is_end).unwrap_or(rest.len()).max(1);
        self.at = start + len;
        Some(start..start + len)
    }
}
