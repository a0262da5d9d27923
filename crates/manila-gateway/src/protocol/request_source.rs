//! The source of a request: its sender, its transport and its ids.

use std::borrow::Cow;

use manila::stage::record::Transport;
use manila::{Context, Contract, RawJson};

use super::meta_keys;
use super::trace::TraceContext;
use crate::rt::clock;

/// The source of a request.
#[derive(Debug, Clone)]
pub(crate) struct RequestSource {
    /// The sender.
    pub(crate) principal: Principal,
    /// The transport.
    pub(crate) transport: Transport,
    /// The endpoint of the transport.
    pub(crate) route: Cow<'static, str>,
    /// The id of the request in envelopes and in the journal.
    pub(crate) request_id: RequestId,
    /// The trace of the request.
    pub(crate) trace: TraceContext,
}

/// The sender of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Principal {
    /// Any sender that can reach the gateway: standard input, or HTTP on loopback without keys.
    Local,
    /// A sender whose credentials are missing or wrong. It may call nothing.
    Unknown,
}

/// The request id of a call: the caller's, or a generated one in the format of the contract.
#[derive(Debug, Clone)]
pub(crate) struct RequestId {
    /// The caller's id, if it sent one.
    pub(crate) given: Option<String>,
    /// The random bytes of a generated id.
    pub(crate) fresh: [u8; 16],
}

/// The ids that a transport sends beside a message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TransportIds<'a> {
    /// The caller's request id.
    pub(crate) request_id: Option<&'a str>,
    /// The id of a strict envelope, which is used if no other is given.
    pub(crate) envelope_id: Option<&'a str>,
    /// The caller's trace, in the format of W3C Trace Context.
    pub(crate) traceparent: Option<&'a str>,
}

impl RequestSource {
    /// Creates the source of a request over a pipe with this `_meta`. A pipe has only one endpoint,
    /// so the route is the name of the transport.
    pub(crate) fn pipe(transport: Transport, meta: Option<&RawJson>) -> RequestSource {
        let (principal, route) = (Principal::Local, Cow::Borrowed(transport.name()));
        RequestSource::new(principal, transport, route, meta, TransportIds::default())
    }

    /// Creates the source of a request over HTTP. Its `_meta` takes precedence over its headers.
    pub(crate) fn http(
        principal: Principal,
        route: impl Into<Cow<'static, str>>,
        meta: Option<&RawJson>,
        headers: TransportIds<'_>,
    ) -> RequestSource {
        RequestSource::new(principal, Transport::Http, route.into(), meta, headers)
    }

    fn new(
        principal: Principal,
        transport: Transport,
        route: Cow<'static, str>,
        meta: Option<&RawJson>,
        transport_ids: TransportIds<'_>,
    ) -> RequestSource {
        let text = |key: &str| meta?.get(key)?.as_text().map(Cow::into_owned);
        let given = text(meta_keys::REQUEST_ID).filter(|id| RequestId::is_usable(id));
        let mut others = transport_ids.request_id.into_iter().chain(transport_ids.envelope_id);
        let given = given.or_else(|| others.find(|id| RequestId::is_usable(id)).map(str::to_owned));
        let traceparent = text(meta_keys::TRACEPARENT);
        let traceparent = traceparent.as_deref().or(transport_ids.traceparent);
        let fresh = clock::random_id();
        RequestSource {
            principal,
            transport,
            route,
            request_id: RequestId { given, fresh },
            trace: TraceContext::continue_or_start(traceparent, fresh),
        }
    }
}

impl RequestId {
    /// Returns whether a caller's id can be used (R5): it is short, and has no control characters.
    fn is_usable(id: &str) -> bool {
        const CHARS_MAX: usize = 128;
        !id.trim().is_empty() && id.chars().count() <= CHARS_MAX && !id.contains(char::is_control)
    }

    /// Returns the id of a request: that of its envelope, or the caller's, or a generated one.
    ///
    /// A server may have written the envelope. Its id is used only if it would be usable as a
    /// caller's.
    pub(crate) fn effective_id<'a>(&'a self, envelope_id: Option<&'a str>) -> Cow<'a, str> {
        let usable = envelope_id.filter(|id| RequestId::is_usable(id));
        if let Some(id) = usable.or(self.given.as_deref().map(str::trim)) {
            return Cow::Borrowed(id);
        }
        let context = Context::new(self.fresh);
        Cow::Owned(manila::format_request_id(Contract::default(), None, &context))
    }
}
