//! What stands between words and says nothing: quotes, blanks, colours.

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// After the blanks at `at`, which may be a few.
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    const MOST: usize = 64;
    let end = at + MOST;
    while at < end && matches!(text.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// After the colours of a terminal.
pub(super) fn skip_colours(text: &[u8], mut at: usize) -> usize {
    while text.get(at) == Some(&0x1B)
        && let Some(next) = after_colour(text, at)
    {
        at = next;
    }
    at
}

/// Where the sequence ends that a terminal takes for a colour: `ESC [ 3 2 m`.
pub(super) fn after_colour(text: &[u8], at: usize) -> Option<usize> {
    const MOST: usize = 16;
    let rest = text.get(at..)?.strip_prefix(b"\x1B[")?;
    let near = rest.get(..MOST).unwrap_or(rest);
    let len = near.iter().position(|it| !it.is_ascii_digit() && *it != b';')?;
    (near.get(len) == Some(&b'm')).then_some(at + 2 + len + 1)
}
