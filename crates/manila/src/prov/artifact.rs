//! Artifacts: what a run read and made, `artifact.v0.1`.

use super::digest::{Algorithm, Digest, digest};
use super::mark;
use crate::raw_json::RawJson;
use crate::report::look::Look;
use crate::report::path::Path;

/// A list of artifacts. `claimed` are the algorithms whose methods the record claims. Adds to
/// `used` the algorithms of the digests, each once, and gives how many artifacts there are.
pub(super) fn artifacts(
    value: &RawJson,
    path: &Path<'_>,
    claimed: &[Algorithm],
    used: &mut Vec<Algorithm>,
    look: &mut Look,
) -> usize {
    let mut n_artifacts = 0;
    look.array(value, path, "P5", |look, item, at| {
        n_artifacts += 1;
        let (algorithm, digest) = artifact(&item, at, look);
        used.extend(algorithm.filter(|algorithm| !used.contains(algorithm)));
        let Some(digest) = digest else { return };
        let at = &at.name("digest");
        let at = &at.name("value");
        if claimed.contains(&digest.algorithm) {
            judge(&digest, at, look);
        } else {
            advise(&digest, at, look);
        }
    });
    n_artifacts
}

/// One artifact. Gives the algorithm of its digest, and the digest if nothing is wrong with it.
fn artifact(
    value: &RawJson,
    path: &Path<'_>,
    look: &mut Look,
) -> (Option<Algorithm>, Option<Digest>) {
    const REQUIRED: [&str; 3] = ["schema_version", "artifact_id", "media_type"];
    let mut seen = Vec::new();
    let mut found = (None, None);
    let is_object = look.object(value, path, "P1", |look, name, value, at| {
        seen.extend(REQUIRED.iter().find(|required| **required == name));
        match name {
            "schema_version" => mark(&value, at, "artifact.v0.1", look),
            "artifact_id" | "media_type" | "locator" => {
                look.text_within(&value, at, "P1", (1, usize::MAX));
            }
            "size_bytes" => {
                look.integer(&value, at, "P1", Some(0.0));
            }
            "digest" => found = digest(&value, at, look),
            "labels" => labels(&value, at, look),
            _ => look.unknown(at, "P1"),
        }
    });
    for name in REQUIRED.iter().filter(|_| is_object) {
        look.need(seen.contains(&name), path, name, "P1");
    }
    found
}

/// P1: short notes for whoever reads them.
pub(crate) fn labels(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    look.object(value, path, "P1", |look, _, value, at| {
        look.text_within(&value, at, "P1", (0, 200));
    });
}

/// The digest that somebody expects of an artifact.
pub(crate) fn digest_hint(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    if let (_, Some(digest)) = digest(value, path, look) {
        advise(&digest, &path.name("value"), look);
    }
}

/// P7: who claims to have made a digest wrote it as the method does.
fn judge(digest: &Digest, at: &Path<'_>, look: &mut Look) {
    if !digest.has_length() || !digest.is_lower_case() {
        let (n_digits, method) = (digest.algorithm.n_digits(), digest.algorithm.method());
        let message = format!("must be {n_digits} lower-case hex digits, as `{method}` writes it");
        look.disprove(at, "digest-form", "P7", message);
    }
}

/// P8: where nobody claims to have made it, any hex digits are accepted.
fn advise(digest: &Digest, at: &Path<'_>, look: &mut Look) {
    let Digest { algorithm, value: _ } = digest;
    if !digest.has_length() {
        let (name, n_digits) = (algorithm.name(), algorithm.n_digits());
        let message = format!("should have {n_digits} hex digits, as a {name} has");
        look.advise(at, "digest-form", "P8", message);
    } else if !digest.is_lower_case() {
        look.advise(at, "digest-form", "P8", "should be in lower-case hex digits");
    }
}
