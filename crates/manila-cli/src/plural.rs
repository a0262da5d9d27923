//! Counts in messages.

/// Formats a count with its noun: `1 file`, `2 files`.
pub(crate) fn pluralize(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
