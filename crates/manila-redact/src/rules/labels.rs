//! Labels: names of secrets, with words joined by `_`.

/// Returns the start of a label's last word. A label that begins with `_` counts as one word.
#[allow(clippy::indexing_slicing, reason = "`at` is at most the length")]
pub(crate) const fn last_word(label: &str) -> usize {
    let bytes = label.as_bytes();
    let mut at = bytes.len();
    while at > 1 {
        if bytes[at - 1] == b'_' && bytes[0] != b'_' {
            return at;
        }
        at -= 1;
    }
    0
}

/// Returns whether one of these labels has several words.
pub(crate) const fn has_words(labels: &[&str]) -> bool {
    let mut n = 0;
    while n < labels.len() {
        #[allow(clippy::indexing_slicing, reason = "`n` is below the length")]
        if last_word(labels[n]) > 0 {
            return true;
        }
        n += 1;
    }
    false
}
