//! Passwords in URLs: `scheme://user:password@host`. The user name is kept.

use std::ops::Range;

use crate::escapes::skip_backslashes;
use crate::rules::Demand;
use crate::value::{self, Quoting};

/// Finds the password of the URL whose `://` is at `at`.
pub(super) fn find(text: &[u8], at: usize) -> Option<Range<usize>> {
    const AUTHORITY_MAX: usize = 1024;
    // In JSON, backslashes may precede the slashes.
    let mut start = at + 1;
    for _ in 0..2 {
        start = skip_backslashes(text, start);
        if text.get(start) != Some(&b'/') {
            return None;
        }
        start += 1;
    }
    // A byte that is not ASCII must begin a character.
    if text.get(start).is_none_or(|it| *it <= b' ' || (0x7F..0xC0).contains(it)) {
        return None;
    }
    let scheme = text.get(..at)?.last()?;
    if !scheme.is_ascii_alphanumeric() && !matches!(scheme, b'+' | b'.' | b'-') {
        return None;
    }
    let rest = text.get(start..text.len().min(start + AUTHORITY_MAX))?;
    let mut at_sign = None;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b'@' => at_sign = Some(at),
            // People forget to escape `#` in passwords, but it does not continue a port.
            b'#' if at_sign.is_none() && is_password(rest.get(..at)?) => {}
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' => break,
            it if it.is_ascii_whitespace() => break,
            _ => {}
        }
    }
    let at_sign = at_sign?;
    let credentials = rest.get(..at_sign)?;
    let Some(user_end) = memchr::memchr(b':', credentials) else {
        // A token instead of a user name.
        const TOKEN_MIN: usize = 20;
        let is_token =
            at_sign >= TOKEN_MIN && value::is_secret(credentials, Demand::Random, Quoting::Bare);
        return is_token.then_some(start..start + at_sign);
    };
    let password = credentials.get(user_end + 1..)?;
    is_secret(password).then_some(start + user_end + 1..start + at_sign)
}

/// Returns whether the text after the colon is not a port, so that it may continue with a `#`.
fn is_password(credentials: &[u8]) -> bool {
    let password = memchr::memchr(b':', credentials).and_then(|at| credentials.get(at + 1..));
    password.is_some_and(|it| !it.is_empty() && !it.iter().all(u8::is_ascii_digit))
}

fn is_secret(password: &[u8]) -> bool {
    password.len() >= value::LEN_MIN && !value::is_placeholder(password)
}

/// Finds the password in `user:password@tcp(host)`, where `@` is at `at`.
pub(super) fn find_dsn_password(text: &[u8], at: usize) -> Option<Range<usize>> {
    const BYTES_MAX: usize = 160;
    let before = text.get(at.saturating_sub(BYTES_MAX)..at)?;
    let is_end = |it: &u8| {
        it.is_ascii_whitespace() || matches!(it, b'"' | b'\'' | b'`' | b'=' | b'/' | b'<' | b'>')
    };
    let start = before.iter().rposition(is_end).map_or(0, |found| found + 1);
    let credentials = before.get(start..)?;
    let password = credentials.get(memchr::memchr(b':', credentials)? + 1..)?;
    is_secret(password).then_some(at - password.len()..at)
}
