//! The only entry point for requests: admits, answers and records every request of every transport.

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
use crate::backend::CallFailure;
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::request_source::RequestSource;
use crate::rt::clock;
use crate::rt::offload::{Work, leave_reactor};
use crate::telemetry::event::Event;

/// The known facts about a message that requires a response.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Arrival<'a> {
    /// The id of the JSON-RPC message. A message that cannot be parsed may still have one.
    pub(crate) id: Option<&'a RawJson>,
    /// The method as it was sent, if it could be parsed.
    pub(crate) method: Option<&'a str>,
    /// The requested tool or prompt, if the message names one.
    pub(crate) name: Option<&'a RawJson>,
    pub(crate) meta: Option<&'a RawJson>,
    /// The size on the wire.
    pub(crate) n_bytes: usize,
}

impl<'a> Arrival<'a> {
    /// Describes a request whose size on the wire is that of its frame.
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

/// A response that a transport has encoded.
pub(crate) trait EncodedResponse {
    /// Returns its size on the wire.
    fn n_bytes(&self) -> usize;
}

/// How dispatching a request ended.
pub(crate) enum Dispatched<E> {
    /// The request was answered. It counts as in flight until the transport drops the permit.
    Answered(E, Permit),
    /// The request was not admitted; this is the refusal.
    Refused(E),
    /// The caller cancelled the request, and gets no response.
    Cancelled,
}

impl<E> Dispatched<E> {
    /// Returns the response to send to the caller, if any.
    pub(crate) fn into_encoded(self) -> Option<E> {
        match self {
            Dispatched::Answered(encoded, _) | Dispatched::Refused(encoded) => Some(encoded),
            Dispatched::Cancelled => None,
        }
    }
}

/// Admits a request, answers it, and writes its record once the response is encoded.
///
/// If this future is dropped before its end, the request counts as cancelled.
pub(crate) async fn dispatch<E: EncodedResponse>(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
    encode: impl FnOnce(&Response) -> E,
) -> Dispatched<E> {
    let answer = pin!(answer::answer(gateway, request, caller));
    dispatch_with(gateway, request, Arrival::of(request), caller, answer, encode).await
}

/// Like `dispatch`, with an answer or an `Arrival` that the transport supplies.
///
/// `answer` is passed pinned, because a future passed by value would be stored twice in this
/// function's own future.
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
        span.record("trace_id", caller.source.trace.trace_id());
        span.record("span_id", caller.source.trace.span_id());
    }
    let admitted = admit(request, caller, &gateway.limits).await;
    let finish = |response: &Response| {
        let encoded = encode(response);
        let failure = response.failure();
        let completed = Completed {
            arrival: &arrival,
            source: &caller.source,
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
            return Dispatched::Refused(finish(&admission_refusal(
                gateway, request, caller, fault,
            )));
        }
    };
    let mut open = OpenRequest {
        gateway,
        arrival: &arrival,
        source: &caller.source,
        started,
        is_answered: false,
    };
    // Everything up to the next wait can depend on the size of the request.
    leave_reactor(Work::Process(arrival.n_bytes)).await;
    // MCP forbids clients from cancelling `initialize`.
    let is_cancellable = request.method != "initialize";
    let response = tokio::select! {
        biased;
        // The future below is dropped, which cancels the request at the server.
        () = caller.cancellation.wait_cancelled(), if is_cancellable => {
            return Dispatched::Cancelled;
        }
        response = answer.instrument(span) => response,
    };
    open.is_answered = true;
    Dispatched::Answered(finish(&response), permit)
}

/// Like `dispatch`, for a request that its transport refuses with this response.
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

/// Refuses a message that cannot be dispatched: it is not a request, or its transport does not
/// accept it.
pub(crate) fn refuse<E: EncodedResponse>(
    gateway: &Gateway,
    arrival: &Arrival<'_>,
    source: &RequestSource,
    response: &Response,
    encode: impl FnOnce(&Response) -> E,
) -> E {
    let started = clock::now();
    let encoded = encode(response);
    let failure = response.failure();
    let completed = Completed {
        arrival,
        source,
        started,
        output_bytes: encoded.n_bytes(),
        failure: failure.as_ref(),
        contract: response.contract(),
        request_id: None,
    };
    record(gateway, &completed);
    encoded
}

/// Returns the response to a request that was not admitted.
fn admission_refusal(
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

/// A request in progress. If this is dropped before the end, the request was cancelled.
struct OpenRequest<'a> {
    gateway: &'a Gateway,
    arrival: &'a Arrival<'a>,
    source: &'a RequestSource,
    started: Instant,
    is_answered: bool,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let OpenRequest { gateway, arrival, source, started, .. } = *self;
        if arrival.method == Some("tools/call") {
            let tool = arrival.name.and_then(RawJson::as_text).map(Cow::into_owned);
            let tool = tool.unwrap_or_default();
            let duration = clock::now().saturating_duration_since(started);
            gateway.report(Event::Called { tool, failure: Some(Code::Cancelled), duration });
        }
        // A subscription normally ends with its cancellation.
        let is_normal_end = arrival.method == Some("subscriptions/listen");
        let failure = (!is_normal_end).then(|| CallFailure::new(Code::Cancelled));
        let completed = Completed {
            arrival,
            source,
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
