//! What compilers and build tools print: codes, and what they mean (M4, M14).

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::catalogue::Code;
use crate::outcome::{Category, Failure};

mod line;

pub(crate) use line::Place;

/// A diagnostic code that is explained here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The code as the program prints it, e.g. `CS0103`.
    #[serde(borrow)]
    pub code: Cow<'static, str>,
    /// What to do, in one sentence.
    #[serde(borrow)]
    pub hint: Cow<'static, str>,
    /// What it means.
    #[serde(borrow)]
    pub explanation: Cow<'static, str>,
    /// Where to read more.
    #[serde(borrow)]
    pub link: Cow<'static, str>,
    /// Steps that may mend it.
    pub fixes: Vec<&'static str>,
}

static TABLE: LazyLock<Vec<Diagnostic>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/diagnostics.json"))
        .expect("the table is part of the program and a test reads it")
});

/// Every diagnostic code that is explained here.
#[must_use]
pub fn diagnostics() -> &'static [Diagnostic] {
    &TABLE
}

/// The explanation of a diagnostic code.
#[must_use]
pub fn diagnostic(code: &str) -> Option<&'static Diagnostic> {
    TABLE.iter().find(|entry| entry.code == code)
}

/// What a diagnostic with this code is about, by its prefix (M3, M4).
pub(crate) fn category(code: &str) -> Category {
    match code.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "CS" => Category::Compilation,
        "MSB" => Category::Build,
        "NU" => Category::Package,
        "NETSDK" => Category::Runtime,
        _ => Category::Unknown,
    }
}

/// Where a diagnostic is, by the line of output from which it was read (M4).
pub(crate) fn place(line: &str) -> Option<Place<'_>> {
    line::place(line)
}

/// What a program's output tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnosed {
    /// The diagnostics, at most [`Diagnosed::MAX`].
    pub failures: Vec<Failure>,
    /// How many more there are.
    pub n_untold: u64,
    /// Whether there was no error, and these are warnings.
    pub are_warnings: bool,
    /// Whether the output was not read to its end.
    pub is_unfinished: bool,
}

impl Diagnosed {
    /// How many diagnostics of one run are told. A broken build repeats itself.
    pub const MAX: usize = 1000;

    /// M4: the diagnostics in a program's output, first its stdout, then its stderr.
    ///
    /// ```
    /// let found = manila::Diagnosed::in_output("a.cs(5,9): error CS0103: The name 'x'", "");
    /// assert_eq!(found.failures[0].origin_code.as_deref(), Some("CS0103"));
    /// ```
    #[must_use]
    pub fn in_output(stdout: &str, stderr: &str) -> Diagnosed {
        parse(stdout, stderr)
    }

    /// What two readers of the same output found. Errors count more than warnings, and what both
    /// read is told once.
    pub(crate) fn and(mut self, mut other: Diagnosed) -> Diagnosed {
        self.is_unfinished |= other.is_unfinished;
        other.is_unfinished = self.is_unfinished;
        if self.failures.is_empty() {
            return other;
        }
        if other.failures.is_empty() || self.are_warnings != other.are_warnings {
            return if self.are_warnings && !other.failures.is_empty() { other } else { self };
        }
        let lines = self.failures.iter().filter_map(|it| it.line.as_deref());
        let known: HashSet<&str> = lines.flat_map(str::lines).map(str::trim).collect();
        let is_known = |new: &Failure| new.line.as_deref().is_some_and(|it| known.contains(it));
        let new: Vec<Failure> = other.failures.into_iter().filter(|it| !is_known(it)).collect();
        self.failures.extend(new);
        let n_over = self.failures.len().saturating_sub(Diagnosed::MAX) as u64;
        self.failures.truncate(Diagnosed::MAX);
        // Both may have counted the same.
        Diagnosed { n_untold: self.n_untold.max(other.n_untold) + n_over, ..self }
    }
}

/// Warnings are told only when there is no error. Repeated lines are told once.
fn parse(stdout: &str, stderr: &str) -> Diagnosed {
    let mut seen = HashSet::new();
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for text in line::candidates(stdout).chain(line::candidates(stderr)).map(str::trim) {
        let Some(found) = line::parse(text) else { continue };
        if seen.insert(text) {
            match found.severity {
                line::Severity::Error => errors.push((text, found)),
                line::Severity::Warning => warnings.push((text, found)),
            }
        }
    }
    let are_warnings = errors.is_empty();
    let told = if are_warnings { warnings } else { errors };
    let n_untold = told.len().saturating_sub(Diagnosed::MAX) as u64;
    let told = told.into_iter().take(Diagnosed::MAX);
    let failures = told.map(|(text, found)| failure(text, &found)).collect();
    Diagnosed { failures, n_untold, are_warnings, is_unfinished: false }
}

fn failure(text: &str, found: &line::Found<'_>) -> Failure {
    let mut failure = Failure::new(Code::CommandFailed, found.message.to_owned());
    failure.origin_code = Some(found.code.to_owned());
    failure.line = Some(text.to_owned());
    // M4: a diagnostic of an unknown family is one all the same.
    failure.category = Some(Category::Unknown);
    explain(&mut failure);
    failure
}

/// Adds what is known about a failure whose own code is a diagnostic's.
pub(crate) fn explain(failure: &mut Failure) {
    let Some(code) = failure.origin_code.as_deref().filter(|code| is_diagnostic(code)) else {
        return;
    };
    if failure.code != Code::CommandFailed {
        return;
    }
    failure.category = Some(category(code));
    if let Some(known) = diagnostic(code) {
        failure.hint.get_or_insert_with(|| known.hint.clone());
        failure.explanation.get_or_insert_with(|| known.explanation.clone());
        failure.link.get_or_insert_with(|| known.link.clone());
        failure.fixes = known.fixes.iter().map(|fix| Cow::Borrowed(*fix)).collect();
    }
}

/// Whether a code is a diagnostic's: of a known family, with its number.
pub(crate) fn is_diagnostic(code: &str) -> bool {
    category(code) != Category::Unknown && code.ends_with(|last: char| last.is_ascii_digit())
}

#[cfg(test)]
mod tests;
