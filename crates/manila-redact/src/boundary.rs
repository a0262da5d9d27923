//! Word boundaries, including those after an escape sequence.

/// Returns whether a byte is part of a word.
#[inline]
pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether a token may begin at `at`: the byte before it is not part of a word, or the
/// token itself does not begin with a part of one.
///
/// The `n` of `\n` and the digits of `\u0022` look like parts of a word, but are not.
#[inline]
pub(crate) fn is_start(text: &[u8], at: usize, is_part: impl Fn(u8) -> bool) -> bool {
    let before = text.get(..at).unwrap_or_default();
    match before.last() {
        None => true,
        Some(&byte) if !is_part(byte) => true,
        Some(_) => text.get(at).is_some_and(|&byte| !is_part(byte)) || ends_with_escape(before),
    }
}

/// Returns whether a token may end at `at`: no word continues there.
pub(crate) fn is_end(text: &[u8], at: usize, is_part: impl Fn(u8) -> bool) -> bool {
    let is_within = |at: usize| text.get(at).is_some_and(|&byte| is_part(byte));
    !is_within(at) || !at.checked_sub(1).is_some_and(is_within)
}

/// Returns whether `before` ends with an escape in the syntax of JSON and most languages.
pub(crate) fn ends_with_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'\\', b'u' | b'U', a, b, c, d] => {
            [a, b, c, d].iter().all(|it| it.is_ascii_hexdigit())
        }
        // `%3D`, `%22` and the like in a URL.
        [.., b'%', b'2' | b'3' | b'5' | b'7', d] => d.is_ascii_hexdigit(),
        _ => false,
    }
}
