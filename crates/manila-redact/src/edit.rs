//! Edits: the range of each secret, the rule that found it, and the form of its replacement.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The text that replaces a secret.
pub const REPLACEMENT: &str = "[REDACTED]";

/// The replacement of one secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace.
    pub range: Range<usize>,
    /// The name of the rule that found it.
    pub rule: Cow<'static, str>,
    /// The form of the mark.
    pub form: Form,
}

/// The form in which the mark is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// In double quotes, because it replaces a number in JSON. Inside a string, the quotes have as
    /// many backslashes as those of the key.
    Quoted {
        /// The number of backslashes before each quote.
        n_backslashes: u8,
    },
    /// Without quotes.
    Plain,
    /// Without quotes, on a further line of a secret. Only its first line is counted.
    Continued,
}

/// Returns the text with all edits applied. The edits must be sorted and must not overlap.
#[must_use]
pub fn apply(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + edits.len() * REPLACEMENT.len());
    let mut at = 0;
    for edit in edits {
        out.extend_from_slice(text.get(at..edit.range.start).unwrap_or_default());
        edit.form.write(&mut out);
        at = edit.range.end;
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    out
}

impl Form {
    /// Writes the mark in this form.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let quote = |out: &mut Vec<u8>, n_backslashes: u8| {
            out.extend(std::iter::repeat_n(b'\\', usize::from(n_backslashes)));
            out.push(b'"');
        };
        match self {
            Form::Plain | Form::Continued => out.extend_from_slice(REPLACEMENT.as_bytes()),
            Form::Quoted { n_backslashes } => {
                quote(out, n_backslashes);
                out.extend_from_slice(REPLACEMENT.as_bytes());
                quote(out, n_backslashes);
            }
        }
    }

    /// Converts the form of a finding in the text of a JSON string to its form in the JSON.
    pub(crate) fn in_string(self) -> Form {
        match self {
            Form::Plain | Form::Continued => self,
            Form::Quoted { n_backslashes } => {
                Form::Quoted { n_backslashes: n_backslashes.saturating_mul(2).saturating_add(1) }
            }
        }
    }
}

/// The number of secrets that each rule found, without the secrets themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    /// Adds these edits.
    pub fn add(&mut self, edits: &[Edit]) {
        for edit in edits.iter().filter(|edit| edit.form != Form::Continued) {
            match self.0.get_mut(edit.rule.as_ref()) {
                Some(n) => *n += 1,
                None => drop(self.0.insert(edit.rule.to_string(), 1)),
            }
        }
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: &Tally) {
        for (rule, n) in &other.0 {
            *self.0.entry(rule.clone()).or_default() += n;
        }
    }

    /// Returns the number of secrets found.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns whether no secret was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name of each rule and its number of findings, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(rule, n)| (rule.as_str(), *n))
    }
}

/// A finding, before overlapping ones are merged. Of two findings that overlap, the one with the
/// lower rank determines the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rank: u32,
    pub(crate) form: Form,
}

/// Findings in any order.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    pub(crate) fn add(&mut self, finding: Finding) {
        // A text that is one long secret has thousands of nested findings.
        if let Some(last) = self.0.last()
            && last.start <= finding.start
            && finding.end <= last.end
            && last.rank <= finding.rank
            && last.form <= finding.form
        {
            return;
        }
        self.0.push(finding);
    }

    /// Returns whether `range` is inside the last finding, and rule `n` made that finding.
    #[inline]
    pub(crate) fn has_inside(&self, range: &Range<usize>, n: usize) -> bool {
        self.0.last().is_some_and(|last| {
            last.start <= range.start
                && range.end <= last.end
                && last.rank as usize == n
                && last.form <= Form::Plain
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the findings sorted and without overlaps. Overlapping ones are merged into one.
    pub(crate) fn into_merged(mut self) -> Vec<Finding> {
        self.0.sort_unstable_by_key(|it| (it.start, it.end, it.rank, it.form));
        let mut merged: Vec<Finding> = Vec::with_capacity(self.0.len());
        for finding in self.0 {
            match merged.last_mut() {
                Some(last) if finding.start < last.end => {
                    last.end = last.end.max(finding.end);
                    last.rank = last.rank.min(finding.rank);
                    last.form = last.form.min(finding.form);
                }
                _ => merged.push(finding),
            }
        }
        merged
    }
}
