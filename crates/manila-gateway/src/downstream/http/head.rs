//! The head of an HTTP request: method, path, headers and principal. It is read once, before any
//! other code sees the request.

use std::borrow::Cow;

use hyper::Method;
use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use manila::RawJson;

use crate::admit::{Limits, authenticate};
use crate::protocol::jsonrpc::Fault;
use crate::protocol::request_source::{Principal, RequestSource, TransportIds};

/// The head of a request.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) method: Method,
    /// The path as sent. Only a tool's name is percent-decoded later.
    pub(super) path: String,
    /// The host and port in the request target, if it has them.
    pub(super) authority: Option<Authority>,
    pub(super) headers: HeaderMap,
    /// The sender, or the fault if it is not authenticated.
    principal: Result<Principal, Fault>,
}

impl Head {
    pub(super) fn read(parts: Parts, limits: &Limits) -> Head {
        let Parts { method, uri, headers, .. } = parts;
        let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let principal = authenticate(authorization, limits);
        let (path, authority) = (uri.path().to_owned(), uri.authority().cloned());
        Head { method, path, authority, headers, principal }
    }

    /// Returns the fault if the sender is not authenticated.
    pub(super) fn refusal(&self) -> Option<&Fault> {
        self.principal.as_ref().err()
    }

    /// Returns the principal, or `Principal::Unknown` if the sender is not authenticated.
    pub(super) fn principal(&self) -> Principal {
        self.principal.as_ref().copied().unwrap_or(Principal::Unknown)
    }

    /// Returns whether the method is `GET` or `HEAD`.
    pub(super) fn is_get(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Returns the value of a header, if it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the source of a request to this route. Its `_meta` takes precedence over headers,
    /// and headers over the id of a request envelope.
    pub(super) fn request_source(
        &self,
        route: impl Into<Cow<'static, str>>,
        meta: Option<&RawJson>,
        envelope_id: Option<&str>,
    ) -> RequestSource {
        let ids = TransportIds {
            request_id: self.header("x-request-id"),
            envelope_id,
            traceparent: self.header("traceparent"),
        };
        RequestSource::http(self.principal(), route, meta, ids)
    }
}
