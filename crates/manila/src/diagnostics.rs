//! What compilers and build tools print: codes, and what they mean (M4, M14).

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::catalogue::Code;
use crate::outcome::{Category, Failure};

mod line;

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

/// How many diagnostics of one run are told. A broken build repeats itself.
pub(crate) const DIAGNOSTICS_MAX: usize = 1000;

/// What a program's output tells.
pub(crate) struct Told {
    /// The diagnostics, at most [`DIAGNOSTICS_MAX`].
    pub(crate) failures: Vec<Failure>,
    /// How many more there are.
    pub(crate) n_untold: u64,
}

/// M4: the diagnostics in a program's output, first its stdout, then its stderr.
///
/// Warnings are told only when there is no error. Repeated lines are told once.
pub(crate) fn parse(stdout: &str, stderr: &str) -> Told {
    let mut seen = HashSet::new();
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for text in stdout.lines().chain(stderr.lines()).map(str::trim) {
        let Some(found) = line::parse(text) else { continue };
        if seen.insert(text) {
            match found.severity {
                line::Severity::Error => errors.push((text, found)),
                line::Severity::Warning => warnings.push((text, found)),
            }
        }
    }
    let told = if errors.is_empty() { warnings } else { errors };
    let n_untold = told.len().saturating_sub(DIAGNOSTICS_MAX) as u64;
    let told = told.into_iter().take(DIAGNOSTICS_MAX);
    Told { failures: told.map(|(text, found)| failure(text, &found)).collect(), n_untold }
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
