//! The trace of a request, as defined by W3C Trace Context.

use crate::rt::clock;

/// A trace, and the gateway's span in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TraceContext {
    trace_id: [u8; 16],
    span_id: [u8; 8],
    flags: u8,
}

/// The flag of a recorded trace. The gateway's own traces have it: the journal has every span.
const SAMPLED: u8 = 1;

impl TraceContext {
    /// Continues the caller's trace, or starts a new one. The span id is taken from `fresh`.
    pub(crate) fn continue_or_start(traceparent: Option<&str>, fresh: [u8; 16]) -> TraceContext {
        let [_, _, _, _, _, _, _, _, span_id @ ..] = fresh;
        match traceparent.and_then(parse) {
            Some((trace_id, flags)) => TraceContext { trace_id, span_id, flags },
            None => TraceContext { trace_id: clock::random_id(), span_id, flags: SAMPLED },
        }
    }

    /// Returns the id of the trace, in hex digits.
    pub(crate) fn trace_id(&self) -> String {
        hex(&self.trace_id)
    }

    /// Returns the id of the gateway's span, in hex digits.
    pub(crate) fn span_id(&self) -> String {
        hex(&self.span_id)
    }

    /// Returns the `traceparent` for servers, which makes their spans children of the gateway's.
    pub(crate) fn traceparent(&self) -> String {
        let mut text = Vec::with_capacity(55);
        text.extend_from_slice(b"00-");
        push_hex(&mut text, &self.trace_id);
        text.push(b'-');
        push_hex(&mut text, &self.span_id);
        text.push(b'-');
        push_hex(&mut text, &[self.flags]);
        String::from_utf8(text).unwrap_or_default()
    }
}

/// Parses the trace id and the flags of a `traceparent`. Later versions may have more parts.
fn parse(traceparent: &str) -> Option<([u8; 16], u8)> {
    let mut parts = traceparent.trim().split('-');
    let [version] = bytes::<1>(parts.next()?)?;
    let trace_id = bytes::<16>(parts.next()?)?;
    let parent_id = bytes::<8>(parts.next()?)?;
    let [flags] = bytes::<1>(parts.next()?)?;
    let is_complete = version != 0xff && (version != 0 || parts.next().is_none());
    let is_valid = is_complete && trace_id != [0; 16] && parent_id != [0; 8];
    is_valid.then_some((trace_id, flags))
}

/// Parses lower-case hex digits.
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
