//! Provenance records and evidence (P5–P9): what their schemas say, and what no schema can.
//!
//! A record claims methods, and each of them has conditions that the record must show. A condition
//! about the envelope around it is judged where there is one.

mod artifact;
mod digest;
mod evidence;
mod integrity;
mod methods;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::moment::date_time::is_date_time;
use crate::raw_json::RawJson;
use crate::report::look::Look;
use crate::report::path::Path;
use digest::Algorithm;

pub(crate) use artifact::{digest_hint, labels};
pub(crate) use evidence::evidence;

/// The names of the members that every record has.
const REQUIRED: [&str; 8] =
    ["schema_version", "run_id", "tool", "inputs", "outputs", "methods", "evidence", "parents"];

/// What the envelope around a record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Around {
    pub(crate) has_errors: bool,
    pub(crate) has_warnings: bool,
}

/// What a record has, as far as methods ask for it.
#[derive(Debug, Default)]
struct Facts {
    around: Option<Around>,
    n_inputs: usize,
    n_outputs: usize,
    /// How the digests of artifacts were made.
    algorithms: Vec<Algorithm>,
    anchors: evidence::Anchors,
    n_parents: usize,
    has_record_digest: bool,
    has_signature: bool,
}

/// A record on its own, `prov.record.v0.1`.
pub(crate) fn record(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    look_at(value, path, None, look);
}

/// The record of an envelope.
pub(crate) fn record_in(value: &RawJson, path: &Path<'_>, around: Around, look: &mut Look) {
    look_at(value, path, Some(around), look);
}

fn look_at(value: &RawJson, path: &Path<'_>, around: Option<Around>, look: &mut Look) {
    let mut facts = Facts { around, ..Facts::default() };
    let (mut run_id, mut parents, mut claimed) = (None, None, Vec::new());
    let (mut inputs, mut outputs) = (None, None);
    let mut seen = Vec::new();
    let is_object = look.object(value, path, "P1", |look, name, value, at| {
        seen.extend(REQUIRED.iter().find(|required| **required == name));
        match name {
            "schema_version" => mark(&value, at, "prov.record.v0.1", look),
            "run_id" => run_id = look.text_within(&value, at, "P6", (1, usize::MAX)),
            "tool" => tool(&value, at, look),
            "time" => time(&value, at, look),
            // What is claimed of artifacts is known when the methods are.
            "inputs" => inputs = Some(value),
            "outputs" => outputs = Some(value),
            "methods" => claimed = methods::claimed(&value, at, look),
            "evidence" => facts.anchors = evidence(&value, at, look),
            "parents" => parents = Some(value),
            "integrity" => {}
            _ => look.unknown(at, "P1"),
        }
    });
    if !is_object {
        return;
    }
    for name in REQUIRED {
        look.need(seen.contains(&name), path, name, "P1");
    }
    let made = methods::algorithms(&claimed);
    let mut artifacts = |name: &str, list: Option<RawJson>| {
        list.map_or(0, |list| {
            artifact::artifacts(&list, &path.name(name), &made, &mut facts.algorithms, look)
        })
    };
    (facts.n_inputs, facts.n_outputs) =
        (artifacts("inputs", inputs), artifacts("outputs", outputs));
    if let Some(parents) = parents {
        facts.n_parents = lineage(&parents, run_id.as_deref(), &path.name("parents"), look);
    }
    (facts.has_record_digest, facts.has_signature) = integrity::integrity(value, path, look);
    methods::judge(&claimed, &facts, &path.name("methods"), look);
}

/// The mark of a document.
pub(crate) fn mark(value: &RawJson, at: &Path<'_>, mark: &str, look: &mut Look) {
    if let Some(version) = look.text(value, at, "P1") {
        look.one_of(&version, &[mark], at, "P1");
    }
}

fn tool(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    let (mut has_name, mut has_version) = (false, false);
    let is_object = look.object(value, path, "P1", |look, name, value, at| {
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
            _ => return look.unknown(at, "P1"),
        };
        look.text_within(&value, at, "P1", limits);
    });
    if is_object {
        look.need(has_name, path, "name", "P1");
        look.need(has_version, path, "version", "P1");
    }
}

/// P9: when it was.
pub(crate) fn time(value: &RawJson, at: &Path<'_>, look: &mut Look) {
    let Some(text) = look.text(value, at, "P9") else { return };
    if !is_date_time(&text) {
        let message = "must be a date and time of RFC 3339 that exists, e.g. 2026-01-02T03:04:05Z";
        look.disprove(at, "date-time", "P9", message);
    }
}

/// P9: the runs that this one builds on. Gives how many are named.
fn lineage(value: &RawJson, run_id: Option<&str>, path: &Path<'_>, look: &mut Look) -> usize {
    let mut n_parents = 0;
    let mut known = HashSet::new();
    look.array(value, path, "P9", |look, item, at| {
        n_parents += 1;
        let Some(parent) = look.text_within(&item, at, "P9", (1, 200)) else { return };
        if run_id == Some(parent.as_str()) {
            look.disprove(at, "own-parent", "P9", "is the run itself, on which it cannot build");
        }
        if !known.insert(parent) {
            look.advise(at, "repeated", "P9", "is named twice; once is enough");
        }
    });
    n_parents
}
