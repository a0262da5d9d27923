//! What is no message: what can still be read of it, and its refusal.

use bytes::Bytes;
use manila::request_envelope::{Refused, Request};
use manila::{RawJson, Violation};

use super::encode::Encoded;
use crate::gateway::Gateway;
use crate::gateway::dispatch::{Arrival, refuse};
use crate::gateway::response::Response;
use crate::protocol::jsonrpc::{Fault, text_of};
use crate::protocol::origin::Origin;
use crate::telemetry::event::Event;

/// What could be read of a message that is none.
#[derive(Debug, Clone, Default)]
pub(super) struct Malformed {
    pub(super) id: Option<RawJson>,
    /// The method as it was sent.
    method: Option<String>,
    /// Its size.
    n_bytes: usize,
}

impl Malformed {
    /// Reads what can be read of these bytes.
    pub(super) fn read(bytes: &Bytes, id: Option<RawJson>) -> Malformed {
        let value = RawJson::parse_payload(bytes.clone()).ok();
        Malformed { id, method: text_of(value.as_ref(), "method"), n_bytes: bytes.len() }
    }

    /// A message that is too large to be kept.
    pub(super) fn unread(id: Option<RawJson>, n_bytes: usize) -> Malformed {
        Malformed { id, method: None, n_bytes }
    }

    /// What is known of a request that its transport does not take.
    pub(super) fn of(request: &Request) -> Malformed {
        let n_bytes = request.frame.as_bytes().len();
        Malformed { id: Some(request.id.clone()), method: Some(request.method.clone()), n_bytes }
    }

    pub(super) fn arrival(&self) -> Arrival<'_> {
        let Malformed { id, method, n_bytes } = self;
        let (id, method) = (id.as_ref(), method.as_deref());
        Arrival { id, method, n_bytes: *n_bytes, ..Arrival::default() }
    }

    /// Refuses it, with what `encode` makes of that.
    pub(super) fn refuse(
        &self,
        gateway: &Gateway,
        origin: &Origin,
        fault: Fault,
        encode: impl FnOnce(&Response) -> Encoded,
    ) -> Encoded {
        let why = fault.violations.first().map(Violation::to_string).unwrap_or_default();
        gateway.tell(Event::Refused(why));
        let response = Response::Refused(fault);
        refuse(gateway, &self.arrival(), origin, &response, encode)
    }
}

/// The fault of a message that is none.
pub(super) fn fault(refused: Refused) -> (Fault, Option<RawJson>) {
    let Refused { code, violation, id } = refused;
    (Fault::new(code).violation(violation), id)
}
