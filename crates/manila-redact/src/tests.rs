#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests may")]

mod cut;
mod engines;
mod harmless;
mod outputs;
mod rules;
mod secret_name;
mod spellings;

use crate::{Redactor, apply};

/// Returns a text with its secrets redacted.
fn redact_text(text: &str) -> String {
    let edits = Redactor::standard().text(text.as_bytes());
    String::from_utf8(apply(text.as_bytes(), &edits)).unwrap()
}

/// Returns JSON with its secrets redacted.
fn redact_json(json: &str) -> String {
    let edits = Redactor::standard().json(json.as_bytes());
    String::from_utf8(apply(json.as_bytes(), &edits)).unwrap()
}
