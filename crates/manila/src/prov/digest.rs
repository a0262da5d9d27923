//! Digests and how they were made (P8).

use sha2::{Digest as _, Sha512};

use crate::digest::sha256_hex;
use crate::ids::hex;
use crate::raw_json::RawJson;
use crate::report::look::Look;
use crate::report::path::Path;

/// How a digest was made.
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

    /// The method that says that digests of artifacts were made so (P7).
    pub(super) fn method(self) -> &'static str {
        match self {
            Algorithm::Sha256 => "integrity.digest.sha256",
            Algorithm::Sha512 => "integrity.digest.sha512",
            Algorithm::Blake3 => "integrity.digest.blake3",
        }
    }

    /// How many hex digits such a digest has.
    pub(super) fn n_digits(self) -> usize {
        match self {
            Algorithm::Sha256 | Algorithm::Blake3 => 64,
            Algorithm::Sha512 => 128,
        }
    }

    /// The digest of `bytes` in lower-case hex digits, where it can be made here.
    pub(super) fn digest(self, bytes: &[u8]) -> Option<String> {
        match self {
            Algorithm::Sha256 => Some(sha256_hex(bytes)),
            Algorithm::Sha512 => Some(hex(&Sha512::digest(bytes))),
            Algorithm::Blake3 => None,
        }
    }
}

/// A digest that is hex digits of a known algorithm.
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

/// The algorithm that is named, and the digest if nothing is wrong with it.
pub(super) fn digest(
    value: &RawJson,
    path: &Path<'_>,
    look: &mut Look,
) -> (Option<Algorithm>, Option<Digest>) {
    const CHARS_MIN: usize = 16;
    let (mut algorithm, mut digits) = (None, None);
    let (mut has_alg, mut has_value) = (false, false);
    let is_object = look.object(value, path, "P8", |look, name, value, at| match name {
        "alg" => {
            has_alg = true;
            let Some(alg) = look.text(&value, at, "P8") else { return };
            look.one_of(&alg, &Algorithm::ALL.map(Algorithm::name), at, "P8");
            algorithm = Algorithm::ALL.into_iter().find(|known| known.name() == alg);
        }
        "value" => {
            has_value = true;
            let limits = (CHARS_MIN, usize::MAX);
            let Some(text) = look.text_within(&value, at, "P8", limits) else { return };
            if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                look.refuse(at, "pattern", "P8", "must be hex digits");
            } else if text.len() >= CHARS_MIN {
                digits = Some(text);
            }
        }
        _ => look.unknown(at, "P8"),
    });
    if is_object {
        look.need(has_alg, path, "alg", "P8");
        look.need(has_value, path, "value", "P8");
    }
    let whole = algorithm.zip(digits).map(|(algorithm, value)| Digest { algorithm, value });
    (algorithm, whole)
}
