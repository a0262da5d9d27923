//! Searching for a pattern in a long output.

use std::ops::Range;
use std::time::Duration;

use manila::lines_with;
use regex::{Captures, Regex};
use tokio::time::Instant;

use manila_process::clock;

/// Substrings, one of which a line must contain; an empty list matches every line.
#[derive(Debug, Clone, Default)]
pub(super) struct Keywords(Vec<String>);

impl Keywords {
    pub(super) fn new<'a>(keywords: impl Iterator<Item = &'a str>) -> Keywords {
        Keywords(keywords.map(str::to_owned).collect())
    }

    /// Returns whether a line contains one of the keywords.
    pub(super) fn is_match(&self, line: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|keyword| line.contains(keyword))
    }
}

/// Number of bytes that a pattern sees from the line where it starts. No diagnostic is longer.
const WINDOW_BYTES: usize = 64 * 1024;

/// Number of bytes that a pattern sees after [`FAILED_TRIES_MAX`] failed attempts. Otherwise an
/// output in which every line looks like the start of a match would be read many times.
const SHORT_WINDOW_BYTES: usize = 1024;
const FAILED_TRIES_MAX: usize = 1024;

/// A pattern, and where to search for it.
#[derive(Debug, Clone)]
pub(super) struct Search {
    pattern: Regex,
    /// The pattern is tried only at the start of lines that contain one of these; an empty list
    /// means everywhere.
    keywords: Keywords,
}

impl Search {
    /// Searches the whole text.
    pub(super) fn everywhere(pattern: Regex) -> Search {
        Search { pattern, keywords: Keywords::default() }
    }

    /// Searches from the start of lines that contain one of these keywords. The pattern must begin
    /// with `\A`.
    pub(super) fn in_lines_with(keywords: Keywords, pattern: Regex) -> Search {
        Search { pattern, keywords }
    }

    /// Returns whether the pattern has a group of this name.
    pub(super) fn has_group(&self, name: &str) -> bool {
        self.pattern.capture_names().flatten().any(|it| it == name)
    }

    /// Returns the non-overlapping matches, as far as the time budget allows.
    pub(super) fn find_ranges(&self, text: &str, time: &mut TimeBudget) -> Vec<Range<usize>> {
        if self.keywords.0.is_empty() {
            let found = self.pattern.find_iter(text).map(|found| found.range());
            return found.take_while(|_| time.has_time_left()).collect();
        }
        let keywords: Vec<&str> = self.keywords.0.iter().map(String::as_str).collect();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let (mut from, mut n_failed) = (0, 0);
        let lines = lines_with(text, &keywords).take_while(|_| time.has_time_left());
        for Range { start, .. } in lines {
            if start < from {
                continue;
            }
            let visible = window(
                text,
                start,
                if n_failed < FAILED_TRIES_MAX { WINDOW_BYTES } else { SHORT_WINDOW_BYTES },
            );
            match self.pattern.find(visible) {
                Some(found) => {
                    from = start + found.end();
                    ranges.push(start..from);
                }
                None => n_failed += 1,
            }
        }
        ranges
    }

    /// Returns the groups of the match at this range.
    pub(super) fn captures<'t>(&self, text: &'t str, range: &Range<usize>) -> Option<Captures<'t>> {
        if self.keywords.0.is_empty() {
            return self.pattern.captures_at(text, range.start);
        }
        let captures_in = |bytes_max| {
            let captures = self.pattern.captures(window(text, range.start, bytes_max))?;
            captures.get(0).is_some_and(|found| found.len() == range.len()).then_some(captures)
        };
        captures_in(WINDOW_BYTES).or_else(|| captures_in(SHORT_WINDOW_BYTES))
    }
}

/// Returns at most `bytes_max` bytes of a text from a position on, cut at a line end if there is
/// one.
fn window(text: &str, start: usize, bytes_max: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    if rest.len() <= bytes_max {
        return rest;
    }
    // A character has at most four bytes.
    let cut = (0..4).find_map(|n| rest.get(..bytes_max - n)).unwrap_or_default();
    cut.rfind('\n').and_then(|end| cut.get(..end)).unwrap_or(cut)
}

/// The time limit for reading one output. Patterns of packs may be slow, and outputs long.
pub(super) struct TimeBudget {
    end: Instant,
    n_checks: u32,
    is_over: bool,
}

impl TimeBudget {
    const LIMIT: Duration = Duration::from_secs(10);

    /// Starts the time limit of one output.
    pub(super) fn for_one_output() -> TimeBudget {
        TimeBudget { end: clock::now() + TimeBudget::LIMIT, n_checks: 0, is_over: false }
    }

    fn has_time_left(&mut self) -> bool {
        /// Reading the clock takes longer than searching most lines.
        const CHECKS_PER_CLOCK_READ: u32 = 32;
        self.n_checks += 1;
        if self.n_checks == CHECKS_PER_CLOCK_READ {
            self.n_checks = 0;
            self.is_over = self.is_over || clock::now() > self.end;
        }
        !self.is_over
    }

    /// Returns whether the limit ended a search early.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests;
