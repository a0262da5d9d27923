//! Truncating texts.

/// Returns the first `chars_max` characters of `text`, and whether there are more.
pub(crate) fn cut(text: &str, chars_max: usize) -> (&str, bool) {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => (text.get(..end).unwrap_or(text), true),
        None => (text, false),
    }
}
