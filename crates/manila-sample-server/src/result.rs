//! Results of tools: the shapes that most of them share.

use super::answer::{push, push_string};

/// One text block.
pub(super) fn text(out: &mut Vec<u8>, text: &str) {
    push(out, "{\"content\":[");
    push_text_block(out, text);
    push(out, "]}");
}

/// One text block that says what went wrong.
pub(super) fn failure(out: &mut Vec<u8>, text: &str) {
    push(out, "{\"content\":[");
    push_text_block(out, text);
    push(out, "],\"isError\":true}");
}

/// `json`, an object on one line, as structured content, with `text` beside it.
pub(super) fn structured(out: &mut Vec<u8>, text: &str, json: &str) {
    push(out, "{\"content\":[");
    push_text_block(out, text);
    push(out, "],\"structuredContent\":");
    push(out, json);
    push(out, "}");
}

/// `json`, an object on one line, as structured content and once more as text.
pub(super) fn mirrored(out: &mut Vec<u8>, json: &str) {
    structured(out, json, json);
}

/// A text block alone, for results that are put together by hand.
pub(super) fn push_text_block(out: &mut Vec<u8>, text: &str) {
    push(out, "{\"type\":\"text\",\"text\":");
    push_string(out, text);
    push(out, "}");
}
