//! JSON Web Tokens: three parts in base64 if signed, five if encrypted. The first part is a JSON
//! object.

use std::ops::Range;

use crate::boundary::is_start;

/// Finds the token that begins at `at`.
pub(super) fn find(text: &[u8], at: usize) -> Option<Range<usize>> {
    const PART_MIN: usize = 10;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    // `{"` and a lower-case letter.
    let [b'e', b'y', b'J', letter] = *text.get(at..)?.first_chunk::<4>()? else { return None };
    let is_header = matches!(letter, b'h'..=b'z' | b'0'..=b'6');
    if !is_header || !is_start(text, at, is_part) {
        return None;
    }
    let mut end = at;
    let mut n_parts = 0;
    loop {
        let rest = text.get(end..)?;
        let len = rest.iter().position(|&byte| !is_part(byte)).unwrap_or(rest.len());
        n_parts += 1;
        // A token without a signature ends with a dot. The key part is empty if the key was agreed
        // upon.
        let is_long_enough = len >= PART_MIN || n_parts > 2 || (n_parts == 2 && len == 0);
        if !is_long_enough {
            return None;
        }
        end += len;
        if n_parts == 5
            || text.get(end) != Some(&b'.')
            || (n_parts == 3 && !has_more_parts(text, end))
        {
            break;
        }
        end += 1;
    }
    (n_parts == 3 || n_parts == 5).then_some(at..end)
}

/// Returns whether more parts follow, so that the dot is not just the end of a sentence.
fn has_more_parts(text: &[u8], dot: usize) -> bool {
    let next = text.get(dot + 1);
    next.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
