//! What is no message: what can still be read of it, and its refusal.

use bytes::Bytes;
use manila::request_envelope::{Refused, Request};
use manila::{Code, RawJson, Violation};

use super::encode::Encoded;
use crate::gateway::Gateway;
use crate::gateway::dispatch::{Arrival, EncodedResponse, refuse};
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
    name: Option<RawJson>,
    meta: Option<RawJson>,
    /// Its size.
    n_bytes: usize,
}

impl Malformed {
    /// Reads what can be read of these bytes.
    pub(super) fn read(bytes: &Bytes, id: Option<RawJson>) -> Malformed {
        let value = RawJson::parse_payload(bytes.clone()).ok();
        let params = value.as_ref().and_then(|value| value.get("params"));
        Malformed {
            id,
            method: text_of(value.as_ref(), "method"),
            name: params.as_ref().and_then(|params| params.get("name")),
            meta: params.and_then(|params| params.get("_meta")),
            n_bytes: bytes.len(),
        }
    }

    /// A message that is too large to be kept.
    pub(super) fn unread(id: Option<RawJson>, n_bytes: usize) -> Malformed {
        Malformed { id, n_bytes, ..Malformed::default() }
    }

    /// What is known of a request that its transport does not take.
    pub(super) fn of(request: &Request) -> Malformed {
        Malformed {
            id: Some(request.id.clone()),
            method: Some(request.method.clone()),
            name: request.name.clone(),
            meta: request.meta.clone(),
            n_bytes: request.frame.as_bytes().len(),
        }
    }

    /// A call over plain HTTP, which has no JSON-RPC id and a body of `n_bytes`.
    pub(super) fn plain(request: &Request, n_bytes: usize) -> Malformed {
        Malformed { id: None, n_bytes, ..Malformed::of(request) }
    }

    /// The `_meta` of its parameters.
    pub(super) fn meta(&self) -> Option<&RawJson> {
        self.meta.as_ref()
    }

    /// What the record of its refusal says of it.
    pub(super) fn arrival(&self) -> Arrival<'_> {
        let Malformed { id, method, name, meta, n_bytes } = self;
        let (id, method, n_bytes) = (id.as_ref(), method.as_deref(), *n_bytes);
        Arrival { id, method, name: name.as_ref(), meta: meta.as_ref(), n_bytes }
    }

    /// Refuses it, with what `encode` makes of that.
    pub(super) fn refuse(
        &self,
        gateway: &Gateway,
        origin: &Origin,
        fault: Fault,
        encode: impl FnOnce(&Response) -> Encoded,
    ) -> Encoded {
        tell(gateway, &fault);
        refuse(gateway, &self.arrival(), origin, &Response::Refused(fault), encode)
    }
}

/// Reports a refusal as an event.
pub(super) fn tell(gateway: &Gateway, fault: &Fault) {
    let why = fault.violations.first().map(Violation::to_string).unwrap_or_default();
    gateway.tell(Event::Refused(why));
}

/// The fault of a message that is none.
pub(super) fn fault(refused: Refused) -> (Fault, Option<RawJson>) {
    let Refused { code, violation, id } = refused;
    (Fault::new(code).violation(violation), id)
}

/// The fault of a message that is larger than this.
pub(super) fn too_large(bytes_max: usize) -> Fault {
    let message = format!("has more than {bytes_max} bytes, the most that is read");
    Fault::new(Code::TooLarge).violation(Violation::new("", "maxLength", message))
}

/// The fault of a call that comes as a notification.
pub(super) fn without_id() -> Fault {
    let message = "is required: a call without one could not be answered";
    Fault::new(Code::InvalidEnvelope).violation(Violation::new("/id", "required", message))
}

/// Records a call that comes as a notification, where nothing is answered. `origin` is made with
/// its `_meta`.
pub(super) fn record_call_without_id(
    gateway: &Gateway,
    origin: impl FnOnce(Option<&RawJson>) -> Origin,
    frame: &Bytes,
) {
    let malformed = Malformed::read(frame, None);
    let (origin, response) = (origin(malformed.meta()), Response::Refused(without_id()));
    refuse(gateway, &malformed.arrival(), &origin, &response, |_| Unanswered);
}

/// Nothing, for a message that is not answered.
struct Unanswered;

impl EncodedResponse for Unanswered {
    fn n_bytes(&self) -> usize {
        0
    }
}
