//! The trace that a request belongs to, as W3C Trace Context has it.

use crate::rt::clock;

/// A trace, and our span in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TraceContext {
    trace_id: [u8; 16],
    span_id: [u8; 8],
    flags: u8,
}

/// The flag of a trace that is recorded. Ours are: the journal has every span.
const SAMPLED: u8 = 1;

impl TraceContext {
    /// Continues the trace that a caller names, or begins one. `fresh` is what our span is named
    /// after.
    pub(crate) fn continued(traceparent: Option<&str>, fresh: [u8; 16]) -> TraceContext {
        let [_, _, _, _, _, _, _, _, span_id @ ..] = fresh;
        match traceparent.and_then(parse) {
            Some((trace_id, flags)) => TraceContext { trace_id, span_id, flags },
            None => TraceContext { trace_id: clock::fresh(), span_id, flags: SAMPLED },
        }
    }

    /// The id of the trace, in hex digits.
    pub(crate) fn trace_id(&self) -> String {
        hex(&self.trace_id)
    }

    /// The id of our span, in hex digits.
    pub(crate) fn span_id(&self) -> String {
        hex(&self.span_id)
    }

    /// What servers are sent, so that their spans become children of ours.
    pub(crate) fn traceparent(&self) -> String {
        let mut written = Vec::with_capacity(55);
        written.extend_from_slice(b"00-");
        push_hex(&mut written, &self.trace_id);
        written.push(b'-');
        push_hex(&mut written, &self.span_id);
        written.push(b'-');
        push_hex(&mut written, &[self.flags]);
        String::from_utf8(written).unwrap_or_default()
    }
}

/// Reads the trace id and the flags of a `traceparent`. Later versions may have more parts.
fn parse(traceparent: &str) -> Option<([u8; 16], u8)> {
    let mut parts = traceparent.trim().split('-');
    let [version] = bytes::<1>(parts.next()?)?;
    let trace_id = bytes::<16>(parts.next()?)?;
    let parent_id = bytes::<8>(parts.next()?)?;
    let [flags] = bytes::<1>(parts.next()?)?;
    let is_whole = version != 0xff && (version != 0 || parts.next().is_none());
    let is_valid = is_whole && trace_id != [0; 16] && parent_id != [0; 8];
    is_valid.then_some((trace_id, flags))
}

/// Reads lower-case hex digits.
fn bytes<const N: usize>(hex: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if hex.len() != 2 * N || hex.bytes().any(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..hex.len()).step_by(2)) {
        *byte = u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn hex(bytes: &[u8]) -> String {
    let mut hex = Vec::with_capacity(2 * bytes.len());
    push_hex(&mut hex, bytes);
    String::from_utf8(hex).unwrap_or_default()
}

fn push_hex(hex: &mut Vec<u8>, bytes: &[u8]) {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
    hex.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]));
}

#[cfg(test)]
mod tests;
