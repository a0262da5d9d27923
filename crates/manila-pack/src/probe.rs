//! Testing whether a program is installed, and which version it has.

use std::fmt;

use manila_redact::Redactor;
use regex::Regex;

/// How to read a program's version.
#[derive(Debug, Clone)]
pub(super) struct Probe {
    pub(super) arguments: Vec<String>,
    /// Finds the version in the program's output, as group 1.
    pub(super) version: Regex,
    /// Oldest supported version.
    pub(super) minimum: Option<Version>,
}

impl Probe {
    /// Returns the version in the program's output.
    pub(super) fn version_in(&self, printed: &str) -> Option<Version> {
        let captures = self.version.captures(printed)?;
        Version::new(captures.get(1)?.as_str()).ok()
    }
}

/// Returns the start of a program's output, without a part of a secret.
pub(super) fn excerpt(printed: &str) -> String {
    const CHARS_MAX: usize = 1000;
    Redactor::standard().start_of(printed.trim(), CHARS_MAX, "").to_owned()
}

/// A version. Only its numbers are compared.
#[derive(Debug, Clone)]
pub struct Version {
    /// As written.
    text: String,
    numbers: Vec<u64>,
}

impl Version {
    /// Reads a version, e.g. `8.0.200`.
    pub fn new(text: &str) -> Result<Version, String> {
        let numbers = text.split('.').map(str::parse).collect::<Result<Vec<u64>, _>>();
        let mut numbers =
            numbers.map_err(|_| "give numbers separated by periods, e.g. 8.0".to_owned())?;
        // 8.0 equals 8.
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        Ok(Version { text: text.to_owned(), numbers })
    }

    /// Returns whether this is the given version or a later one.
    #[must_use]
    pub fn is_at_least(&self, other: &Version) -> bool {
        self.numbers >= other.numbers
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
