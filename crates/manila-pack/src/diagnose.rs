//! Reading errors from a program's output, by the rules of its pack.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use bytes::Bytes;
use manila::{Diagnosis, Failure, RawJson};

use super::lines::{Keywords, TimeBudget};
use super::pointers::Pointers;
use super::rule::{Candidate, Rule, Severity, Source};

/// A position in the output: the stream, and the offset in it.
type Position = (usize, usize);

/// The first failures found so far, and the number of further ones.
#[derive(Default)]
struct Collected {
    failures: Vec<(Position, Failure)>,
    n_more: u64,
    /// Matches after this position are only counted.
    end: Option<Position>,
}

impl Collected {
    fn add(&mut self, at: Position, failure: impl FnOnce() -> Failure) {
        if self.is_past_end(at) {
            self.n_more += 1;
            return;
        }
        self.failures.push((at, failure()));
        // Rules find failures out of order, so the surplus is dropped from time to time.
        if self.failures.len() >= 2 * Diagnosis::MAX {
            self.truncate();
        }
    }

    /// Returns whether matches at this position are only counted.
    fn is_past_end(&self, at: Position) -> bool {
        self.end.is_some_and(|end| at > end)
    }

    fn truncate(&mut self) {
        self.failures.sort_by_key(|(at, _)| *at);
        self.n_more += self.failures.len().saturating_sub(Diagnosis::MAX) as u64;
        self.failures.truncate(Diagnosis::MAX);
        self.end = self.failures.last().map(|(at, _)| *at);
    }

    fn finish(mut self) -> Diagnosis {
        self.truncate();
        let failures = self.failures.into_iter().map(|(_, failure)| failure).collect();
        Diagnosis { failures, n_omitted: self.n_more, ..Diagnosis::default() }
    }
}

/// Returns the errors in a program's output, or else its warnings, in output order.
///
/// Duplicates are reported once. If two rules match overlapping text, the first one wins. JSON
/// rules come before text rules.
pub(super) fn diagnose(rules: &[Rule], stdout: &str, stderr: &str) -> Diagnosis {
    let mut reading = Reading::default();
    let mut time = TimeBudget::for_one_output();
    for (stream, text) in [stdout, stderr].into_iter().enumerate() {
        let mut matched = MatchedRanges::default();
        let json_rules: Vec<(&Rule, &Pointers, &Keywords)> =
            rules.iter().filter_map(Rule::json).collect();
        if !json_rules.is_empty() {
            let may_match =
                |line: &str| json_rules.iter().any(|(_, _, keywords)| keywords.is_match(line));
            for_each_json_line(text, may_match, |range, json, line| {
                let candidates = json_rules.iter();
                let candidates = candidates.filter(|(_, _, keywords)| keywords.is_match(line));
                let mut candidates = candidates
                    .map(|(rule, pointers, _)| (*rule, Candidate::Json(pointers, json, line)));
                // The severity is tested first: most lines are neither errors nor warnings.
                let first = candidates.find(|(rule, it)| {
                    let severity = rule.severity_of(it.severity().as_deref());
                    severity.is_some() && it.has_message() && rule.applies_to(it)
                });
                if let Some((rule, candidate)) = first {
                    matched.pending.push(range.clone());
                    reading.add(rule, stream, range, text, &candidate);
                }
            });
            matched.commit();
        }
        for rule in rules {
            let Source::Text(search) = &rule.source else { continue };
            for range in search.find_ranges(text, &mut time) {
                let found = text.get(range.clone()).unwrap_or_default();
                if matched.overlaps(&range) {
                    continue;
                }
                if reading.skip_past_limit(rule, (stream, range.start), found) {
                    matched.pending.push(range);
                    continue;
                }
                let Some(captures) = search.captures(text, &range) else { continue };
                let candidate = Candidate::Text(&captures);
                if rule.applies_to(&candidate) {
                    matched.pending.push(range.clone());
                    reading.add(rule, stream, range, text, &candidate);
                }
            }
            matched.commit();
        }
    }
    Diagnosis { is_unfinished: time.is_exhausted(), ..reading.finish() }
}

/// Calls `visit` for each line that is a JSON object and that `may_match` accepts.
fn for_each_json_line<'t>(
    text: &'t str,
    may_match: impl Fn(&str) -> bool,
    mut visit: impl FnMut(Range<usize>, &RawJson, &'t str),
) {
    // The lines are slices of one shared copy.
    let mut copy = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        if line.starts_with('{') && may_match(line) {
            let copy = copy.get_or_insert_with(|| Bytes::copy_from_slice(text.as_bytes()));
            if let Ok(json) = RawJson::parse(copy.slice(range.clone())) {
                visit(range, &json, line);
            }
        }
    }
}

/// The ranges that rules have matched, so that later rules do not match them again.
#[derive(Default)]
struct MatchedRanges {
    /// The matches before the last `commit`, sorted.
    committed: Vec<Range<usize>>,
    /// The matches since the last `commit`, which do not overlap each other.
    pending: Vec<Range<usize>>,
}

impl MatchedRanges {
    /// Returns whether a range overlaps a match of an earlier rule.
    fn overlaps(&self, range: &Range<usize>) -> bool {
        let after = self.committed.partition_point(|other| other.end <= range.start);
        self.committed.get(after).is_some_and(|other| other.start < range.end)
    }

    /// Commits the pending matches, so that later rules do not match them again.
    fn commit(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        self.committed.append(&mut self.pending);
        self.committed.sort_unstable_by_key(|range| range.start);
    }
}

/// The failures that were read so far.
#[derive(Default)]
struct Reading {
    errors: Collected,
    /// Errors that are reported only if there is no other error.
    fallback: Collected,
    warnings: Collected,
    seen: HashSet<u64>,
}

impl Reading {
    /// Handles a match past the limit without reading its parts, and returns whether it did.
    ///
    /// Reading them would be slow, and they would not be reported. Only new errors are counted.
    fn skip_past_limit(&mut self, rule: &Rule, at: Position, found: &str) -> bool {
        let is_plain = rule.unless.is_none() && rule.only.is_none() && !rule.is_fallback;
        if !is_plain || !self.errors.is_past_end(at) {
            return false;
        }
        let severity =
            if rule.has_severity { Severity::from_prefix(found) } else { Some(rule.severity) };
        let Some(severity) = severity else { return false };
        if severity == Severity::Error && self.seen.insert(hash(found)) {
            self.errors.n_more += 1;
        }
        true
    }

    fn add(
        &mut self,
        rule: &Rule,
        stream: usize,
        range: Range<usize>,
        text: &str,
        candidate: &Candidate<'_, '_>,
    ) {
        let Some(severity) = rule.severity_of(candidate.severity().as_deref()) else { return };
        let is_excluded = |message: Cow<'_, str>| {
            rule.unless.as_ref().is_some_and(|unless| unless.is_match(&message))
        };
        if rule.unless.is_some() && candidate.message().is_some_and(is_excluded) {
            return;
        }
        let start = range.start;
        if !self.seen.insert(hash(text.get(range).unwrap_or_default())) {
            return;
        }
        let collected = match severity {
            Severity::Error if rule.is_fallback => &mut self.fallback,
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        collected.add((stream, start), || rule.failure(candidate.parts()));
    }

    fn finish(self) -> Diagnosis {
        let Reading { errors, fallback, warnings, .. } = self;
        match (errors.failures.as_slice(), fallback.failures.as_slice()) {
            ([_, ..], _) => errors.finish(),
            ([], [_, ..]) => fallback.finish(),
            ([], []) => Diagnosis { are_warnings: true, ..warnings.finish() },
        }
    }
}

/// Returns the hash of a text. Hashes are stored instead of the texts, which may be many.
fn hash(text: &str) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
}
