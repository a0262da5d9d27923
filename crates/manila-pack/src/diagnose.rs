//! What a program's output tells, by the rules of its pack.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use bytes::Bytes;
use manila::{Diagnosed, Failure, RawJson};

use super::lines::{Time, Words};
use super::places::Places;
use super::rule::{Candidate, Rule, Severity, Source};

/// Where something stands: the stream, and the place in it.
type At = (usize, usize);

/// The first of what was found so far, and how much more there is.
#[derive(Default)]
struct Collected {
    failures: Vec<(At, Failure)>,
    n_more: u64,
    /// What stands after this is only counted.
    end: Option<At>,
}

impl Collected {
    fn add(&mut self, at: At, failure: impl FnOnce() -> Failure) {
        if self.is_full_before(at) {
            self.n_more += 1;
            return;
        }
        self.failures.push((at, failure()));
        // Rule by rule they come out of order; now and then those that are too many are left out.
        if self.failures.len() >= 2 * Diagnosed::MAX {
            self.leave_out();
        }
    }

    /// Whether what stands there is only counted.
    fn is_full_before(&self, at: At) -> bool {
        self.end.is_some_and(|end| at > end)
    }

    fn leave_out(&mut self) {
        self.failures.sort_by_key(|(at, _)| *at);
        self.n_more += self.failures.len().saturating_sub(Diagnosed::MAX) as u64;
        self.failures.truncate(Diagnosed::MAX);
        self.end = self.failures.last().map(|(at, _)| *at);
    }

    fn diagnosed(mut self) -> Diagnosed {
        self.leave_out();
        let failures = self.failures.into_iter().map(|(_, failure)| failure).collect();
        Diagnosed { failures, n_untold: self.n_more, ..Diagnosed::default() }
    }
}

/// Errors, or else warnings, in the order in which they stand in a program's output. What is said
/// twice is told once; where two rules find the same, the first of them counts.
pub(super) fn diagnosed(rules: &[Rule], stdout: &str, stderr: &str) -> Diagnosed {
    let mut reading = Reading::default();
    let mut time = Time::for_one_output();
    for (stream, text) in [stdout, stderr].into_iter().enumerate() {
        let mut taken = Taken::default();
        let of_json: Vec<(&Rule, &Places, &Words)> = rules.iter().filter_map(Rule::json).collect();
        if !of_json.is_empty() {
            let is_worth = |line: &str| of_json.iter().any(|(_, _, words)| words.is_in(line));
            each_json(text, is_worth, |place, json, line| {
                let all = of_json.iter();
                let all = all.filter(|(_, _, words)| words.is_in(line));
                let mut all =
                    all.map(|(rule, places, _)| (*rule, Candidate::Json(places, json, line)));
                // Most lines are remarks, if they are any of it.
                let fit = all.find(|(rule, it)| {
                    let severity = rule.severity_of(it.severity().as_deref());
                    severity.is_some() && it.has_message() && rule.is_for(it)
                });
                if let Some((rule, candidate)) = fit {
                    taken.new.push(place.clone());
                    reading.add(rule, stream, place, text, &candidate);
                }
            });
            taken.settle();
        }
        for rule in rules {
            let Source::Text(search) = &rule.source else { continue };
            for place in search.places(text, &mut time) {
                let said = text.get(place.clone()).unwrap_or_default();
                if taken.has(&place) {
                    continue;
                }
                if reading.counts(rule, (stream, place.start), said) {
                    taken.new.push(place);
                    continue;
                }
                let Some(captures) = search.captures(text, &place) else { continue };
                let candidate = Candidate::Text(&captures);
                if rule.is_for(&candidate) {
                    taken.new.push(place.clone());
                    reading.add(rule, stream, place, text, &candidate);
                }
            }
            taken.settle();
        }
    }
    Diagnosed { is_unfinished: time.was_too_short(), ..reading.diagnosed() }
}

/// Each line that is a JSON object, with its place.
fn each_json<'t>(
    text: &'t str,
    is_worth: impl Fn(&str) -> bool,
    mut found: impl FnMut(Range<usize>, &RawJson, &'t str),
) {
    // One copy for all lines, of which each is a slice.
    let mut whole = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let place = start..start + line.len();
        start = place.end;
        if line.starts_with('{') && is_worth(line) {
            let whole = whole.get_or_insert_with(|| Bytes::copy_from_slice(text.as_bytes()));
            if let Ok(json) = RawJson::parse(whole.slice(place.clone())) {
                found(place, &json, line);
            }
        }
    }
}

/// What rules have found, so that others do not find it again.
#[derive(Default)]
struct Taken {
    /// In order.
    old: Vec<Range<usize>>,
    /// What the rule finds that is at it. It does not overlap itself.
    new: Vec<Range<usize>>,
}

impl Taken {
    fn has(&self, place: &Range<usize>) -> bool {
        let after = self.old.partition_point(|other| other.end <= place.start);
        self.old.get(after).is_some_and(|other| other.start < place.end)
    }

    /// The next rule has its turn.
    fn settle(&mut self) {
        if self.new.is_empty() {
            return;
        }
        self.old.append(&mut self.new);
        self.old.sort_unstable_by_key(|place| place.start);
    }
}

/// What was read so far.
#[derive(Default)]
struct Reading {
    errors: Collected,
    /// What counts only where there is no other error.
    last: Collected,
    warnings: Collected,
    seen: HashSet<u64>,
}

impl Reading {
    /// Counts what is only counted any more: its parts would be found at a price, and not told.
    fn counts(&mut self, rule: &Rule, at: At, found: &str) -> bool {
        let is_plain = rule.unless.is_none() && rule.only.is_none() && !rule.is_last;
        if !is_plain || !self.errors.is_full_before(at) {
            return false;
        }
        let severity =
            if rule.has_severity { Severity::begins(found) } else { Some(rule.severity) };
        let Some(severity) = severity else { return false };
        if severity == Severity::Error && self.seen.insert(hashed(found)) {
            self.errors.n_more += 1;
        }
        true
    }

    fn add(
        &mut self,
        rule: &Rule,
        stream: usize,
        place: Range<usize>,
        text: &str,
        candidate: &Candidate<'_, '_>,
    ) {
        let Some(severity) = rule.severity_of(candidate.severity().as_deref()) else { return };
        let is_none = |message: Cow<'_, str>| {
            rule.unless.as_ref().is_some_and(|unless| unless.is_match(&message))
        };
        if rule.unless.is_some() && candidate.message().is_some_and(is_none) {
            return;
        }
        let start = place.start;
        if !self.seen.insert(hashed(text.get(place).unwrap_or_default())) {
            return;
        }
        let collected = match severity {
            Severity::Error if rule.is_last => &mut self.last,
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        collected.add((stream, start), || rule.failure(candidate.found()));
    }

    fn diagnosed(self) -> Diagnosed {
        let Reading { errors, last, warnings, .. } = self;
        match (errors.failures.as_slice(), last.failures.as_slice()) {
            ([_, ..], _) => errors.diagnosed(),
            ([], [_, ..]) => last.diagnosed(),
            ([], []) => Diagnosed { are_warnings: true, ..warnings.diagnosed() },
        }
    }
}

/// A text's hash: an output of any size has many.
fn hashed(text: &str) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
}
