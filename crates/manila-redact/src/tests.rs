#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests may")]

mod engines;
mod left_alone;
mod outputs;
mod rules;
mod spellings;

use crate::{Redactor, apply};

/// A text with its secrets hidden.
fn redacted(text: &str) -> String {
    let edits = Redactor::standard().text(text.as_bytes());
    String::from_utf8(apply(text.as_bytes(), &edits)).unwrap()
}

/// JSON with its secrets hidden.
fn redacted_json(json: &str) -> String {
    let edits = Redactor::standard().json(json.as_bytes());
    String::from_utf8(apply(json.as_bytes(), &edits)).unwrap()
}
