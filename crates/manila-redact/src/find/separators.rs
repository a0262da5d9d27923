//! Separators between words without a meaning of their own: quotes, blanks, terminal colours.

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Skips the blanks at `at`, up to a limit.
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    const BLANKS_MAX: usize = 64;
    let end = at + BLANKS_MAX;
    while at < end && matches!(text.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Skips the colour sequences of a terminal.
pub(super) fn skip_colours(text: &[u8], mut at: usize) -> usize {
    while text.get(at) == Some(&0x1B)
        && let Some(next) = after_colour(text, at)
    {
        at = next;
    }
    at
}

/// Returns the position after a colour sequence of a terminal: `ESC [ 3 2 m`
pub(super) fn after_colour(text: &[u8], at: usize) -> Option<usize> {
    const BYTES_MAX: usize = 16;
    let rest = text.get(at..)?.strip_prefix(b"\x1B[")?;
    let near = rest.get(..BYTES_MAX).unwrap_or(rest);
    let len = near.iter().position(|it| !it.is_ascii_digit() && *it != b';')?;
    (near.get(len) == Some(&b'm')).then_some(at + 2 + len + 1)
}
