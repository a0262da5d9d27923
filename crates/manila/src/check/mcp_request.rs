//! Checks `mcp.request.v0.1`, a request with artifacts.

use crate::prov::{check_digest_hint, check_labels, check_mark, check_time};
use crate::raw_json::RawJson;
use crate::report::collect::Findings;
use crate::report::path::Path;

const REQUIRED: [&str; 4] = ["schema_version", "tool", "params", "artifacts"];

/// P1: checks at most seven members, of which four are required; `params` may be anything.
pub(super) fn check(value: &RawJson, findings: &mut Findings) {
    let path = &Path::ROOT;
    let mut seen = Vec::new();
    let is_object = findings.object(value, path, "P1", |findings, name, value, at| {
        seen.extend(REQUIRED.iter().find(|required| **required == name));
        match name {
            "schema_version" => check_mark(&value, at, "mcp.request.v0.1", findings),
            "request_id" => {
                findings.text_within(&value, at, "P1", (0, 200));
            }
            "tool" => check_tool(&value, at, findings),
            "params" => {}
            "artifacts" => {
                findings.array(&value, at, "P5", |findings, item, at| {
                    check_artifact_ref(&item, at, findings);
                });
            }
            "preferences" => check_preferences(&value, at, findings),
            "time" => check_time(&value, at, findings),
            _ => findings.reject_unknown(at, "P1"),
        }
    });
    for name in REQUIRED.iter().filter(|_| is_object) {
        findings.require(seen.contains(&name), path, name, "P1");
    }
}

fn check_tool(value: &RawJson, path: &Path<'_>, findings: &mut Findings) {
    let mut has_name = false;
    let is_object = findings.object(value, path, "P1", |findings, name, value, at| match name {
        "name" => {
            has_name = true;
            findings.text_within(&value, at, "P1", (1, 200));
        }
        "version" => {
            findings.text_within(&value, at, "P1", (0, 100));
        }
        _ => findings.reject_unknown(at, "P1"),
    });
    if is_object {
        findings.require(has_name, path, "name", "P1");
    }
}

/// Checks a reference to an artifact, `artifact.ref.v0.1`: by its id, its locator, or both.
fn check_artifact_ref(value: &RawJson, path: &Path<'_>, findings: &mut Findings) {
    let (mut has_version, mut has_reference) = (false, false);
    let is_object = findings.object(value, path, "P1", |findings, name, value, at| match name {
        "schema_version" => {
            has_version = true;
            check_mark(&value, at, "artifact.ref.v0.1", findings);
        }
        "artifact_id" | "locator" => {
            has_reference = true;
            findings.text_within(&value, at, "P1", (1, usize::MAX));
        }
        "media_type" => {
            findings.text_within(&value, at, "P1", (1, usize::MAX));
        }
        "digest" => check_digest_hint(&value, at, findings),
        "labels" => check_labels(&value, at, findings),
        _ => findings.reject_unknown(at, "P1"),
    });
    if is_object {
        findings.require(has_version, path, "schema_version", "P1");
        if !has_reference {
            findings.reject(path, "anyOf", "P1", "must have an `artifact_id` or a `locator`");
        }
    }
}

fn check_preferences(value: &RawJson, path: &Path<'_>, findings: &mut Findings) {
    findings.object(value, path, "P1", |findings, name, value, at| match name {
        "deterministic" => {
            findings.bool(&value, at, "P6");
        }
        "max_output_bytes" => {
            findings.integer(&value, at, "P1", Some(0.0));
        }
        "locale" => {
            findings.text_within(&value, at, "P1", (0, 50));
        }
        _ => findings.reject_unknown(at, "P1"),
    });
}

#[cfg(test)]
mod tests;
