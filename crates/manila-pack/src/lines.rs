//! Finding what fits a pattern in a long output.

use std::ops::Range;
use std::time::Duration;

use manila::lines_with;
use regex::{Captures, Regex};
use tokio::time::Instant;

use manila_process::clock;

/// Words of which a line must have one; without any, every line will do.
#[derive(Debug, Clone, Default)]
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn new<'a>(words: impl Iterator<Item = &'a str>) -> Words {
        Words(words.map(str::to_owned).collect())
    }

    /// Whether a line has one.
    pub(super) fn is_in(&self, line: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|word| line.contains(word))
    }
}

/// How much of the text a pattern sees that begins in a line: all that a diagnostic ever is.
const FAR: usize = 64 * 1024;

/// How much it sees after it was tried in vain so often: a line is tried again and again for
/// nothing where each of them looks as if something began there.
const NEAR: usize = 1024;
const IN_VAIN_MAX: usize = 1024;

/// A pattern, and how it is looked for.
#[derive(Debug, Clone)]
pub(super) struct Search {
    pattern: Regex,
    /// Words of which a line has one where the pattern fits from its start; without any,
    /// everywhere.
    words: Words,
}

impl Search {
    /// Everywhere.
    pub(super) fn everywhere(pattern: Regex) -> Search {
        Search { pattern, words: Words::default() }
    }

    /// From the start of lines that have one of these words. The pattern must begin with `\A`.
    pub(super) fn in_lines_with(words: Words, pattern: Regex) -> Search {
        Search { pattern, words }
    }

    /// Whether the pattern has a group of this name.
    pub(super) fn has_group(&self, name: &str) -> bool {
        self.pattern.capture_names().flatten().any(|it| it == name)
    }

    /// Each place where it fits; none overlaps another. It is looked for as long as there is time.
    pub(super) fn places(&self, text: &str, time: &mut Time) -> Vec<Range<usize>> {
        if self.words.0.is_empty() {
            let found = self.pattern.find_iter(text).map(|found| found.range());
            return found.take_while(|_| time.is_left()).collect();
        }
        let words: Vec<&str> = self.words.0.iter().map(String::as_str).collect();
        let mut places: Vec<Range<usize>> = Vec::new();
        let (mut from, mut n_in_vain) = (0, 0);
        for Range { start, .. } in lines_with(text, &words).take_while(|_| time.is_left()) {
            if start < from {
                continue;
            }
            let seen = window(text, start, if n_in_vain < IN_VAIN_MAX { FAR } else { NEAR });
            match self.pattern.find(seen) {
                Some(fits) => {
                    from = start + fits.end();
                    places.push(start..from);
                }
                None => n_in_vain += 1,
            }
        }
        places
    }

    /// The parts of what fits at a place.
    pub(super) fn captures<'t>(&self, text: &'t str, place: &Range<usize>) -> Option<Captures<'t>> {
        if self.words.0.is_empty() {
            return self.pattern.captures_at(text, place.start);
        }
        let fits = |most| {
            let captures = self.pattern.captures(window(text, place.start, most))?;
            captures.get(0).is_some_and(|whole| whole.len() == place.len()).then_some(captures)
        };
        fits(FAR).or_else(|| fits(NEAR))
    }
}

/// What stands in a text from a place on, so many bytes at most, in whole lines if there is one.
fn window(text: &str, start: usize, most: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    if rest.len() <= most {
        return rest;
    }
    // A character has four bytes at most.
    let cut = (0..4).find_map(|n| rest.get(..most - n)).unwrap_or_default();
    cut.rfind('\n').and_then(|end| cut.get(..end)).unwrap_or(cut)
}

/// How long one output is read. A pattern that somebody wrote may be slow, and an output long.
pub(super) struct Time {
    end: Instant,
    n_asked: u32,
    is_over: bool,
}

impl Time {
    const MOST: Duration = Duration::from_secs(10);

    /// As much as there is for one output.
    pub(super) fn for_one_output() -> Time {
        Time { end: clock::now() + Time::MOST, n_asked: 0, is_over: false }
    }

    fn is_left(&mut self) -> bool {
        /// To look at the clock takes longer than most lines do.
        const ASKED_FOR_EACH_LOOK: u32 = 32;
        self.n_asked += 1;
        if self.n_asked == ASKED_FOR_EACH_LOOK {
            self.n_asked = 0;
            self.is_over = self.is_over || clock::now() > self.end;
        }
        !self.is_over
    }

    /// Whether something was left unread.
    pub(super) fn was_too_short(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests;
