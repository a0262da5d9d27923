//! Messages to the client: responses, notifications and requests, written byte by byte.

use std::io::Write;

use serde_json::value::RawValue;

use super::rpc_error::RpcError;

/// Begins the response to the request with this id, as written. The result follows, then [`close`].
pub(super) fn open(out: &mut Vec<u8>, id: &str) {
    push(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    push(out, id);
    push(out, ",\"result\":");
}

/// Ends the response that [`open`] began.
pub(super) fn close(out: &mut Vec<u8>) {
    push(out, "}\n");
}

/// Appends the error response to a refused request, without an id if none could be read.
pub(super) fn error(out: &mut Vec<u8>, id: Option<&RawValue>, error: &RpcError) {
    push(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    push(out, id.map_or("null", RawValue::get));
    push(out, ",\"error\":{\"code\":");
    push_display(out, error.code);
    push(out, ",\"message\":");
    push_string(out, &error.message);
    if let Some(data) = &error.data {
        push(out, ",\"data\":");
        push(out, data);
    }
    push(out, "}}\n");
}

/// Appends a notification; `params` is JSON text on one line.
pub(super) fn notification(out: &mut Vec<u8>, method: &str, params: &str) {
    push(out, "{\"jsonrpc\":\"2.0\",\"method\":");
    push_string(out, method);
    push(out, ",\"params\":");
    push(out, params);
    push(out, "}\n");
}

/// Appends a request to the client; `params` is JSON text on one line.
pub(super) fn request(out: &mut Vec<u8>, id: u64, method: &str, params: &str) {
    push(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    push_display(out, id);
    push(out, ",\"method\":");
    push_string(out, method);
    push(out, ",\"params\":");
    push(out, params);
    push(out, "}\n");
}

/// Appends text unchanged.
pub(super) fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends a number, or another value whose `Display` output is JSON.
pub(super) fn push_display(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    write!(out, "{value}").expect("writing to a vector cannot fail");
}

/// Appends `text` as a JSON string, with quotes and escapes.
pub(super) fn push_string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("writing text to a vector cannot fail");
}

/// Appends JSON text of several lines as one line.
///
/// No JSON string spans lines, so whitespace at either end of a line is only indentation.
pub(super) fn push_folded(out: &mut Vec<u8>, json: &str) {
    for line in json.lines() {
        push(out, line.trim());
    }
}
