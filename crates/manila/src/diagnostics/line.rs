//! Parses a diagnostic in one line of output (M4).

use crate::lines::lines_with;

/// A diagnostic that was found in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParsedLine<'a> {
    pub(super) severity: Severity,
    pub(super) code: &'a str,
    pub(super) message: &'a str,
    pub(super) place: Option<Place<'a>>,
}

/// A location in source code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: u64,
    pub(crate) column: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    Error,
    Warning,
}

/// Returns the lines that may contain a diagnostic, by their keywords.
pub(super) fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let places = lines_with(text, &["error ", "warning ", "NU"]);
    places.filter_map(|place| text.get(place))
}

/// M4: parses a line by the first of the three forms that matches.
pub(super) fn parse(line: &str) -> Option<ParsedLine<'_>> {
    let found =
        parse_in_file(line).or_else(|| parse_nuget(line)).or_else(|| parse_anywhere(line))?;
    Some(ParsedLine { message: without_project(found.message), ..found })
}

/// Returns the `<file>(<line>,<col>)` before a diagnostic.
pub(super) fn place(line: &str) -> Option<Place<'_>> {
    parse_in_file(line)?.place
}

/// Parses `<file>(<line>,<col>): error|warning CODE: text`.
fn parse_in_file(line: &str) -> Option<ParsedLine<'_>> {
    let mut start = 0;
    line.match_indices("): ").find_map(|(at, close)| {
        // Each part of the line is read once, regardless of the number of brackets.
        let before = line.get(start..at)?;
        start = at + close.len();
        let after = line.get(start..)?;
        let (file, place) = before.rsplit_once('(')?;
        let (row, column) = place.split_once(',')?;
        if file.trim().is_empty() || !is_number(row) || !is_number(column) {
            return None;
        }
        let found = parse_prefixed(after)?;
        let place = row.parse().ok().zip(column.parse().ok());
        let place = place.map(|(line, column)| Place { file: file.trim(), line, column });
        Some(ParsedLine { place, ..found })
    })
}

/// Removes the project that MSBuild adds to the end of a message:
/// ` [/src/App.csproj::TargetFramework=net10.0]`.
fn without_project(message: &str) -> &str {
    let inside = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    let is_project = |path: &str| {
        let path = path.split("::").next().unwrap_or_default();
        ["proj", ".sln", ".slnx", ".slnf"].iter().any(|end| path.ends_with(end))
    };
    match inside {
        Some((text, path)) if is_project(path) && !text.trim().is_empty() => text.trim_end(),
        Some(_) | None => message,
    }
}

/// Parses `NUdddd: text`: an error, unless `warning`, `warn :` or `info :` precedes it.
fn parse_nuget(line: &str) -> Option<ParsedLine<'_>> {
    line.match_indices("NU").find_map(|(at, _)| {
        let (before, after) = line.split_at_checked(at)?;
        if !is_word_boundary(before) {
            return None;
        }
        let (code, message) = split_code(after)?;
        if code.len() != "NU0000".len() {
            return None;
        }
        let before = before.trim_end_matches([' ', ':']);
        let word = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("");
        let severity = match word.to_ascii_lowercase().as_str() {
            "info" | "log" => return None,
            "warning" | "warn" => Severity::Warning,
            _ => Severity::Error,
        };
        Some(ParsedLine { severity, code, message, place: None })
    })
}

/// Parses `error|warning CODE: text` anywhere in the line.
fn parse_anywhere(line: &str) -> Option<ParsedLine<'_>> {
    let starts = line.match_indices("error ").chain(line.match_indices("warning "));
    let mut starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    starts.sort_unstable();
    starts.into_iter().find_map(|at| {
        let (before, after) = line.split_at_checked(at)?;
        is_word_boundary(before).then(|| parse_prefixed(after)).flatten()
    })
}

/// Parses `error|warning CODE: text` at the start.
fn parse_prefixed(text: &str) -> Option<ParsedLine<'_>> {
    let (severity, rest) = if let Some(rest) = text.strip_prefix("error ") {
        (Severity::Error, rest)
    } else {
        (Severity::Warning, text.strip_prefix("warning ")?)
    };
    let (code, message) = split_code(rest.trim_start())?;
    Some(ParsedLine { severity, code, message, place: None })
}

/// Splits `CODE: text`, where a code is `[A-Z]+[0-9]+`. Reads no more of the text than necessary.
fn split_code(text: &str) -> Option<(&str, &str)> {
    let n_letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let n_digits = text.bytes().skip(n_letters).take_while(u8::is_ascii_digit).count();
    let (code, rest) = text.split_at_checked(n_letters + n_digits)?;
    let message = rest.strip_prefix(':')?.trim();
    (n_letters > 0 && n_digits > 0 && !message.is_empty()).then_some((code, message))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a word can start after `before`, and is not the end of a longer one.
fn is_word_boundary(before: &str) -> bool {
    !before.ends_with(|last: char| last.is_alphanumeric() || last == '_')
}
