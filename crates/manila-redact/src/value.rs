//! What a value beside a label must look like to be a secret, and what it is otherwise.

use memchr::memchr_iter;

use crate::edit::MARK;
use crate::rules::Demand;

mod shape;
mod stock;

use shape::Shape;
pub(crate) use shape::may_be_random;
use stock::is_stock_word;
pub(crate) use stock::leading_word;

/// The shortest value that is taken for a secret.
pub(crate) const LEN_MIN: usize = 6;

/// How far the end of a value in quotes, or in a list of pairs, is looked for.
pub(crate) const LEN_MAX: usize = 16 * 1024;

/// How much of a value is looked at to judge it.
const JUDGED_MAX: usize = 96;

/// Whether a value was in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    Quoted,
    Bare,
    /// Bare, as the value of a variable of the environment, where no name stands for another:
    /// `DB_PASSWORD=…`
    Exported,
}

/// Whether `value`, which stands beside a label, is a secret.
pub(crate) fn is_secret(value: &[u8], demand: Demand, quoting: Quoting) -> bool {
    if value.len() < LEN_MIN {
        return false;
    }
    let judged = value.get(..JUDGED_MAX).unwrap_or(value);
    if demand == Demand::Random && !may_be_random(judged) {
        return false;
    }
    let shape = Shape::of(judged);
    let is_meant = match demand {
        Demand::Anything => true,
        Demand::Random => is_random(judged, shape),
    };
    let is_else = || {
        // A range of versions, as lists of packages have it.
        (matches!(judged, [b'^' | b'~', b'0'..=b'9', ..]) && is_version(judged))
            || is_stand_in_of(judged, shape)
            || match quoting {
                Quoting::Quoted => false,
                Quoting::Exported => is_code(judged, shape),
                Quoting::Bare => is_code(judged, shape) || is_label(judged, shape),
            }
            || is_sentence(judged, shape)
            || is_location(judged)
    };
    is_meant && !is_else()
}

/// Whether a token of a vendor's form is only filled up: `ghp_xxxxxxxxxxxx`.
pub(crate) fn is_filled_up(token: &[u8]) -> bool {
    let Some(last) = token.last() else { return true };
    let n_same = memchr_iter(*last, token).count();
    3 * n_same >= 2 * token.len()
}

/// Whether something in it is hidden already.
pub(crate) fn has_mark(value: &[u8]) -> bool {
    has(value, MARK.as_bytes())
}

/// Whether a value stands for a secret without being one.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    is_stand_in_of(value, Shape::of(value))
}

fn is_stand_in_of(value: &[u8], shape: Shape) -> bool {
    (shape.has(Shape::BRACKET) && has_mark(value))
        || is_reference(value)
        || !has_three(value)
        || is_stock_word(value)
}

/// Whether `part` stands in `value`. For a value this short a search must not be prepared.
fn has(value: &[u8], part: &[u8]) -> bool {
    let Some(&first) = part.first() else { return true };
    memchr_iter(first, value).any(|at| value.get(at..).is_some_and(|it| it.starts_with(part)))
}

/// `<your-token>`, `${VAR}`, `$VAR`, `{{ var }}`, `%VAR%`, `[hidden]`, `***`.
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
        // What a program writes for what it does not show, and as it ends at the first space.
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

/// Whether a bare value is a piece of code: a call, a path of names.
fn is_code(value: &[u8], shape: Shape) -> bool {
    let is_called = || {
        memchr::memchr2(b'(', b'[', value)
            .and_then(|at| value.get(..at))
            .is_some_and(|name| !name.is_empty() && is_path(name))
    };
    (shape.has(Shape::PARENTHESIS | Shape::BRACKET) && is_called())
        || value.starts_with(b"&")
        || (shape.has(Shape::COLON) && has(value, b"::"))
        || (shape.has(Shape::DOT) && shape.is_only(PATH))
}

/// Whether a bare value is a name that is a label: `Token1`, `Ed25519PrivateKey`.
fn is_label(value: &[u8], shape: Shape) -> bool {
    const LABELS: [&str; 8] =
        ["password", "passwd", "secret", "token", "key", "string", "credential", "credentials"];
    let is_named = value.first().is_some_and(u8::is_ascii_alphabetic)
        && shape.is_only(Shape::LETTER | Shape::DIGIT | Shape::UNDERSCORE);
    let ends_as_label = || {
        // `Token1` is a name; who adds more digits chooses a password.
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
            // A name that has digits begins a word with its label, which `hunter2secret` does not.
            last.eq_ignore_ascii_case(label.as_bytes()) && (begins_word || !shape.has(Shape::DIGIT))
        })
    };
    (is_named || is_path(value)) && ends_as_label()
}

/// Whether a value is names that are joined by dots, or one without digits.
fn is_path(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    let is_name =
        |name: &[u8]| name.first().is_some_and(|it| it.is_ascii_alphabetic() || *it == b'_');
    shape.is_only(PATH)
        || (shape.is_only(PATH | Shape::DIGIT)
            && shape.has(Shape::DOT)
            && value.split(|it| *it == b'.').all(is_name))
}

/// Names, joined by dots: `process.env.TOKEN`, `self.password`.
const PATH: u16 = Shape::LETTER | Shape::UNDERSCORE | Shape::DOT | Shape::STRESS;

/// Words of people, not of a machine: they have spaces, and small words between them.
fn is_sentence(value: &[u8], shape: Shape) -> bool {
    const SMALL: [&str; 36] = [
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
    words.any(|word| SMALL.iter().any(|small| word.eq_ignore_ascii_case(small.as_bytes())))
}

/// A URL or a path: where a secret is, not the secret.
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

/// Whether a value looks as if a machine had made it.
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
        && !shape.has(Shape::SPACE | Shape::UNSEEN)
        && is_mixed()
        && !is_version(value)
        && bits_per_byte(value) >= BITS_MIN
}

/// `v1.2.3`, `1.0.0-rc1`
fn is_version(value: &[u8]) -> bool {
    let start = value.iter().position(|it| !matches!(it, b'^' | b'~' | b'>' | b'=' | b'<' | b'v'));
    let value = start.and_then(|start| value.get(start..)).unwrap_or(value);
    let n_dots = memchr_iter(b'.', value).count();
    let n_digits = value.iter().take_while(|it| it.is_ascii_digit() || **it == b'.').count();
    n_dots >= 1 && n_digits >= 3 && value.len() <= 20
}

/// How many capitals follow a letter that is none.
fn n_uppercase_inside(value: &[u8]) -> usize {
    let pairs = value.iter().zip(value.iter().skip(1));
    pairs.filter(|(a, b)| !a.is_ascii_uppercase() && b.is_ascii_uppercase()).count()
}

/// The Shannon entropy of the first bytes.
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

/// Whether there are three different bytes.
fn has_three(value: &[u8]) -> bool {
    let Some(first) = value.first() else { return false };
    let mut others = value.iter().filter(|it| *it != first);
    let Some(second) = others.next() else { return false };
    others.any(|it| it != second)
}
