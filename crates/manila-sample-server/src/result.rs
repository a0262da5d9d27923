//! Tool results: the formats that most tools share.

use super::jsonrpc::{push, push_string};

/// Appends a result with one text block.
pub(super) fn text(out: &mut Vec<u8>, text: &str) {
    push(out, "{\"content\":[");
    push_text_block(out, text);
    push(out, "]}");
}

/// Appends an error result with one text block.
pub(super) fn failure(out: &mut Vec<u8>, text: &str) {
    push(out, "{\"content\":[");
    push_text_block(out, text);
    push(out, "],\"isError\":true}");
}

/// Appends a result with `json`, an object on one line, as structured content, and with `text`.
pub(super) fn push_structured(out: &mut Vec<u8>, text: &str, json: &str) {
    push(out, "{\"content\":[");
    push_text_block(out, text);
    push(out, "],\"structuredContent\":");
    push(out, json);
    push(out, "}");
}

/// Appends a result with `json`, an object on one line, as structured content and as text.
pub(super) fn push_mirrored(out: &mut Vec<u8>, json: &str) {
    push_structured(out, json, json);
}

/// Appends a text block, for results that are assembled by hand.
pub(super) fn push_text_block(out: &mut Vec<u8>, text: &str) {
    push(out, "{\"type\":\"text\",\"text\":");
    push_string(out, text);
    push(out, "}");
}
