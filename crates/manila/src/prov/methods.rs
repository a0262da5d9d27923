//! Methods that a record claims, and the conditions that it must show for each (P7).

use std::collections::HashSet;

use super::Facts;
use super::digest::Algorithm;
use crate::raw_json::RawJson;
use crate::report::collect::Findings;
use crate::report::path::Path;

/// The namespaces of methods.
const NAMESPACES: [&str; 4] = ["adapter", "engine", "integrity", "lineage"];

/// The namespaces reserved for future use.
const RESERVED: [&str; 4] = ["policy", "attestation", "execution", "audit"];

pub(super) const JSON_POINTER: &str = "engine.extract.evidence.json_pointer";
pub(super) const TEXT_LINES: &str = "engine.extract.evidence.text_lines";

/// The condition of a known method.
struct Condition {
    method: &'static str,
    holds: fn(&Facts) -> bool,
    /// The required evidence, as a phrase for messages.
    needs: &'static str,
}

/// The conditions that a record, or the envelope around it, can show. Other known methods leave no
/// trace in a record: wrapping, passing through, attaching and building a record, verifying a
/// signature, building a graph.
const CONDITIONS: [Condition; 13] = [
    Condition {
        method: "adapter.errors.capture",
        holds: |facts| facts.envelope.is_none_or(|envelope| envelope.has_errors),
        needs: "an error in the envelope",
    },
    Condition {
        method: "adapter.warnings.capture",
        holds: |facts| facts.envelope.is_none_or(|envelope| envelope.has_warnings),
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

/// Returns the digest algorithms that the claimed methods name.
pub(super) fn algorithms(claimed: &[String]) -> Vec<Algorithm> {
    let is_claimed = |it: &Algorithm| claimed.iter().any(|id| id == it.method());
    Algorithm::ALL.into_iter().filter(is_claimed).collect()
}

/// Reads the methods that a record claims. An item that is not a string becomes an empty
/// string.
pub(super) fn read_claimed_methods(
    value: &RawJson,
    path: &Path<'_>,
    findings: &mut Findings,
) -> Vec<String> {
    let mut claimed = Vec::new();
    let mut known = HashSet::new();
    findings.array(value, path, "P7", |findings, item, at| {
        let id = findings.text_within(&item, at, "P7", (1, 200)).unwrap_or_default();
        if !id.is_empty() {
            if matches_pattern(&id) {
                check_method_id(&id, at, findings);
            } else {
                findings.reject(at, "pattern", "P7", FORM);
            }
            if !known.insert(id.clone()) {
                findings.advise(at, "repeated", "P7", "is listed twice; once is enough");
            }
        }
        claimed.push(id);
    });
    claimed
}

/// Rejects the methods whose conditions the record does not show.
pub(super) fn check_conditions(
    claimed: &[String],
    facts: &Facts,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    for (index, id) in claimed.iter().enumerate() {
        let condition = CONDITIONS.iter().find(|condition| condition.method == id);
        if let Some(Condition { needs, .. }) = condition.filter(|it| !(it.holds)(facts)) {
            let message = format!("is claimed, but needs {needs}");
            findings.record_false_claim(&path.index(index), "method-condition", "P7", message);
        }
    }
}

const FORM: &str = "must be lower-case names joined by dots, e.g. `adapter.wrap.envelope_v0_1`";

/// P7: checks the grammar and the namespace of a method id.
pub(super) fn check_method_id(id: &str, at: &Path<'_>, findings: &mut Findings) {
    let (namespace, method) = id.split_once('.').unwrap_or((id, ""));
    if !matches_grammar(id) || !matches_pattern(id) {
        findings.record_false_claim(at, "method-id", "P7", FORM);
    } else if RESERVED.contains(&namespace) {
        findings.record_false_claim(at, "namespace", "P7", "is in a reserved namespace");
    } else if !NAMESPACES.contains(&namespace) {
        let message = format!("must be in one of the namespaces {}", NAMESPACES.join(", "));
        findings.record_false_claim(at, "namespace", "P7", message);
    } else if method.is_empty() {
        let message = "must name a method after its namespace";
        findings.record_false_claim(at, "method-id", "P7", message);
    }
}

/// Matches `^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(_v[0-9]+_[0-9]+)?$`; a version is part of the last
/// name.
fn matches_grammar(id: &str) -> bool {
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    id.split('.').all(|name| {
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_part)
    })
}

/// Matches the pattern of the record's schema: `^[a-z0-9]+([._-][a-z0-9]+)*$`.
fn matches_pattern(id: &str) -> bool {
    let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
    id.split(['.', '_', '-']).all(|part| !part.is_empty() && part.bytes().all(is_part))
}
