//! Deterministic ids, which depend only on the request.

use uuid::Uuid;

use crate::raw_json::{JsonObject, RawJson, key_sorted};

/// Q7: the namespace of every deterministic id.
const NAMESPACE: Uuid = Uuid::from_u128(0xc1fd_1c20_77b7_4f73_b39c_8ed2_dd2f_2d8c);

/// The purpose of a deterministic id. Ids with different purposes are always different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdPurpose {
    /// The request itself.
    Request,
    /// The trace of the request.
    Trace,
    /// The span of the request in its trace.
    Span,
}

/// Returns the bytes of a version 5 UUID of the request (Q7). `method` is the transport-neutral
/// name, so that every transport gives the same id.
#[must_use]
pub fn deterministic_id(purpose: IdPurpose, method: &str, payload: &RawJson) -> [u8; 16] {
    let request = JsonObject::build(|object| {
        object.member("method", method);
        object.member("payload", payload);
        object.member("route", method);
    });
    let prefix: &[u8] = match purpose {
        IdPurpose::Request => b"req:",
        IdPurpose::Trace => b"trace:",
        IdPurpose::Span => b"span:",
    };
    let name = [prefix, &key_sorted(request.as_raw())].concat();
    Uuid::new_v5(&NAMESPACE, &name).into_bytes()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0x0F)]).collect()
}

#[cfg(test)]
mod tests;
