//! Artifacts: the inputs and outputs of a run, `artifact.v0.1`.

use super::check_mark;
use super::digest::{Algorithm, Digest, digest};
use crate::raw_json::RawJson;
use crate::report::collect::Findings;
use crate::report::path::Path;

/// Checks a list of artifacts. `claimed` are the algorithms whose methods the record claims. Adds
/// the algorithms of the digests to `used`, each once, and returns the number of artifacts.
pub(super) fn check_artifacts(
    value: &RawJson,
    path: &Path<'_>,
    claimed: &[Algorithm],
    used: &mut Vec<Algorithm>,
    findings: &mut Findings,
) -> usize {
    let mut n_artifacts = 0;
    findings.array(value, path, "P5", |findings, item, at| {
        n_artifacts += 1;
        let (algorithm, digest) = check_artifact(&item, at, findings);
        used.extend(algorithm.filter(|algorithm| !used.contains(algorithm)));
        let Some(digest) = digest else { return };
        let at = &at.name("digest");
        let at = &at.name("value");
        if claimed.contains(&digest.algorithm) {
            require_form(&digest, at, findings);
        } else {
            advise_form(&digest, at, findings);
        }
    });
    n_artifacts
}

/// Checks an artifact. Returns the algorithm of its digest, and the digest if it is valid.
fn check_artifact(
    value: &RawJson,
    path: &Path<'_>,
    findings: &mut Findings,
) -> (Option<Algorithm>, Option<Digest>) {
    const REQUIRED: [&str; 3] = ["schema_version", "artifact_id", "media_type"];
    let mut seen = Vec::new();
    let mut found = (None, None);
    let is_object = findings.object(value, path, "P1", |findings, name, value, at| {
        seen.extend(REQUIRED.iter().find(|required| **required == name));
        match name {
            "schema_version" => check_mark(&value, at, "artifact.v0.1", findings),
            "artifact_id" | "media_type" | "locator" => {
                findings.text_within(&value, at, "P1", (1, usize::MAX));
            }
            "size_bytes" => {
                findings.integer(&value, at, "P1", Some(0.0));
            }
            "digest" => found = digest(&value, at, findings),
            "labels" => check_labels(&value, at, findings),
            _ => findings.reject_unknown(at, "P1"),
        }
    });
    for name in REQUIRED.iter().filter(|_| is_object) {
        findings.require(seen.contains(&name), path, name, "P1");
    }
    found
}

/// P1: checks labels, which are short notes for readers.
pub(crate) fn check_labels(value: &RawJson, path: &Path<'_>, findings: &mut Findings) {
    findings.object(value, path, "P1", |findings, _, value, at| {
        findings.text_within(&value, at, "P1", (0, 200));
    });
}

/// Checks the expected digest of an artifact.
pub(crate) fn check_digest_hint(value: &RawJson, path: &Path<'_>, findings: &mut Findings) {
    if let (_, Some(digest)) = digest(value, path, findings) {
        advise_form(&digest, &path.name("value"), findings);
    }
}

/// P7: checks the form of a digest whose method the record claims.
fn require_form(digest: &Digest, at: &Path<'_>, findings: &mut Findings) {
    if !digest.has_length() || !digest.is_lower_case() {
        let (n_digits, method) = (digest.algorithm.n_digits(), digest.algorithm.method());
        let message = format!("must be {n_digits} lower-case hex digits, as `{method}` writes it");
        findings.record_false_claim(at, "digest-form", "P7", message);
    }
}

/// P8: advises on the form of a digest. Without a claimed method, any hex digits are accepted.
fn advise_form(digest: &Digest, at: &Path<'_>, findings: &mut Findings) {
    let Digest { algorithm, value: _ } = digest;
    if !digest.has_length() {
        let (name, n_digits) = (algorithm.name(), algorithm.n_digits());
        let message = format!("should have {n_digits} hex digits, the length of a {name} digest");
        findings.advise(at, "digest-form", "P8", message);
    } else if !digest.is_lower_case() {
        findings.advise(at, "digest-form", "P8", "should be in lower-case hex digits");
    }
}
