//! Methods: what a record claims was done, and what it must show for it (P7).

use std::collections::HashSet;

use super::Facts;
use super::digest::Algorithm;
use crate::raw_json::RawJson;
use crate::report::look::Look;
use crate::report::path::Path;

/// The namespaces that methods may be in.
const NAMESPACES: [&str; 4] = ["adapter", "engine", "integrity", "lineage"];

/// The namespaces that are kept for later.
const RESERVED: [&str; 4] = ["policy", "attestation", "execution", "audit"];

pub(super) const JSON_POINTER: &str = "engine.extract.evidence.json_pointer";
pub(super) const TEXT_LINES: &str = "engine.extract.evidence.text_lines";

/// What a known method asks of the record that claims it.
struct Condition {
    method: &'static str,
    holds: fn(&Facts) -> bool,
    /// What must be there, in words.
    needs: &'static str,
}

/// The conditions that a record, or the envelope around it, can show. Of the other known methods
/// only who applied them can say whether they were: wrapping, passing through, attaching and
/// building a record, verifying a signature, building a graph.
const CONDITIONS: [Condition; 13] = [
    Condition {
        method: "adapter.errors.capture",
        holds: |facts| facts.around.is_none_or(|around| around.has_errors),
        needs: "an error in the envelope",
    },
    Condition {
        method: "adapter.warnings.capture",
        holds: |facts| facts.around.is_none_or(|around| around.has_warnings),
        needs: "a warning in the envelope",
    },
    Condition {
        method: "engine.prov.artifact.register_input",
        holds: |facts| facts.n_inputs > 0,
        needs: "an artifact in `inputs`",
    },
    Condition {
        method: "engine.prov.artifact.register_output",
        holds: |facts| facts.n_outputs > 0,
        needs: "an artifact in `outputs`",
    },
    Condition {
        method: JSON_POINTER,
        holds: |facts| facts.anchors.by_pointer > 0,
        needs: "evidence with a source that ends in `#json:/...`",
    },
    Condition {
        method: TEXT_LINES,
        holds: |facts| facts.anchors.by_lines > 0,
        needs: "evidence with a source that ends in `#text:line:a-b`",
    },
    Condition {
        method: "engine.coerce.evidence.v0_1",
        holds: |facts| facts.anchors.all > 0,
        needs: "evidence",
    },
    Condition {
        method: "integrity.digest.sha256",
        holds: |facts| facts.algorithms.contains(&Algorithm::Sha256),
        needs: "an artifact with a sha256 digest",
    },
    Condition {
        method: "integrity.digest.sha512",
        holds: |facts| facts.algorithms.contains(&Algorithm::Sha512),
        needs: "an artifact with a sha512 digest",
    },
    Condition {
        method: "integrity.digest.blake3",
        holds: |facts| facts.algorithms.contains(&Algorithm::Blake3),
        needs: "an artifact with a blake3 digest",
    },
    Condition {
        method: "integrity.record_digest.compute",
        holds: |facts| facts.has_record_digest,
        needs: "`integrity.record_digest`",
    },
    Condition {
        method: "integrity.signature.create",
        holds: |facts| facts.has_signature,
        needs: "`integrity.signature`",
    },
    Condition {
        method: "lineage.parent.link",
        holds: |facts| facts.n_parents > 0,
        needs: "a run in `parents`",
    },
];

/// How digests were made, as the methods say.
pub(super) fn algorithms(claimed: &[String]) -> Vec<Algorithm> {
    let is_claimed = |it: &Algorithm| claimed.iter().any(|id| id == it.method());
    Algorithm::ALL.into_iter().filter(is_claimed).collect()
}

/// The methods that a record claims, those without a text as nothing.
pub(super) fn claimed(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Vec<String> {
    let mut claimed = Vec::new();
    let mut known = HashSet::new();
    look.array(value, path, "P7", |look, item, at| {
        let id = look.text_within(&item, at, "P7", (1, 200)).unwrap_or_default();
        if !id.is_empty() {
            if fits_pattern(&id) {
                judge_id(&id, at, look);
            } else {
                look.refuse(at, "pattern", "P7", FORM);
            }
            if !known.insert(id.clone()) {
                look.advise(at, "repeated", "P7", "is claimed twice; once is enough");
            }
        }
        claimed.push(id);
    });
    claimed
}

/// Refuses the methods whose conditions the record does not show.
pub(super) fn judge(claimed: &[String], facts: &Facts, path: &Path<'_>, look: &mut Look) {
    for (index, id) in claimed.iter().enumerate() {
        let condition = CONDITIONS.iter().find(|condition| condition.method == id);
        if let Some(Condition { needs, .. }) = condition.filter(|it| !(it.holds)(facts)) {
            let message = format!("is claimed, but needs {needs}");
            look.disprove(&path.index(index), "method-condition", "P7", message);
        }
    }
}

const FORM: &str = "must be lower-case names joined by dots, e.g. `adapter.wrap.envelope_v0_1`";

/// P7: the grammar of method ids, and the namespaces that there are.
pub(super) fn judge_id(id: &str, at: &Path<'_>, look: &mut Look) {
    let (namespace, method) = id.split_once('.').unwrap_or((id, ""));
    if !fits_grammar(id) || !fits_pattern(id) {
        look.disprove(at, "method-id", "P7", FORM);
    } else if RESERVED.contains(&namespace) {
        look.disprove(at, "namespace", "P7", "is in a namespace that is reserved");
    } else if !NAMESPACES.contains(&namespace) {
        let message = format!("must be in one of the namespaces {}", NAMESPACES.join(", "));
        look.disprove(at, "namespace", "P7", message);
    } else if method.is_empty() {
        look.disprove(at, "method-id", "P7", "must name a method after its namespace");
    }
}

/// `^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(_v[0-9]+_[0-9]+)?$`; a version is part of the last name.
fn fits_grammar(id: &str) -> bool {
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    id.split('.').all(|name| {
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_part)
    })
}

/// The pattern of the record's schema: `^[a-z0-9]+([._-][a-z0-9]+)*$`.
fn fits_pattern(id: &str) -> bool {
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
    id.split(['.', '_', '-']).all(|part| !part.is_empty() && part.bytes().all(is_part))
}
