//! A pattern as the states of nondeterministic automata: one for each lookaround, and one for the
//! pattern itself.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use fancy_regex::{Assertion, Expr, LookAround};
use jsonschema_regex::to_rust_regex;
use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::{ParserBuilder, ast};

use super::UnusablePattern;

/// The maximum number of states, and of lookarounds.
const STATES_MAX: usize = 20_000;
const PARTS_MAX: usize = 64;

/// The maximum nesting of a pattern.
const DEPTH_MAX: usize = 100;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Program {
    /// Each lookaround comes after those within it. The last part is the pattern itself.
    pub(super) parts: Vec<Part>,
    n_states: usize,
    /// The number of ranges of all classes.
    n_ranges: usize,
}

/// The characters that a state accepts, as sorted ranges.
type CharacterClass = Arc<[(char, char)]>;

/// A lookaround, or the pattern itself.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) states: Vec<State>,
    pub(super) start: usize,
    pub(super) direction: Direction,
}

/// The direction in which an automaton reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    /// From the end, because a lookahead asks what follows.
    Backward,
}

/// A state, with the states that follow it.
#[derive(Debug)]
pub(super) enum State {
    Character(CharacterClass, usize),
    Either(usize, usize),
    Assertion(Assertion, usize),
    Look { part: usize, expected: bool, next: usize },
    Match,
}

impl Program {
    /// Compiles a pattern that `to_rust_regex` has translated.
    pub(super) fn compile(pattern: &str) -> Result<Program, UnusablePattern> {
        let tree = Expr::parse_tree(pattern).map_err(|_| UnusablePattern)?;
        // It does not translate the classes of a pattern that the regex crate cannot parse.
        let has_ecma_classes = ast::parse::Parser::new().parse(pattern).is_err();
        let mut builder = Builder { has_ecma_classes, ..Builder::default() };
        builder.add_part(&tree.expr, Direction::Forward, 0)?;
        let n_ranges = builder.classes.values().map(|class| class.len()).sum();
        Ok(Program { parts: builder.parts, n_states: builder.n_states, n_ranges })
    }

    /// Returns the maximum number of steps for each character of a text.
    pub(super) fn steps_per_character(&self) -> u64 {
        // Two states can lead to the same one, which is then visited a second time.
        2 * self.n_states as u64
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.n_states * size_of::<State>() + self.n_ranges * size_of::<(char, char)>()
    }
}

/// Builds all parts of a program.
#[derive(Default)]
struct Builder {
    /// Whether classes such as `\w` are in the syntax of ECMAScript.
    has_ecma_classes: bool,
    parts: Vec<Part>,
    n_states: usize,
    /// The classes by their expression, and whether it ignores case.
    classes: HashMap<(String, bool), CharacterClass>,
}

impl Builder {
    /// Compiles a part, and returns its number.
    fn add_part(
        &mut self,
        expr: &Expr,
        direction: Direction,
        depth: usize,
    ) -> Result<usize, UnusablePattern> {
        let mut part = PartBuilder { builder: self, states: Vec::new(), direction };
        let end = part.push(State::Match)?;
        let start = part.add(expr, end, depth)?;
        let states = part.states;
        if self.parts.len() >= PARTS_MAX {
            return Err(UnusablePattern);
        }
        self.parts.push(Part { states, start, direction });
        Ok(self.parts.len() - 1)
    }

    /// Parses an expression of the regex crate that matches one character.
    fn class(
        &mut self,
        expr: &str,
        is_case_insensitive: bool,
    ) -> Result<CharacterClass, UnusablePattern> {
        let key = (expr.to_owned(), is_case_insensitive);
        if let Some(known) = self.classes.get(&key) {
            return Ok(Arc::clone(known));
        }
        let mut translated = Cow::Borrowed(expr);
        if self.has_ecma_classes {
            translated = to_rust_regex(expr).map_err(|()| UnusablePattern)?;
        }
        let mut parser = ParserBuilder::new().case_insensitive(is_case_insensitive).build();
        let parsed = parser.parse(&translated).map_err(|_| UnusablePattern)?;
        let class: CharacterClass = ranges(&parsed).ok_or(UnusablePattern)?.into();
        self.classes.insert(key, Arc::clone(&class));
        Ok(class)
    }
}

/// Builds a part from its end.
struct PartBuilder<'a> {
    builder: &'a mut Builder,
    states: Vec<State>,
    direction: Direction,
}

impl PartBuilder<'_> {
    fn push(&mut self, state: State) -> Result<usize, UnusablePattern> {
        self.builder.n_states += 1;
        if self.builder.n_states > STATES_MAX {
            return Err(UnusablePattern);
        }
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    /// Adds an expression that continues with the state `next`. Returns its first state.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the parser knows more than ECMAScript")]
    fn add(&mut self, expr: &Expr, next: usize, depth: usize) -> Result<usize, UnusablePattern> {
        if depth > DEPTH_MAX {
            return Err(UnusablePattern);
        }
        match expr {
            Expr::Empty => Ok(next),
            Expr::Any { newline, crlf } => {
                let excluded = if *crlf { r"[^\r\n]" } else { r"[^\n]" };
                self.add_class(if *newline { r"(?s:.)" } else { excluded }, false, next)
            }
            Expr::Delegate { inner, casei } => self.add_class(inner, *casei, next),
            Expr::Literal { val, casei } => {
                let characters = val.chars().map(|it| regex_syntax::escape(&it.to_string()));
                let characters: Vec<String> = characters.collect();
                self.add_sequence(&characters, next, |part, character, next| {
                    part.add_class(character, *casei, next)
                })
            }
            Expr::Assertion(assertion) if super::simulate::is_supported(*assertion) => {
                self.push(State::Assertion(*assertion, next))
            }
            Expr::Concat(all) => {
                self.add_sequence(all, next, |part, expr, next| part.add(expr, next, depth + 1))
            }
            Expr::Alt(all) => self.add_alternatives(all, next, depth),
            Expr::Group(inner) => self.add(inner, next, depth + 1),
            Expr::Repeat { child, lo, hi, .. } => self.add_repeat(child, *lo, *hi, next, depth),
            Expr::LookAround(inner, kind) => {
                let (direction, expected) = match kind {
                    LookAround::LookAhead => (Direction::Backward, true),
                    LookAround::LookAheadNeg => (Direction::Backward, false),
                    LookAround::LookBehind => (Direction::Forward, true),
                    LookAround::LookBehindNeg => (Direction::Forward, false),
                };
                let part = self.builder.add_part(inner, direction, depth + 1)?;
                self.push(State::Look { part, expected, next })
            }
            _ => Err(UnusablePattern),
        }
    }

    /// Adds expressions that follow one another in the text.
    fn add_sequence<T>(
        &mut self,
        all: &[T],
        next: usize,
        mut add: impl FnMut(&mut Self, &T, usize) -> Result<usize, UnusablePattern>,
    ) -> Result<usize, UnusablePattern> {
        match self.direction {
            Direction::Forward => all.iter().rev().try_fold(next, |next, it| add(self, it, next)),
            Direction::Backward => all.iter().try_fold(next, |next, it| add(self, it, next)),
        }
    }

    fn add_alternatives(
        &mut self,
        all: &[Expr],
        next: usize,
        depth: usize,
    ) -> Result<usize, UnusablePattern> {
        let mut first: Option<usize> = None;
        for expr in all {
            let start = self.add(expr, next, depth + 1)?;
            first = Some(match first {
                Some(others) => self.push(State::Either(start, others))?,
                None => start,
            });
        }
        first.ok_or(UnusablePattern)
    }

    fn add_repeat(
        &mut self,
        child: &Expr,
        n_min: usize,
        n_max: usize,
        next: usize,
        depth: usize,
    ) -> Result<usize, UnusablePattern> {
        let mut start = next;
        if n_max == usize::MAX {
            start = self.push(State::Either(next, next))?;
            let body = self.add(child, start, depth + 1)?;
            if let Some(state) = self.states.get_mut(start) {
                *state = State::Either(body, next);
            }
        } else {
            for _ in n_min..n_max {
                let body = self.add(child, start, depth + 1)?;
                start = self.push(State::Either(body, next))?;
            }
        }
        for _ in 0..n_min {
            // A child that adds no state would be repeated for nothing, perhaps a billion times.
            let n_before = self.builder.n_states;
            start = self.add(child, start, depth + 1)?;
            if self.builder.n_states == n_before {
                break;
            }
        }
        Ok(start)
    }

    /// Adds an expression of the regex crate that matches one character.
    fn add_class(
        &mut self,
        expr: &str,
        is_case_insensitive: bool,
        next: usize,
    ) -> Result<usize, UnusablePattern> {
        let class = self.builder.class(expr, is_case_insensitive)?;
        self.push(State::Character(class, next))
    }
}

/// Returns the characters that an expression matches, if it matches exactly one character.
fn ranges(expr: &Hir) -> Option<Vec<(char, char)>> {
    match expr.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            Some(class.iter().map(|range| (range.start(), range.end())).collect())
        }
        HirKind::Class(Class::Bytes(class)) => {
            let is_ascii = class.iter().all(|range| range.end().is_ascii());
            let ranges = class.iter().map(|range| (range.start().into(), range.end().into()));
            is_ascii.then(|| ranges.collect())
        }
        HirKind::Literal(literal) => {
            let text = str::from_utf8(&literal.0).ok()?;
            let mut characters = text.chars();
            let first = characters.next()?;
            characters.next().is_none().then(|| vec![(first, first)])
        }
        HirKind::Empty
        | HirKind::Look(_)
        | HirKind::Repetition(_)
        | HirKind::Capture(_)
        | HirKind::Concat(_)
        | HirKind::Alternation(_) => None,
    }
}
