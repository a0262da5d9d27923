//! Integrity of a record: its digest and signature, which reveal changes (P8).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::digest::{Algorithm, Digest, digest};
use crate::raw_json::{JsonObject, RawJson, canonical};
use crate::report::collect::Findings;
use crate::report::path::Path;
use crate::report::signature::{Signed, Verification};

/// Checks the integrity of `record`, which is an object. Returns whether it has a record digest and
/// a signature.
pub(super) fn check_integrity(
    record: &RawJson,
    path: &Path<'_>,
    findings: &mut Findings,
) -> (bool, bool) {
    let Some(value) = record.get("integrity") else { return (false, false) };
    let path = &path.name("integrity");
    let (mut has_digest, mut has_signature) = (false, false);
    let (mut record_digest, mut signed) = (None, None);
    let is_object = findings.object(&value, path, "P8", |findings, name, value, at| match name {
        "record_digest" => {
            has_digest = true;
            (_, record_digest) = digest(&value, at, findings);
            if let Some(digest) = &record_digest {
                verify_record_digest(record, digest, &at.name("value"), findings);
            }
        }
        "signature" => {
            has_signature = true;
            signed = read_signature(&value, at, findings);
        }
        _ => findings.reject_unknown(at, "P8"),
    });
    if is_object && has_signature && !has_digest {
        let message = "should accompany a signature, which signs it";
        findings.advise(&path.name("record_digest"), "recommended", "P8", message);
    }
    if let Some(signed) = signed {
        verify_signature(&signed, record_digest.as_ref(), &path.name("signature"), findings);
    }
    (has_digest, has_signature)
}

/// P8: verifies the digest of the record's canonical form without `integrity`. The schema allows
/// upper-case digits, which are the same number.
fn verify_record_digest(record: &RawJson, digest: &Digest, at: &Path<'_>, findings: &mut Findings) {
    let Some(object) = JsonObject::new(record.clone()) else { return };
    let Ok(canonical) = canonical(object.without("integrity").as_raw()) else {
        let message = "cannot match, because the record has no canonical form (RFC 8785)";
        return findings.record_false_claim(at, "record-digest", "P8", message);
    };
    let is_match = match digest.algorithm.digest(&canonical.bytes) {
        Some(computed) => computed.eq_ignore_ascii_case(&digest.value),
        // Cannot be computed here, but a digest of another length is still wrong.
        None => digest.has_length(),
    };
    if !is_match {
        let message = "is not the digest of the record without `integrity` (RFC 8785)";
        findings.record_false_claim(at, "record-digest", "P8", message);
    } else if digest.algorithm == Algorithm::Blake3 {
        findings.advise(at, "not-verified", "P8", "was not verified: blake3 is not supported");
    } else if !digest.is_lower_case() {
        findings.advise(at, "digest-form", "P8", "should be in lower-case hex digits");
    }
    if !canonical.rounded.is_empty() {
        let message = "depends on integers beyond 2^53, which RFC 8785 rounds; others close to \
                       them give the same digest";
        findings.advise(at, "rounded", "P8", message);
    }
}

/// A signature with all of its members.
struct Signature {
    algorithm: String,
    key_id: String,
    value: String,
}

/// P8: verifies a signature of the digest, if the checker can verify it.
fn verify_signature(
    signature: &Signature,
    digest: Option<&Digest>,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    let Some(signature_check) = findings.signatures.clone() else { return };
    let Signature { algorithm, key_id, value } = signature;
    let verification = digest.map_or(Verification::Unknown, |digest| {
        signature_check.verify(&Signed {
            algorithm,
            key_id,
            signature: value,
            digest_algorithm: digest.algorithm.name(),
            digest: &digest.value,
        })
    });
    let at = &path.name("value");
    match verification {
        Verification::Valid => {}
        Verification::Invalid => {
            let message = "is not a signature of the record's digest by the named key";
            findings.record_false_claim(at, "signature", "P8", message);
        }
        Verification::Unknown => {
            let message = "was not verified: the key, the algorithm or the digest is unknown";
            findings.advise(at, "not-verified", "P8", message);
        }
    }
}

/// Checks the form of a signature. Returns it unless a member is missing or an Ed25519 signature is
/// malformed.
fn read_signature(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Option<Signature> {
    let (mut alg, mut key_id, mut text) = (None, None, None);
    let (mut has_alg, mut has_key_id, mut has_value) = (false, false, false);
    let is_object = findings.object(value, path, "P8", |findings, name, value, at| match name {
        "alg" => {
            has_alg = true;
            alg = findings.text_within(&value, at, "P8", (1, 100));
        }
        "key_id" => {
            has_key_id = true;
            key_id = findings.text_within(&value, at, "P8", (1, 200));
        }
        "value" => {
            has_value = true;
            text = findings.text_within(&value, at, "P8", (16, 5000));
        }
        _ => findings.reject_unknown(at, "P8"),
    });
    if is_object {
        findings.require(has_alg, path, "alg", "P8");
        findings.require(has_key_id, path, "key_id", "P8");
        findings.require(has_value, path, "value", "P8");
    }
    let algorithm = alg?;
    if algorithm.eq_ignore_ascii_case("ed25519") {
        if !is_ed25519(key_id.as_deref(), text.as_deref(), path, findings) {
            return None;
        }
    } else if findings.signatures.is_none() {
        let message = "was not verified: only Ed25519 is supported";
        findings.advise(&path.name("alg"), "not-verified", "P8", message);
    }
    Some(Signature { algorithm, key_id: key_id?, value: text? })
}

/// P8: checks the form of an Ed25519 signature: base64 of 64 bytes, and a key id of 16 lower-case
/// hex digits.
fn is_ed25519(
    key_id: Option<&str>,
    text: Option<&str>,
    path: &Path<'_>,
    findings: &mut Findings,
) -> bool {
    const SIGNATURE_BYTES: usize = 64;
    const KEY_ID_DIGITS: usize = 16;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_key_id = |id: &str| id.len() == KEY_ID_DIGITS && id.bytes().all(is_digit);
    let has_key_id = key_id.is_none_or(is_key_id);
    if !has_key_id {
        let message = "must be the first 16 hex digits of the SHA-256 of the key, in lower case";
        findings.record_false_claim(&path.name("key_id"), "key-id", "P8", message);
    }
    let is_signature =
        |text: &str| STANDARD.decode(text).is_ok_and(|bytes| bytes.len() == SIGNATURE_BYTES);
    let has_signature = text.is_none_or(is_signature);
    if !has_signature {
        let message = "must be the base64 of the 64 bytes of an Ed25519 signature";
        findings.record_false_claim(&path.name("value"), "signature", "P8", message);
    }
    has_key_id && has_signature
}

#[cfg(test)]
mod tests;
