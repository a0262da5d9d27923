//! Headers that carry credentials: `Authorization`, `Cookie`, `Set-Cookie`.

use std::ops::Range;

use memchr::memchr;

use super::Runs;
use super::assignment;
use crate::boundary::{is_start, is_word};
use crate::rules::Demand;
use crate::value::{self, LEN_MAX, Quoting};

/// The longest line of a header.
const LINE_MAX: usize = 1024 * 1024;

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
    // Most headers are written like this.
    if let [b':', b' ', first, second, ..] | [b':', first, second, ..] = text.get(name_end..)?
        && first.is_ascii_alphanumeric()
        && second.is_ascii_alphanumeric()
    {
        let start = name_end + 1 + usize::from(text.get(name_end + 1) == Some(&b' '));
        return Some((start, line_of(text.get(start..)?, text.get(at..name_end)?)));
    }
    let assigned = assignment::find(text, name_end, name_end, runs)?;
    let start = assigned.value.start;
    let value = match assigned.quoting {
        Quoting::Quoted => text.get(assigned.value)?,
        Quoting::Bare | Quoting::Exported => line_of(text.get(start..)?, text.get(at..name_end)?),
    };
    Some((start, value))
}

/// The credentials in the value of an `Authorization` header: what follows the scheme.
pub(crate) fn credentials(value: &[u8]) -> Option<Range<usize>> {
    let start = value.iter().position(|it| !it.is_ascii_whitespace())?;
    let end = value.iter().rposition(|it| !it.is_ascii_whitespace())? + 1;
    let trimmed = value.get(start..end)?;
    let Some(scheme_len) = trimmed.iter().position(u8::is_ascii_whitespace) else {
        let is_secret = value::is_secret(trimmed, Demand::Random, Quoting::Bare);
        return is_secret.then_some(start..end);
    };
    let scheme = trimmed.get(..scheme_len)?;
    let after = trimmed.get(scheme_len..)?;
    let n_before = after.iter().position(|it| !it.is_ascii_whitespace() && *it != b'"')?;
    let rest = after.get(n_before..)?;
    // Only a list of parameters has spaces; after others the line goes on with something else.
    let len = if is_list(rest) { rest.len() } else { word_len(rest) };
    let secret = rest.get(..len)?;
    let is_known = SCHEMES.iter().any(|it| scheme.eq_ignore_ascii_case(it.as_bytes()));
    let is_secret = if is_known {
        !value::is_stand_in(secret) || is_short_secret(secret)
    } else {
        let is_name = scheme.iter().all(|it| is_word(*it) || *it == b'-');
        is_name && (is_list(rest) || value::is_secret(secret, Demand::Random, Quoting::Bare))
    };
    let secret_start = start + scheme_len + n_before;
    is_secret.then_some(secret_start..secret_start + len)
}

/// How long the first word is. A comma or a semicolon ends it only before a blank.
fn word_len(text: &[u8]) -> usize {
    let is_end = |at: usize, byte: u8| {
        let next = text.get(at + 1);
        byte.is_ascii_whitespace()
            || byte == b'"'
            || (matches!(byte, b',' | b';') && next.is_none_or(u8::is_ascii_whitespace))
    };
    text.iter().enumerate().position(|(at, byte)| is_end(at, *byte)).unwrap_or(text.len())
}

/// In this header a secret may be short; a reference to one is still none.
fn is_short_secret(secret: &[u8]) -> bool {
    secret.len() < value::LEN_MIN
        && secret.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'=')
}

/// Whether the credentials are a list, as those of `Digest` are.
fn is_list(value: &[u8]) -> bool {
    let name_len = value.iter().position(|it| !is_word(*it)).unwrap_or(0);
    name_len > 0 && value.get(name_len) == Some(&b'=') && memchr(b',', value).is_some()
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
    let before = text.get(..at)?;
    // No part of another name, but for that which servers give to programs.
    if !is_start(text, at, is_word) && !before.ends_with(b"HTTP_") {
        return None;
    }
    let (start, value) = value_of(text, at, name_end, runs)?;
    let before = before.get(at.saturating_sub(4)..)?;
    let is_set = before.eq_ignore_ascii_case(b"set-");
    let found = if is_set { set_cookie(value)? } else { cookies(value)? };
    Some(start + found.start..start + found.end)
}

/// The cookies in the value of a `Cookie` header: from the first value on, if one is a secret.
pub(crate) fn cookies(value: &[u8]) -> Option<Range<usize>> {
    let is_secret = |pair: &[u8]| {
        let name_len = memchr(b'=', pair).unwrap_or(0);
        let (name, value) = (pair.get(..name_len), pair.get(name_len + 1..));
        let is_name = |it: &[u8]| !it.is_empty() && it.iter().all(|it| is_cookie_name(*it));
        name.map(<[u8]>::trim_ascii).is_some_and(is_name)
            && value.is_some_and(|it| it.len() >= value::LEN_MIN && !value::is_stand_in(it))
    };
    if !value.split(|it| *it == b';').any(is_secret) {
        return None;
    }
    Some(memchr(b'=', value)? + 1..value.len())
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
    let rest = rest.get(..LINE_MAX).unwrap_or(rest);
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
