//! Request envelopes (Q1, Q2): the same rules that messages are read by, all of them at once.

use crate::raw_json::{Kind, RawJson};
use crate::report::look::Look;
use crate::report::path::Path;
use crate::request_envelope::{Parts, Profile, not_an_object};

/// Whether a message keeps Q1, or what Q2 makes of it on MCP.
pub(super) fn look(value: &RawJson, profile: Profile, look: &mut Look) {
    let root = &Path::ROOT;
    let kind = value.kind();
    if kind != Kind::Object {
        let (rule, message) = not_an_object(kind);
        return look.refuse(root, rule, "Q1", message);
    }
    let parts = Parts::of(value);
    let broken = parts.broken(profile);
    for it in &broken {
        look.refuse(&root.name(it.member), it.rule, it.clause, it.message);
    }
    if broken.is_empty() && parts.has_null_params() {
        let message = "should be left out where there is nothing to say";
        look.advise(&root.name("params"), "null-params", "Q2", message);
    }
}

#[cfg(test)]
mod tests;
