//! The literals of the fast engine, computed from the table of rules at compile time.
#![allow(
    clippy::indexing_slicing,
    clippy::large_stack_arrays,
    clippy::large_const_arrays,
    reason = "evaluated at compile time, where an index out of bounds is an error"
)]

use crate::find::label;
use crate::rules::{Finds, Letters, N_RULES, RULES, Structure};

/// The maximum length of a literal.
pub(super) const LITERAL_MAX: usize = 32;

/// A literal and the rules that have it.
#[derive(Clone, Copy)]
pub(super) struct Literal {
    pub(super) bytes: [u8; LITERAL_MAX],
    pub(super) len: u8,
    n_users: u8,
    users: [User; N_USERS_MAX],
    /// Its first eight bytes.
    pub(super) first: Word,
    /// Its last eight bytes; the same as `first` if it has at most eight.
    pub(super) last: Word,
}

/// The largest number of rules with the same literal.
const N_USERS_MAX: usize = 4;

/// A rule that has a literal.
#[derive(Clone, Copy)]
pub(super) struct User {
    /// The number of the rule, or `N_RULES` for an escape.
    pub(super) rule: u16,
    /// The bytes that may precede the literal.
    pub(super) start: Start,
}

impl Literal {
    /// Returns the rules that have the literal.
    #[inline]
    pub(super) fn users(&self) -> &[User] {
        self.users.get(..usize::from(self.n_users)).unwrap_or_default()
    }

    /// Returns whether a text that begins with the first eight bytes also has the other bytes.
    #[inline]
    pub(super) fn matches_rest(&self, text: &[u8]) -> bool {
        let len = usize::from(self.len);
        if len <= 16 {
            return len <= 8 || self.last.is_prefix_of(text.get(len - 8..).unwrap_or_default());
        }
        let (found, expected) = (text.get(..len), self.bytes.get(..len));
        found.zip(expected).is_some_and(|(found, expected)| found.eq_ignore_ascii_case(expected))
    }

    /// Returns the number of rules that have the literal.
    pub(super) const fn n_users(&self) -> usize {
        self.n_users as usize
    }

    /// Returns the `n`th rule that has the literal.
    pub(super) const fn rule(&self, n: usize) -> usize {
        self.users[n].rule as usize
    }
}

/// Up to eight bytes, and a mask of the bits to compare, which ignores the case of letters.
#[derive(Clone, Copy)]
pub(super) struct Word {
    bytes: u64,
    mask: u64,
}

impl Word {
    const NONE: Word = Word { bytes: 0, mask: 0 };

    /// Returns the bytes of a literal from `start`, at most eight.
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

    /// Returns whether `text` has at least eight bytes and begins with this word.
    #[inline]
    pub(super) fn is_prefix_of(self, text: &[u8]) -> bool {
        let found = text.first_chunk::<8>().map(|found| u64::from_le_bytes(*found));
        found.is_some_and(|found| found & self.mask == self.bytes)
    }
}

/// The kinds of bytes that may directly precede a literal.
#[derive(Clone, Copy)]
pub(super) struct Start {
    kinds: u8,
    /// Whether an escape may precede it, which looks like a word but is not one.
    pub(super) may_follow_escape: bool,
}

const LETTER: u8 = 1;
const DIGIT: u8 = 1 << 1;
const UNDERSCORE: u8 = 1 << 2;
const DASH: u8 = 1 << 3;
/// `.` and a space, which join words like `_` and `-`.
const JOINT: u8 = 1 << 4;
const OTHER: u8 = 1 << 5;

impl Start {
    const ANYWHERE: Start = Start { kinds: u8::MAX, may_follow_escape: false };

    /// Returns the kinds for a literal of a rule. A token is not part of a word, and neither is a
    /// literal at its start.
    const fn of(rule: usize, text: &str) -> Start {
        let first = text.as_bytes()[0];
        let is_word = first.is_ascii_alphanumeric() || first == b'_';
        match RULES[rule].finds() {
            Finds::Labelled(_) if label::is_last_word_alone(text) => {
                let kinds = LETTER | UNDERSCORE | DASH | JOINT;
                Start { kinds, may_follow_escape: false }
            }
            Finds::Token(token) if is_word && token.literal_offset.1 == 0 => {
                Start::not_after(token.letters)
            }
            Finds::Structure(Structure::Jwt, _) => {
                Start { kinds: JOINT | OTHER, may_follow_escape: true }
            }
            Finds::Token(_) | Finds::Labelled(_) | Finds::Structure(..) => Start::ANYWHERE,
        }
    }

    const fn not_after(letters: Letters) -> Start {
        let kinds = match letters {
            Letters::Word => UNDERSCORE | DASH | JOINT | OTHER,
            Letters::Dashed => UNDERSCORE | JOINT | OTHER,
        };
        Start { kinds, may_follow_escape: true }
    }

    /// Returns whether this byte may precede the literal.
    #[inline]
    pub(super) fn may_follow(self, byte: u8) -> bool {
        KINDS.get(usize::from(byte)).is_some_and(|kind| kind & self.kinds != 0)
    }
}

static KINDS: [u8; 256] = {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 128u8 {
        kinds[byte as usize] = match byte {
            b'_' => UNDERSCORE,
            b'-' => DASH,
            b'.' | b' ' => JOINT,
            it if it.is_ascii_alphabetic() => LETTER,
            it if it.is_ascii_digit() => DIGIT,
            _ => OTHER,
        };
        byte += 1;
    }
    kinds
};

/// The starts of JSON escapes that may encode a character of a literal. They belong to no rule.
const ESCAPES: [&str; 6] = ["\\u002", "\\u003", "\\u004", "\\u005", "\\u006", "\\u007"];

/// The literals of every rule.
pub(super) static LITERALS: [Literal; N_LITERALS] = LITERALS_CONST;
/// The literals as a constant, from which the compiler computes the tables.
pub(super) const LITERALS_CONST: [Literal; N_LITERALS] = {
    let mut literals = [NO_LITERAL; N_LITERALS];
    let mut n = 0;
    while n < N_LITERALS {
        literals[n] = LITERAL_SET.literals[n];
        n += 1;
    }
    literals
};

pub(super) const N_LITERALS: usize = LITERAL_SET.n;

/// The capacity while literals are collected, which exceeds their number.
const N_LITERALS_MAX: usize = 1024;

/// The literals without duplicates.
struct LiteralSet {
    literals: [Literal; N_LITERALS_MAX],
    n: usize,
    /// The hash table of the literals: their number plus one, or zero.
    known: [u16; 2 * N_LITERALS_MAX],
}

const LITERAL_SET: LiteralSet = {
    let (literals, known) = ([NO_LITERAL; N_LITERALS_MAX], [0; 2 * N_LITERALS_MAX]);
    let mut set = LiteralSet { literals, n: 0, known };
    let mut rule = 0;
    while rule < N_RULES {
        add_rule(&mut set, rule);
        rule += 1;
    }
    let mut escape = 0;
    while escape < ESCAPES.len() {
        let (bytes, len) = pad(ESCAPES[escape]);
        add(&mut set, bytes, len, ESCAPE);
        escape += 1;
    }
    set
};

#[allow(clippy::cast_possible_truncation, reason = "there are a few hundred rules")]
const ESCAPE: User = User { rule: N_RULES as u16, start: Start::ANYWHERE };

#[allow(clippy::cast_possible_truncation, reason = "there are a few hundred rules")]
const fn add_rule(set: &mut LiteralSet, rule: usize) {
    let (texts, n_spellings) = match RULES[rule].finds() {
        Finds::Token(token) => (token.starts, 1),
        Finds::Labelled(labelled) => (labelled.labels, label::N_SPELLINGS_MAX),
        Finds::Structure(_, starts) => (*starts, 1),
    };
    let mut text = 0;
    while text < texts.len() {
        let user = User { rule: rule as u16, start: Start::of(rule, texts[text]) };
        let mut spelling = 0;
        while spelling < n_spellings {
            let found = match RULES[rule].finds() {
                Finds::Labelled(_) => label::literal(texts[text], spelling),
                Finds::Token(_) | Finds::Structure(..) => Some(pad(texts[text])),
            };
            if let Some((bytes, len)) = found {
                add(set, bytes, len, user);
                // A spelling with backslashes, as in JSON, belongs to no rule: it is an escape.
                let mut variant = 0;
                while let Some((bytes, len)) = escape_variant(&bytes, len, variant) {
                    add(set, bytes, len, ESCAPE);
                    variant += 1;
                }
            }
            spelling += 1;
        }
        text += 1;
    }
}

const NO_LITERAL: Literal = Literal {
    bytes: [0; LITERAL_MAX],
    len: 0,
    n_users: 0,
    users: [ESCAPE; N_USERS_MAX],
    first: Word::NONE,
    last: Word::NONE,
};

/// Pads a literal with zeros. Also returns its length.
const fn pad(text: &str) -> ([u8; LITERAL_MAX], usize) {
    let from = text.as_bytes();
    let mut bytes = [0; LITERAL_MAX];
    let mut at = 0;
    while at < from.len() {
        bytes[at] = from[at];
        at += 1;
    }
    (bytes, at)
}

/// Returns the `n`th spelling of a literal in JSON with backslashes before some of its quotes and
/// slashes.
const fn escape_variant(
    bytes: &[u8; LITERAL_MAX],
    len: usize,
    n: usize,
) -> Option<([u8; LITERAL_MAX], usize)> {
    // Each bit of `chosen` is one quote or slash. Zero, without any backslash, is not a variant.
    let chosen = n + 1;
    let (mut out, mut n_out, mut n_escapable, mut at) = ([0; LITERAL_MAX], 0, 0, 0);
    while at < len {
        if matches!(bytes[at], b'"' | b'/') {
            if chosen >> n_escapable & 1 == 1 {
                out[n_out] = b'\\';
                n_out += 1;
            }
            n_escapable += 1;
        }
        out[n_out] = bytes[at];
        n_out += 1;
        at += 1;
    }
    if chosen >> n_escapable == 0 { Some((out, n_out)) } else { None }
}

/// Adds a literal, or another rule to an existing one.
#[allow(clippy::cast_possible_truncation, reason = "both are checked")]
const fn add(set: &mut LiteralSet, bytes: [u8; LITERAL_MAX], len: usize, user: User) {
    assert!(len >= 3 && len <= LITERAL_MAX, "see `Rule::token`");
    let first = Word::of(&bytes, 0, len);
    let last = if len > 8 { Word::of(&bytes, len - 8, len) } else { first };
    let mixed = (first.bytes ^ last.bytes.rotate_left(9)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut slot = (mixed >> 32) as usize % set.known.len();
    while set.known[slot] != 0
        && !is_same(&set.literals[set.known[slot] as usize - 1].bytes, &bytes)
    {
        slot = (slot + 1) % set.known.len();
    }
    if set.known[slot] == 0 {
        set.literals[set.n] = Literal { bytes, len: len as u8, first, last, ..NO_LITERAL };
        set.n += 1;
        set.known[slot] = set.n as u16;
    }
    let literal = &mut set.literals[set.known[slot] as usize - 1];
    let mut known = 0;
    while known < literal.n_users as usize {
        if literal.users[known].rule == user.rule {
            // The rule may have this literal both as a whole label and as a last word.
            literal.users[known].start.kinds |= user.start.kinds;
            return;
        }
        known += 1;
    }
    literal.users[known] = user;
    literal.n_users += 1;
}

/// Returns whether two literals are equal, ignoring case.
const fn is_same(a: &[u8; LITERAL_MAX], b: &[u8; LITERAL_MAX]) -> bool {
    let mut at = 0;
    while at < LITERAL_MAX && a[at].eq_ignore_ascii_case(&b[at]) {
        at += 1;
    }
    at == LITERAL_MAX
}
