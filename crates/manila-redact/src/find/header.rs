//! Headers that carry credentials: `Authorization`, `Cookie`, `Set-Cookie`.

use std::ops::Range;

use memchr::memchr;

use super::assignment::{self, Runs};
use crate::boundary::{is_start, is_word};
use crate::rules::Demand;
use crate::value::{self, LEN_MAX, Quoting};

/// The schemes of `Authorization` that are known; another one must have two words.
const SCHEMES: [&str; 18] = [
    "basic",
    "bearer",
    "digest",
    "token",
    "negotiate",
    "ntlm",
    "apikey",
    "api-key",
    "hawk",
    "hmac",
    "oauth",
    "dpop",
    "signature",
    "ssws",
    "key",
    "jwt",
    "aws4-hmac-sha256",
    "bot",
];

/// The credentials in the header whose name stands at `at..name_end`.
pub(super) fn authorization(
    text: &[u8],
    at: usize,
    name_end: usize,
    runs: &mut Runs,
) -> Option<Range<usize>> {
    let (start, value) = value_of(text, at, name_end, runs)?;
    let found = credentials(value)?;
    Some(start + found.start..start + found.end)
}

/// The value of a header, and where it begins. Outside of quotes it is the rest of the line.
fn value_of<'a>(
    text: &'a [u8],
    at: usize,
    name_end: usize,
    runs: &mut Runs,
) -> Option<(usize, &'a [u8])> {
    let assigned = assignment::find(text, name_end, name_end, runs)?;
    let start = assigned.value.start;
    let value = match assigned.quoting {
        Quoting::Quoted => text.get(assigned.value)?,
        Quoting::Bare => line_of(text.get(start..)?, text.get(at..name_end)?),
    };
    Some((start, value))
}

/// The credentials in the value of an `Authorization` header: what follows the scheme.
pub(crate) fn credentials(value: &[u8]) -> Option<Range<usize>> {
    let start = value.iter().position(|it| !it.is_ascii_whitespace())?;
    let end = value.iter().rposition(|it| !it.is_ascii_whitespace())? + 1;
    let trimmed = value.get(start..end)?;
    let scheme_len = memchr(b' ', trimmed).unwrap_or(0);
    let scheme = trimmed.get(..scheme_len)?;
    let is_known = SCHEMES.iter().any(|it| scheme.eq_ignore_ascii_case(it.as_bytes()));
    if is_known {
        let after = trimmed.get(scheme_len..)?;
        let n_spaces = after.iter().position(|it| *it != b' ')?;
        let secret = after.get(n_spaces..)?;
        // Only a list of parameters has spaces; after others the line goes on with something else.
        let word_len = secret.iter().position(|it| matches!(it, b' ' | b'\t' | b',' | b';'));
        let len = word_len.filter(|_| !is_list(secret)).unwrap_or(secret.len());
        let secret = secret.get(..len)?;
        let is_secret = !value::is_stand_in(secret) || is_short_secret(secret);
        let secret_start = start + scheme_len + n_spaces;
        return is_secret.then_some(secret_start..secret_start + len);
    }
    let first = trimmed.get(..scheme_len).filter(|it| !it.is_empty()).unwrap_or(trimmed);
    let is_one_word = scheme_len == 0;
    (is_one_word && value::is_secret(first, Demand::Random, Quoting::Bare)).then_some(start..end)
}

/// In this header a secret may be short; a reference to one is still none.
fn is_short_secret(secret: &[u8]) -> bool {
    secret.len() < value::LEN_MIN
        && secret.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'=')
}

/// Whether the credentials are a list, as those of `Digest` are.
fn is_list(value: &[u8]) -> bool {
    memchr(b'=', value).is_some() && memchr(b',', value).is_some() && memchr(b'"', value).is_some()
}

/// A bearer token on its own.
pub(super) fn bearer(text: &[u8], at: usize, start: usize) -> Option<Range<usize>> {
    const LEN_LEAST: usize = 16;
    if !is_start(text, at, is_word) {
        return None;
    }
    let rest = text.get(start..text.len().min(start + LEN_MAX))?;
    let is_letter = |it: &u8| {
        it.is_ascii_alphanumeric()
            || matches!(it, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-' | b':' | b'|')
    };
    let len = rest.iter().position(|it| !is_letter(it)).unwrap_or(rest.len());
    let token = rest.get(..len)?;
    let is_secret = len >= LEN_LEAST && value::is_secret(token, Demand::Random, Quoting::Bare);
    is_secret.then_some(start..start + len)
}

/// Cookies: of `Cookie` all, of `Set-Cookie` the value of the one that is set.
pub(super) fn cookie(
    text: &[u8],
    at: usize,
    name_end: usize,
    runs: &mut Runs,
) -> Option<Range<usize>> {
    let (start, value) = value_of(text, at, name_end, runs)?;
    let before = text.get(at.saturating_sub(4)..at)?;
    let is_set = before.eq_ignore_ascii_case(b"set-");
    let found = if is_set { set_cookie(value)? } else { cookies(value)? };
    Some(start + found.start..start + found.end)
}

/// The cookies in the value of a `Cookie` header.
pub(crate) fn cookies(value: &[u8]) -> Option<Range<usize>> {
    let name_len = memchr(b'=', value)?;
    let name = value.get(..name_len)?;
    let is_name = !name.is_empty() && name.iter().all(|it| is_cookie_name(*it));
    let secret = value.get(name_len + 1..)?;
    let is_secret = is_name && secret.len() >= value::LEN_MIN && !value::is_stand_in(secret);
    is_secret.then_some(name_len + 1..value.len())
}

/// The value of the cookie in the value of a `Set-Cookie` header.
pub(crate) fn set_cookie(value: &[u8]) -> Option<Range<usize>> {
    let pair_len = memchr(b';', value).unwrap_or(value.len());
    cookies(value.get(..pair_len)?)
}

fn is_cookie_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'.' | b'$' | b'!' | b'~')
}

/// The rest of the line; a quote, an escaped line end or the header's name ends it, too. Lists
/// have quotes in them, which are opened after `=`: `Digest username="x", …`
fn line_of<'a>(rest: &'a [u8], name: &[u8]) -> &'a [u8] {
    let rest = rest.get(..LEN_MAX).unwrap_or(rest);
    let (mut at, mut is_open) = (0, false);
    while let Some(byte) = rest.get(at) {
        let quote_at = match byte {
            b'\n' | b'\r' | b'`' | b'<' => break,
            b'\\' if matches!(rest.get(at + 1), Some(b'n' | b'r')) => break,
            b'\\' if rest.get(at + 1) == Some(&b'"') => Some(at + 1),
            b'"' | b'\'' => Some(at),
            // So that a text full of headers is read once.
            b'a' | b'A' | b'c' | b'C' if starts_with(rest.get(at..), name) => break,
            _ => None,
        };
        if let Some(quote_at) = quote_at {
            let is_after_equals = rest.get(..at).is_some_and(|it| it.last() == Some(&b'='));
            if !is_open && !is_after_equals {
                break;
            }
            is_open = !is_open;
            at = quote_at;
        }
        at += 1;
    }
    rest.get(..at).unwrap_or(rest)
}

fn starts_with(text: Option<&[u8]>, name: &[u8]) -> bool {
    text.and_then(|text| text.get(..name.len())).is_some_and(|it| it.eq_ignore_ascii_case(name))
}
