//! Digests and their algorithms (P8).

use sha2::{Digest as _, Sha512};

use crate::digest::sha256_hex;
use crate::ids::hex;
use crate::raw_json::RawJson;
use crate::report::collect::Findings;
use crate::report::path::Path;

/// The algorithm of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Sha256,
    Sha512,
    Blake3,
}

impl Algorithm {
    pub(super) const ALL: [Algorithm; 3] =
        [Algorithm::Sha256, Algorithm::Sha512, Algorithm::Blake3];

    pub(super) fn name(self) -> &'static str {
        match self {
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha512 => "sha512",
            Algorithm::Blake3 => "blake3",
        }
    }

    /// Returns the method that claims digests of this algorithm (P7).
    pub(super) fn method(self) -> &'static str {
        match self {
            Algorithm::Sha256 => "integrity.digest.sha256",
            Algorithm::Sha512 => "integrity.digest.sha512",
            Algorithm::Blake3 => "integrity.digest.blake3",
        }
    }

    /// Returns the number of hex digits of a digest.
    pub(super) fn n_digits(self) -> usize {
        match self {
            Algorithm::Sha256 | Algorithm::Blake3 => 64,
            Algorithm::Sha512 => 128,
        }
    }

    /// Returns the digest of `bytes` in lower-case hex digits, if the algorithm is supported.
    pub(super) fn digest(self, bytes: &[u8]) -> Option<String> {
        match self {
            Algorithm::Sha256 => Some(sha256_hex(bytes)),
            Algorithm::Sha512 => Some(hex(&Sha512::digest(bytes))),
            Algorithm::Blake3 => None,
        }
    }
}

/// A digest in hex digits, with a known algorithm.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) algorithm: Algorithm,
    pub(super) value: String,
}

impl Digest {
    pub(super) fn has_length(&self) -> bool {
        self.value.len() == self.algorithm.n_digits()
    }

    pub(super) fn is_lower_case(&self) -> bool {
        !self.value.bytes().any(|byte| byte.is_ascii_uppercase())
    }
}

/// Checks a digest. Returns its algorithm, and the digest if it is valid.
pub(super) fn digest(
    value: &RawJson,
    path: &Path<'_>,
    findings: &mut Findings,
) -> (Option<Algorithm>, Option<Digest>) {
    const CHARS_MIN: usize = 16;
    let (mut algorithm, mut digits) = (None, None);
    let (mut has_alg, mut has_value) = (false, false);
    let is_object = findings.object(value, path, "P8", |findings, name, value, at| match name {
        "alg" => {
            has_alg = true;
            let Some(alg) = findings.text(&value, at, "P8") else { return };
            findings.expect_one_of(&alg, &Algorithm::ALL.map(Algorithm::name), at, "P8");
            algorithm = Algorithm::ALL.into_iter().find(|known| known.name() == alg);
        }
        "value" => {
            has_value = true;
            let limits = (CHARS_MIN, usize::MAX);
            let Some(text) = findings.text_within(&value, at, "P8", limits) else { return };
            if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                findings.reject(at, "pattern", "P8", "must be hex digits");
            } else if text.len() >= CHARS_MIN {
                digits = Some(text);
            }
        }
        _ => findings.reject_unknown(at, "P8"),
    });
    if is_object {
        findings.require(has_alg, path, "alg", "P8");
        findings.require(has_value, path, "value", "P8");
    }
    let digest = algorithm.zip(digits).map(|(algorithm, value)| Digest { algorithm, value });
    (algorithm, digest)
}
