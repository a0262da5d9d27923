//! Headers with credentials: `Authorization`, `Cookie`, `Set-Cookie`.

use std::ops::Range;

use memchr::memchr;

use super::Runs;
use super::assignment;
use crate::boundary::{is_start, is_word};
use crate::rules::Demand;
use crate::value::{self, LEN_MAX, Quoting};

/// The maximum length of a header line.
const LINE_MAX: usize = 1024 * 1024;

/// The known schemes of `Authorization`. For other schemes, the credentials must look random or be
/// a list.
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

/// Finds the credentials in the header whose name is at `at..name_end`.
pub(super) fn find_authorization(
    text: &[u8],
    at: usize,
    name_end: usize,
    runs: &mut Runs,
) -> Option<Range<usize>> {
    let (start, value) = header_value(text, at, name_end, runs)?;
    let found = find_credentials(value)?;
    Some(start + found.start..start + found.end)
}

/// Returns the start of a header's value, and the value. Without quotes, this is the rest of the
/// line.
fn header_value<'a>(
    text: &'a [u8],
    at: usize,
    name_end: usize,
    runs: &mut Runs,
) -> Option<(usize, &'a [u8])> {
    // The most common form.
    if let [b':', b' ', first, second, ..] | [b':', first, second, ..] = text.get(name_end..)?
        && first.is_ascii_alphanumeric()
        && second.is_ascii_alphanumeric()
    {
        let start = name_end + 1 + usize::from(text.get(name_end + 1) == Some(&b' '));
        return Some((start, rest_of_line(text.get(start..)?, text.get(at..name_end)?)));
    }
    let assignment = assignment::find(text, name_end, name_end, runs)?;
    let start = assignment.value.start;
    let value = match assignment.quoting {
        Quoting::Quoted => text.get(assignment.value)?,
        Quoting::Bare | Quoting::Exported => {
            rest_of_line(text.get(start..)?, text.get(at..name_end)?)
        }
    };
    Some((start, value))
}

/// Finds the credentials in the value of an `Authorization` header: the text after the scheme.
pub(crate) fn find_credentials(value: &[u8]) -> Option<Range<usize>> {
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
    // Only a list of parameters contains spaces. Other credentials end at the first one.
    let len = if is_list(rest) { rest.len() } else { word_len(rest) };
    let secret = rest.get(..len)?;
    let is_known = SCHEMES.iter().any(|it| scheme.eq_ignore_ascii_case(it.as_bytes()));
    let is_secret = if is_known {
        !value::is_placeholder(secret) || is_short_secret(secret)
    } else {
        let is_name = scheme.iter().all(|it| is_word(*it) || *it == b'-');
        is_name && (is_list(rest) || value::is_secret(secret, Demand::Random, Quoting::Bare))
    };
    let secret_start = start + scheme_len + n_before;
    is_secret.then_some(secret_start..secret_start + len)
}

/// Returns the length of the first word. A comma or a semicolon ends it only before a blank.
fn word_len(text: &[u8]) -> usize {
    let is_end = |at: usize, byte: u8| {
        let next = text.get(at + 1);
        byte.is_ascii_whitespace()
            || byte == b'"'
            || (matches!(byte, b',' | b';') && next.is_none_or(u8::is_ascii_whitespace))
    };
    text.iter().enumerate().position(|(at, byte)| is_end(at, *byte)).unwrap_or(text.len())
}

/// Returns whether a value is a short secret, which this header allows, and not a reference to one.
fn is_short_secret(secret: &[u8]) -> bool {
    secret.len() < value::LEN_MIN
        && secret.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'=')
}

/// Returns whether the credentials are a list, as for `Digest`.
fn is_list(value: &[u8]) -> bool {
    let name_len = value.iter().position(|it| !is_word(*it)).unwrap_or(0);
    name_len > 0 && value.get(name_len) == Some(&b'=') && memchr(b',', value).is_some()
}

/// Finds a bearer token without its header.
pub(super) fn find_bearer(text: &[u8], at: usize, start: usize) -> Option<Range<usize>> {
    const TOKEN_LEN_MIN: usize = 16;
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
    let is_secret = len >= TOKEN_LEN_MIN && value::is_secret(token, Demand::Random, Quoting::Bare);
    is_secret.then_some(start..start + len)
}

/// Finds the cookies of a header: all of `Cookie`, or the value in `Set-Cookie`.
pub(super) fn find_cookie(
    text: &[u8],
    at: usize,
    name_end: usize,
    runs: &mut Runs,
) -> Option<Range<usize>> {
    let before = text.get(..at)?;
    // It must not be part of another name, except for `HTTP_COOKIE`, which servers pass to
    // programs.
    if !is_start(text, at, is_word) && !before.ends_with(b"HTTP_") {
        return None;
    }
    let (start, value) = header_value(text, at, name_end, runs)?;
    let before = before.get(at.saturating_sub(4)..)?;
    let is_set = before.eq_ignore_ascii_case(b"set-");
    let found = if is_set { find_set_cookie(value)? } else { find_cookies(value)? };
    Some(start + found.start..start + found.end)
}

/// Finds the cookies in the value of a `Cookie` header: everything from the first value, if one
/// value is a secret.
pub(crate) fn find_cookies(value: &[u8]) -> Option<Range<usize>> {
    let is_secret = |pair: &[u8]| {
        let name_len = memchr(b'=', pair).unwrap_or(0);
        let (name, value) = (pair.get(..name_len), pair.get(name_len + 1..));
        let is_name = |it: &[u8]| !it.is_empty() && it.iter().all(|it| is_cookie_name(*it));
        name.map(<[u8]>::trim_ascii).is_some_and(is_name)
            && value.is_some_and(|it| it.len() >= value::LEN_MIN && !value::is_placeholder(it))
    };
    if !value.split(|it| *it == b';').any(is_secret) {
        return None;
    }
    Some(memchr(b'=', value)? + 1..value.len())
}

/// Finds the cookie's value in the value of a `Set-Cookie` header.
pub(crate) fn find_set_cookie(value: &[u8]) -> Option<Range<usize>> {
    let pair_len = memchr(b';', value).unwrap_or(value.len());
    find_cookies(value.get(..pair_len)?)
}

fn is_cookie_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'.' | b'$' | b'!' | b'~')
}

/// Returns the rest of the line, up to a quote, an escaped line end or the header's name.
///
/// Quotes that open after `=` are part of a list: `Digest username="x", …`
fn rest_of_line<'a>(rest: &'a [u8], name: &[u8]) -> &'a [u8] {
    let rest = rest.get(..LINE_MAX).unwrap_or(rest);
    let (mut at, mut is_open) = (0, false);
    while let Some(byte) = rest.get(at) {
        let quote_at = match byte {
            b'\n' | b'\r' | b'`' | b'<' => break,
            b'\\' if matches!(rest.get(at + 1), Some(b'n' | b'r')) => break,
            b'\\' if rest.get(at + 1) == Some(&b'"') => Some(at + 1),
            b'"' | b'\'' => Some(at),
            // A text with many headers is read only once.
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
