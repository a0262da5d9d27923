//! One line of output: is it a diagnostic, and which one? (M4)

use crate::lines::lines_with;

/// A diagnostic that was found in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub(super) severity: Severity,
    pub(super) code: &'a str,
    pub(super) message: &'a str,
    pub(super) place: Option<Place<'a>>,
}

/// Where it is, in the source of a program.
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

/// The lines that may have a diagnostic: each has one of these words.
pub(super) fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let places = lines_with(text, &["error ", "warning ", "NU"]);
    places.filter_map(|place| text.get(place))
}

/// M4: the first of the three forms that fits decides.
pub(super) fn parse(line: &str) -> Option<Found<'_>> {
    let found = in_file(line).or_else(|| nuget(line)).or_else(|| anywhere(line))?;
    Some(Found { message: without_project(found.message), ..found })
}

/// `<file>(<line>,<col>)` before a diagnostic.
pub(super) fn place(line: &str) -> Option<Place<'_>> {
    in_file(line)?.place
}

/// `<file>(<line>,<col>): error|warning CODE: text`
fn in_file(line: &str) -> Option<Found<'_>> {
    let mut start = 0;
    line.match_indices("): ").find_map(|(at, close)| {
        // Each stretch is looked at once, however many brackets the line has.
        let before = line.get(start..at)?;
        start = at + close.len();
        let after = line.get(start..)?;
        let (file, place) = before.rsplit_once('(')?;
        let (row, column) = place.split_once(',')?;
        if file.trim().is_empty() || !is_number(row) || !is_number(column) {
            return None;
        }
        let found = worded(after)?;
        let place = row.parse().ok().zip(column.parse().ok());
        let place = place.map(|(line, column)| Place { file: file.trim(), line, column });
        Some(Found { place, ..found })
    })
}

/// MSBuild ends a message with the project that was built:
/// ` [/src/App.csproj::TargetFramework=net10.0]`.
fn without_project(message: &str) -> &str {
    let inside = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    let is_project = |path: &str| {
        let path = path.split("::").next().unwrap_or_default();
        ["proj", ".sln", ".slnx", ".slnf"].iter().any(|end| path.ends_with(end))
    };
    match inside {
        Some((said, path)) if is_project(path) && !said.trim().is_empty() => said.trim_end(),
        Some(_) | None => message,
    }
}

/// `NUdddd: text`: an error, unless `warning`, `warn :` or `info :` stands before it.
fn nuget(line: &str) -> Option<Found<'_>> {
    line.match_indices("NU").find_map(|(at, _)| {
        let (before, after) = line.split_at_checked(at)?;
        if !ends_a_word(before) {
            return None;
        }
        let (code, message) = coded(after)?;
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
        Some(Found { severity, code, message, place: None })
    })
}

/// `error|warning CODE: text`, wherever it stands in the line.
fn anywhere(line: &str) -> Option<Found<'_>> {
    let starts = line.match_indices("error ").chain(line.match_indices("warning "));
    let mut starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    starts.sort_unstable();
    starts.into_iter().find_map(|at| {
        let (before, after) = line.split_at_checked(at)?;
        ends_a_word(before).then(|| worded(after)).flatten()
    })
}

/// `error|warning CODE: text` at the start.
fn worded(text: &str) -> Option<Found<'_>> {
    let (severity, rest) = if let Some(rest) = text.strip_prefix("error ") {
        (Severity::Error, rest)
    } else {
        (Severity::Warning, text.strip_prefix("warning ")?)
    };
    let (code, message) = coded(rest.trim_start())?;
    Some(Found { severity, code, message, place: None })
}

/// `CODE: text`, where a code is `[A-Z]+[0-9]+`. Looks no further than it must.
fn coded(text: &str) -> Option<(&str, &str)> {
    let n_letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let n_digits = text.bytes().skip(n_letters).take_while(u8::is_ascii_digit).count();
    let (code, rest) = text.split_at_checked(n_letters + n_digits)?;
    let message = rest.strip_prefix(':')?.trim();
    (n_letters > 0 && n_digits > 0 && !message.is_empty()).then_some((code, message))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word that starts here is not the end of a longer one.
fn ends_a_word(before: &str) -> bool {
    !before.ends_with(|last: char| last.is_alphanumeric() || last == '_')
}
