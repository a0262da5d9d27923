//! Classifies a failure by its message.

use crate::catalogue::Code;

/// Phrases in messages of tools, and their codes. The first phrase that occurs decides.
const PHRASES: &[(&str, Code)] = &[
    ("file not found", Code::NotFound),
    ("no such file", Code::NotFound),
    ("not a file", Code::InvalidToolInput),
    ("must be", Code::InvalidToolInput),
    ("cannot be empty", Code::InvalidToolInput),
    ("invalid path", Code::InvalidPath),
    ("path traversal", Code::InvalidPath),
    ("permission", Code::Forbidden),
    ("forbidden", Code::Forbidden),
    ("timeout", Code::Timeout),
    ("timed out", Code::Timeout),
    ("requires pro tier", Code::UpgradeRequired),
    ("requires enterprise tier", Code::UpgradeRequired),
    ("too large", Code::TooLarge),
    ("exceeds maximum", Code::TooLarge),
    ("not implemented", Code::CapabilityNotAvailable),
    ("rate limit", Code::RateLimited),
    ("too many requests", Code::RateLimited),
];

/// Returns the code of a failure of which only the message is known.
///
/// ```
/// use manila::{Code, stage::classify::code_from_text};
/// assert_eq!(code_from_text("ENOENT: No such file or directory"), Code::NotFound);
/// assert_eq!(code_from_text("it broke"), Code::ToolFailed);
/// ```
#[must_use]
pub fn code_from_text(message: &str) -> Code {
    // A large message is not copied as a whole.
    const WINDOW: usize = 64 * 1024;
    let phrases = || PHRASES.iter().map(|(phrase, _)| phrase);
    let overlap = phrases().map(|phrase| phrase.len()).max().unwrap_or_default();
    let mut n_candidates = PHRASES.len();
    let mut rest = message.as_bytes();
    while !rest.is_empty() {
        let window = rest.get(..WINDOW + overlap).unwrap_or(rest).to_ascii_lowercase();
        let contains = |phrase: &&str| memchr::memmem::find(&window, phrase.as_bytes()).is_some();
        n_candidates = phrases().take(n_candidates).position(contains).unwrap_or(n_candidates);
        rest = rest.get(WINDOW..).unwrap_or_default();
    }
    PHRASES.get(n_candidates).map_or(Code::ToolFailed, |(_, code)| *code)
}

#[cfg(test)]
mod tests;
