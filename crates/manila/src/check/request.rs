//! Checks request envelopes (Q1, Q2) by the same rules as reading, but reports all violations.

use crate::raw_json::{Kind, RawJson};
use crate::report::collect::Findings;
use crate::report::path::Path;
use crate::request_envelope::{Parts, Profile, not_an_object};

/// Checks that a message conforms to Q1 or, in the MCP profile, to Q2.
pub(super) fn check(value: &RawJson, profile: Profile, findings: &mut Findings) {
    let root = &Path::ROOT;
    let kind = value.kind();
    if kind != Kind::Object {
        let (rule, message) = not_an_object(kind);
        return findings.reject(root, rule, "Q1", message);
    }
    let parts = Parts::of(value);
    let broken = parts.broken_rules(profile);
    for it in &broken {
        findings.reject(&root.name(it.member), it.rule, it.clause, it.message);
    }
    if broken.is_empty() && parts.has_null_params() {
        let message = "should be omitted if there are no parameters";
        findings.advise(&root.name("params"), "null-params", "Q2", message);
    }
}

#[cfg(test)]
mod tests;
