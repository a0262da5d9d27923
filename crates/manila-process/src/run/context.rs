//! Secrets that can be recognised only with the text before them.

use manila_redact::{Edit, Redactor};

/// Number of bytes before a text that can identify it as a secret.
const BEFORE_BYTES: usize = 64 * 1024;

/// Returns the end of the last secret in `text` that can be recognised only with the text `before`
/// it, such as the value of a name, or the lines of a key.
///
/// If a cut removes `before`, the text up to this end must not be shown.
pub(super) fn secret_end_after(before: &str, text: &str) -> Option<usize> {
    let mut from = before.len().saturating_sub(BEFORE_BYTES);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let before = before.get(from..).unwrap_or_default();
    let redactor = Redactor::standard();
    let alone = redactor.text(text.as_bytes());
    let with_before = redactor.text([before, text].concat().as_bytes());
    let after = |edit: &Edit| edit.range.end.checked_sub(before.len()).filter(|end| *end > 0);
    let is_known = |edit: &Edit| {
        let start = edit.range.start.saturating_sub(before.len());
        let end = edit.range.end.saturating_sub(before.len());
        let n_before = alone.partition_point(|it| it.range.start <= start);
        let last = n_before.checked_sub(1).and_then(|last| alone.get(last));
        last.is_some_and(|it| end <= it.range.end)
    };
    let secrets = with_before.iter().filter(|edit| after(edit).is_some() && !is_known(edit));
    secrets.filter_map(after).next_back()
}
