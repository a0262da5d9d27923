//! Patterns of schemas, matched in a bounded number of steps.
//!
//! An engine that backtracks can be kept busy for minutes by a short pattern with lookaround. Here
//! a pattern is compiled to a DFA, which takes one step per byte. A pattern with lookaround, or
//! whose DFA would be too large, is simulated instead, which takes at most a few steps per state
//! and character.

use std::collections::HashMap;
use std::sync::Arc;

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input};
use serde_json::Value;

use self::program::Program;
use self::steps::Steps;

pub(super) mod keyword;
mod program;
mod simulate;
pub(super) mod steps;

/// The maximum size of a DFA, and of the memory for building it.
const DFA_BYTES_MAX: usize = 256 * 1024;
const BUILD_BYTES_MAX: usize = 1024 * 1024;

/// The maximum memory for building all patterns of a schema.
const SCHEMA_BYTES_MAX: usize = 4 * BUILD_BYTES_MAX;

/// The keyword whose member names are patterns.
pub(super) const NAME_PATTERNS: &str = "patternProperties";

/// The patterns of a schema. Equal patterns are compiled once.
#[derive(Debug)]
pub(super) struct Patterns {
    compiled: HashMap<String, Result<Arc<Pattern>, UnusablePattern>>,
    bytes_left: usize,
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern(Engine);

#[derive(Debug)]
enum Engine {
    Dfa(Box<dense::DFA<Vec<u32>>>),
    Program(Program),
}

/// The pattern is invalid, too large, or has backreferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a valid regex without backreferences, and not too large")]
pub(super) struct UnusablePattern;

impl Default for Patterns {
    fn default() -> Patterns {
        Patterns { compiled: HashMap::new(), bytes_left: SCHEMA_BYTES_MAX }
    }
}

impl Patterns {
    /// Returns whether a schema has patterns, after all its keywords `pattern` were compiled.
    pub(super) fn any_in(&self, schema: &Value) -> bool {
        !self.compiled.is_empty() || has_key(schema, NAME_PATTERNS)
    }

    /// Returns the memory of the compiled patterns.
    pub(super) fn memory_usage(&self) -> usize {
        self.compiled.values().flatten().map(|pattern| pattern.memory_usage()).sum()
    }

    /// Returns the compiled pattern, which is in the syntax of ECMAScript.
    pub(super) fn get(&mut self, pattern: &str) -> Result<Arc<Pattern>, UnusablePattern> {
        if let Some(known) = self.compiled.get(pattern) {
            return known.clone();
        }
        let compiled = Pattern::compile(pattern, &mut self.bytes_left).map(Arc::new);
        self.compiled.insert(pattern.to_owned(), compiled.clone());
        compiled
    }
}

impl Pattern {
    /// Compiles a pattern, and subtracts the memory that this takes from `bytes_left`.
    fn compile(pattern: &str, bytes_left: &mut usize) -> Result<Pattern, UnusablePattern> {
        let pattern = jsonschema_regex::to_rust_regex(pattern).map_err(|()| UnusablePattern)?;
        if let Some(left) = bytes_left.checked_sub(BUILD_BYTES_MAX) {
            if let Some(dfa) = build_dfa(&pattern) {
                *bytes_left -= dfa.memory_usage();
                return Ok(Pattern(Engine::Dfa(Box::new(dfa))));
            }
            *bytes_left = left;
        }
        let program = Program::compile(&pattern)?;
        *bytes_left = bytes_left.checked_sub(program.memory_usage()).ok_or(UnusablePattern)?;
        Ok(Pattern(Engine::Program(program)))
    }

    fn memory_usage(&self) -> usize {
        match &self.0 {
            Engine::Dfa(dfa) => dfa.memory_usage(),
            Engine::Program(program) => program.memory_usage(),
        }
    }

    /// Returns the maximum number of steps for each character of a text.
    pub(super) fn steps_per_character(&self) -> u64 {
        match &self.0 {
            Engine::Dfa(_) => 1,
            Engine::Program(program) => program.steps_per_character(),
        }
    }

    /// Returns whether the pattern matches anywhere in a text, or `None` if `steps` do not suffice.
    pub(super) fn is_match(&self, text: &str, steps: &mut Steps) -> Option<bool> {
        match &self.0 {
            Engine::Dfa(dfa) => {
                steps.take(text.len() as u64 + 1)?;
                let input = Input::new(text).anchored(Anchored::No).earliest(true);
                // It cannot fail: such a DFA has no bytes at which it gives up.
                Some(dfa.try_search_fwd(&input).ok()?.is_some())
            }
            Engine::Program(program) => program.is_match(text, steps),
        }
    }
}

/// Returns whether any object in `value` has this key. Recursion is bounded: parsed values are at
/// most `DEPTH_MAX` deep.
pub(super) fn has_key(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key(key) || members.values().any(|value| has_key(value, key))
        }
        Value::Array(items) => items.iter().any(|item| has_key(item, key)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Builds the DFA of a pattern in the syntax of the regex crate, unless it would be too large.
fn build_dfa(pattern: &str) -> Option<dense::DFA<Vec<u32>>> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .dfa_size_limit(Some(DFA_BYTES_MAX))
        .determinize_size_limit(Some(BUILD_BYTES_MAX));
    let compiler = thompson::Config::new().nfa_size_limit(Some(BUILD_BYTES_MAX));
    dense::Builder::new().configure(config).thompson(compiler).build(pattern).ok()
}

#[cfg(test)]
mod tests;
