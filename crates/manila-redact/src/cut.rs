//! Cutting a text before it is redacted, so that no part of a secret remains.

use crate::Redactor;

/// The number of bytes before and after a cut in which secrets are searched.
const NEAR_BYTES: usize = 64 * 1024;

/// The maximum number of bytes by which a cut inside a word moves to the start of the word.
const WORD_BYTES_MAX: usize = 4 * 1024;

/// The maximum number of moves of a cut.
const MOVES_MAX: usize = 32;

impl Redactor {
    /// Returns the first characters of a text, at most `chars_max`, without a part of a secret.
    #[must_use]
    pub fn start_of<'t>(&self, text: &'t str, chars_max: usize, marker: &str) -> &'t str {
        let Some((at, _)) = text.char_indices().nth(chars_max) else { return text };
        text.get(..self.cut_before(text, at, marker)).unwrap_or_default()
    }

    /// Returns the last position, at most `at`, at which `text` can be cut so that the text before
    /// it has no part of a secret, and nothing that is a secret only because of the text after it.
    ///
    /// `marker` is written in place of the removed text. The text may continue after its end.
    #[must_use]
    pub fn cut_before(&self, text: &str, at: usize, marker: &str) -> usize {
        let mut cut = word_start(text, char_boundary(text, at));
        for _ in 0..MOVES_MAX {
            match self.earlier_cut(text, cut, marker) {
                Some(earlier) => cut = earlier,
                None => return cut,
            }
        }
        0
    }

    /// Returns an earlier position if `text` cannot be cut at `cut`.
    fn earlier_cut(&self, text: &str, cut: usize, marker: &str) -> Option<usize> {
        let from = char_boundary(text, cut.saturating_sub(NEAR_BYTES));
        let to = char_boundary(text, cut.saturating_add(NEAR_BYTES));
        let before = text.get(from..cut).unwrap_or_default();
        let near = text.get(from..to).unwrap_or_default();
        let shown = self.text([before, marker].concat().as_bytes());
        let all = self.text(near.as_bytes());
        let is_hidden = |start: usize, end: usize| {
            let n_before = shown.partition_point(|it| it.range.start <= start);
            let last = n_before.checked_sub(1).and_then(|last| shown.get(last));
            last.is_some_and(|it| end <= it.range.end.min(before.len()))
        };
        let secrets = all.iter().map(|edit| (edit.range.start, edit.range.end));
        let split = secrets
            .filter(|(start, _)| *start < before.len())
            .find(|(start, end)| !is_hidden(*start, *end));
        if let Some((start, _)) = split {
            return Some(from + start);
        }
        // A name at the end would make a secret of the marker.
        let last = shown.last().filter(|it| it.range.end > before.len() && cut > 0)?;
        let previous_word = word_start(text, char_boundary(text, cut - 1));
        Some(previous_word.min(from + last.range.start))
    }
}

/// Returns the last start of a character at or before `at`.
fn char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the start of the word around `at`, or `at` if it is outside of words or the word is
/// too long.
fn word_start(text: &str, at: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_graphic() && !b"\"'`,;()[]{}<>|".contains(byte);
    let (before, after) = text.as_bytes().split_at(at);
    if after.first().is_some_and(|byte| !is_part(byte)) {
        return at;
    }
    let n_inside = before.iter().rev().take(WORD_BYTES_MAX + 1).take_while(|it| is_part(it));
    Some(n_inside.count()).filter(|n| *n <= WORD_BYTES_MAX).map_or(at, |n_inside| at - n_inside)
}
