//! Passwords in URLs: `scheme://user:password@host`. The user stays.

use std::ops::Range;

use crate::escapes::skip_backslashes;
use crate::rules::Demand;
use crate::value::{self, Quoting};

/// The password of the URL whose `://` stands at `at`.
pub(super) fn find(text: &[u8], at: usize) -> Option<Range<usize>> {
    const AUTHORITY_MAX: usize = 1024;
    // In JSON the slashes may have backslashes.
    let mut start = at + 1;
    for _ in 0..2 {
        start = skip_backslashes(text, start);
        if text.get(start) != Some(&b'/') {
            return None;
        }
        start += 1;
    }
    // Of what is not ASCII, only whole characters.
    if text.get(start).is_none_or(|it| *it <= b' ' || (0x7F..0xC0).contains(it)) {
        return None;
    }
    let scheme = text.get(..at)?.last()?;
    if !scheme.is_ascii_alphanumeric() && !matches!(scheme, b'+' | b'.' | b'-') {
        return None;
    }
    let rest = text.get(start..text.len().min(start + AUTHORITY_MAX))?;
    let mut sign = None;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b'@' => sign = Some(at),
            // People forget to escape it in passwords, but not after ports.
            b'#' if sign.is_none() && is_password(rest.get(..at)?) => {}
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' => break,
            it if it.is_ascii_whitespace() => break,
            _ => {}
        }
    }
    let sign = sign?;
    let credentials = rest.get(..sign)?;
    let Some(user_end) = memchr::memchr(b':', credentials) else {
        // A token in the place of a user.
        const TOKEN_MIN: usize = 20;
        let is_token =
            sign >= TOKEN_MIN && value::is_secret(credentials, Demand::Random, Quoting::Bare);
        return is_token.then_some(start..start + sign);
    };
    let password = credentials.get(user_end + 1..)?;
    is_secret(password).then_some(start + user_end + 1..start + sign)
}

/// Whether `user:password` may go on with a `#`: what stands behind the colon is no port.
fn is_password(credentials: &[u8]) -> bool {
    let password = memchr::memchr(b':', credentials).and_then(|at| credentials.get(at + 1..));
    password.is_some_and(|it| !it.is_empty() && !it.iter().all(u8::is_ascii_digit))
}

fn is_secret(password: &[u8]) -> bool {
    password.len() >= value::LEN_MIN && !value::is_stand_in(password)
}

/// The password in `user:password@tcp(host)`, whose `@` stands at `at`.
pub(super) fn before_address(text: &[u8], at: usize) -> Option<Range<usize>> {
    const MOST: usize = 160;
    let before = text.get(at.saturating_sub(MOST)..at)?;
    let is_end = |it: &u8| {
        it.is_ascii_whitespace() || matches!(it, b'"' | b'\'' | b'`' | b'=' | b'/' | b'<' | b'>')
    };
    let start = before.iter().rposition(is_end).map_or(0, |found| found + 1);
    let credentials = before.get(start..)?;
    let password = credentials.get(memchr::memchr(b':', credentials)? + 1..)?;
    is_secret(password).then_some(at - password.len()..at)
}
