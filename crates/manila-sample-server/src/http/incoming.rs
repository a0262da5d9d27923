//! An HTTP request: method, path, headers, body.

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderValue};

/// A request.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) method: Method,
    /// The path, without the query.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Incoming {
    /// Returns the value of the header `name`, which must be in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.get(name).map(HeaderValue::as_bytes)
    }

    /// Returns the value of the header `name` as text, if it is ASCII.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let value = self.header(name).filter(|value| value.is_ascii())?;
        str::from_utf8(value).ok()
    }
}

/// The refusal of a request: its HTTP status and reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: u16,
    /// The reason, for people.
    pub(super) reason: &'static str,
}

impl Refused {
    pub(super) const fn new(status: u16, reason: &'static str) -> Refused {
        Refused { status, reason }
    }
}
