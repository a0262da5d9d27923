//! Requests with artifacts, `mcp.request.v0.1`.

use crate::prov::{digest_hint, labels, mark, time};
use crate::raw_json::RawJson;
use crate::report::look::Look;
use crate::report::path::Path;

const REQUIRED: [&str; 4] = ["schema_version", "tool", "params", "artifacts"];

/// P1: seven members at most, of which four are required; `params` may be anything.
pub(super) fn look(value: &RawJson, look: &mut Look) {
    let path = &Path::ROOT;
    let mut seen = Vec::new();
    let is_object = look.object(value, path, "P1", |look, name, value, at| {
        seen.extend(REQUIRED.iter().find(|required| **required == name));
        match name {
            "schema_version" => mark(&value, at, "mcp.request.v0.1", look),
            "request_id" => {
                look.text_within(&value, at, "P1", (0, 200));
            }
            "tool" => tool(&value, at, look),
            "params" => {}
            "artifacts" => {
                look.array(&value, at, "P5", |look, item, at| artifact_ref(&item, at, look));
            }
            "preferences" => preferences(&value, at, look),
            "time" => time(&value, at, look),
            _ => look.unknown(at, "P1"),
        }
    });
    for name in REQUIRED.iter().filter(|_| is_object) {
        look.need(seen.contains(&name), path, name, "P1");
    }
}

fn tool(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    let mut has_name = false;
    let is_object = look.object(value, path, "P1", |look, name, value, at| match name {
        "name" => {
            has_name = true;
            look.text_within(&value, at, "P1", (1, 200));
        }
        "version" => {
            look.text_within(&value, at, "P1", (0, 100));
        }
        _ => look.unknown(at, "P1"),
    });
    if is_object {
        look.need(has_name, path, "name", "P1");
    }
}

/// A reference to an artifact, `artifact.ref.v0.1`: by its id, by its place, or by both.
fn artifact_ref(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    let (mut has_version, mut has_reference) = (false, false);
    let is_object = look.object(value, path, "P1", |look, name, value, at| match name {
        "schema_version" => {
            has_version = true;
            mark(&value, at, "artifact.ref.v0.1", look);
        }
        "artifact_id" | "locator" => {
            has_reference = true;
            look.text_within(&value, at, "P1", (1, usize::MAX));
        }
        "media_type" => {
            look.text_within(&value, at, "P1", (1, usize::MAX));
        }
        "digest" => digest_hint(&value, at, look),
        "labels" => labels(&value, at, look),
        _ => look.unknown(at, "P1"),
    });
    if is_object {
        look.need(has_version, path, "schema_version", "P1");
        if !has_reference {
            look.refuse(path, "anyOf", "P1", "must have an `artifact_id` or a `locator`");
        }
    }
}

fn preferences(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    look.object(value, path, "P1", |look, name, value, at| match name {
        "deterministic" => {
            look.bool(&value, at, "P6");
        }
        "max_output_bytes" => {
            look.integer(&value, at, "P1", Some(0.0));
        }
        "locale" => {
            look.text_within(&value, at, "P1", (0, 50));
        }
        _ => look.unknown(at, "P1"),
    });
}

#[cfg(test)]
mod tests;
