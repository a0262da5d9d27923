//! Passwords in URLs: `scheme://user:password@host`. The user stays.

use std::ops::Range;

use crate::escapes::skip_backslashes;
use crate::value;

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
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' => break,
            it if it.is_ascii_whitespace() => break,
            _ => {}
        }
    }
    let sign = sign?;
    let authority = rest.get(..sign)?;
    let user_end = memchr::memchr(b':', authority)?;
    let password = authority.get(user_end + 1..)?;
    let is_secret = password.len() >= value::LEN_MIN && !value::is_stand_in(password);
    is_secret.then_some(start + user_end + 1..start + sign)
}
