//! Secrets identified by the name beside them.

use std::ops::Range;

use super::assignment::{self, Sep};
use super::{Runs, code, name};
use crate::boundary::is_word;
use crate::edit::Form;
use crate::rules::{Demand, Finds, Labelled, RULES, Structure, last_word};
use crate::value::{self, Quoting};

/// The bytes that may join the words of a label. The words may also follow each other directly.
const JOINTS: [u8; 4] = *b"_-. ";

/// The largest number of literals of a label.
pub(crate) const N_SPELLINGS_MAX: usize = JOINTS.len() + 1;

/// The minimum length of a last word that is a literal by itself. Shorter words are too common.
const LAST_WORD_MIN: usize = 5;

/// Returns literal `n` of a label.
///
/// The literal of a single word is the word itself. For several words, it is the last word. If that
/// is short, the literal includes the byte before it: a joint, or the previous word's last letter.
#[allow(
    clippy::indexing_slicing,
    reason = "`last_word` is inside the label, which has at most 31 bytes"
)]
pub(crate) const fn literal(label: &'static str, n: usize) -> Option<([u8; 32], usize)> {
    let from = label.as_bytes();
    let last_word = last_word(label);
    let has_byte_before = has_byte_before(label);
    let n_literals = if has_byte_before { N_SPELLINGS_MAX } else { 1 };
    if n >= n_literals {
        return None;
    }
    let mut bytes = [0; 32];
    let mut len = 0;
    if has_byte_before {
        bytes[0] = if n < JOINTS.len() { JOINTS[n] } else { from[last_word - 2] };
        len = 1;
    }
    let mut at = last_word;
    while at < from.len() {
        bytes[len] = from[at];
        len += 1;
        at += 1;
    }
    Some((bytes, len))
}

/// Returns whether the literals of a label include the byte before its last word.
const fn has_byte_before(label: &str) -> bool {
    let last_word = last_word(label);
    last_word > 0 && label.len() - last_word < LAST_WORD_MIN
}

/// Returns whether the name that ends at `end` is this label, with its words joined in any way.
fn is_label(text: &[u8], end: usize, label: &str) -> bool {
    let mut rest = text.get(..end).unwrap_or_default();
    for expected in label.bytes().rev() {
        let Some((found, before)) = rest.split_last() else { return expected == b'_' };
        if expected != b'_' && !found.eq_ignore_ascii_case(&expected) {
            return false;
        }
        if expected != b'_' || JOINTS.contains(found) {
            rest = before;
        }
    }
    true
}

/// Returns the end of the name at the literal at `at`, if it is one of these labels. The literal of
/// a short label includes the punctuation after it, which makes the literal rare.
#[inline]
fn name_end(text: &[u8], at: usize, len: usize, labelled: &Labelled) -> Option<usize> {
    let literal = text.get(at..(at + len).min(text.len()))?;
    let end = at + literal.iter().rposition(|&byte| is_word(byte))? + 1;
    if !labelled.has_words {
        return Some(end);
    }
    // The literal is the last word, with the byte before it if the word is short.
    let is_label = (len >= LAST_WORD_MIN && is_one_of(text, end, len, labelled.labels))
        || (len <= LAST_WORD_MIN && is_one_of(text, end, len - 1, labelled.labels))
        || labelled.labels.iter().any(|label| {
            let known = label.as_bytes().get(..literal.len());
            len == label.len() && known.is_some_and(|it| it.eq_ignore_ascii_case(literal))
        });
    is_label.then_some(end)
}

/// Returns whether a name is one of these labels, whose last word has `last_len` letters.
fn is_one_of(text: &[u8], end: usize, last_len: usize, labels: &[&str]) -> bool {
    // The last letter of the previous word distinguishes most labels.
    let before = match text.get(..end.saturating_sub(last_len)).unwrap_or_default() {
        [before @ .., joint] if JOINTS.contains(joint) => before.last(),
        before => before.last(),
    };
    labels.iter().any(|label| {
        let first_words =
            label.len().checked_sub(last_len).and_then(|it| label.as_bytes().get(..it));
        let Some([.., letter, b'_']) = first_words else { return false };
        before.is_some_and(|it| it.eq_ignore_ascii_case(letter)) && is_label(text, end, label)
    })
}

/// Finds the secret beside the label whose literal is at `at`.
pub(crate) fn find(
    text: &[u8],
    at: usize,
    len: usize,
    labelled: &Labelled,
    runs: &mut Runs,
    is_inside: impl Fn(&Range<usize>) -> bool,
) -> Option<(Range<usize>, Form)> {
    const FEW_LABELS: usize = 6;
    let literal = text.get(at..at + len)?;
    // The literal of a short label includes the punctuation after it.
    let end = match literal.last() {
        Some(&last) if is_word(last) => at + len,
        _ => at + literal.iter().rposition(|&byte| is_word(byte))? + 1,
    };
    if is_surely_unassigned(text, end, labelled.demand, runs) {
        return None;
    }
    // The cheaper test runs first.
    let is_named = || name_end(text, at, len, labelled).is_some();
    if labelled.labels.len() <= FEW_LABELS && !is_named() {
        return None;
    }
    let assignment = assignment::find(text, at, end, runs)?;
    let mut range = assignment.value;
    let is_directory = literal.get(..3).is_some_and(|it| it.eq_ignore_ascii_case(b"pwd"))
        && matches!(text.get(range.start), Some(b'/' | b'~'));
    if is_directory || name::is_shell_variable(text, at) || is_inside(&range) {
        return None;
    }
    let is_bare = assignment.quoting == Quoting::Bare;
    let after = text.get(range.end..).unwrap_or_default();
    if is_bare && assignment.sep == Sep::Colon && after.starts_with(b" ") && is_type(after) {
        return None;
    }
    let is_apart = text.get(range.start.checked_sub(1)?) == Some(&b' ');
    let may_be_pair =
        labelled.demand == Demand::Random || (assignment.sep == Sep::Equals && is_apart);
    if may_be_pair && is_bare {
        range.end = range.start + len_before_pair(text.get(range.clone())?);
    }
    let value = text.get(range.clone())?;
    if is_structure(value, is_bare, assignment.is_json_key) {
        return None;
    }
    let is_prose = is_bare && {
        let is_pass = literal.get(..4).is_some_and(|it| it.eq_ignore_ascii_case(b"pass"));
        (is_pass && len == "pass:".len() && is_unrelated_pass(value, assignment.sep))
            || (assignment.sep.allows_prose()
                && value.iter().all(u8::is_ascii_alphabetic)
                && is_followed_by_word(text, range.end))
    };
    let has_label = || {
        (labelled.labels.len() <= FEW_LABELS || is_named())
            && !is_excepted(text.get(..at).unwrap_or_default(), labelled.except_after)
    };
    let quoting = if is_bare && name::is_exported(text, at, &range) {
        Quoting::Exported
    } else {
        assignment.quoting
    };
    let is_secret = !is_prose && value::is_secret(value, labelled.demand, quoting);
    if !is_secret {
        let is_code = is_bare
            && memchr::memchr3(b'.', b'(', b':', value.get(..64).unwrap_or(value)).is_some();
        let literal = is_code.then(|| code::find_literal(text, &range)).flatten()?;
        let found = text.get(literal.clone())?;
        let is_secret = value::is_secret(found, labelled.demand, Quoting::Quoted);
        return (is_secret && has_label()).then_some((literal, Form::Plain));
    }
    if !has_label() {
        return None;
    }
    let is_number = |it: &u8| it.is_ascii_digit() || matches!(it, b'.' | b'-' | b'+' | b'e' | b'E');
    let is_json_number = assignment.is_json_key
        && is_bare
        && assignment.sep == Sep::Colon
        && value.iter().all(is_number);
    let n_backslashes = assignment.n_backslashes;
    Some((range, if is_json_number { Form::Quoted { n_backslashes } } else { Form::Plain }))
}

/// Returns whether a quick test shows that no secret is assigned to the name that ends at `end`. In
/// a long run of labels, most labels need only this test.
#[inline]
fn is_surely_unassigned(text: &[u8], end: usize, demand: Demand, runs: &mut Runs) -> bool {
    match text.get(end) {
        Some(b'=') if matches!(text.get(end + 1), Some(b';' | b'\n')) => true,
        Some(b'=') if demand == Demand::Random && is_short_pair(text, end + 1) => true,
        Some(b'=' | b':') if demand == Demand::Random && is_plain(text, end, runs) => true,
        Some(b'=' | b':' | b'"' | b'\'') => is_stock(text, end, runs),
        _ => false,
    }
}

/// Returns whether the supposed value is the rest of an array or an object.
fn is_structure(value: &[u8], is_bare: bool, is_json_key: bool) -> bool {
    match value.first() {
        Some(b'[' | b'{') => is_bare && is_json_key,
        Some(b',' | b':' | b']' | b'}') => !is_bare,
        _ => false,
    }
}

/// Returns the length of a value without quotes up to a further `=`, which begins another pair
/// unless it is the padding of base64.
fn len_before_pair(value: &[u8]) -> usize {
    const PADDED_MIN: usize = 16;
    const NEAR: usize = 128;
    let near = value.get(..NEAR).unwrap_or(value);
    let Some(pair) = memchr::memchr(b'=', near) else { return value.len() };
    let mut rest = value.get(pair..).unwrap_or_default().iter();
    if pair >= PADDED_MIN && rest.all(|it| *it == b'=') { value.len() } else { pair }
}

/// Returns whether `pass` has another meaning: `pass: 12`, `first pass: linking`,
/// `PASS: tests/head.sh`.
fn is_unrelated_pass(value: &[u8], sep: Sep) -> bool {
    sep == Sep::Colon
        && (value.iter().all(u8::is_ascii_digit)
            || !value::is_secret(value, Demand::Random, Quoting::Bare))
}

/// Returns whether the literal of this label is only its last word.
pub(crate) const fn is_last_word_alone(label: &str) -> bool {
    last_word(label) > 0 && !has_byte_before(label)
}

/// Returns whether exactly a stock word is assigned to the name that ends at `end`.
#[inline]
fn is_stock(text: &[u8], end: usize, runs: &mut Runs) -> bool {
    let is_quote = |it: &u8| matches!(it, b'"' | b'\'');
    let mut at = end + usize::from(text.get(end).is_some_and(is_quote));
    if !matches!(text.get(at), Some(b'=' | b':')) {
        return false;
    }
    let is_pair = text.get(at) == Some(&b'=');
    at += 1;
    let is_apart = text.get(at) == Some(&b' ');
    at += usize::from(is_apart);
    let quote = text.get(at).copied().filter(is_quote);
    at += usize::from(quote.is_some());
    let rest = text.get(at..).unwrap_or_default();
    let Some(after) = value::leading_word(rest).and_then(|len| rest.get(len..)) else {
        return false;
    };
    // In a list of pairs, a value ends at the next semicolon.
    let is_list = is_pair && runs.semicolon(text, at).is_some();
    match (quote, after) {
        (Some(quote), [next, ..]) => *next == quote,
        (None, [b'\n', ..]) => true,
        (None, [b' ', ..]) => !is_list && !is_type(after),
        (None, [b':', b' ', ..]) => !is_list,
        (None, [b'=', ..]) => is_apart && is_pair && !is_list,
        _ => false,
    }
}

/// Returns whether the supposed value is a type: an `=` follows on its line.
fn is_type(after: &[u8]) -> bool {
    after.iter().find(|it| !matches!(it, b' ' | b'\t')) == Some(&b'=')
}

/// Returns whether a value without quotes is too short, because another pair follows.
#[inline]
fn is_short_pair(text: &[u8], start: usize) -> bool {
    let value = text.get(start..).and_then(<[u8]>::first_chunk::<{ value::LEN_MIN }>);
    value.is_some_and(|value| value[0].is_ascii_alphanumeric() && value.contains(&b'='))
}

/// Returns whether the value after the separator at `at` has no quotes, no digits and no upper-case
/// letters, so that it is not random.
#[inline]
fn is_plain(text: &[u8], at: usize, runs: &mut Runs) -> bool {
    let is_pair = text.get(at) == Some(&b'=');
    let start = at + 1;
    matches!(text.get(start..), Some([b'a'..=b'z', b'a'..=b'z', ..]))
        && runs.is_plain(text, start, is_pair)
        && if is_pair {
            runs.semicolon(text, start).is_none()
        } else {
            let (end, _) = runs.end(text, start, is_pair);
            !is_type(text.get(end..).unwrap_or_default())
        }
}

/// Returns whether another word follows after one space, so that the value is also a word.
fn is_followed_by_word(text: &[u8], at: usize) -> bool {
    matches!(text.get(at..), Some([b' ', next, ..]) if next.is_ascii_alphabetic())
}

/// Returns whether a word before the label gives it another meaning.
fn is_excepted(before: &[u8], except_after: &[&str]) -> bool {
    let is_near = |it: &u8| it.is_ascii_alphabetic() || matches!(it, b'_' | b'-' | b'.');
    if !before.last().is_some_and(is_near) {
        return false;
    }
    let end =
        before.iter().rposition(|byte| !matches!(byte, b'_' | b'-' | b'.')).map_or(0, |it| it + 1);
    let before = before.get(..end).unwrap_or_default();
    except_after.iter().any(|word| {
        let start = before.len().saturating_sub(word.len());
        let found = before.get(start..).unwrap_or_default();
        // `page` also counts in `homepage_token`, but `no` does not count in `mono_password`.
        let is_separate_word = start == 0
            || word.len() > 3
            || before.get(start - 1).is_none_or(|byte| !byte.is_ascii_alphabetic());
        found.eq_ignore_ascii_case(word.as_bytes()) && is_separate_word
    })
}

/// The meaning of a JSON key for its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyLabel {
    /// The value is a secret if it meets the demand.
    Secret { rule: usize, demand: Demand },
    /// The value is that of an `Authorization` header.
    Authorization { rule: usize },
    /// The value is that of a `Cookie` header.
    Cookie { rule: usize },
    /// The value is that of a `Set-Cookie` header.
    SetCookie { rule: usize },
}

impl KeyLabel {
    /// Returns the rule that found the label.
    pub(crate) fn rule(self) -> usize {
        match self {
            KeyLabel::Secret { rule, .. }
            | KeyLabel::Authorization { rule }
            | KeyLabel::Cookie { rule }
            | KeyLabel::SetCookie { rule } => rule,
        }
    }
}

/// Returns the meaning of a JSON key, given without its quotes and escapes, if the literal of `len`
/// bytes at `at` belongs to a label of rule `n`.
pub(crate) fn key_label(key: &[u8], n: usize, at: usize, len: usize) -> Option<KeyLabel> {
    let literal = key.get(at..(at + len).min(key.len()))?;
    let end = at + literal.iter().rposition(|&byte| is_word(byte))? + 1;
    let is_last = assignment::suffix_end(key, end) == key.len();
    match RULES.get(n)?.finds() {
        Finds::Labelled(labelled) => {
            let is_label = is_last
                && name_end(key, at, len, labelled).is_some()
                && !is_excepted(key.get(..at)?, labelled.except_after);
            is_label.then_some(KeyLabel::Secret { rule: n, demand: labelled.demand })
        }
        Finds::Structure(Structure::Authorization, _) => {
            is_last.then_some(KeyLabel::Authorization { rule: n })
        }
        Finds::Structure(Structure::Cookie, _) if is_last => match key.get(..at)? {
            [] => Some(KeyLabel::Cookie { rule: n }),
            set if set.eq_ignore_ascii_case(b"set-") => Some(KeyLabel::SetCookie { rule: n }),
            _ => None,
        },
        Finds::Structure(..) | Finds::Token(_) => None,
    }
}
