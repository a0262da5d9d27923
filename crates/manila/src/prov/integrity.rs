//! Integrity: what makes a change to a record visible (P8).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::digest::{Algorithm, Digest, digest};
use crate::raw_json::{JsonObject, RawJson, canonical};
use crate::report::look::Look;
use crate::report::path::Path;
use crate::report::signature::{Signed, Verification};

/// The integrity of `record`, which is an object. Gives whether there are a digest of the record
/// and a signature.
pub(super) fn integrity(record: &RawJson, path: &Path<'_>, look: &mut Look) -> (bool, bool) {
    let Some(value) = record.get("integrity") else { return (false, false) };
    let path = &path.name("integrity");
    let (mut has_digest, mut has_signature) = (false, false);
    let (mut record_digest, mut signed) = (None, None);
    let is_object = look.object(&value, path, "P8", |look, name, value, at| match name {
        "record_digest" => {
            has_digest = true;
            (_, record_digest) = digest(&value, at, look);
            if let Some(digest) = &record_digest {
                verify(record, digest, &at.name("value"), look);
            }
        }
        "signature" => {
            has_signature = true;
            signed = signature(&value, at, look);
        }
        _ => look.unknown(at, "P8"),
    });
    if is_object && has_signature && !has_digest {
        let message = "should stand beside a signature, which is made over it";
        look.advise(&path.name("record_digest"), "recommended", "P8", message);
    }
    if let Some(signed) = signed {
        verify_signature(&signed, record_digest.as_ref(), &path.name("signature"), look);
    }
    (has_digest, has_signature)
}

/// P8: the digest of the record without `integrity`, in its canonical form. Upper-case digits are
/// the same number, and the schema lets them stand.
fn verify(record: &RawJson, digest: &Digest, at: &Path<'_>, look: &mut Look) {
    let Some(object) = JsonObject::new(record.clone()) else { return };
    let Ok(canonical) = canonical(object.without("integrity").as_raw()) else {
        let message = "cannot be true, since the record has no canonical form (RFC 8785)";
        return look.disprove(at, "record-digest", "P8", message);
    };
    let is_true = match digest.algorithm.digest(&canonical.bytes) {
        Some(own) => own.eq_ignore_ascii_case(&digest.value),
        // Not made here; one of another length is false all the same.
        None => digest.has_length(),
    };
    if !is_true {
        let message = "is not the digest of the record without `integrity` (RFC 8785)";
        look.disprove(at, "record-digest", "P8", message);
    } else if digest.algorithm == Algorithm::Blake3 {
        look.advise(at, "not-verified", "P8", "was not verified: blake3 is not supported here");
    } else if !digest.is_lower_case() {
        look.advise(at, "digest-form", "P8", "should be in lower-case hex digits");
    }
    if !canonical.rounded.is_empty() {
        let message = "rests on integers beyond 2^53, which RFC 8785 rounds; others close to them \
                       give the same digest";
        look.advise(at, "rounded", "P8", message);
    }
}

/// A signature with all of its members.
struct Signature {
    algorithm: String,
    key_id: String,
    value: String,
}

/// P8: whether a signature over the digest is true, if the checker can verify it.
fn verify_signature(
    signature: &Signature,
    digest: Option<&Digest>,
    path: &Path<'_>,
    look: &mut Look,
) {
    let Some(check) = look.signatures.clone() else { return };
    let Signature { algorithm, key_id, value } = signature;
    let verification = digest.map_or(Verification::Unknown, |digest| {
        check.verify(&Signed {
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
            let message = "is not a signature over the record's digest by the key that is named";
            look.disprove(at, "signature", "P8", message);
        }
        Verification::Unknown => {
            let message = "was not verified: the key, the algorithm or the digest is not known";
            look.advise(at, "not-verified", "P8", message);
        }
    }
}

/// A signature over the digest. Gives it unless a member is missing, or an Ed25519 signature has
/// not its form.
fn signature(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Option<Signature> {
    let (mut alg, mut key_id, mut text) = (None, None, None);
    let (mut has_alg, mut has_key_id, mut has_value) = (false, false, false);
    let is_object = look.object(value, path, "P8", |look, name, value, at| match name {
        "alg" => {
            has_alg = true;
            alg = look.text_within(&value, at, "P8", (1, 100));
        }
        "key_id" => {
            has_key_id = true;
            key_id = look.text_within(&value, at, "P8", (1, 200));
        }
        "value" => {
            has_value = true;
            text = look.text_within(&value, at, "P8", (16, 5000));
        }
        _ => look.unknown(at, "P8"),
    });
    if is_object {
        look.need(has_alg, path, "alg", "P8");
        look.need(has_key_id, path, "key_id", "P8");
        look.need(has_value, path, "value", "P8");
    }
    let algorithm = alg?;
    if algorithm.eq_ignore_ascii_case("ed25519") {
        if !is_ed25519(key_id.as_deref(), text.as_deref(), path, look) {
            return None;
        }
    } else if look.signatures.is_none() {
        let message = "is not verified: only Ed25519 is known here";
        look.advise(&path.name("alg"), "not-verified", "P8", message);
    }
    Some(Signature { algorithm, key_id: key_id?, value: text? })
}

/// P8: Ed25519 in base64, and a key id that is the start of the key's SHA-256.
fn is_ed25519(key_id: Option<&str>, text: Option<&str>, path: &Path<'_>, look: &mut Look) -> bool {
    const SIGNATURE_BYTES: usize = 64;
    const KEY_ID_DIGITS: usize = 16;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_key_id = |id: &str| id.len() == KEY_ID_DIGITS && id.bytes().all(is_digit);
    let has_key_id = key_id.is_none_or(is_key_id);
    if !has_key_id {
        let message = "must be the first 16 hex digits of the SHA-256 of the key, in lower case";
        look.disprove(&path.name("key_id"), "key-id", "P8", message);
    }
    let is_signature =
        |text: &str| STANDARD.decode(text).is_ok_and(|bytes| bytes.len() == SIGNATURE_BYTES);
    let has_signature = text.is_none_or(is_signature);
    if !has_signature {
        let message = "must be the base64 of 64 bytes, as an Ed25519 signature has";
        look.disprove(&path.name("value"), "signature", "P8", message);
    }
    has_key_id && has_signature
}

#[cfg(test)]
mod tests;
