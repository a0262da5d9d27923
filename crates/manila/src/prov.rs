//! Provenance records and evidence (P5–P9): the rules of their schemas, and those that a schema
//! cannot express.
//!
//! A record claims methods, and must show the conditions of each. Conditions about the envelope
//! around a record are checked only if there is one.

mod artifact;
mod digest;
mod evidence;
mod integrity;
mod methods;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::raw_json::RawJson;
use crate::report::collect::Findings;
use crate::report::path::Path;
use crate::timestamp::date_time::is_date_time;
use digest::Algorithm;

pub(crate) use artifact::{check_digest_hint, check_labels};
pub(crate) use evidence::check_evidence;

/// The required members of a record.
const REQUIRED: [&str; 8] =
    ["schema_version", "run_id", "tool", "inputs", "outputs", "methods", "evidence", "parents"];

/// The parts of the envelope around a record that methods depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EnclosingEnvelope {
    pub(crate) has_errors: bool,
    pub(crate) has_warnings: bool,
}

/// The parts of a record that methods depend on.
#[derive(Debug, Default)]
struct Facts {
    envelope: Option<EnclosingEnvelope>,
    n_inputs: usize,
    n_outputs: usize,
    /// The algorithms of the artifacts' digests.
    algorithms: Vec<Algorithm>,
    anchors: evidence::Anchors,
    n_parents: usize,
    has_record_digest: bool,
    has_signature: bool,
}

/// Checks a standalone record, `prov.record.v0.1`.
pub(crate) fn check_record(value: &RawJson, path: &Path<'_>, findings: &mut Findings) {
    check_record_members(value, path, None, findings);
}

/// Checks the record of an envelope.
pub(crate) fn check_record_in_envelope(
    value: &RawJson,
    path: &Path<'_>,
    envelope: EnclosingEnvelope,
    findings: &mut Findings,
) {
    check_record_members(value, path, Some(envelope), findings);
}

fn check_record_members(
    value: &RawJson,
    path: &Path<'_>,
    envelope: Option<EnclosingEnvelope>,
    findings: &mut Findings,
) {
    let mut facts = Facts { envelope, ..Facts::default() };
    let (mut run_id, mut parents, mut claimed) = (None, None, Vec::new());
    let (mut inputs, mut outputs) = (None, None);
    let mut seen = Vec::new();
    let is_object = findings.object(value, path, "P1", |findings, name, value, at| {
        seen.extend(REQUIRED.iter().find(|required| **required == name));
        match name {
            "schema_version" => check_mark(&value, at, "prov.record.v0.1", findings),
            "run_id" => run_id = findings.text_within(&value, at, "P6", (1, usize::MAX)),
            "tool" => check_tool(&value, at, findings),
            "time" => check_time(&value, at, findings),
            // Artifacts are checked after the methods, because their rules depend on the claims.
            "inputs" => inputs = Some(value),
            "outputs" => outputs = Some(value),
            "methods" => claimed = methods::read_claimed_methods(&value, at, findings),
            "evidence" => facts.anchors = check_evidence(&value, at, findings),
            "parents" => parents = Some(value),
            "integrity" => {}
            _ => findings.reject_unknown(at, "P1"),
        }
    });
    if !is_object {
        return;
    }
    for name in REQUIRED {
        findings.require(seen.contains(&name), path, name, "P1");
    }
    let algorithms = methods::algorithms(&claimed);
    let mut count_artifacts = |name: &str, list: Option<RawJson>| {
        list.map_or(0, |list| {
            let path = path.name(name);
            artifact::check_artifacts(&list, &path, &algorithms, &mut facts.algorithms, findings)
        })
    };
    (facts.n_inputs, facts.n_outputs) =
        (count_artifacts("inputs", inputs), count_artifacts("outputs", outputs));
    if let Some(parents) = parents {
        facts.n_parents =
            check_lineage(&parents, run_id.as_deref(), &path.name("parents"), findings);
    }
    (facts.has_record_digest, facts.has_signature) =
        integrity::check_integrity(value, path, findings);
    methods::check_conditions(&claimed, &facts, &path.name("methods"), findings);
}

/// Checks the mark of a document.
pub(crate) fn check_mark(value: &RawJson, at: &Path<'_>, mark: &str, findings: &mut Findings) {
    if let Some(version) = findings.text(value, at, "P1") {
        findings.expect_one_of(&version, &[mark], at, "P1");
    }
}

fn check_tool(value: &RawJson, path: &Path<'_>, findings: &mut Findings) {
    let (mut has_name, mut has_version) = (false, false);
    let is_object = findings.object(value, path, "P1", |findings, name, value, at| {
        let limits = match name {
            "name" => {
                has_name = true;
                (1, 200)
            }
            "version" => {
                has_version = true;
                (1, 100)
            }
            "adapter" => (0, 100),
            _ => return findings.reject_unknown(at, "P1"),
        };
        findings.text_within(&value, at, "P1", limits);
    });
    if is_object {
        findings.require(has_name, path, "name", "P1");
        findings.require(has_version, path, "version", "P1");
    }
}

/// P9: checks a time.
pub(crate) fn check_time(value: &RawJson, at: &Path<'_>, findings: &mut Findings) {
    let Some(text) = findings.text(value, at, "P9") else { return };
    if !is_date_time(&text) {
        let message = "must be a valid RFC 3339 date-time, e.g. 2026-01-02T03:04:05Z";
        findings.record_false_claim(at, "date-time", "P9", message);
    }
}

/// P9: checks the runs that this one builds on. Returns how many are listed.
fn check_lineage(
    value: &RawJson,
    run_id: Option<&str>,
    path: &Path<'_>,
    findings: &mut Findings,
) -> usize {
    let mut n_parents = 0;
    let mut known = HashSet::new();
    findings.array(value, path, "P9", |findings, item, at| {
        n_parents += 1;
        let Some(parent) = findings.text_within(&item, at, "P9", (1, 200)) else { return };
        if run_id == Some(parent.as_str()) {
            let message = "is the run itself, not another run";
            findings.record_false_claim(at, "own-parent", "P9", message);
        }
        if !known.insert(parent) {
            findings.advise(at, "repeated", "P9", "is listed twice; once is enough");
        }
    });
    n_parents
}
