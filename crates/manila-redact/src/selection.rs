//! Which rules are on, an operator's own, and what is left alone.

use std::borrow::Cow;
use std::collections::BTreeSet;

use regex::bytes::{Regex, RegexBuilder, RegexSet};

use crate::edit::{Finding, Findings, Form, MARK};
use crate::rules::{N_RULES, RULES};

const N_WORDS: usize = N_RULES.div_ceil(64);

/// The rules that are used, and the values that are left alone.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    /// A bit for each rule that is off.
    off: [u64; N_WORDS],
    extra: Vec<(String, Regex)>,
    allowed: BTreeSet<Vec<u8>>,
    allowed_patterns: Option<RegexSet>,
}

/// What an operator may set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The names of rules that are not used.
    pub off: Vec<String>,
    /// Rules of the operator's own.
    pub extra: Vec<Extra>,
    /// Values that are left alone, exactly.
    pub allow: Vec<String>,
    /// Values that are left alone if one of these expressions matches somewhere in them.
    pub allow_patterns: Vec<String>,
}

/// A rule of an operator's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extra {
    /// Its name, in reports and receipts.
    pub name: String,
    /// A regular expression; group 1, if there is one, is the secret. It sees one line at a time.
    pub pattern: String,
}

/// Why options cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnusableRule {
    /// A rule to switch off that does not exist.
    #[error("there is no rule `{0}` to switch off")]
    Unknown(String),
    /// A name that cannot be told apart or written.
    #[error("the rule name `{name}` {reason}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A pattern that is none.
    #[error("the pattern of `{name}` {reason}")]
    Pattern {
        /// The rule, or `allow_patterns`.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Selection {
    /// All rules of the table, and nothing else.
    pub(crate) const STANDARD: Selection = Selection {
        off: [0; N_WORDS],
        extra: Vec::new(),
        allowed: BTreeSet::new(),
        allowed_patterns: None,
    };

    /// The rules that an operator wants.
    pub(crate) fn new(options: &Options) -> Result<Selection, UnusableRule> {
        let mut selection = Selection::STANDARD;
        for name in &options.off {
            let n = RULES.iter().position(|rule| rule.name() == name);
            let n = n.ok_or_else(|| UnusableRule::Unknown(name.clone()))?;
            if let Some(word) = selection.off.get_mut(n / 64) {
                *word |= 1 << (n % 64);
            }
        }
        for extra in &options.extra {
            let is_taken = RULES.iter().any(|rule| rule.name() == extra.name)
                || selection.extra.iter().any(|(name, _)| *name == extra.name);
            let reason = if is_taken { Some("is taken") } else { unfit_name(&extra.name) };
            if let Some(reason) = reason {
                return Err(UnusableRule::Name { name: extra.name.clone(), reason });
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
                UnusableRule::Pattern { name, reason: format!("cannot be used together: {error}") }
            })?;
            selection.allowed_patterns = Some(patterns);
        }
        Ok(selection)
    }

    /// Whether rule `n` is on.
    pub(crate) fn has(&self, n: usize) -> bool {
        let word = self.off.get(n / 64).copied().unwrap_or(u64::MAX);
        word & (1 << (n % 64)) == 0
    }

    /// Whether a value is left alone.
    pub(crate) fn allows(&self, value: &[u8]) -> bool {
        self.allowed.contains(value)
            || self.allowed_patterns.as_ref().is_some_and(|patterns| patterns.is_match(value))
    }

    /// Whether there are rules that the table has not.
    pub(crate) fn has_extra(&self) -> bool {
        !self.extra.is_empty()
    }

    /// Adds what the operator's own rules find, line by line.
    pub(crate) fn add_extra(&self, text: &[u8], findings: &mut Findings) {
        if self.extra.is_empty() {
            return;
        }
        let mut start = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            for (n, (_, pattern)) in self.extra.iter().enumerate() {
                for captures in pattern.captures_iter(line) {
                    let Some(found) = captures.get(1).or_else(|| captures.get(0)) else { continue };
                    let is_mark = || {
                        let mut marks = memchr::memmem::find_iter(line, MARK.as_bytes());
                        marks.any(|at| found.start() < at + MARK.len() && at < found.end())
                    };
                    if !found.is_empty() && !is_mark() && !self.allows(found.as_bytes()) {
                        let rank = u32::try_from(N_RULES + n).unwrap_or(u32::MAX);
                        let (start, end) = (start + found.start(), start + found.end());
                        findings.add(Finding { start, end, rank, form: Form::Plain });
                    }
                }
            }
            start += line.len();
        }
    }

    /// The name of the rule of this rank.
    pub(crate) fn name(&self, rank: u32) -> Cow<'static, str> {
        let n = rank as usize;
        if let Some(rule) = RULES.get(n) {
            return rule.name().into();
        }
        let extra = self.extra.get(n - N_RULES).map(|(name, _)| name.clone());
        extra.unwrap_or_default().into()
    }
}

fn unfit_name(name: &str) -> Option<&'static str> {
    const LEN_MAX: usize = 64;
    let is_letter = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "-_.".contains(it);
    if name.is_empty() {
        Some("is empty")
    } else if name.len() > LEN_MAX || !name.chars().all(is_letter) {
        Some("must have at most 64 lower-case letters, digits, `-`, `_` and `.`")
    } else {
        None
    }
}

fn compile(name: &str, pattern: &str) -> Result<Regex, UnusableRule> {
    const SIZE_MAX: usize = 4 * 1024 * 1024;
    let unfit = |reason: String| UnusableRule::Pattern { name: name.to_owned(), reason };
    let compiled = RegexBuilder::new(pattern).size_limit(SIZE_MAX).build().map_err(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        unfit(format!("is no regular expression: {}", last.trim_start_matches("error: ")))
    })?;
    if compiled.is_match(b"") {
        return Err(unfit("matches nothing at all, and so everywhere".to_owned()));
    }
    Ok(compiled)
}
