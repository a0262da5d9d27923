//! The one way in: every request of every transport is admitted, answered and recorded here.

use std::borrow::Cow;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, RawJson};
use tokio::time::Instant;
use tracing::Instrument;

use super::record::{Completed, record};
use super::response::Response;
use super::{Gateway, answer};
use crate::admit::{Permit, admit};
use crate::backend::Failed;
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::origin::Origin;
use crate::rt::clock;
use crate::telemetry::event::Event;

/// What is known of a message that asks for something.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Arrival<'a> {
    /// The id of the JSON-RPC message; one that cannot be read may still have one.
    pub(crate) id: Option<&'a RawJson>,
    /// The method as it was sent, where it could be read.
    pub(crate) method: Option<&'a str>,
    /// The tool or the prompt that it asks for, where it names one.
    pub(crate) name: Option<&'a RawJson>,
    pub(crate) meta: Option<&'a RawJson>,
    /// Its size on the wire.
    pub(crate) n_bytes: usize,
}

impl<'a> Arrival<'a> {
    /// A request of which nothing but this size is known beside the message.
    pub(crate) fn of(request: &'a Request) -> Arrival<'a> {
        Arrival {
            id: Some(&request.id),
            method: Some(&request.method),
            name: request.name.as_ref(),
            meta: request.meta.as_ref(),
            n_bytes: request.frame.as_bytes().len(),
        }
    }
}

/// A response as a transport writes it.
pub(crate) trait EncodedResponse {
    /// Its size on the wire.
    fn n_bytes(&self) -> usize;
}

/// How dispatching a request ended.
pub(crate) enum Dispatched<E> {
    /// It was answered. The permit counts it as in flight for as long as its transport keeps it.
    Answered(E, Permit),
    /// It was not admitted, and this says so.
    Refused(E),
    /// Its caller took it back, and nobody waits for an answer.
    Cancelled,
}

impl<E> Dispatched<E> {
    /// What the caller is sent, if anything.
    pub(crate) fn into_encoded(self) -> Option<E> {
        match self {
            Dispatched::Answered(encoded, _) | Dispatched::Refused(encoded) => Some(encoded),
            Dispatched::Cancelled => None,
        }
    }
}

/// Admits a request, answers it, and writes its record once the answer is encoded.
///
/// Dropped before the end, the request counts as cancelled.
pub(crate) async fn dispatch<E: EncodedResponse>(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
    encode: impl FnOnce(&Response) -> E,
) -> Dispatched<E> {
    let answer = pin!(answer::answer(gateway, request, caller));
    dispatch_with(gateway, request, Arrival::of(request), caller, answer, encode).await
}

/// As `dispatch`, for a request that its transport answers itself, or of which it knows more.
///
/// The caller pins what answers: a future that is handed over by value is moved and kept twice.
pub(crate) async fn dispatch_with<E: EncodedResponse>(
    gateway: &Gateway,
    request: &Request,
    arrival: Arrival<'_>,
    caller: &Arc<Caller>,
    answer: Pin<&mut impl Future<Output = Response>>,
    encode: impl FnOnce(&Response) -> E,
) -> Dispatched<E> {
    let started = clock::now();
    let span = tracing::debug_span!(
        target: "manila", "request", method = request.method.as_str(),
        trace_id = tracing::field::Empty, span_id = tracing::field::Empty,
    );
    if !span.is_disabled() {
        span.record("trace_id", caller.origin.trace.trace_id());
        span.record("span_id", caller.origin.trace.span_id());
    }
    let admitted = admit(request, caller, &gateway.limits).await;
    let finish = |response: &Response| {
        let encoded = encode(response);
        let failure = response.failure();
        let completed = Completed {
            arrival: &arrival,
            origin: &caller.origin,
            started,
            output_bytes: encoded.n_bytes(),
            failure: failure.as_ref(),
            contract: response.contract(),
            request_id: response.request_id(),
        };
        record(gateway, &completed);
        encoded
    };
    let permit = match admitted {
        Ok(permit) => permit,
        Err(fault) => {
            return Dispatched::Refused(finish(&not_admitted(gateway, request, caller, fault)));
        }
    };
    let mut open =
        Open { gateway, arrival: &arrival, origin: &caller.origin, started, is_over: false };
    // A handshake is not cancelled, as MCP says.
    let is_cancellable = request.method != "initialize";
    let response = tokio::select! {
        biased;
        // The answering below is dropped, and that tells the server.
        () = caller.cancellation.cancelled(), if is_cancellable => return Dispatched::Cancelled,
        response = answer.instrument(span) => response,
    };
    open.is_over = true;
    Dispatched::Answered(finish(&response), permit)
}

/// As `dispatch`, for a request that its transport refuses with this response.
pub(crate) async fn dispatch_refusal<E: EncodedResponse>(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
    response: Response,
    encode: impl FnOnce(&Response) -> E,
) -> Dispatched<E> {
    let answer = pin!(std::future::ready(response));
    dispatch_with(gateway, request, Arrival::of(request), caller, answer, encode).await
}

/// Refuses what cannot be dispatched: it is no request, or its transport does not take it.
pub(crate) fn refuse<E: EncodedResponse>(
    gateway: &Gateway,
    arrival: &Arrival<'_>,
    origin: &Origin,
    response: &Response,
    encode: impl FnOnce(&Response) -> E,
) -> E {
    let started = clock::now();
    let encoded = encode(response);
    let failure = response.failure();
    let completed = Completed {
        arrival,
        origin,
        started,
        output_bytes: encoded.n_bytes(),
        failure: failure.as_ref(),
        contract: response.contract(),
        request_id: None,
    };
    record(gateway, &completed);
    encoded
}

/// The answer to a request that is not admitted.
fn not_admitted(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
    fault: Fault,
) -> Response {
    if request.method == "tools/call" {
        Response::Tool(gateway.refuse_call(request, caller, fault))
    } else {
        Response::Refused(fault)
    }
}

/// A request that is being answered. Dropped while it is open, it was cancelled.
struct Open<'a> {
    gateway: &'a Gateway,
    arrival: &'a Arrival<'a>,
    origin: &'a Origin,
    started: Instant,
    is_over: bool,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let Open { gateway, arrival, origin, started, .. } = *self;
        if arrival.method == Some("tools/call") {
            let tool = arrival.name.and_then(RawJson::as_text).map(Cow::into_owned);
            let tool = tool.unwrap_or_default();
            let duration = clock::now().saturating_duration_since(started);
            gateway.tell(Event::Called { tool, failure: Some(Code::Cancelled), duration });
        }
        // A subscription lasts until its client does not want it any more.
        let is_end = arrival.method == Some("subscriptions/listen");
        let failure = (!is_end).then(|| Failed::new(Code::Cancelled));
        let completed = Completed {
            arrival,
            origin,
            started,
            output_bytes: 0,
            failure: failure.as_ref(),
            contract: None,
            request_id: None,
        };
        record(gateway, &completed);
    }
}

#[cfg(test)]
mod tests;
