//! The head of a request over HTTP: what it asks for, and who sends it. It is read once, before
//! anything else looks at the request.

use std::borrow::Cow;

use hyper::Method;
use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::http::request::Parts;
use manila::RawJson;

use crate::admit::{Limits, authenticate};
use crate::protocol::jsonrpc::Fault;
use crate::protocol::origin::{BesideMessage, Origin, Principal};

/// The head of a request.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) method: Method,
    /// The path as it was written: only a tool's name is decoded.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    /// Who sends it, or why nobody is known to.
    principal: Result<Principal, Fault>,
}

impl Head {
    pub(super) fn read(parts: Parts, limits: &Limits) -> Head {
        let Parts { method, uri, headers, .. } = parts;
        let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let principal = authenticate(authorization, limits);
        Head { method, path: uri.path().to_owned(), headers, principal }
    }

    /// Why its sender is refused, if it is.
    pub(super) fn refusal(&self) -> Option<&Fault> {
        self.principal.as_ref().err()
    }

    /// Who sends it.
    pub(super) fn principal(&self) -> Principal {
        self.principal.as_ref().copied().unwrap_or(Principal::Unknown)
    }

    /// Whether it asks for something to be shown.
    pub(super) fn is_get(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    /// The value of a header, if it is a text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The origin of a request to this endpoint. What its `_meta` says wins over headers, and an
    /// envelope's id counts last.
    pub(super) fn origin(
        &self,
        route: impl Into<Cow<'static, str>>,
        meta: Option<&RawJson>,
        envelope_id: Option<&str>,
    ) -> Origin {
        let beside = BesideMessage {
            request_id: self.header("x-request-id"),
            envelope_id,
            traceparent: self.header("traceparent"),
        };
        Origin::http(self.principal(), route, meta, beside)
    }
}
