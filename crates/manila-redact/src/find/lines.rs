//! What stands between the lines of a block, however a text writes them.

use super::between::{after_colour, skip_blanks};
use crate::escapes::skip_backslashes;

/// Whether a line of base64 may end here.
pub(super) fn is_line_end(rest: &[u8]) -> bool {
    match rest.first() {
        None => true,
        Some(b'-') => rest.starts_with(b"-----"),
        Some(byte) => byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'"' | b'\'' | 0x1B),
    }
}

/// Where the next line begins: behind line ends, and behind the signs of a diff, a comment or a
/// quotation.
pub(super) fn skip_signs(text: &[u8], start: usize, limit: usize) -> usize {
    const MOST: usize = 8;
    let mut at = skip_line_ends(text, start, limit);
    // Signs stand only where a line begins.
    for _ in 0..MOST {
        let is_begun = at > start || text.get(..at).is_some_and(|it| it.last() == Some(&b'\n'));
        let is_sign = matches!(text.get(at), Some(b'>' | b'|' | b'#' | b'*' | b'-'));
        let is_border = text.get(at..).is_some_and(|rest| rest.starts_with(b"-----"));
        // A border after one more dash is that of a line that a diff takes away.
        let is_removed = text.get(at..).is_some_and(|rest| rest.starts_with(b"------"));
        if at >= limit || !is_begun || !is_sign || (is_border && !is_removed) {
            break;
        }
        at = skip_line_ends(text, at + 1, limit);
    }
    at
}

/// Where a string goes on that is written in parts, from the quote at `at` that closes one:
/// `" +`, `",`, `" \`, or nothing, and on the next line another quote. Otherwise how far it may
/// be one.
pub(super) fn after_seam(text: &[u8], at: usize, limit: usize) -> Result<usize, usize> {
    let text = text.get(..limit).unwrap_or(text);
    let mut next = skip_blanks(text, at + 1);
    if let Some(b'+' | b',' | b'.' | b'\\') = text.get(next) {
        next = skip_blanks(text, next + 1);
    }
    if next < limit && !matches!(text.get(next), Some(b'\n' | b'\r')) {
        return Err(next);
    }
    while next < limit && text.get(next).is_some_and(u8::is_ascii_whitespace) {
        next += 1;
    }
    if next < limit && text.get(next) == text.get(at) { Ok(next + 1) } else { Err(next) }
}

/// Where something follows that is neither a blank nor a line end, nor how one is written.
pub(super) fn skip_line_ends(text: &[u8], mut at: usize, limit: usize) -> usize {
    while at < limit {
        let next = match text.get(at) {
            Some(byte) if byte.is_ascii_whitespace() => at + 1,
            Some(b'\\') => {
                let letter = skip_backslashes(text, at);
                match text.get(letter) {
                    Some(b'n' | b'r' | b't') => letter + 1,
                    _ => break,
                }
            }
            Some(b'"' | b'\'') => match after_seam(text, at, limit) {
                Ok(next) => next,
                Err(_) => break,
            },
            // Colours.
            Some(0x1B) => match after_colour(text, at) {
                Some(next) => next,
                None => break,
            },
            _ => break,
        };
        at = next.min(limit);
    }
    at
}
