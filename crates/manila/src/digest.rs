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
mod tests {
    use super::*;

    /// The examples of FIPS 180 for one and two blocks, and the empty text.
    #[test]
    fn matches_known_digests() {
        for (text, expected) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(sha256_hex(text.as_bytes()), expected, "{text}");
        }
    }
}
