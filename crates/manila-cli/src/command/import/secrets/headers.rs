//! Marks the secrets in custom headers. Their names say little, so their values decide.

use manila_redact::{is_secret_name, name_words};

use super::{mark, mark_by_name};
use crate::command::import::server::Template;
use crate::command::import::template::Piece;

/// Words in the names of headers that mark a secret, in addition to those of other values.
const WORDS: [&str; 5] = ["AUTH", "SESSION", "SIGNATURE", "CREDENTIAL", "CODE"];

/// Headers that contain no secrets.
const PUBLIC: [&str; 8] = [
    "accept",
    "accept-language",
    "anthropic-beta",
    "mcp-protocol-version",
    "origin",
    "referer",
    "traceparent",
    "user-agent",
];

/// Marks the secrets in the value of a header.
pub(in crate::command::import) fn mark_header(name: &str, value: &Template) -> Template {
    if is_secret_header(name, value) { mark_by_name(value) } else { mark(Some(name), value) }
}

/// Returns whether the value of a header is a secret, by its name or because it resembles one.
pub(in crate::command::import) fn is_secret_header(name: &str, value: &Template) -> bool {
    let is_public = PUBLIC.iter().any(|known| name.eq_ignore_ascii_case(known));
    let has_word = || name_words(name).iter().any(|word| WORDS.contains(&word.as_str()));
    is_secret_name(name) || (!is_public && (has_word() || value.iter().any(resembles_secret)))
}

fn resembles_secret(piece: &Piece) -> bool {
    match piece {
        Piece::Plain(text) | Piece::Defaulted { default: text, .. } => !is_ordinary(text),
        Piece::Foreign(_)
        | Piece::Variable(_)
        | Piece::Input(_)
        | Piece::Known(_)
        | Piece::Secret(_) => false,
    }
}

/// Returns whether a text consists of words, numbers, or a URL: `eu-west-1`, `2022-06-28`.
fn is_ordinary(text: &str) -> bool {
    const SEPARATORS: &str = " -_./,;:=*";
    let is_separator = |letter: char| SEPARATORS.contains(letter);
    text.contains("://") || text.split(is_separator).all(is_ordinary_word)
}

fn is_ordinary_word(word: &str) -> bool {
    const LETTERS_MAX: usize = 20;
    const DIGITS_MAX: usize = 10;
    const MIXED_MAX: usize = 3;
    let rest = word.get(1..).unwrap_or_default();
    let is_one_case = |text: &str| {
        text.chars().all(|it| it.is_ascii_lowercase())
            || text.chars().all(|it| it.is_ascii_uppercase())
    };
    let is_letters = word.chars().all(|it| it.is_ascii_alphabetic());
    let is_digits = word.chars().all(|it| it.is_ascii_digit());
    let is_alphanumeric = word.chars().all(|it| it.is_ascii_alphanumeric());
    (is_letters && word.len() <= LETTERS_MAX && is_one_case(rest))
        || (is_digits && word.len() <= DIGITS_MAX)
        || (is_alphanumeric && word.len() <= MIXED_MAX)
}
