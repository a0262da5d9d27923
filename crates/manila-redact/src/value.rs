//! What a value beside a label must look like to be a secret, and what it is otherwise.

use memchr::memchr_iter;

use crate::edit::MARK;
use crate::rules::Demand;

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
}

/// Whether `value`, which stands beside a label, is a secret.
pub(crate) fn is_secret(value: &[u8], demand: Demand, quoting: Quoting) -> bool {
    let judged = value.get(..JUDGED_MAX).unwrap_or(value);
    let is_else = value.len() < LEN_MIN
        || is_stand_in(judged)
        || (quoting == Quoting::Bare && is_code(judged))
        || is_sentence(judged)
        || is_location(judged);
    !is_else
        && match demand {
            Demand::Anything => true,
            Demand::Random => is_random(judged),
        }
}

/// Whether a token of a vendor's form is only filled up: `ghp_xxxxxxxxxxxx`.
pub(crate) fn is_filled_up(token: &[u8]) -> bool {
    let Some(last) = token.last() else { return true };
    let n_same = memchr_iter(*last, token).count();
    3 * n_same >= 2 * token.len()
}

/// Whether a value stands for a secret without being one.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    has(value, MARK.as_bytes())
        || is_reference(value)
        || n_distinct(value, 3) < 3
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

/// What stands beside labels in templates, schemas, code and prose, in order.
#[rustfmt::skip]
const STOCK: [&str; 175] = [
    "absent", "accepted", "access", "access_token", "admin", "allowed", "already", "another", "api_key", "apikey",
    "array", "async", "await", "basic", "bearer", "before", "blank", "boolean", "bytes", "cannot", "change_me",
    "changed", "changeme", "checked", "client", "confirm", "contains", "context", "correct", "created", "credential",
    "credentials", "current", "default", "defined", "denied", "deprecated", "disabled", "distinct", "either",
    "emptied", "enabled", "encrypted", "entered", "example", "exists", "expected", "expired", "expires", "export",
    "failed", "failure", "false", "field", "filtered", "foobar", "forbidden", "format", "found", "function",
    "generated", "granted", "hidden", "hunter", "identifier", "ignored", "import", "include", "incorrect", "inherit",
    "input", "instead", "integer", "internal", "invalid", "length", "literal", "locked", "masked", "matched",
    "matches", "mismatch", "missing", "monthly", "mypassword", "mysecret", "mytoken", "needed", "not_set", "nothing",
    "notset", "nullable", "number", "obfuscated", "object", "omitted", "option", "optional", "options", "parameter",
    "passed", "passphrase", "passwd", "password", "placeholder", "please", "present", "private", "prompt",
    "protected", "provide", "provided", "public", "random", "readonly", "received", "redacted", "reference",
    "refresh", "rejected", "removed", "replace", "require", "required", "requires", "reset", "response", "result",
    "return", "returned", "returns", "revoked", "rotate", "rotated", "same-origin", "sample", "scrubbed", "secret",
    "secretkey", "secrets", "sensitive", "session", "should", "simple", "specified", "static", "stored", "string",
    "strings", "struct", "succeeded", "success", "symbol", "template", "tokens", "type", "unchanged", "undefined",
    "unknown", "unspecified", "unused", "update", "updated", "username", "value", "values", "variable", "vector",
    "verified", "visible", "warning", "whatever", "without", "wrong", "yourpassword",
];

/// The same as numbers, which are compared faster.
#[allow(clippy::indexing_slicing, reason = "it runs in the compiler")]
const STOCK_PACKED: [u128; STOCK.len()] = {
    let mut all = [0; STOCK.len()];
    let (mut n, mut before) = (0, 0);
    while n < STOCK.len() {
        if let Some(number) = packed(STOCK[n].as_bytes()) {
            all[n] = number;
        }
        // The compiler refuses a table that cannot be searched.
        assert!(before < all[n], "the stock words are in order and have at most 16 letters");
        before = all[n];
        n += 1;
    }
    all
};

/// Up to 16 letters, in lower case, as a number that sorts as they do.
#[allow(clippy::indexing_slicing, reason = "`at` is below 16 and the length")]
const fn packed(word: &[u8]) -> Option<u128> {
    if word.len() > 16 {
        return None;
    }
    let mut bytes = [0; 16];
    let mut at = 0;
    while at < word.len() {
        bytes[at] = word[at].to_ascii_lowercase();
        at += 1;
    }
    Some(u128::from_be_bytes(bytes))
}

/// How templates begin what is to be replaced.
const TEMPLATE_STARTS: &[&str] = &[
    "your",
    "replace",
    "changeme",
    "change-me",
    "change_me",
    "example",
    "placeholder",
    "dummy",
    "redacted",
    "masked",
    "hidden",
];

fn is_stock_word(value: &[u8]) -> bool {
    let word = value.trim_ascii().trim_ascii_end();
    let end =
        word.iter().rposition(|it| !matches!(it, b'.' | b'!' | b':' | b'?')).map_or(0, |at| at + 1);
    let word = word.get(..end).unwrap_or(word);
    let is_stock = |packed: u128| STOCK_PACKED.binary_search(&packed).is_ok();
    if packed(word).is_some_and(is_stock) {
        return true;
    }
    let first = word.first().map(u8::to_ascii_lowercase);
    let has_start = |start: &&str| {
        start.as_bytes().first() == first.as_ref()
            && word.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start.as_bytes()))
    };
    let may_start =
        word.first().is_some_and(|it| b"yricepdtmhfs".contains(&it.to_ascii_lowercase()));
    may_start && TEMPLATE_STARTS.iter().any(has_start) && !word.iter().any(u8::is_ascii_digit)
}

/// Whether a bare value is a piece of code: a call, a path of names, a name that is a label.
fn is_code(value: &[u8]) -> bool {
    const LABELS: [&str; 8] =
        ["password", "passwd", "secret", "token", "key", "string", "credential", "credentials"];
    let is_called = memchr::memchr2(b'(', b'[', value)
        .and_then(|at| value.get(..at))
        .is_some_and(|name| !name.is_empty() && is_path_of_names(name));
    // `Token1`, `Ed25519PrivateKey`
    let n_name = value.iter().rposition(|it| !it.is_ascii_digit()).map_or(0, |at| at + 1);
    let name = value.get(..n_name).unwrap_or(value);
    let ends_as_label = |label: &str| {
        let start = name.len().saturating_sub(label.len());
        name.get(start..).is_some_and(|it| it.eq_ignore_ascii_case(label.as_bytes()))
    };
    let is_named = value.first().is_some_and(u8::is_ascii_alphabetic)
        && value.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'_');
    is_called
        || value.starts_with(b"&")
        || has(value, b"::")
        || (is_path_of_names(value) && memchr::memchr(b'.', value).is_some())
        || (is_named && LABELS.iter().any(|it| ends_as_label(it)))
}

/// Names, joined by dots: `process.env.TOKEN`, `self.password`.
fn is_path_of_names(value: &[u8]) -> bool {
    value.iter().all(|it| it.is_ascii_alphabetic() || matches!(it, b'_' | b'.' | b'?' | b'!'))
}

/// Words of people, not of a machine: they have spaces, and small words between them.
fn is_sentence(value: &[u8]) -> bool {
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
    if memchr::memchr(b' ', value).is_none() {
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
pub(crate) fn is_random(value: &[u8]) -> bool {
    const BITS_MIN: f32 = 2.5;
    if !value.iter().all(u8::is_ascii_graphic) || is_version(value) {
        return false;
    }
    let any = |is: fn(&u8) -> bool| value.iter().any(is);
    let has_letter = any(u8::is_ascii_alphabetic);
    let is_mixed = any(u8::is_ascii_digit)
        || (value.len() >= 16 && any(u8::is_ascii_lowercase) && n_uppercase_inside(value) >= 3);
    has_letter && is_mixed && bits_per_byte(value) >= BITS_MIN
}

/// `v1.2.3`, `1.0.0-rc1`
fn is_version(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"v").unwrap_or(value);
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

/// How many different bytes there are, but no more than `most`.
fn n_distinct(value: &[u8], most: usize) -> usize {
    let mut seen = [0u8; 8];
    let mut n_seen = 0;
    for byte in value {
        if n_seen >= most {
            break;
        }
        if !seen.iter().take(n_seen).any(|it| it == byte) {
            if let Some(place) = seen.get_mut(n_seen) {
                *place = *byte;
            }
            n_seen += 1;
        }
    }
    n_seen
}
