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

/// A literal and the rules that have it.
#[derive(Clone, Copy)]
pub(super) struct Literal {
    pub(super) bytes: [u8; LITERAL_MAX],
    pub(super) len: u8,
    n_users: u8,
    users: [User; N_USERS_MAX],
    /// Its first eight bytes, and of a longer one its last eight.
    pub(super) first: Word,
    pub(super) last: Word,
}

/// How many rules have the same literal at most.
const N_USERS_MAX: usize = 4;

/// A rule that has a literal.
#[derive(Clone, Copy)]
pub(super) struct User {
    /// None if it is an escape.
    pub(super) rule: u16,
    /// What may stand before the literal.
    pub(super) start: Start,
}

impl Literal {
    /// The rules that have it.
    #[inline]
    pub(super) fn users(&self) -> &[User] {
        self.users.get(..usize::from(self.n_users)).unwrap_or_default()
    }

    /// Whether a text that begins with its first eight bytes goes on with the others.
    #[inline]
    pub(super) fn goes_on(&self, text: &[u8]) -> bool {
        let len = usize::from(self.len);
        if len <= 16 {
            return len <= 8 || self.last.begins(text.get(len - 8..).unwrap_or_default());
        }
        let (found, wanted) = (text.get(..len), self.bytes.get(..len));
        found.zip(wanted).is_some_and(|(found, wanted)| found.eq_ignore_ascii_case(wanted))
    }

    /// How many there are, and which each of them is.
    pub(super) const fn n_users(&self) -> usize {
        self.n_users as usize
    }

    pub(super) const fn rule(&self, n: usize) -> usize {
        self.users[n].rule as usize
    }
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

/// What may stand right before a literal: kinds of bytes.
#[derive(Clone, Copy)]
pub(super) struct Start {
    kinds: u8,
    /// Whether an escape may stand there, which looks like a word and is none.
    pub(super) may_follow_escape: bool,
}

const LETTER: u8 = 1;
const DIGIT: u8 = 1 << 1;
const UNDERSCORE: u8 = 1 << 2;
const DASH: u8 = 1 << 3;
/// `.` and a space, which with the two before join words.
const JOINT: u8 = 1 << 4;
const OTHER: u8 = 1 << 5;

impl Start {
    const ANYWHERE: Start = Start { kinds: u8::MAX, may_follow_escape: false };

    /// A token is no part of a word, and so its literal, if it begins with it, is not either.
    const fn of(rule: usize, text: &str) -> Start {
        let first = text.as_bytes()[0];
        let is_word = first.is_ascii_alphanumeric() || first == b'_';
        match RULES[rule].finds() {
            Finds::Labelled(_) if label::is_last_word_alone(text) => {
                let kinds = LETTER | UNDERSCORE | DASH | JOINT;
                Start { kinds, may_follow_escape: false }
            }
            Finds::Token(token) if is_word && token.inside.1 == 0 => {
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

    /// Whether this byte may stand before the literal.
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

/// In JSON, what a letter of a literal may be hidden behind. These belong to no rule.
const ESCAPES: [&str; 6] = ["\\u002", "\\u003", "\\u004", "\\u005", "\\u006", "\\u007"];

/// All literals of all rules.
pub(super) static LITERALS: [Literal; N_LITERALS] = LITERALS_MADE;
pub(super) const LITERALS_MADE: [Literal; N_LITERALS] = {
    let mut literals = [NO_LITERAL; N_LITERALS];
    let mut n = 0;
    while n < N_LITERALS {
        literals[n] = ALL.literals[n];
        n += 1;
    }
    literals
};

pub(super) const N_LITERALS: usize = ALL.n;

/// More than there are.
const N_LITERALS_MAX: usize = 1024;

/// The literals, each once.
struct All {
    literals: [Literal; N_LITERALS_MAX],
    n: usize,
    /// Which literals are known by a hash of their bytes: their number plus one.
    known: [u16; 2 * N_LITERALS_MAX],
}

const ALL: All = {
    let (literals, known) = ([NO_LITERAL; N_LITERALS_MAX], [0; 2 * N_LITERALS_MAX]);
    let mut all = All { literals, n: 0, known };
    let mut rule = 0;
    while rule < N_RULES {
        add_of_rule(&mut all, rule);
        rule += 1;
    }
    let mut escape = 0;
    while escape < ESCAPES.len() {
        let (bytes, len) = padded(ESCAPES[escape]);
        add(&mut all, bytes, len, ESCAPE);
        escape += 1;
    }
    all
};

#[allow(clippy::cast_possible_truncation, reason = "there are a few hundred rules")]
const ESCAPE: User = User { rule: N_RULES as u16, start: Start::ANYWHERE };

#[allow(clippy::cast_possible_truncation, reason = "there are a few hundred rules")]
const fn add_of_rule(all: &mut All, rule: usize) {
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
                Finds::Token(_) | Finds::Structure(..) => Some(padded(texts[text])),
            };
            if let Some((bytes, len)) = found {
                add(all, bytes, len, user);
                // What JSON may write with a backslash belongs to no rule: it is an escape.
                let mut way = 0;
                while let Some((bytes, len)) = escaped(&bytes, len, way) {
                    add(all, bytes, len, ESCAPE);
                    way += 1;
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

/// Way `n` to write a literal in JSON with backslashes before some of its quotes and slashes.
const fn escaped(
    bytes: &[u8; LITERAL_MAX],
    len: usize,
    n: usize,
) -> Option<([u8; LITERAL_MAX], usize)> {
    // Each bit of `chosen` is one of the signs; all ways but the one without a backslash.
    let chosen = n + 1;
    let (mut out, mut n_out, mut n_signs, mut at) = ([0; LITERAL_MAX], 0, 0, 0);
    while at < len {
        if matches!(bytes[at], b'"' | b'/') {
            if chosen >> n_signs & 1 == 1 {
                out[n_out] = b'\\';
                n_out += 1;
            }
            n_signs += 1;
        }
        out[n_out] = bytes[at];
        n_out += 1;
        at += 1;
    }
    if chosen >> n_signs == 0 { Some((out, n_out)) } else { None }
}

/// Adds a literal, or one more rule to it if it is there already.
#[allow(clippy::cast_possible_truncation, reason = "both are checked")]
const fn add(all: &mut All, bytes: [u8; LITERAL_MAX], len: usize, user: User) {
    assert!(len >= 3 && len <= LITERAL_MAX, "see `Rule::token`");
    let first = Word::of(&bytes, 0, len);
    let last = if len > 8 { Word::of(&bytes, len - 8, len) } else { first };
    let mixed = (first.bytes ^ last.bytes.rotate_left(9)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut place = (mixed >> 32) as usize % all.known.len();
    while all.known[place] != 0
        && !is_same(&all.literals[all.known[place] as usize - 1].bytes, &bytes)
    {
        place = (place + 1) % all.known.len();
    }
    if all.known[place] == 0 {
        all.literals[all.n] = Literal { bytes, len: len as u8, first, last, ..NO_LITERAL };
        all.n += 1;
        all.known[place] = all.n as u16;
    }
    let literal = &mut all.literals[all.known[place] as usize - 1];
    let mut known = 0;
    while known < literal.n_users as usize {
        if literal.users[known].rule == user.rule {
            // One of the rule's labels may be one word.
            literal.users[known].start.kinds |= user.start.kinds;
            return;
        }
        known += 1;
    }
    literal.users[known] = user;
    literal.n_users += 1;
}

/// Whether two literals are the same, letters without regard to case.
const fn is_same(a: &[u8; LITERAL_MAX], b: &[u8; LITERAL_MAX]) -> bool {
    let mut at = 0;
    while at < LITERAL_MAX && a[at].eq_ignore_ascii_case(&b[at]) {
        at += 1;
    }
    at == LITERAL_MAX
}
