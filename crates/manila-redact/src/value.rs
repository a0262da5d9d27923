//! Decides whether a value beside a label is a secret, and not a placeholder, code or prose.

use memchr::memchr_iter;

use crate::edit::REPLACEMENT;
use crate::rules::Demand;

mod shape;
mod stock;

use shape::Shape;
pub(crate) use shape::may_be_random;
use stock::is_stock_word;
pub(crate) use stock::leading_word;

/// The minimum length of a value that counts as a secret.
pub(crate) const LEN_MIN: usize = 6;

/// The maximum distance to the end of a value in quotes or in a list of pairs.
pub(crate) const LEN_MAX: usize = 16 * 1024;

/// The number of bytes of a value that are examined.
const EXAMINED_MAX: usize = 96;

/// Whether a value is in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    Quoted,
    Bare,
    /// Bare, as the value of an environment variable, which is not a reference to another name:
    /// `DB_PASSWORD=…`
    Exported,
}

/// Returns whether `value`, which is beside a label, is a secret.
pub(crate) fn is_secret(value: &[u8], demand: Demand, quoting: Quoting) -> bool {
    if value.len() < LEN_MIN {
        return false;
    }
    let examined = value.get(..EXAMINED_MAX).unwrap_or(value);
    if demand == Demand::Random && !may_be_random(examined) {
        return false;
    }
    let shape = Shape::of(examined);
    let meets_demand = match demand {
        Demand::Anything => true,
        Demand::Random => is_random(examined, shape),
    };
    let is_excluded = || {
        // A version range, as in package lists.
        (matches!(examined, [b'^' | b'~', b'0'..=b'9', ..]) && is_version(examined))
            || is_placeholder_shape(examined, shape)
            || match quoting {
                Quoting::Quoted => false,
                Quoting::Exported => is_code(examined, shape),
                Quoting::Bare => is_code(examined, shape) || is_label(examined, shape),
            }
            || is_sentence(examined, shape)
            || is_location(examined)
    };
    meets_demand && !is_excluded()
}

/// Returns whether a token consists mostly of one repeated character: `ghp_xxxxxxxxxxxx`.
pub(crate) fn is_filler(token: &[u8]) -> bool {
    let Some(last) = token.last() else { return true };
    let n_same = memchr_iter(*last, token).count();
    3 * n_same >= 2 * token.len()
}

/// Returns whether a part of a value is redacted already.
pub(crate) fn has_mark(value: &[u8]) -> bool {
    contains(value, REPLACEMENT.as_bytes())
}

/// Returns whether a value is a placeholder for a secret.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    is_placeholder_shape(value, Shape::of(value))
}

fn is_placeholder_shape(value: &[u8], shape: Shape) -> bool {
    (shape.has(Shape::BRACKET) && has_mark(value))
        || is_reference(value)
        || !has_three_distinct(value)
        || is_stock_word(value)
}

/// Returns whether `value` contains `part`. Values are too short to be worth a prepared searcher.
fn contains(value: &[u8], part: &[u8]) -> bool {
    let Some(&first) = part.first() else { return true };
    memchr_iter(first, value).any(|at| value.get(at..).is_some_and(|it| it.starts_with(part)))
}

/// Returns whether a value refers to a secret, or replaces one: `<your-token>`, `${VAR}`, `$VAR`,
/// `{{ var }}`, `%VAR%`, `[hidden]`, `***`
fn is_reference(value: &[u8]) -> bool {
    let is_name = |name: &[u8]| name.iter().all(|it| it.is_ascii_alphabetic() || *it == b'_');
    match value {
        [b'<', .., b'>']
        | [b'{', .., b'}']
        | [b'{', b'{' | b'%', ..]
        | [b'*', b'*', b'*', ..]
        | [b'$', b'{' | b'(' | b'[', ..]
        | [b'#' | b'@', b'{', ..] => true,
        [b'[', name @ .., b']'] | [b'%', name @ .., b'%'] | [b':', name @ ..] => {
            name.iter().all(|it| it.is_ascii_alphabetic() || matches!(it, b'_' | b'-' | b' '))
        }
        // The text that a program prints instead of a value, possibly cut at the first space.
        [b'(', name @ .., b')'] | [b'(' | b'[', name @ ..] => {
            name.iter().all(u8::is_ascii_alphabetic)
        }
        [b'$', name @ ..] => {
            is_name(name)
                || name
                    .iter()
                    .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || *it == b'_')
                || name.starts_with(b"env:")
        }
        _ => false,
    }
}

/// Returns whether a bare value is code: a call, or a path of names.
fn is_code(value: &[u8], shape: Shape) -> bool {
    let is_call = || {
        memchr::memchr2(b'(', b'[', value)
            .and_then(|at| value.get(..at))
            .is_some_and(|name| !name.is_empty() && is_path(name))
    };
    (shape.has(Shape::PARENTHESIS | Shape::BRACKET) && is_call())
        || value.starts_with(b"&")
        || (shape.has(Shape::COLON) && contains(value, b"::"))
        || (shape.has(Shape::DOT) && shape.is_only(PATH))
}

/// Returns whether a bare value is a name that ends with a label: `Token1`, `Ed25519PrivateKey`.
fn is_label(value: &[u8], shape: Shape) -> bool {
    const LABELS: [&str; 8] =
        ["password", "passwd", "secret", "token", "key", "string", "credential", "credentials"];
    let is_name = value.first().is_some_and(u8::is_ascii_alphabetic)
        && shape.is_only(Shape::LETTER | Shape::DIGIT | Shape::UNDERSCORE);
    let ends_with_label = || {
        // `Token1` is a name. With more digits, it is probably a password.
        const DIGITS_MAX: usize = 1;
        let n_name = value.iter().rposition(|it| !it.is_ascii_digit()).map_or(0, |at| at + 1);
        if value.len() - n_name > DIGITS_MAX {
            return false;
        }
        let name = value.get(..n_name).unwrap_or(value);
        LABELS.iter().any(|label| {
            let (before, last) = name.split_at(name.len().saturating_sub(label.len()));
            let begins_word = match (before.last(), last.first()) {
                (None | Some(b'_' | b'.'), _) => true,
                (Some(before), Some(first)) => {
                    !before.is_ascii_uppercase() && first.is_ascii_uppercase()
                }
                (Some(_), None) => false,
            };
            // In a name with digits, the label must begin a word, unlike in `hunter2secret`.
            last.eq_ignore_ascii_case(label.as_bytes()) && (begins_word || !shape.has(Shape::DIGIT))
        })
    };
    (is_name || is_path(value)) && ends_with_label()
}

/// Returns whether a value is a path of names joined by dots, or one name without digits.
fn is_path(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    let is_name =
        |name: &[u8]| name.first().is_some_and(|it| it.is_ascii_alphabetic() || *it == b'_');
    shape.is_only(PATH)
        || (shape.is_only(PATH | Shape::DIGIT)
            && shape.has(Shape::DOT)
            && value.split(|it| *it == b'.').all(is_name))
}

/// The bytes of names joined by dots: `process.env.TOKEN`, `self.password`.
const PATH: u16 = Shape::LETTER | Shape::UNDERSCORE | Shape::DOT | Shape::SENTENCE_MARK;

/// Returns whether a value is a sentence: it has spaces and contains a common short word.
fn is_sentence(value: &[u8], shape: Shape) -> bool {
    const COMMON_WORDS: [&str; 36] = [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "cannot",
        "do",
        "enter",
        "for",
        "from",
        "has",
        "if",
        "in",
        "is",
        "it",
        "must",
        "no",
        "not",
        "of",
        "on",
        "or",
        "please",
        "should",
        "that",
        "the",
        "this",
        "to",
        "was",
        "with",
        "you",
        "your",
        "characters",
    ];
    if !shape.has(Shape::SPACE) {
        return false;
    }
    let mut words = value.split(|it| matches!(it, b' ' | b',' | b'.' | b':' | b'(' | b')'));
    words.any(|word| COMMON_WORDS.iter().any(|common| word.eq_ignore_ascii_case(common.as_bytes())))
}

/// Returns whether a value is a URL or a path, which is the location of a secret, not the secret.
fn is_location(value: &[u8]) -> bool {
    let is_path_letter =
        |it: &u8| it.is_ascii_lowercase() || matches!(it, b'/' | b'.' | b'_' | b'-' | b'~');
    let is_rooted = [&b"/"[..], b"./", b"../", b"~/"].iter().any(|root| value.starts_with(root));
    let n_scheme = value.iter().take_while(|it| it.is_ascii_lowercase()).count();
    let has_scheme = n_scheme > 0 && value.get(n_scheme..).is_some_and(|it| it.starts_with(b"://"));
    let is_deep = memchr_iter(b'/', value).count() >= 3
        && value.iter().all(|it| it.is_ascii_alphanumeric() || is_path_letter(it));
    has_scheme || (is_rooted && (is_deep || value.iter().all(is_path_letter)))
}

/// Returns whether a value looks machine-generated.
fn is_random(value: &[u8], shape: Shape) -> bool {
    const BITS_MIN: f32 = 2.5;
    let is_mixed = || {
        shape.has(Shape::DIGIT)
            || (value.len() >= 16
                && shape.has(Shape::LOWER)
                && shape.has(Shape::UPPER)
                && n_uppercase_inside(value) >= 3)
    };
    shape.has(Shape::LETTER)
        && !shape.has(Shape::SPACE | Shape::UNPRINTABLE)
        && is_mixed()
        && !is_version(value)
        && bits_per_byte(value) >= BITS_MIN
}

/// Returns whether a value is a version: `v1.2.3`, `1.0.0-rc1`
fn is_version(value: &[u8]) -> bool {
    let start = value.iter().position(|it| !matches!(it, b'^' | b'~' | b'>' | b'=' | b'<' | b'v'));
    let value = start.and_then(|start| value.get(start..)).unwrap_or(value);
    let n_dots = memchr_iter(b'.', value).count();
    let n_digits = value.iter().take_while(|it| it.is_ascii_digit() || **it == b'.').count();
    n_dots >= 1 && n_digits >= 3 && value.len() <= 20
}

/// Returns the number of upper-case letters after a character that is not upper-case.
fn n_uppercase_inside(value: &[u8]) -> usize {
    let pairs = value.iter().zip(value.iter().skip(1));
    pairs.filter(|(a, b)| !a.is_ascii_uppercase() && b.is_ascii_uppercase()).count()
}

/// Returns the Shannon entropy of the first bytes, in bits per byte.
fn bits_per_byte(value: &[u8]) -> f32 {
    const SAMPLE: usize = 64;
    let sample = value.get(..SAMPLE).unwrap_or(value);
    let mut counts = [0u8; 256];
    for &byte in sample {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let len = f32::from(u8::try_from(sample.len()).unwrap_or(u8::MAX));
    let bits = counts.iter().filter(|count| **count > 0).map(|&count| {
        let share = f32::from(count) / len;
        -share * share.log2()
    });
    bits.sum()
}

/// Returns whether a value contains three different bytes.
fn has_three_distinct(value: &[u8]) -> bool {
    let Some(first) = value.first() else { return false };
    let mut others = value.iter().filter(|it| *it != first);
    let Some(second) = others.next() else { return false };
    others.any(|it| it != second)
}
