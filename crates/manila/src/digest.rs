//! Digests of content.

use sha2::{Digest, Sha256};

use crate::ids::hex;

/// Returns the SHA-256 of `bytes` as 64 lower-case hex digits (P7, P8).
///
/// ```
/// let value = manila::RawJson::parse(r#"{"b": 1.0, "a": "\u00e9"}"#)?;
/// let canonical = manila::canonical(&value)?;
/// assert_eq!(canonical.bytes, r#"{"a":"é","b":1}"#.as_bytes());
/// let digest = manila::sha256_hex(&canonical.bytes);
/// assert_eq!(digest, "aa58fba8483623bed37c1b02edfccbdd9a53123837c20bfa4cb4049993a2872e");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests;
