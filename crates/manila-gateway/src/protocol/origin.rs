//! Where a request comes from: who sends it, how, and under which ids it is known.

use std::borrow::Cow;

use manila::stage::record::Transport;
use manila::{Context, Contract, RawJson};

use super::own_meta;
use super::trace::TraceContext;
use crate::rt::clock;

/// Where a request comes from.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// Who sends it.
    pub(crate) principal: Principal,
    /// How it comes.
    pub(crate) transport: Transport,
    /// The endpoint on its transport.
    pub(crate) route: Cow<'static, str>,
    /// The id of the request, as envelopes and the journal know it.
    pub(crate) request_id: RequestId,
    /// The trace that it belongs to.
    pub(crate) trace: TraceContext,
}

/// Who sends a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Principal {
    /// Whoever can reach the gateway: standard input, or HTTP on loopback without keys.
    Local,
    /// A sender whose credentials are missing or wrong. It may call nothing.
    Unknown,
}

/// The request id of a call: the caller's own, or one that each contract spells in its own way.
#[derive(Debug, Clone)]
pub(crate) struct RequestId {
    /// The caller's own.
    pub(crate) given: Option<String>,
    /// From which an id is made where the caller gave none.
    pub(crate) fresh: [u8; 16],
}

/// The ids that a transport carries beside a message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BesideMessage<'a> {
    /// A caller's request id.
    pub(crate) request_id: Option<&'a str>,
    /// The id of a strict envelope, which counts where no other is given.
    pub(crate) envelope_id: Option<&'a str>,
    /// A caller's trace, as W3C Trace Context spells it.
    pub(crate) traceparent: Option<&'a str>,
}

impl Origin {
    /// The origin of a request that came over a pipe with this `_meta`. The transport has one
    /// endpoint, which is called like it.
    pub(crate) fn pipe(transport: Transport, meta: Option<&RawJson>) -> Origin {
        let (principal, route) = (Principal::Local, Cow::Borrowed(transport.name()));
        Origin::new(principal, transport, route, meta, BesideMessage::default())
    }

    /// The origin of a request that came over HTTP. What its `_meta` says wins over its headers.
    pub(crate) fn http(
        principal: Principal,
        route: impl Into<Cow<'static, str>>,
        meta: Option<&RawJson>,
        headers: BesideMessage<'_>,
    ) -> Origin {
        Origin::new(principal, Transport::Http, route.into(), meta, headers)
    }

    fn new(
        principal: Principal,
        transport: Transport,
        route: Cow<'static, str>,
        meta: Option<&RawJson>,
        beside: BesideMessage<'_>,
    ) -> Origin {
        let text = |key: &str| meta?.get(key)?.as_text().map(Cow::into_owned);
        let given = text(own_meta::REQUEST_ID).filter(|id| RequestId::is_usable(id));
        let beside_it = || beside.request_id.into_iter().chain(beside.envelope_id);
        let given =
            given.or_else(|| beside_it().find(|id| RequestId::is_usable(id)).map(str::to_owned));
        let traceparent = text(own_meta::TRACEPARENT);
        let traceparent = traceparent.as_deref().or(beside.traceparent);
        let fresh = clock::fresh();
        Origin {
            principal,
            transport,
            route,
            request_id: RequestId { given, fresh },
            trace: TraceContext::continued(traceparent, fresh),
        }
    }
}

impl RequestId {
    /// Whether an id of a caller's can be used (R5): short, and nothing that moves a cursor.
    fn is_usable(id: &str) -> bool {
        const CHARS_MAX: usize = 128;
        !id.trim().is_empty() && id.chars().count() <= CHARS_MAX && !id.contains(char::is_control)
    }

    /// The id by which a request is known: that of its envelope, or the caller's, or a fresh one.
    ///
    /// A server may have made the envelope. Its id is used only if it could be a caller's.
    pub(crate) fn known_as<'a>(&'a self, in_envelope: Option<&'a str>) -> Cow<'a, str> {
        let usable = in_envelope.filter(|id| RequestId::is_usable(id));
        if let Some(id) = usable.or(self.given.as_deref().map(str::trim)) {
            return Cow::Borrowed(id);
        }
        let context = Context::new(self.fresh);
        Cow::Owned(manila::request_id(Contract::default(), None, &context))
    }
}
