//! Simulation of a pattern: reads the text once for each lookaround, and once for the pattern.
//!
//! A lookaround becomes a table of the positions at which it holds, so that nothing is tried twice.

use fancy_regex::Assertion;

use super::program::{Direction, Part, Program, State};
use super::steps::Steps;

/// Returns whether the simulation knows this assertion.
pub(super) fn is_supported(assertion: Assertion) -> bool {
    is_met(assertion, Position { at: 0, before: None, after: None }).is_some()
}

impl Program {
    /// Returns whether the pattern matches anywhere in a text, or `None` if `steps` do not suffice.
    pub(super) fn is_match(&self, text: &str, steps: &mut Steps) -> Option<bool> {
        let (pattern, lookarounds) = self.parts.split_last()?;
        let mut tables = Vec::with_capacity(lookarounds.len());
        for part in lookarounds {
            steps.take(text.len() as u64)?;
            let mut table = Table::new(text.len() + 1);
            Simulation::new(part, &tables).run(text, steps, |position| {
                table.set(position);
                Found::Continue
            })?;
            tables.push(table);
        }
        let mut is_match = false;
        Simulation::new(pattern, &tables).run(text, steps, |_| {
            is_match = true;
            Found::Stop
        })?;
        Some(is_match)
    }
}

/// Whether a simulation continues after a match.
enum Found {
    Continue,
    Stop,
}

/// The positions at which a lookaround matches.
struct Table(Vec<u64>);

impl Table {
    fn new(n_positions: usize) -> Table {
        Table(vec![0; n_positions.div_ceil(64)])
    }

    fn set(&mut self, position: usize) {
        if let Some(word) = self.0.get_mut(position / 64) {
            *word |= 1 << (position % 64);
        }
    }

    fn has(&self, position: usize) -> bool {
        self.0.get(position / 64).is_some_and(|word| word & (1 << (position % 64)) != 0)
    }
}

/// A position in a text, in bytes, with the characters around it.
#[derive(Clone, Copy)]
struct Position {
    at: usize,
    before: Option<char>,
    after: Option<char>,
}

/// One pass of a part over the text. It starts anew at every position.
struct Simulation<'a> {
    part: &'a Part,
    /// The tables of the lookarounds within the part, and others.
    tables: &'a [Table],
    /// The states to visit at this position.
    open: Vec<usize>,
    /// The states at the next position.
    next: Vec<usize>,
    /// The last position at which each state was visited.
    visited: Vec<usize>,
}

impl<'a> Simulation<'a> {
    fn new(part: &'a Part, tables: &'a [Table]) -> Simulation<'a> {
        let visited = vec![usize::MAX; part.states.len()];
        Simulation { part, tables, open: Vec::new(), next: Vec::new(), visited }
    }

    /// Calls `found` for each position at which a match ends.
    fn run(
        mut self,
        text: &str,
        steps: &mut Steps,
        mut found: impl FnMut(usize) -> Found,
    ) -> Option<()> {
        steps.take(self.visited.len() as u64)?;
        let direction = self.part.direction;
        // The rest of the text, in this direction.
        let mut rest = text.chars();
        let mut previous = None;
        loop {
            let left = rest.as_str().len();
            let (next, position) = match direction {
                Direction::Forward => {
                    let after = rest.next();
                    (after, Position { at: text.len() - left, before: previous, after })
                }
                Direction::Backward => {
                    let before = rest.next_back();
                    (before, Position { at: left, before, after: previous })
                }
            };
            self.open.push(self.part.start);
            let (n_visited, is_match) = self.visit(position, next);
            steps.take(n_visited)?;
            if is_match && matches!(found(position.at), Found::Stop) {
                return Some(());
            }
            std::mem::swap(&mut self.open, &mut self.next);
            if next.is_none() {
                return Some(());
            }
            previous = next;
        }
    }

    /// Visits all states at a position, and follows those that accept the next character. Returns
    /// the number of visits, and whether the match is complete.
    fn visit(&mut self, position: Position, next: Option<char>) -> (u64, bool) {
        let (mut n_visited, mut is_match) = (0, false);
        while let Some(index) = self.open.pop() {
            n_visited += 1;
            let Some(state) = self.part.states.get(index) else { continue };
            match self.visited.get_mut(index) {
                Some(last) if *last != position.at => *last = position.at,
                Some(_) | None => continue,
            }
            match state {
                State::Match => is_match = true,
                State::Either(first, second) => self.open.extend([*first, *second]),
                State::Character(class, following) => {
                    if next.is_some_and(|it| contains(class, it)) {
                        self.next.push(*following);
                    }
                }
                State::Assertion(assertion, following) => {
                    if is_met(*assertion, position) == Some(true) {
                        self.open.push(*following);
                    }
                }
                State::Look { part, expected, next: following } => {
                    let is_found = self.tables.get(*part).is_some_and(|it| it.has(position.at));
                    if is_found == *expected {
                        self.open.push(*following);
                    }
                }
            }
        }
        (n_visited, is_match)
    }
}

fn contains(ranges: &[(char, char)], character: char) -> bool {
    let at = ranges.partition_point(|(_, last)| *last < character);
    ranges.get(at).is_some_and(|(first, _)| *first <= character)
}

/// Returns whether an assertion holds at a position, or `None` if it is not supported.
#[expect(clippy::wildcard_enum_match_arm, reason = "the parser knows more than ECMAScript")]
fn is_met(assertion: Assertion, position: Position) -> Option<bool> {
    let Position { at: _, before, after } = position;
    // As ECMAScript defines words, if its flag `u` is not combined with `i`.
    let is_word = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_');
    match assertion {
        Assertion::StartText => Some(before.is_none()),
        Assertion::EndText => Some(after.is_none()),
        Assertion::StartLine { crlf: false } => Some(before.is_none_or(|it| it == '\n')),
        Assertion::EndLine { crlf: false } => Some(after.is_none_or(|it| it == '\n')),
        Assertion::WordBoundary => Some(is_word(before) != is_word(after)),
        Assertion::NotWordBoundary => Some(is_word(before) == is_word(after)),
        _ => None,
    }
}
