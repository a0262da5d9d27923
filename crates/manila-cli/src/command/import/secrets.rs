//! Marks the secret parts of values, by their names and by the redaction rules.

use std::collections::BTreeMap;

use manila_redact::{REPLACEMENT, Redactor, apply, is_secret_name};

use super::server::Template;
use super::template::Piece;

mod command_line;
mod headers;
mod parameters;

pub(super) use command_line::mark_words;
pub(super) use headers::{is_secret_header, mark_header};
use parameters::mark_parameters;

/// Marks the secrets in a value; `label` is its name.
pub(super) fn mark(label: Option<&str>, value: &Template) -> Template {
    if label.is_some_and(is_secret_name) {
        return mark_by_name(value);
    }
    if let Some((_, value)) = mark_by_inner_name(value) {
        return value;
    }
    let mut pieces = Vec::new();
    for piece in &mark_parameters(value) {
        match piece {
            Piece::Plain(text) => pieces.extend(mark_by_rules(label.unwrap_or("value"), text)),
            Piece::Foreign(text) if has_secret(text) => pieces.push(Piece::Secret(text.clone())),
            Piece::Foreign(_)
            | Piece::Variable(_)
            | Piece::Defaulted { .. }
            | Piece::Input(_)
            | Piece::Known(_)
            | Piece::Secret(_) => pieces.push(piece.clone()),
        }
    }
    pieces
}

/// Marks a value that starts with the name of its secret: `--token=x`, `TOKEN=x`, `--env=TOKEN=x`,
/// `Authorization: x`.
fn mark_by_inner_name(value: &Template) -> Option<(String, Template)> {
    let [Piece::Plain(first), rest @ ..] = value.as_slice() else { return None };
    let (name, at) = secret_name_in(first)?;
    let (before, text) = first.split_at(at);
    let text = (!text.is_empty()).then(|| Piece::Plain(text.to_owned()));
    let value: Template = text.into_iter().chain(rest.iter().cloned()).collect();
    let before = vec![Piece::Plain(before.to_owned())];
    Some((name.to_owned(), [before, mark_by_name(&value)].concat()))
}

/// Returns the first name that marks the text after it as secret, and where that text begins. Only
/// names may come before it.
fn secret_name_in(text: &str) -> Option<(&str, usize)> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let mut start = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '=' | ':' => {
                let name = text.get(start..at)?;
                if is_secret_name(name) {
                    return Some((name, at + 1));
                }
                start = at + 1;
            }
            _ if is_name(letter) => {}
            _ => return None,
        }
    }
    None
}

/// Marks a value that is secret by its name. References to variables are not secret.
fn mark_by_name(value: &Template) -> Template {
    /// Authentication schemes before a token in a header; they are not secret.
    const SCHEMES: [&str; 4] = ["bearer", "basic", "token", "apikey"];
    /// Values of switches, which are not secret.
    const SWITCHES: [&str; 4] = ["true", "false", "0", "1"];
    let (scheme, rest) = match value.as_slice() {
        [Piece::Plain(first), rest @ ..] => {
            let trimmed = first.trim_start();
            let n_blanks = first.len() - trimmed.len();
            let n_word = trimmed.find(' ').map_or(0, |at| at + 1);
            let is_scheme = SCHEMES.iter().any(|known| {
                trimmed.get(..n_word).is_some_and(|word| word.trim().eq_ignore_ascii_case(known))
            });
            let at = n_blanks + if is_scheme { n_word } else { 0 };
            let (scheme, text) = first.split_at(at);
            let text = (!text.is_empty()).then(|| Piece::Plain(text.to_owned()));
            (scheme, text.into_iter().chain(rest.iter().cloned()).collect())
        }
        _ => ("", value.clone()),
    };
    let is_harmless = |piece: &Piece| match piece {
        Piece::Plain(text) | Piece::Foreign(text) => {
            SWITCHES.contains(&text.as_str()) || !text.contains(char::is_alphanumeric)
        }
        Piece::Variable(_)
        | Piece::Defaulted { .. }
        | Piece::Input(_)
        | Piece::Known(_)
        | Piece::Secret(_) => true,
    };
    if rest.iter().all(is_harmless) {
        return value.clone();
    }
    let scheme = (!scheme.is_empty()).then(|| Piece::Plain(scheme.to_owned()));
    scheme.into_iter().chain([Piece::Secret(format!("{rest:?}"))]).collect()
}

/// Returns whether the rules find a secret in a text.
pub(super) fn has_secret(text: &str) -> bool {
    !Redactor::standard().text(text.as_bytes()).is_empty()
}

/// Marks the secrets that the rules find in a text.
fn mark_by_rules(label: &str, text: &str) -> Template {
    let Some(redacted) = redact(label, text) else { return vec![Piece::Plain(text.to_owned())] };
    if text.contains(REPLACEMENT) || !redacted.contains(REPLACEMENT) {
        // A text that contains the mark itself leaves the positions of the secrets ambiguous.
        return vec![Piece::Secret(text.to_owned())];
    }
    let mut pieces = Vec::new();
    for (n, part) in redacted.split(REPLACEMENT).enumerate() {
        if n > 0 {
            pieces.push(Piece::Secret(format!("{n} of {text}")));
        }
        if !part.is_empty() {
            pieces.push(Piece::Plain(part.to_owned()));
        }
    }
    pieces
}

/// Redacts a text as the value of the JSON key `label`; returns `None` if there is no secret in it.
fn redact(label: &str, text: &str) -> Option<String> {
    let json = serde_json::to_vec(&BTreeMap::from([(label, text)])).ok()?;
    let edits = Redactor::standard().json(&json);
    if edits.is_empty() {
        return None;
    }
    let redacted: Option<BTreeMap<String, String>> =
        serde_json::from_slice(&apply(&json, &edits)).ok();
    Some(redacted.and_then(|it| it.into_values().next()).unwrap_or_default())
}

#[cfg(test)]
mod tests;
