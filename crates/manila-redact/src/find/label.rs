//! Secrets that are known by the name beside them.

use std::ops::Range;

use super::assignment::{self, Sep};
use super::{Runs, code, name};
use crate::boundary::is_word;
use crate::edit::Form;
use crate::rules::{Demand, Finds, Labelled, RULES, Structure, last_word};
use crate::value::{self, Quoting};

/// What may stand between the words of a label; they may stand together, too.
const JOINTS: [u8; 4] = *b"_-. ";

/// How many literals a label has at most.
pub(crate) const N_SPELLINGS_MAX: usize = JOINTS.len() + 1;

/// A last word of so many letters is a literal by itself; with fewer it would be found too often.
const LONG: usize = 5;

/// Literal `n` of a label. One word is its own literal. Of several words the last one is, and if
/// that is short, with the byte before it: a joint, or the last letter of the word before.
#[allow(
    clippy::indexing_slicing,
    reason = "`last_word` is inside of the label, of 31 bytes at most"
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

/// Whether the literals of a label have the byte before its last word.
const fn has_byte_before(label: &str) -> bool {
    let last_word = last_word(label);
    last_word > 0 && label.len() - last_word < LONG
}

/// Whether the name that ends at `end` is this label, its words joined in any way.
fn is_label(text: &[u8], end: usize, label: &str) -> bool {
    let mut rest = text.get(..end).unwrap_or_default();
    for wanted in label.bytes().rev() {
        let Some((found, before)) = rest.split_last() else { return wanted == b'_' };
        if wanted != b'_' && !found.eq_ignore_ascii_case(&wanted) {
            return false;
        }
        if wanted != b'_' || JOINTS.contains(found) {
            rest = before;
        }
    }
    true
}

/// Where the name ends that the literal at `at` is or ends, if it is one of these labels. The
/// literal of a short label has the sign after it, so that it is rare.
#[inline]
fn name_end(text: &[u8], at: usize, len: usize, labelled: &Labelled) -> Option<usize> {
    let literal = text.get(at..(at + len).min(text.len()))?;
    let end = at + literal.iter().rposition(|&byte| is_word(byte))? + 1;
    if !labelled.has_words {
        return Some(end);
    }
    // The last word, or with the byte before it if it is short.
    let is_one = (len >= LONG && is_one_of(text, end, len, labelled.labels))
        || (len <= LONG && is_one_of(text, end, len - 1, labelled.labels))
        || labelled.labels.iter().any(|label| {
            let known = label.as_bytes().get(..literal.len());
            len == label.len() && known.is_some_and(|it| it.eq_ignore_ascii_case(literal))
        });
    is_one.then_some(end)
}

/// Whether a name is one of these labels, the last word of which has `last` letters.
fn is_one_of(text: &[u8], end: usize, last: usize, labels: &[&str]) -> bool {
    // Most labels are told apart by one letter, the last of the word before.
    let before = match text.get(..end.saturating_sub(last)).unwrap_or_default() {
        [before @ .., joint] if JOINTS.contains(joint) => before.last(),
        before => before.last(),
    };
    labels.iter().any(|label| {
        let first_words = label.len().checked_sub(last).and_then(|it| label.as_bytes().get(..it));
        let Some([.., letter, b'_']) = first_words else { return false };
        before.is_some_and(|it| it.eq_ignore_ascii_case(letter)) && is_label(text, end, label)
    })
}

/// The secret beside the label whose literal stands at `at`.
pub(crate) fn find(
    text: &[u8],
    at: usize,
    len: usize,
    labelled: &Labelled,
    runs: &mut Runs,
    is_inside: impl Fn(&Range<usize>) -> bool,
) -> Option<(Range<usize>, Form)> {
    const FEW: usize = 6;
    let literal = text.get(at..at + len)?;
    // The literal of a short label has the sign after it.
    let end = match literal.last() {
        Some(&last) if is_word(last) => at + len,
        _ => at + literal.iter().rposition(|&byte| is_word(byte))? + 1,
    };
    if is_quickly_none(text, end, labelled.demand, runs) {
        return None;
    }
    // Whatever costs less is asked first.
    let is_named = || name_end(text, at, len, labelled).is_some();
    if labelled.labels.len() <= FEW && !is_named() {
        return None;
    }
    let assigned = assignment::find(text, at, end, runs)?;
    let mut range = assigned.value;
    let is_folder = literal.get(..3).is_some_and(|it| it.eq_ignore_ascii_case(b"pwd"))
        && matches!(text.get(range.start), Some(b'/' | b'~'));
    if is_folder || name::is_shell_variable(text, at) || is_inside(&range) {
        return None;
    }
    let is_bare = assigned.quoting == Quoting::Bare;
    let after = text.get(range.end..).unwrap_or_default();
    if is_bare && assigned.sep == Sep::Colon && after.starts_with(b" ") && is_type(after) {
        return None;
    }
    let is_apart = text.get(range.start.checked_sub(1)?) == Some(&b' ');
    let may_be_pair =
        labelled.demand == Demand::Random || (assigned.sep == Sep::Equals && is_apart);
    if may_be_pair && is_bare {
        range.end = range.start + len_before_pair(text.get(range.clone())?);
    }
    let value = text.get(range.clone())?;
    if is_structure(value, is_bare, assigned.is_json_key) {
        return None;
    }
    let is_prose = is_bare && {
        let is_pass = literal.get(..4).is_some_and(|it| it.eq_ignore_ascii_case(b"pass"));
        (is_pass && len == "pass:".len() && is_no_pass(value, assigned.sep))
            || (assigned.sep.is_prosaic()
                && value.iter().all(u8::is_ascii_alphabetic)
                && followed_by_word(text, range.end))
    };
    let is_meant = || {
        (labelled.labels.len() <= FEW || is_named())
            && !is_excepted(text.get(..at).unwrap_or_default(), labelled.except_after)
    };
    let quoting = if is_bare && name::is_exported(text, at, &range) {
        Quoting::Exported
    } else {
        assigned.quoting
    };
    let is_secret = !is_prose && value::is_secret(value, labelled.demand, quoting);
    if !is_secret {
        let is_code = is_bare
            && memchr::memchr3(b'.', b'(', b':', value.get(..64).unwrap_or(value)).is_some();
        let literal = is_code.then(|| code::literal(text, &range)).flatten()?;
        let found = text.get(literal.clone())?;
        let is_secret = value::is_secret(found, labelled.demand, Quoting::Quoted);
        return (is_secret && is_meant()).then_some((literal, Form::Plain));
    }
    if !is_meant() {
        return None;
    }
    let is_number = |it: &u8| it.is_ascii_digit() || matches!(it, b'.' | b'-' | b'+' | b'e' | b'E');
    let is_json_number = assigned.is_json_key
        && is_bare
        && assigned.sep == Sep::Colon
        && value.iter().all(is_number);
    let n_backslashes = assigned.n_backslashes;
    Some((range, if is_json_number { Form::Quoted { n_backslashes } } else { Form::Plain }))
}

/// Whether nothing is assigned to the name that ends at `end`, as one look tells. In one long run
/// of labels this is all that most of them cost.
#[inline]
fn is_quickly_none(text: &[u8], end: usize, demand: Demand, runs: &mut Runs) -> bool {
    match text.get(end) {
        Some(b'=') if matches!(text.get(end + 1), Some(b';' | b'\n')) => true,
        Some(b'=') if demand == Demand::Random && is_short_pair(text, end + 1) => true,
        Some(b'=' | b':') if demand == Demand::Random && is_plain(text, end, runs) => true,
        Some(b'=' | b':' | b'"' | b'\'') => is_stock(text, end, runs),
        _ => false,
    }
}

/// Whether what was taken for a value is the rest of an array or an object.
fn is_structure(value: &[u8], is_bare: bool, is_json_key: bool) -> bool {
    match value.first() {
        Some(b'[' | b'{') => is_bare && is_json_key,
        Some(b',' | b':' | b']' | b'}') => !is_bare,
        _ => false,
    }
}

/// How long a value without quotes is: what follows a further `=` is another pair, unless it is
/// the padding of base64.
fn len_before_pair(value: &[u8]) -> usize {
    const PADDED_MIN: usize = 16;
    const NEAR: usize = 128;
    let near = value.get(..NEAR).unwrap_or(value);
    let Some(pair) = memchr::memchr(b'=', near) else { return value.len() };
    let mut rest = value.get(pair..).unwrap_or_default().iter();
    if pair >= PADDED_MIN && rest.all(|it| *it == b'=') { value.len() } else { pair }
}

/// Whether `pass` is about something else: `pass: 12`, `first pass: linking`, `PASS:
/// tests/head.sh`.
fn is_no_pass(value: &[u8], sep: Sep) -> bool {
    sep == Sep::Colon
        && (value.iter().all(u8::is_ascii_digit)
            || !value::is_secret(value, Demand::Random, Quoting::Bare))
}

/// Whether the literal of this label is its last word alone.
pub(crate) const fn is_last_word_alone(label: &str) -> bool {
    last_word(label) > 0 && !has_byte_before(label)
}

/// Whether a stock word, and nothing more, is assigned to the name that ends at `end`.
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
    // In a list of pairs a value goes on to the next semicolon.
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

/// Whether what was taken for a value is a type: an `=` follows on its line.
fn is_type(after: &[u8]) -> bool {
    after.iter().find(|it| !matches!(it, b' ' | b'\t')) == Some(&b'=')
}

/// Whether another pair begins before a value without quotes is long enough.
#[inline]
fn is_short_pair(text: &[u8], start: usize) -> bool {
    let value = text.get(start..).and_then(<[u8]>::first_chunk::<{ value::LEN_MIN }>);
    value.is_some_and(|value| value[0].is_ascii_alphanumeric() && value.contains(&b'='))
}

/// Whether what follows the sign at `at` has no quotes, and neither a digit nor a capital, so that
/// it is not random.
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

/// Whether a word follows after one space: then the value was a word, too.
fn followed_by_word(text: &[u8], at: usize) -> bool {
    matches!(text.get(at..), Some([b' ', next, ..]) if next.is_ascii_alphabetic())
}

/// Whether a word stands before the label that makes it another one.
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
        // `page` in `homepage_token` is excepted, too; `no` in `mono_password` is not.
        let is_own_word = start == 0
            || word.len() > 3
            || before.get(start - 1).is_none_or(|byte| !byte.is_ascii_alphabetic());
        found.eq_ignore_ascii_case(word.as_bytes()) && is_own_word
    })
}

/// What a JSON key says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyLabel {
    /// A secret if it looks like one.
    Secret { rule: usize, demand: Demand },
    /// The value of an `Authorization` header.
    Authorization { rule: usize },
    /// Cookies, sent.
    Cookie { rule: usize },
    /// A cookie, set.
    SetCookie { rule: usize },
}

impl KeyLabel {
    /// The rule that says so.
    pub(crate) fn rule(self) -> usize {
        match self {
            KeyLabel::Secret { rule, .. }
            | KeyLabel::Authorization { rule }
            | KeyLabel::Cookie { rule }
            | KeyLabel::SetCookie { rule } => rule,
        }
    }
}

/// What a JSON key, without its quotes and escapes, says about its value, if the literal of
/// `len` bytes at `at` is a name that rule `n` knows.
pub(crate) fn of_key(key: &[u8], n: usize, at: usize, len: usize) -> Option<KeyLabel> {
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
