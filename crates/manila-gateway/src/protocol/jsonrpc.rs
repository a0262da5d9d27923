//! Writing JSON-RPC: messages of ours, and others' with nothing changed but the id.

use bytes::Bytes;
use manila::json::Emit;
pub(crate) use manila::jsonrpc::{error, large_result, notification, request, result};
use manila::{Code, RawJson, Violation};

/// `whole` with its part `part` replaced, such as a message with another id: order, spelling
/// and unknown members stay. `part` must be a slice of `whole`.
pub(crate) fn replaced(whole: &RawJson, part: &RawJson, with: &[u8]) -> Bytes {
    let (whole, part) = (whole.as_bytes(), part.as_bytes());
    let start = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
    let before = whole.get(..start).unwrap_or_default();
    let after = whole.get(start + part.len()..).unwrap_or_default();
    let mut out = Vec::with_capacity(before.len() + with.len() + after.len());
    out.extend_from_slice(before);
    out.extend_from_slice(with);
    out.extend_from_slice(after);
    out.into()
}

/// As `replaced`, for two parts that become the same.
pub(crate) fn both_replaced(whole: &RawJson, parts: [&RawJson; 2], with: &[u8]) -> Bytes {
    let whole = whole.as_bytes();
    let place = |part: &RawJson| {
        let start = part.as_bytes().as_ptr().addr().saturating_sub(whole.as_ptr().addr());
        (start, start + part.as_bytes().len())
    };
    let mut places = parts.map(place);
    places.sort_unstable();
    let mut out = Vec::with_capacity(whole.len() + 2 * with.len());
    let mut done = 0;
    for (start, end) in places {
        out.extend_from_slice(whole.get(done..start).unwrap_or_default());
        out.extend_from_slice(with);
        done = end;
    }
    out.extend_from_slice(whole.get(done..).unwrap_or_default());
    out.into()
}

/// As `replaced`, for any number of parts.
pub(crate) fn all_replaced(whole: &RawJson, parts: Vec<(&RawJson, Vec<u8>)>) -> Bytes {
    let whole = whole.as_bytes();
    let place = |part: &RawJson| {
        let start = part.as_bytes().as_ptr().addr().saturating_sub(whole.as_ptr().addr());
        (start, start + part.as_bytes().len())
    };
    let mut places: Vec<_> = parts.into_iter().map(|(part, with)| (place(part), with)).collect();
    places.sort_unstable();
    let mut out = Vec::with_capacity(whole.len());
    let mut done = 0;
    for ((start, end), with) in places {
        out.extend_from_slice(whole.get(done..start).unwrap_or_default());
        out.extend_from_slice(&with);
        done = end;
    }
    out.extend_from_slice(whole.get(done..).unwrap_or_default());
    out.into()
}

/// JSON without line breaks between its tokens: messages are handed on as lines.
pub(crate) fn one_line(json: Bytes) -> Option<Bytes> {
    if memchr::memchr2(b'\n', b'\r', &json).is_none() {
        return Some(json);
    }
    let trimmed = json.slice_ref(json.trim_ascii());
    if memchr::memchr2(b'\n', b'\r', &trimmed).is_none() {
        return Some(trimmed);
    }
    Some(RawJson::parse_payload(trimmed).ok()?.compact())
}

/// A part of a message of ours, such as an error object.
pub(crate) fn written(part: &impl Emit) -> manila::JsonObject {
    let mut out = Vec::with_capacity(256);
    part.emit(&mut out);
    let part = RawJson::parse(out).ok().and_then(manila::JsonObject::new);
    part.unwrap_or_default()
}

/// The error object of a failure that has no envelope (Q4, on MCP).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: Code,
    /// What happened, where the catalogue's words do not say it.
    pub(crate) message: Option<String>,
    pub(crate) violations: Vec<Violation>,
}

impl Fault {
    pub(crate) fn new(code: Code) -> Fault {
        Fault { code, message: None, violations: Vec::new() }
    }

    pub(crate) fn message(mut self, message: impl Into<String>) -> Fault {
        self.message = Some(message.into());
        self
    }

    pub(crate) fn violation(mut self, violation: Violation) -> Fault {
        self.violations.push(violation);
        self
    }
}

impl Emit for Fault {
    fn emit(&self, out: &mut Vec<u8>) {
        let Fault { code, message, violations } = self;
        code.jsonrpc_error_mcp(message.as_deref(), violations).emit(out);
    }
}

#[cfg(test)]
mod tests;
