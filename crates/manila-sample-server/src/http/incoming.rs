//! A request as HTTP has it: method, path, headers, body.

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderValue};

/// One request.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) method: Method,
    /// Without a query.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Incoming {
    /// The value of the header `name`, which is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.get(name).map(HeaderValue::as_bytes)
    }

    /// The same as text, if it is one of visible ASCII.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let value = self.header(name).filter(|value| value.is_ascii())?;
        str::from_utf8(value).ok()
    }
}

/// Why a request is not served, with the status that says so.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: u16,
    /// One sentence for people.
    pub(super) why: &'static str,
}

impl Refused {
    pub(super) const fn new(status: u16, why: &'static str) -> Refused {
        Refused { status, why }
    }
}
