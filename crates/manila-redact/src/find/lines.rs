//! Line ends and line prefixes inside a block, in any notation.

use super::separators::{after_colour, skip_blanks};
use crate::escapes::skip_backslashes;

/// Returns whether a line of base64 may end here.
pub(super) fn is_line_end(rest: &[u8]) -> bool {
    match rest.first() {
        None => true,
        Some(b'-') => rest.starts_with(b"-----"),
        Some(byte) => byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'"' | b'\'' | 0x1B),
    }
}

/// Skips line ends and the prefixes of a diff, a comment or a quotation. Returns the start of the
/// next line's text.
pub(super) fn skip_line_prefixes(text: &[u8], start: usize, limit: usize) -> usize {
    const PREFIXES_MAX: usize = 8;
    let mut at = skip_line_ends(text, start, limit);
    // Prefixes occur only at the start of a line.
    for _ in 0..PREFIXES_MAX {
        let is_line_start =
            at > start || text.get(..at).is_some_and(|it| it.last() == Some(&b'\n'));
        let is_prefix = matches!(text.get(at), Some(b'>' | b'|' | b'#' | b'*' | b'-'));
        let is_border = text.get(at..).is_some_and(|rest| rest.starts_with(b"-----"));
        // One more dash before a border is the prefix of a line that a diff removes.
        let is_removed = text.get(at..).is_some_and(|rest| rest.starts_with(b"------"));
        if at >= limit || !is_line_start || !is_prefix || (is_border && !is_removed) {
            break;
        }
        at = skip_line_ends(text, at + 1, limit);
    }
    at
}

/// Returns the start of a string's next part after the quote at `at`, which closes the previous
/// part.
///
/// A seam is `" +`, `",`, `" \` or `"` alone, followed by another quote on the next line. The error
/// is the position up to which the text may be a seam.
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

/// Skips blanks, line ends, escaped line ends, the seams of a string, and terminal colours.
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
