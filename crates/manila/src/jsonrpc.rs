//! Writing JSON-RPC messages. [`request_envelope`](crate::request_envelope) parses them.

use bytes::Bytes;

use crate::raw_json::{Emit, ObjectWriter, RawJson};

/// Writes a response with a result.
#[must_use]
pub fn result(id: &RawJson, result: &(impl Emit + ?Sized)) -> Bytes {
    message(256, |object| {
        object.member("id", id);
        object.member("result", result);
    })
}

/// Writes a response with a result of about `n_bytes`, without reallocating while it grows.
#[must_use]
pub fn large_result(id: &RawJson, result: &impl Emit, n_bytes: usize) -> Bytes {
    message(256 + n_bytes, |object| {
        object.member("id", id);
        object.member("result", result);
    })
}

/// Writes a response with an error object. `None` is written as `null`, for a request whose id
/// could not be read.
#[must_use]
pub fn error(id: Option<&RawJson>, error: &(impl Emit + ?Sized)) -> Bytes {
    message(256, |object| {
        match id {
            Some(id) => object.member("id", id),
            None => object.member("id", &Null),
        }
        object.member("error", error);
    })
}

/// Writes a request.
#[must_use]
pub fn request(id: u64, method: &str, params: &impl Emit) -> Bytes {
    message(256, |object| {
        object.member("id", &id);
        object.member("method", method);
        object.member("params", params);
    })
}

/// Writes a notification.
#[must_use]
pub fn notification(method: &str, params: &impl Emit) -> Bytes {
    message(128, |object| {
        object.member("method", method);
        object.member("params", params);
    })
}

fn message(n_bytes: usize, write: impl FnOnce(&mut ObjectWriter<'_>)) -> Bytes {
    let mut out = Vec::with_capacity(n_bytes);
    let mut object = ObjectWriter::begin(&mut out);
    object.member("jsonrpc", "2.0");
    write(&mut object);
    object.end();
    out.into()
}

/// A `null` that must be written.
struct Null;

impl Emit for Null {
    fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"null");
    }
}
