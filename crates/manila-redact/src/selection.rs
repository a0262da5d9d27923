//! The selection of rules: enabled built-in rules, the operator's own rules, and allowed values.

use std::borrow::Cow;
use std::collections::BTreeSet;

use regex::bytes::{Regex, RegexBuilder, RegexSet};

use crate::edit::{Finding, Findings, Form, REPLACEMENT};
use crate::rules::{N_RULES, RULES};

const N_WORDS: usize = N_RULES.div_ceil(64);

/// The enabled rules and the allowed values.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    /// One bit per built-in rule, set if the rule is off.
    off: [u64; N_WORDS],
    extra: Vec<(String, Regex)>,
    allowed: BTreeSet<Vec<u8>>,
    allowed_patterns: Option<RegexSet>,
}

/// The operator's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The names of the rules to switch off.
    pub off: Vec<String>,
    /// The operator's own rules.
    pub extra: Vec<CustomRule>,
    /// Values that are never redacted, compared exactly.
    pub allow: Vec<String>,
    /// Regular expressions. A value that one of them matches, in any part, is never redacted.
    pub allow_patterns: Vec<String>,
}

/// A rule that the operator has added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomRule {
    /// The name of the rule in reports and receipts.
    pub name: String,
    /// A regular expression, matched line by line. Group 1, if it exists, is the secret.
    pub pattern: String,
}

/// The reason why options are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// The rule to switch off does not exist.
    #[error("there is no rule `{0}` to disable")]
    Unknown(String),
    /// The name of a rule is invalid or already in use.
    #[error("the rule name `{name}` {reason}")]
    Name {
        /// The name.
        name: String,
        /// The problem with the name.
        reason: &'static str,
    },
    /// A pattern is invalid.
    #[error("the pattern of `{name}` {reason}")]
    Pattern {
        /// The name of the rule, or `allow_patterns`.
        name: String,
        /// The problem with the pattern.
        reason: String,
    },
}

impl Selection {
    /// All built-in rules and no others.
    pub(crate) const STANDARD: Selection = Selection {
        off: [0; N_WORDS],
        extra: Vec::new(),
        allowed: BTreeSet::new(),
        allowed_patterns: None,
    };

    /// Creates the selection for the operator's options.
    pub(crate) fn new(options: &Options) -> Result<Selection, OptionsError> {
        let mut selection = Selection::STANDARD;
        for name in &options.off {
            let n = RULES.iter().position(|rule| rule.name() == name);
            let n = n.ok_or_else(|| OptionsError::Unknown(name.clone()))?;
            if let Some(bits) = selection.off.get_mut(n / 64) {
                *bits |= 1 << (n % 64);
            }
        }
        for extra in &options.extra {
            let is_taken = RULES.iter().any(|rule| rule.name() == extra.name)
                || selection.extra.iter().any(|(name, _)| *name == extra.name);
            let reason =
                if is_taken { Some("is already in use") } else { name_problem(&extra.name) };
            if let Some(reason) = reason {
                return Err(OptionsError::Name { name: extra.name.clone(), reason });
            }
            selection.extra.push((extra.name.clone(), compile(&extra.name, &extra.pattern)?));
        }
        selection.allowed = options.allow.iter().map(|value| value.clone().into_bytes()).collect();
        if !options.allow_patterns.is_empty() {
            for pattern in &options.allow_patterns {
                compile("allow_patterns", pattern)?;
            }
            let patterns = RegexSet::new(&options.allow_patterns).map_err(|error| {
                let name = "allow_patterns".to_owned();
                OptionsError::Pattern { name, reason: format!("cannot be combined: {error}") }
            })?;
            selection.allowed_patterns = Some(patterns);
        }
        Ok(selection)
    }

    /// Returns whether rule `n` is on.
    pub(crate) fn has(&self, n: usize) -> bool {
        let bits = self.off.get(n / 64).copied().unwrap_or(u64::MAX);
        bits & (1 << (n % 64)) == 0
    }

    /// Returns whether a value is allowed, and so is not redacted.
    pub(crate) fn allows(&self, value: &[u8]) -> bool {
        self.allowed.contains(value)
            || self.allowed_patterns.as_ref().is_some_and(|patterns| patterns.is_match(value))
    }

    /// Returns whether the operator has added rules.
    pub(crate) fn has_extra(&self) -> bool {
        !self.extra.is_empty()
    }

    /// Adds the findings of the operator's own rules, line by line.
    pub(crate) fn add_extra(&self, text: &[u8], findings: &mut Findings) {
        if self.extra.is_empty() {
            return;
        }
        let mut start = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            for (n, (_, pattern)) in self.extra.iter().enumerate() {
                for captures in pattern.captures_iter(line) {
                    let Some(found) = captures.get(1).or_else(|| captures.get(0)) else { continue };
                    let overlaps_mark = || {
                        let mut marks = memchr::memmem::find_iter(line, REPLACEMENT.as_bytes());
                        marks.any(|at| found.start() < at + REPLACEMENT.len() && at < found.end())
                    };
                    if !found.is_empty() && !overlaps_mark() && !self.allows(found.as_bytes()) {
                        let rank = u32::try_from(N_RULES + n).unwrap_or(u32::MAX);
                        let (start, end) = (start + found.start(), start + found.end());
                        findings.add(Finding { start, end, rank, form: Form::Plain });
                    }
                }
            }
            start += line.len();
        }
    }

    /// Returns the name of the rule with this rank.
    pub(crate) fn name(&self, rank: u32) -> Cow<'static, str> {
        let n = rank as usize;
        if let Some(rule) = RULES.get(n) {
            return rule.name().into();
        }
        let extra = self.extra.get(n - N_RULES).map(|(name, _)| name.clone());
        extra.unwrap_or_default().into()
    }
}

/// Returns the problem with a rule name, if there is one.
fn name_problem(name: &str) -> Option<&'static str> {
    const LEN_MAX: usize = 64;
    let is_valid = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "-_.".contains(it);
    if name.is_empty() {
        Some("is empty")
    } else if name.len() > LEN_MAX || !name.chars().all(is_valid) {
        Some("must be at most 64 characters: lower-case letters, digits, `-`, `_` and `.`")
    } else {
        None
    }
}

fn compile(name: &str, pattern: &str) -> Result<Regex, OptionsError> {
    const SIZE_MAX: usize = 4 * 1024 * 1024;
    let invalid = |reason: String| OptionsError::Pattern { name: name.to_owned(), reason };
    let compiled = RegexBuilder::new(pattern).size_limit(SIZE_MAX).build().map_err(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        let last = last.trim_start_matches("error: ");
        invalid(format!("is not a valid regular expression: {last}"))
    })?;
    if compiled.is_match(b"") {
        return Err(invalid("matches the empty string, and so everywhere".to_owned()));
    }
    Ok(compiled)
}
