//! Diagnostics of compilers and build tools: parses their codes and explains them (M4, M14).

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::catalogue::Code;
use crate::outcome::{Category, Failure};

mod line;

pub(crate) use line::Place;

/// A known diagnostic code with its explanation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The code as the program prints it, e.g. `CS0103`.
    #[serde(borrow)]
    pub code: Cow<'static, str>,
    /// The remedy, in one sentence.
    #[serde(borrow)]
    pub hint: Cow<'static, str>,
    /// The meaning.
    #[serde(borrow)]
    pub explanation: Cow<'static, str>,
    /// The address of the documentation.
    #[serde(borrow)]
    pub link: Cow<'static, str>,
    /// Steps that may fix it.
    pub fixes: Vec<&'static str>,
}

static TABLE: LazyLock<Vec<Diagnostic>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/diagnostics.json"))
        .expect("the table is part of the program and a test reads it")
});

/// Returns every known diagnostic code with its explanation.
#[must_use]
pub fn diagnostics() -> &'static [Diagnostic] {
    &TABLE
}

/// Returns the explanation of a diagnostic code.
#[must_use]
pub fn diagnostic(code: &str) -> Option<&'static Diagnostic> {
    TABLE.iter().find(|entry| entry.code == code)
}

/// Returns the category of a diagnostic, by the prefix of its code (M3, M4).
pub(crate) fn category(code: &str) -> Category {
    match code.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "CS" => Category::Compilation,
        "MSB" => Category::Build,
        "NU" => Category::Package,
        "NETSDK" => Category::Runtime,
        _ => Category::Unknown,
    }
}

/// Returns the source location of a diagnostic, from its line of output (M4).
pub(crate) fn place(line: &str) -> Option<Place<'_>> {
    line::place(line)
}

/// The diagnostics in a program's output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnosis {
    /// The diagnostics, at most [`Diagnosis::MAX`].
    pub failures: Vec<Failure>,
    /// The number of further diagnostics.
    pub n_omitted: u64,
    /// Whether the diagnostics are warnings, because there are no errors.
    pub are_warnings: bool,
    /// Whether the output was not read to its end.
    pub is_unfinished: bool,
}

impl Diagnosis {
    /// The maximum number of diagnostics of one run, because a broken build repeats itself.
    pub const MAX: usize = 1000;

    /// M4: parses the diagnostics in a program's output, first in its stdout, then in its stderr.
    ///
    /// ```
    /// let found = manila::Diagnosis::from_output("a.cs(5,9): error CS0103: The name 'x'", "");
    /// assert_eq!(found.failures[0].origin_code.as_deref(), Some("CS0103"));
    /// ```
    #[must_use]
    pub fn from_output(stdout: &str, stderr: &str) -> Diagnosis {
        parse(stdout, stderr)
    }

    /// Merges the diagnostics that two readers found in the same output. Errors replace warnings,
    /// and diagnostics that both found are reported once.
    pub(crate) fn merge(mut self, mut other: Diagnosis) -> Diagnosis {
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
        let n_over = self.failures.len().saturating_sub(Diagnosis::MAX) as u64;
        self.failures.truncate(Diagnosis::MAX);
        // Both may have counted the same diagnostics.
        Diagnosis { n_omitted: self.n_omitted.max(other.n_omitted) + n_over, ..self }
    }
}

/// Parses diagnostics. Warnings are reported only if there are no errors, and repeated lines once.
fn parse(stdout: &str, stderr: &str) -> Diagnosis {
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
    let reported = if are_warnings { warnings } else { errors };
    let n_omitted = reported.len().saturating_sub(Diagnosis::MAX) as u64;
    let reported = reported.into_iter().take(Diagnosis::MAX);
    let failures = reported.map(|(text, found)| failure(text, &found)).collect();
    Diagnosis { failures, n_omitted, are_warnings, is_unfinished: false }
}

fn failure(text: &str, found: &line::ParsedLine<'_>) -> Failure {
    let mut failure = Failure::new(Code::CommandFailed, found.message.to_owned());
    failure.origin_code = Some(found.code.to_owned());
    failure.line = Some(text.to_owned());
    // M4: a code of an unknown family is still a diagnostic.
    failure.category = Some(Category::Unknown);
    explain(&mut failure);
    failure
}

/// Adds the explanation to a failure whose own code is a known diagnostic.
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

/// Returns whether a code is that of a diagnostic: a known family and a number.
pub(crate) fn is_diagnostic(code: &str) -> bool {
    category(code) != Category::Unknown && code.ends_with(|last: char| last.is_ascii_digit())
}

#[cfg(test)]
mod tests;
