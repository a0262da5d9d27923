//! The literals of the fast engine, from the table of rules, made when the crate is compiled.
#![allow(
    clippy::indexing_slicing,
    clippy::large_stack_arrays,
    clippy::large_const_arrays,
    reason = "all of it runs in the compiler, which refuses what is out of bounds"
)]

use crate::find::label;
use crate::rules::{Finds, Letters, N_RULES, RULES, Structure};

/// The longest literal.
pub(super) const LITERAL_MAX: usize = 32;

/// A literal and the rule that has it.
#[derive(Clone, Copy)]
pub(super) struct Literal {
    pub(super) bytes: [u8; LITERAL_MAX],
    pub(super) len: u8,
    pub(super) rule: u16,
    /// Its first eight bytes, and of a longer one its last eight.
    pub(super) first: Word,
    pub(super) last: Word,
    /// What must not stand before it.
    pub(super) start: Start,
}

/// Up to eight bytes, letters without regard to case, and which bits of them count.
#[derive(Clone, Copy)]
pub(super) struct Word {
    bytes: u64,
    mask: u64,
}

impl Word {
    const NONE: Word = Word { bytes: 0, mask: 0 };

    /// The bytes of a literal from `start` on, eight at most.
    const fn of(literal: &[u8; LITERAL_MAX], start: usize, end: usize) -> Word {
        let mut word = Word::NONE;
        let mut at = start;
        while at < end && at < start + 8 {
            let mask = if literal[at].is_ascii_alphabetic() { 0xDF } else { 0xFF };
            word.bytes |= ((literal[at] & mask) as u64) << (8 * (at - start));
            word.mask |= (mask as u64) << (8 * (at - start));
            at += 1;
        }
        word
    }

    /// Whether `text` begins with it; not if it has fewer than eight bytes.
    #[inline]
    pub(super) fn begins(self, text: &[u8]) -> bool {
        let found = text.first_chunk::<8>().map(|found| u64::from_le_bytes(*found));
        found.is_some_and(|found| found & self.mask == self.bytes)
    }
}

/// What must not stand right before a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// It may stand anywhere.
    Anywhere,
    /// These letters, unless they are an escape.
    NotAfter(Letters),
}

/// A token is no part of a word, and so its literal, if it begins with it, is not either.
const fn start_of(rule: usize, first: u8) -> Start {
    if rule == N_RULES || !(first.is_ascii_alphanumeric() || first == b'_') {
        return Start::Anywhere;
    }
    match RULES[rule].finds() {
        Finds::Token(token) if token.inside.1 == 0 => Start::NotAfter(token.letters),
        Finds::Structure(Structure::Jwt, _) => Start::NotAfter(Letters::Dashed),
        Finds::Token(_) | Finds::Labelled(_) | Finds::Structure(..) => Start::Anywhere,
    }
}

/// In JSON, what a letter of a literal may be hidden behind. These belong to no rule.
const ESCAPES: [&str; 6] = ["\\u002", "\\u003", "\\u004", "\\u005", "\\u006", "\\u007"];

/// All literals of all rules.
pub(super) static LITERALS: [Literal; N_LITERALS] = LITERALS_MADE;
pub(super) const LITERALS_MADE: [Literal; N_LITERALS] = literals();

pub(super) const N_LITERALS: usize = {
    let mut n = ESCAPES.len();
    let mut rule = 0;
    while rule < N_RULES {
        n += literals_of(rule).1;
        rule += 1;
    }
    n
};

/// The most literals that one rule has.
const OF_RULE_MAX: usize = 96;

/// The literals of a rule, each once, and their number.
#[allow(clippy::cast_possible_truncation, reason = "both are checked")]
const fn literals_of(rule: usize) -> ([Literal; OF_RULE_MAX], usize) {
    let mut literals = [NO_LITERAL; OF_RULE_MAX];
    let mut n_literals = 0;
    let (texts, n_spellings) = match RULES[rule].finds() {
        Finds::Token(token) => (token.starts, 1),
        Finds::Labelled(labelled) => (labelled.labels, label::N_LITERALS_MAX),
        Finds::Structure(_, starts) => (*starts, 1),
    };
    let mut text = 0;
    while text < texts.len() {
        let mut spelling = 0;
        while spelling < n_spellings {
            let found = match RULES[rule].finds() {
                Finds::Labelled(_) => label::literal(texts[text], spelling),
                Finds::Token(_) | Finds::Structure(..) => Some(padded(texts[text])),
            };
            if let Some((bytes, len)) = found {
                let literal = made(rule, bytes, len);
                if !has(&literals, n_literals, &literal) {
                    literals[n_literals] = literal;
                    n_literals += 1;
                }
            }
            spelling += 1;
        }
        text += 1;
    }
    (literals, n_literals)
}

const fn literals() -> [Literal; N_LITERALS] {
    let mut literals = [NO_LITERAL; N_LITERALS];
    let (mut n, mut rule) = (0, 0);
    while rule < N_RULES {
        let (of_rule, n_of_rule) = literals_of(rule);
        let mut place = 0;
        while place < n_of_rule {
            literals[n] = of_rule[place];
            n += 1;
            place += 1;
        }
        rule += 1;
    }
    let mut escape = 0;
    while escape < ESCAPES.len() {
        let (bytes, len) = padded(ESCAPES[escape]);
        literals[n] = made(N_RULES, bytes, len);
        n += 1;
        escape += 1;
    }
    literals
}

const NO_LITERAL: Literal = Literal {
    bytes: [0; LITERAL_MAX],
    len: 0,
    rule: 0,
    first: Word::NONE,
    last: Word::NONE,
    start: Start::Anywhere,
};

const fn padded(text: &str) -> ([u8; LITERAL_MAX], usize) {
    let from = text.as_bytes();
    let mut bytes = [0; LITERAL_MAX];
    let mut at = 0;
    while at < from.len() {
        bytes[at] = from[at];
        at += 1;
    }
    (bytes, at)
}

#[allow(clippy::cast_possible_truncation, reason = "both are checked")]
const fn made(rule: usize, bytes: [u8; LITERAL_MAX], len: usize) -> Literal {
    assert!(len >= 3 && len <= LITERAL_MAX && rule <= u16::MAX as usize, "see `Rule::token`");
    let first = Word::of(&bytes, 0, len);
    let last = if len > 8 { Word::of(&bytes, len - 8, len) } else { first };
    let start = start_of(rule, bytes[0]);
    Literal { bytes, len: len as u8, rule: rule as u16, first, last, start }
}

const fn has(literals: &[Literal; OF_RULE_MAX], n_literals: usize, wanted: &Literal) -> bool {
    let mut n = 0;
    while n < n_literals {
        let (known, mut at) = (&literals[n], 0);
        while at < LITERAL_MAX && known.bytes[at] == wanted.bytes[at] {
            at += 1;
        }
        if at == LITERAL_MAX {
            return true;
        }
        n += 1;
    }
    false
}
