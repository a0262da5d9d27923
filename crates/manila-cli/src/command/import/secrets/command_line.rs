//! Marks the secrets in the words of a command, by the words around them.

use std::ops::Range;

use manila_redact::{Redactor, is_secret_name};

use super::headers::mark_header;
use super::{mark, mark_by_inner_name, mark_by_name};
use crate::command::import::server::Template;
use crate::command::import::template::{Piece, push_plain};

/// A word of a command.
pub(in crate::command::import) struct MarkedWord {
    /// The name that identified the secrets in it, if any.
    pub(in crate::command::import) label: Option<String>,
    pub(in crate::command::import) value: Template,
}

/// The label of a password that no name identifies.
const PASSWORD: &str = "PASSWORD";

/// Options with a password as their value: `-p x`, `-px`, `-p=x`.
const PASSWORD_OPTIONS: [&str; 2] = ["-p", "-P"];
/// Options with a user and a password as their value: `-u user:x`.
const USER_OPTIONS: [&str; 4] = ["-u", "-U", "--user", "--proxy-user"];
/// Options with a header as their value: `-H 'name: x'`.
const HEADER_OPTIONS: [&str; 2] = ["-H", "--header"];

/// Programs that run another one, for which `-p` is a package or a port.
const RUNNERS: [&str; 12] =
    ["bunx", "bun", "cmd", "deno", "docker", "npm", "npx", "pnpm", "podman", "uv", "uvx", "yarn"];
/// Words between a runner and the program that it runs, besides options.
const RUNNER_WORDS: [&str; 7] = ["/c", "/C", "dlx", "exec", "run", "tool", "x"];

/// Marks the secrets in the words of a command.
pub(in crate::command::import) fn mark_words(words: &[Template]) -> Vec<MarkedWord> {
    let n_runner = count_runner_words(words);
    let known = known_passwords(words);
    let mut marked = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| words.get(n)).and_then(|word| plain(word));
        let option = before.filter(|text| text.starts_with('-') && !text.contains('='));
        let known = known.get(n).cloned().flatten();
        let found = mark_by_option(option, word, n < n_runner)
            .or_else(|| Some((PASSWORD.to_owned(), mark_range(plain(word)?, known?))))
            .or_else(|| mark_option_value(word, n < n_runner));
        marked.push(match found {
            Some((label, value)) => MarkedWord { label: Some(label), value },
            None => MarkedWord { label: None, value: mark(None, word) },
        });
    }
    marked
}

/// Returns the text of a word without variables.
fn plain(word: &Template) -> Option<&str> {
    match word.as_slice() {
        [Piece::Plain(text)] => Some(text),
        _ => None,
    }
}

/// Returns the number of words before the program that a runner runs.
fn count_runner_words(words: &[Template]) -> usize {
    let is_runner_word = |word: &&Template| {
        let text = plain(word).unwrap_or_default();
        let program = text.rsplit(['/', '\\']).next().unwrap_or_default();
        let program = program.split('.').next().unwrap_or_default();
        text.starts_with('-') || RUNNERS.contains(&program) || RUNNER_WORDS.contains(&text)
    };
    // The value of the last option counts, too.
    match words.iter().take_while(is_runner_word).count() {
        0 => 0,
        n_words => n_words + 1,
    }
}

/// Marks a word whose option comes before it: `--token x`, `-p x`, `-u user:x`, `-H 'name: x'`.
fn mark_by_option(
    option: Option<&str>,
    word: &Template,
    is_of_runner: bool,
) -> Option<(String, Template)> {
    let option = option?;
    let first = match word.first() {
        Some(Piece::Plain(text)) => text.as_str(),
        _ => "",
    };
    if let Some((label, value)) = mark_by_inner_name(word) {
        return Some((label, value));
    }
    if first.starts_with('-') {
        return None;
    }
    if is_secret_name(option) {
        return Some((option.to_owned(), mark_by_name(word)));
    }
    if HEADER_OPTIONS.contains(&option) {
        return mark_header_line(word);
    }
    let text = plain(word)?;
    if PASSWORD_OPTIONS.contains(&option) && !is_of_runner && !is_ordinary_argument(text) {
        return Some((PASSWORD.to_owned(), mark_by_name(word)));
    }
    let password = USER_OPTIONS.contains(&option).then(|| password_of_user(text))??;
    Some((PASSWORD.to_owned(), mark_range(text, password)))
}

/// Marks a value in the same word as its option: `--token=x`, `-p=x`, `-px`, `--header=name: x`.
fn mark_option_value(word: &Template, is_of_runner: bool) -> Option<(String, Template)> {
    if let Some(found) = mark_by_inner_name(word) {
        return Some(found);
    }
    let text = plain(word)?;
    if let Some((option, line)) = text.split_once('=')
        && HEADER_OPTIONS.contains(&option)
    {
        let (label, value) = mark_header_line(&vec![Piece::Plain(line.to_owned())])?;
        return Some((label, with_prefix(&format!("{option}="), value)));
    }
    let option = PASSWORD_OPTIONS.iter().find(|option| text.starts_with(**option))?;
    let rest = text.strip_prefix(option)?;
    let (value, is_secret) = match rest.strip_prefix('=') {
        Some(value) => (value, !is_ordinary_argument(value)),
        // Many programs have options such as `-path`.
        None => (rest, is_mixed(rest)),
    };
    let start = text.len() - value.len();
    let is_secret = is_secret && !value.is_empty() && !is_of_runner;
    is_secret.then(|| (PASSWORD.to_owned(), mark_range(text, start..text.len())))
}

/// Marks the value of a header: `name: x`
fn mark_header_line(word: &Template) -> Option<(String, Template)> {
    let [Piece::Plain(first), rest @ ..] = word.as_slice() else { return None };
    let (name, text) = first.split_once(':')?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let value = text.trim_start();
    let mut pieces = Vec::new();
    push_plain(&mut pieces, value);
    let marked = mark_header(name, &[&pieces, rest].concat());
    let has_secret = marked.iter().any(|piece| matches!(piece, Piece::Secret(_)));
    let (before, _) = first.split_at(first.len() - value.len());
    has_secret.then(|| (name.to_owned(), with_prefix(before, marked)))
}

fn with_prefix(prefix: &str, value: Template) -> Template {
    let mut pieces = vec![Piece::Plain(prefix.to_owned())];
    pieces.extend(value);
    pieces
}

/// Marks a part of a text.
fn mark_range(text: &str, range: Range<usize>) -> Template {
    let (before, rest) = text.split_at(range.start);
    let (secret, after) = rest.split_at(range.len());
    let mut pieces = Vec::new();
    push_plain(&mut pieces, before);
    pieces.extend(mark_by_name(&vec![Piece::Plain(secret.to_owned())]));
    push_plain(&mut pieces, after);
    pieces
}

/// Returns the password in `user:password`, unless it is the id of a group, or part of a URL.
fn password_of_user(text: &str) -> Option<Range<usize>> {
    let (user, password) = text.split_once(':')?;
    let is_id = password.chars().all(|it| it.is_ascii_digit()) || password == user;
    let is_path = password.starts_with('/') || password.contains('\\');
    (!is_id && !is_path).then(|| user.len() + 1..text.len())
}

/// Returns whether the value of an option such as `-p` is a number, a port, a version, a path or a
/// file, and not a password.
fn is_ordinary_argument(text: &str) -> bool {
    let without_protocol = text.trim_end_matches("/tcp").trim_end_matches("/udp");
    let is_number = without_protocol.chars().all(|it| it.is_ascii_digit() || ".:-".contains(it));
    let is_path = text.starts_with(['/', '.', '~', '@'])
        || text.contains("://")
        || text.get(1..).is_some_and(|rest| rest.starts_with(":\\"));
    is_number || is_path || is_file_name(text)
}

/// Returns whether a text has the form of a file's name: `tsconfig.json`
fn is_file_name(text: &str) -> bool {
    const EXTENSION_MAX: usize = 4;
    let is_part = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
    text.rsplit_once('.').is_some_and(|(name, extension)| {
        (1..=EXTENSION_MAX).contains(&extension.len())
            && extension.chars().all(|it| it.is_ascii_lowercase())
            && name.chars().all(is_part)
    })
}

/// Returns whether a text has digits, and capital letters or punctuation, unlike the name of an
/// option.
fn is_mixed(text: &str) -> bool {
    const PUNCTUATION: &str = "!@#$%^&*+?";
    text.chars().any(|it| it.is_ascii_digit())
        && text.chars().any(|it| it.is_ascii_uppercase() || PUNCTUATION.contains(it))
}

/// Returns for each word the password in it that a rule for the program finds: `mysql -p x`.
fn known_passwords(words: &[Template]) -> Vec<Option<Range<usize>>> {
    let mut line = String::new();
    let mut starts = Vec::new();
    for word in words {
        starts.push(line.len());
        // Only simple words are needed, and quotes would change the positions.
        let text = plain(word).filter(|text| text.chars().all(|it| it.is_ascii_graphic()));
        line += text.filter(|text| !text.is_empty()).unwrap_or("x");
        line.push(' ');
    }
    let mut found = vec![None; words.len()];
    for edit in Redactor::standard().text(line.as_bytes()) {
        let n = starts.partition_point(|start| *start <= edit.range.start).saturating_sub(1);
        let (Some(start), Some(word), Some(slot)) =
            (starts.get(n), words.get(n).and_then(|word| plain(word)), found.get_mut(n))
        else {
            continue;
        };
        let range = edit.range.start - start..edit.range.end - start;
        // What one word contains is found with the other rules.
        let is_of_program = edit.rule == "command-password";
        if is_of_program && word.get(range.clone()).is_some() {
            *slot = Some(range);
        }
    }
    found
}
