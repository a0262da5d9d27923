//! Numbers in sentences.

/// A number of things: `1 file`, `2 files`.
pub(crate) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
