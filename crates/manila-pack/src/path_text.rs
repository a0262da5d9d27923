//! Paths in the settings of a worker, which are JSON: a path need not be UTF-8.

use std::path::{Path, PathBuf};

use manila_process::os::path_from_bytes;

/// Marks a path that is not UTF-8 in the settings of a worker. No path has this character.
const HEX_MARK: char = '\0';

/// Returns a path as text, in hexadecimal digits if it is not UTF-8.
pub(super) fn path_to_text(path: &Path) -> String {
    path.to_str().map_or_else(
        || {
            let bytes = path.as_os_str().as_encoded_bytes();
            let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
            std::iter::once(HEX_MARK.to_string()).chain(digits).collect()
        },
        str::to_owned,
    )
}

/// Returns the path of a text from [`path_to_text`].
pub(super) fn text_to_path(text: &str) -> PathBuf {
    let Some(digits) = text.strip_prefix(HEX_MARK) else { return text.into() };
    let pairs = digits.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    path_from_bytes(pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect())
}

#[cfg(test)]
mod tests;
