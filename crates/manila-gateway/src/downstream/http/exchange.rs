//! One request and its answer: JSON if the answer comes first, a stream of events if something else
//! does, or if it takes long.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use hyper::StatusCode;
use hyper::header::{ACCEPT, HeaderMap};

use super::Front;
use super::body::{Events, Ids};
use super::reply::{self, Reply};
use super::sessions::Lent;
use super::stream::Stream;
use crate::downstream::encode::Encoded;
use crate::protocol::era::{Era, Revision};

/// What a client takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Takes {
    pub(super) json: bool,
    pub(super) text: bool,
    pub(super) events: TakesEvents,
}

/// Whether a client takes streams of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakesEvents {
    No,
    Yes,
    /// Rather than JSON: it names them first.
    First,
}

impl Takes {
    /// What a client says that it takes; who says nothing takes everything.
    pub(super) fn of(headers: &HeaderMap) -> Takes {
        let mut takes = Takes { json: false, text: false, events: TakesEvents::No };
        let mut is_said = false;
        for value in headers.get_all(ACCEPT) {
            for kind in value.to_str().unwrap_or_default().split(',') {
                let kind = kind.split(';').next().unwrap_or_default().trim();
                is_said |= !kind.is_empty();
                takes.add(&kind.to_ascii_lowercase());
            }
        }
        if is_said { takes } else { Takes { json: true, text: false, events: TakesEvents::Yes } }
    }

    fn add(&mut self, kind: &str) {
        let is_all = kind == "*/*";
        if is_all || matches!(kind, "text/event-stream" | "text/*") {
            let is_first = !is_all && !self.json && self.events == TakesEvents::No;
            self.events = if is_first { TakesEvents::First } else { TakesEvents::Yes };
        }
        self.json |= is_all || matches!(kind, "application/json" | "application/*");
        self.text |= matches!(kind, "text/plain" | "text/*");
    }

    /// Whether it takes streams of events.
    pub(super) fn has_events(self) -> bool {
        self.events != TakesEvents::No
    }
}

/// A request that is being handled, with what is told meanwhile.
pub(super) struct Exchange {
    pub(super) handling: Pin<Box<dyn Future<Output = Option<Encoded>> + Send>>,
    pub(super) stream: Arc<Stream>,
    pub(super) takes: Takes,
    pub(super) era: Era,
    /// The stream, where a session keeps it.
    pub(super) lent: Option<Lent>,
}

impl Exchange {
    /// The reply to a client that has closed its request when it closes its connection.
    pub(super) async fn reply(mut self, front: &Front) -> Reply {
        match self.first(front).await {
            First::Answer(answer) => self.answered(answer),
            First::Stream => {
                let events = Events::new(self.stream.reader(0), Ids::Left, front.limits.keep_alive);
                // It has its time, whether its client reads or not.
                let task = tokio::spawn(self.go_on()).abort_handle();
                reply::events(events.ending(task))
            }
        }
    }

    /// The reply to a client whose request goes on when its connection is lost, because it may
    /// come back for the answer.
    pub(super) async fn lasting_reply(self, front: &Front) -> Reply {
        let mut lasting = Lasting(Some(self));
        let first = match &mut lasting.0 {
            Some(exchange) => exchange.first(front).await,
            None => First::Stream,
        };
        let Some(mut exchange) = lasting.0.take() else { return reply::empty(StatusCode::OK) };
        match first {
            First::Answer(answer) => exchange.answered(answer),
            First::Stream => {
                let reader = exchange.stream.reader(0);
                let mut events = Events::new(reader, Ids::Written, front.limits.keep_alive);
                // Older clients do not know events without data.
                if exchange.era == Era::Legacy(Revision::V2025_11_25) {
                    events = events.primed();
                }
                if let Some(lent) = &mut exchange.lent {
                    lent.keep();
                }
                tokio::spawn(exchange.go_on());
                reply::events(events)
            }
        }
    }

    /// What comes first.
    async fn first(&mut self, front: &Front) -> First {
        let Exchange { handling, stream, takes, .. } = self;
        if !takes.has_events() {
            return First::Answer(handling.as_mut().await);
        }
        let prefers_events = takes.events == TakesEvents::First;
        if prefers_events && self.era != Era::Modern {
            return First::Stream;
        }
        let at_once = std::future::poll_fn(|cx| Poll::Ready(handling.as_mut().poll(cx))).await;
        let answer = match at_once {
            Poll::Ready(answer) => answer,
            Poll::Pending => {
                // Whoever waits longer sees that somebody is there.
                let mut late = front.gateway.deadlines.within(front.limits.stream_after);
                tokio::select! {
                    biased;
                    answer = handling.as_mut() => answer,
                    () = stream.news() => return First::Stream,
                    () = late.passed() => return First::Stream,
                }
            }
        };
        // An error may have a status of its own, which a stream has not.
        let is_error = answer.as_ref().is_some_and(|answer| answer.error.is_some());
        let is_whole = takes.json && (is_error || !prefers_events);
        match answer {
            Some(_) if stream.is_empty() && is_whole => First::Answer(answer),
            None if stream.is_empty() => First::Answer(None),
            answer => {
                stream.finish(answer.map(|answer| answer.frame));
                self.handling = Box::pin(std::future::ready(None));
                First::Stream
            }
        }
    }

    fn answered(self, answer: Option<Encoded>) -> Reply {
        match answer {
            Some(Encoded { frame, error }) => {
                let status = match self.era {
                    Era::Modern => modern_status(error),
                    Era::Legacy(_) => StatusCode::OK,
                };
                reply::json(status, frame)
            }
            // It was cancelled, and nobody waits for it.
            None => reply::empty(StatusCode::ACCEPTED),
        }
    }

    /// Goes on without the client.
    async fn go_on(self) {
        let Exchange { handling, stream, lent, .. } = self;
        let answer = handling.await;
        stream.finish(answer.map(|answer| answer.frame));
        drop(lent);
    }
}

enum First {
    Answer(Option<Encoded>),
    Stream,
}

/// The status that the modern era has for an error; most of them have none.
pub(super) fn modern_status(error: Option<i64>) -> StatusCode {
    match error {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) => StatusCode::BAD_REQUEST,
        Some(_) | None => StatusCode::OK,
    }
}

/// An exchange that goes on when nobody waits for it any more.
struct Lasting(Option<Exchange>);

impl Drop for Lasting {
    fn drop(&mut self) {
        if let Some(exchange) = self.0.take() {
            tokio::spawn(exchange.go_on());
        }
    }
}
