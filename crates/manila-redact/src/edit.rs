//! Edits: where something is hidden, why, and how it is written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// What stands in the place of a secret.
pub const MARK: &str = "[REDACTED]";

/// A place where a secret stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace.
    pub range: Range<usize>,
    /// The rule that found it.
    pub rule: Cow<'static, str>,
    /// How the mark is written there.
    pub form: Form,
}

/// How the mark is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// In double quotes, because a number stood there and the text is JSON. Inside of a string the
    /// quotes have as many backslashes as those of the key.
    Quoted {
        /// How many backslashes stand before each quote.
        n_backslashes: u8,
    },
    /// As it is.
    Plain,
    /// As a further line of a secret that was counted with its first line.
    Continued,
}

/// The text with every edit made. The edits are in order and do not overlap.
#[must_use]
pub fn apply(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + edits.len() * MARK.len());
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
    /// Writes the mark.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let quote = |out: &mut Vec<u8>, n_backslashes: u8| {
            out.extend(std::iter::repeat_n(b'\\', usize::from(n_backslashes)));
            out.push(b'"');
        };
        match self {
            Form::Plain | Form::Continued => out.extend_from_slice(MARK.as_bytes()),
            Form::Quoted { n_backslashes } => {
                quote(out, n_backslashes);
                out.extend_from_slice(MARK.as_bytes());
                quote(out, n_backslashes);
            }
        }
    }

    /// The same in the JSON string whose text it was found in.
    pub(crate) fn in_string(self) -> Form {
        match self {
            Form::Plain | Form::Continued => self,
            Form::Quoted { n_backslashes } => {
                Form::Quoted { n_backslashes: n_backslashes.saturating_mul(2).saturating_add(1) }
            }
        }
    }
}

/// What was found: rules, and how often each one struck. Never what was hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<String, u64>);

impl Tally {
    /// Counts these edits.
    pub fn add(&mut self, edits: &[Edit]) {
        for edit in edits.iter().filter(|edit| edit.form != Form::Continued) {
            match self.0.get_mut(edit.rule.as_ref()) {
                Some(n) => *n += 1,
                None => drop(self.0.insert(edit.rule.to_string(), 1)),
            }
        }
    }

    /// Counts what another tally has counted.
    pub fn merge(&mut self, other: &Tally) {
        for (rule, n) in &other.0 {
            *self.0.entry(rule.clone()).or_default() += n;
        }
    }

    /// How many secrets were found.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rules with their number of findings, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(rule, n)| (rule.as_str(), *n))
    }
}

/// A finding before overlaps are settled. Of two rules that found the same place, the one with
/// the lower rank names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rank: u32,
    pub(crate) form: Form,
}

/// Findings, collected in any order.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    pub(crate) fn add(&mut self, finding: Finding) {
        // A text that is one long secret has thousands of findings inside of each other.
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

    /// Whether rule `n` has just found what `range` is a part of.
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

    /// In order, and each byte in one finding at most. What overlaps becomes one finding.
    pub(crate) fn settled(mut self) -> Vec<Finding> {
        self.0.sort_unstable_by_key(|it| (it.start, it.end, it.rank, it.form));
        let mut settled: Vec<Finding> = Vec::with_capacity(self.0.len());
        for finding in self.0 {
            match settled.last_mut() {
                Some(last) if finding.start < last.end => {
                    last.end = last.end.max(finding.end);
                    last.rank = last.rank.min(finding.rank);
                    last.form = last.form.min(finding.form);
                }
                _ => settled.push(finding),
            }
        }
        settled
    }
}
