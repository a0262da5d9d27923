//! One request and its reply: JSON if the response is the first output, otherwise a stream of
//! events. A slow response also starts a stream.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use hyper::StatusCode;
use hyper::header::{ACCEPT, HeaderMap};

use super::HttpState;
use super::body::{EventIds, Events};
use super::reply::{self, HttpReply};
use super::sessions::StreamLease;
use super::stream::Stream;
use crate::downstream::encode::Encoded;
use crate::protocol::era::{Era, Revision};
use crate::rt::offload::Offloadable;

/// The content types that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) text: bool,
    pub(super) events: AcceptsEvents,
}

/// Whether a client accepts streams of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AcceptsEvents {
    No,
    Yes,
    /// The client prefers them to JSON, because it lists them first.
    Preferred,
}

impl Accepts {
    /// Parses the `Accept` headers. Without one, the client accepts JSON and events.
    pub(super) fn of(headers: &HeaderMap) -> Accepts {
        let mut accepts = Accepts { json: false, text: false, events: AcceptsEvents::No };
        let mut is_given = false;
        for value in headers.get_all(ACCEPT) {
            for kind in value.to_str().unwrap_or_default().split(',') {
                let kind = kind.split(';').next().unwrap_or_default().trim();
                is_given |= !kind.is_empty();
                accepts.add(&kind.to_ascii_lowercase());
            }
        }
        if is_given {
            accepts
        } else {
            Accepts { json: true, text: false, events: AcceptsEvents::Yes }
        }
    }

    fn add(&mut self, kind: &str) {
        let is_all = kind == "*/*";
        if is_all || matches!(kind, "text/event-stream" | "text/*") {
            let is_first = !is_all && !self.json && self.events == AcceptsEvents::No;
            self.events = if is_first { AcceptsEvents::Preferred } else { AcceptsEvents::Yes };
        }
        self.json |= is_all || matches!(kind, "application/json" | "application/*");
        self.text |= matches!(kind, "text/plain" | "text/*");
    }

    /// Returns whether the client accepts streams of events.
    pub(super) fn has_events(self) -> bool {
        self.events != AcceptsEvents::No
    }
}

/// A request in progress, and the stream of the messages that precede its response.
pub(super) struct Exchange {
    pub(super) handling: Offloadable<Option<Encoded>>,
    pub(super) stream: Arc<Stream>,
    pub(super) accepts: Accepts,
    pub(super) era: Era,
    /// The lease of the stream, if a session owns it.
    pub(super) lease: Option<StreamLease>,
}

impl Exchange {
    /// Returns the reply to a client that cancels its request by closing the connection.
    pub(super) async fn reply(mut self, state: &HttpState) -> HttpReply {
        match self.wait_for_first(state).await {
            FirstOutput::Response(response) => self.into_reply(response),
            FirstOutput::Stream => {
                let events =
                    Events::new(self.stream.reader(0), EventIds::Omitted, state.limits.keep_alive);
                // A task of its own runs the request even if the client does not read.
                let task = tokio::spawn(self.run_detached()).abort_handle();
                reply::events(events.abort_on_close(task))
            }
        }
    }

    /// Returns the reply to a client that may resume. If its connection is lost, the request
    /// continues, because the client may reconnect for the response.
    pub(super) async fn resumable_reply(self, state: &HttpState) -> HttpReply {
        let mut guard = DetachOnDrop(Some(self));
        let first = match &mut guard.0 {
            Some(exchange) => exchange.wait_for_first(state).await,
            None => FirstOutput::Stream,
        };
        let Some(mut exchange) = guard.0.take() else { return reply::empty(StatusCode::OK) };
        match first {
            FirstOutput::Response(response) => exchange.into_reply(response),
            FirstOutput::Stream => {
                let reader = exchange.stream.reader(0);
                let mut events = Events::new(reader, EventIds::Included, state.limits.keep_alive);
                // Older clients do not support events without data.
                if exchange.era == Era::Legacy(Revision::V2025_11_25) {
                    events = events.with_prelude();
                }
                if let Some(lease) = &mut exchange.lease {
                    lease.keep();
                }
                tokio::spawn(exchange.run_detached());
                reply::events(events)
            }
        }
    }

    /// Waits for the response or for the first message on the stream. A slow response counts as a
    /// stream.
    async fn wait_for_first(&mut self, state: &HttpState) -> FirstOutput {
        let Exchange { handling, stream, accepts, .. } = self;
        if !accepts.has_events() {
            return FirstOutput::Response(handling.await);
        }
        let prefers_events = accepts.events == AcceptsEvents::Preferred;
        if prefers_events && self.era != Era::Modern {
            return FirstOutput::Stream;
        }
        let first_poll = poll_fn(|cx| Poll::Ready(Pin::new(&mut *handling).poll(cx))).await;
        let response = match first_poll {
            Poll::Ready(response) => response,
            Poll::Pending => {
                // A stream shows a waiting client that the gateway is alive.
                let mut deadline = state.gateway.deadlines.within(state.limits.stream_after);
                tokio::select! {
                    biased;
                    response = &mut *handling => response,
                    () = stream.wait_readable() => return FirstOutput::Stream,
                    () = deadline.wait() => return FirstOutput::Stream,
                }
            }
        };
        // An error may have an HTTP status of its own, which a stream cannot express.
        let is_error = response.as_ref().is_some_and(|response| response.error.is_some());
        let is_json = accepts.json && (is_error || !prefers_events);
        match response {
            Some(_) if stream.is_empty() && is_json => FirstOutput::Response(response),
            None if stream.is_empty() => FirstOutput::Response(None),
            response => {
                stream.finish(response.map(|response| response.frame));
                self.handling = Offloadable::ready(None);
                FirstOutput::Stream
            }
        }
    }

    fn into_reply(self, response: Option<Encoded>) -> HttpReply {
        match response {
            Some(Encoded { frame, error }) => {
                let status = match self.era {
                    Era::Modern => modern_status(error),
                    Era::Legacy(_) => StatusCode::OK,
                };
                reply::json(status, frame)
            }
            // The client has cancelled the request and expects no response.
            None => reply::empty(StatusCode::ACCEPTED),
        }
    }

    /// Completes the request independently of the client's connection.
    async fn run_detached(self) {
        let Exchange { handling, stream, lease, .. } = self;
        let response = handling.await;
        stream.finish(response.map(|response| response.frame));
        drop(lease);
    }
}

/// The first output of a request.
enum FirstOutput {
    Response(Option<Encoded>),
    Stream,
}

/// Returns the HTTP status of the modern era for a JSON-RPC error code: 200 for most.
pub(super) fn modern_status(error: Option<i64>) -> StatusCode {
    match error {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) => StatusCode::BAD_REQUEST,
        Some(_) | None => StatusCode::OK,
    }
}

/// An exchange that continues in a task of its own when this is dropped.
struct DetachOnDrop(Option<Exchange>);

impl Drop for DetachOnDrop {
    fn drop(&mut self) {
        if let Some(exchange) = self.0.take() {
            // The reply has not begun, so the client does not know the stream's number.
            exchange.stream.abandon();
            tokio::spawn(exchange.run_detached());
        }
    }
}
