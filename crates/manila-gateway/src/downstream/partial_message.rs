//! Malformed messages: the parts that can still be read, and their refusal.

use bytes::Bytes;
use manila::request_envelope::{Message, RefusedMessage, Request};
use manila::{Code, RawJson, Violation};

use super::encode::Encoded;
use crate::gateway::Gateway;
use crate::gateway::dispatch::{Arrival, EncodedResponse, refuse};
use crate::gateway::response::Response;
use crate::protocol::id_scan::{IdScan, ScannedMessage};
use crate::protocol::jsonrpc::{Fault, one_line, text_of};
use crate::protocol::request_source::RequestSource;
use crate::rt::offload::{self, Work};
use crate::telemetry::event::Event;

/// The parts of a malformed or refused message that could be read.
#[derive(Debug, Clone, Default)]
pub(super) struct PartialMessage {
    pub(super) id: Option<RawJson>,
    /// The method, as the client sent it.
    method: Option<String>,
    name: Option<RawJson>,
    meta: Option<RawJson>,
    /// The size of the message.
    n_bytes: usize,
}

impl PartialMessage {
    /// Reads those parts of a message that are readable.
    pub(super) fn read(bytes: &Bytes, id: Option<RawJson>) -> PartialMessage {
        let value = RawJson::parse_payload(bytes.clone()).ok();
        let params = value.as_ref().and_then(|value| value.get("params"));
        PartialMessage {
            id,
            method: text_of(value.as_ref(), "method"),
            name: params.as_ref().and_then(|params| params.get("name")),
            meta: params.and_then(|params| params.get("_meta")),
            n_bytes: bytes.len(),
        }
    }

    /// Describes a message of which only the id, if any, and the size are known.
    pub(super) fn from_size(id: Option<RawJson>, n_bytes: usize) -> PartialMessage {
        PartialMessage { id, n_bytes, ..PartialMessage::default() }
    }

    /// Describes a request that its transport refuses.
    pub(super) fn of(request: &Request) -> PartialMessage {
        PartialMessage {
            id: Some(request.id.clone()),
            method: Some(request.method.clone()),
            name: request.name.clone(),
            meta: request.meta.clone(),
            n_bytes: request.frame.as_bytes().len(),
        }
    }

    /// Describes a call over plain HTTP, which has no JSON-RPC id and a body of `n_bytes`.
    pub(super) fn of_plain_call(request: &Request, n_bytes: usize) -> PartialMessage {
        PartialMessage { id: None, n_bytes, ..PartialMessage::of(request) }
    }

    /// Returns the `_meta` of its parameters.
    pub(super) fn meta(&self) -> Option<&RawJson> {
        self.meta.as_ref()
    }

    /// Returns its description for the journal.
    pub(super) fn arrival(&self) -> Arrival<'_> {
        let PartialMessage { id, method, name, meta, n_bytes } = self;
        let (id, method, n_bytes) = (id.as_ref(), method.as_deref(), *n_bytes);
        Arrival { id, method, name: name.as_ref(), meta: meta.as_ref(), n_bytes }
    }

    /// Refuses the message, and records the refusal. `encode` encodes the response.
    pub(super) fn refuse(
        &self,
        gateway: &Gateway,
        source: &RequestSource,
        fault: Fault,
        encode: impl FnOnce(&Response) -> Encoded,
    ) -> Encoded {
        report(gateway, &fault);
        refuse(gateway, &self.arrival(), source, &Response::Refused(fault), encode)
    }
}

/// Reports a refusal as an event.
pub(super) fn report(gateway: &Gateway, fault: &Fault) {
    let reason = fault.violations.first().map(describe).unwrap_or_default();
    report_refused_message(gateway, &reason);
}

/// Describes a violation. If it concerns the whole message, it has no pointer and gets a subject.
fn describe(violation: &Violation) -> String {
    const VERBS: [&str; 5] = ["is ", "has ", "must ", "exceeds ", "contains "];
    let starts_with_verb = VERBS.iter().any(|verb| violation.message.starts_with(verb));
    let subject = if violation.pointer.is_empty() && starts_with_verb { "it " } else { "" };
    format!("{subject}{violation}")
}

/// Reports a refused message of a client as an event.
pub(super) fn report_refused_message(gateway: &Gateway, reason: &str) {
    gateway.report(Event::Refused(format!("a message from the client: {reason}")));
}

/// Reports a client's response that matches no request. The event names a short id only.
pub(super) fn report_unmatched_response(gateway: &Gateway, id: Option<&RawJson>) {
    const ID_BYTES_MAX: usize = 40;
    let id = id.filter(|id| id.as_bytes().len() <= ID_BYTES_MAX);
    let id = id.map(|id| format!(" with the id {id}")).unwrap_or_default();
    report_refused_message(gateway, &format!("a response{id} that matches no request"));
}

/// A message that cannot be parsed.
pub(super) struct Malformed {
    pub(super) fault: Fault,
    /// The id that a response to it must have, if it can be determined.
    pub(super) id: Option<RawJson>,
    /// The parts that can still be read.
    pub(super) partial: PartialMessage,
    /// Whether it looks like a response.
    pub(super) is_response: bool,
}

impl Malformed {
    fn read(refused: RefusedMessage, message: &Bytes) -> Malformed {
        let RefusedMessage { code, violation, id } = refused;
        let ScannedMessage { id: found, is_response, .. } = IdScan::scan(message);
        let partial = PartialMessage::read(message, found);
        Malformed { fault: Fault::new(code).violation(violation), id, partial, is_response }
    }
}

/// Parses a message. A large one is parsed on the pool.
pub(super) async fn parse(message: Bytes) -> Result<Message, Box<Malformed>> {
    offload::run(work_of_parsing(&message), move || parse_here(message)).await
}

/// Returns the work of parsing a message.
pub(super) fn work_of_parsing(message: &Bytes) -> Work {
    Work::Scan(message.len())
}

/// Parses a message, which may span several lines, on this thread.
pub(super) fn parse_here(message: Bytes) -> Result<Message, Box<Malformed>> {
    // Invalid JSON is refused below.
    let message = one_line(message.clone()).unwrap_or(message);
    Message::from_json(message.clone())
        .map_err(|refused| Box::new(Malformed::read(refused, &message)))
}

/// Returns the fault for a message that is larger than `bytes_max`.
pub(super) fn too_large(bytes_max: usize) -> Fault {
    let message = format!("exceeds the limit of {bytes_max} bytes");
    Fault::new(Code::TooLarge).violation(Violation::new("", "maxLength", message))
}

/// Returns the fault for a call that is sent as a notification.
pub(super) fn without_id() -> Fault {
    let message = "is required: there is no response to a call without one";
    Fault::new(Code::InvalidEnvelope).violation(Violation::new("/id", "required", message))
}

/// Records a call that is sent as a notification, and so gets no response.
///
/// `source` creates the request's source from the call's `_meta`.
pub(super) fn record_call_without_id(
    gateway: &Gateway,
    source: impl FnOnce(Option<&RawJson>) -> RequestSource,
    frame: &Bytes,
) {
    let partial = PartialMessage::read(frame, None);
    let (source, response) = (source(partial.meta()), Response::Refused(without_id()));
    refuse(gateway, &partial.arrival(), &source, &response, |_| NoResponse);
}

/// The absent response to a notification.
struct NoResponse;

impl EncodedResponse for NoResponse {
    fn n_bytes(&self) -> usize {
        0
    }
}
