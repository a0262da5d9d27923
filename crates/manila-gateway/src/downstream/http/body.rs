//! Bodies: reads those of requests within limits, and writes those of replies.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep, sleep_until};

use super::connection_timer::ConnectionTimer;
use super::stream::Reader;
use crate::protocol::outgoing::{Chunks, Outgoing};
use crate::rt::clock;

/// The reason why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLarge,
    TooSlow,
    Aborted,
}

/// An incoming body, and the timer of its connection.
pub(super) struct RequestBody {
    pub(super) incoming: Incoming,
    pub(super) timer: ConnectionTimer,
}

/// Reads a complete body of at most `bytes_max` bytes, within `timeout`.
pub(super) async fn read_body(
    body: RequestBody,
    bytes_max: usize,
    timeout: Duration,
) -> Result<Bytes, BodyError> {
    let RequestBody { incoming: mut body, timer } = body;
    let announced = body.size_hint().lower();
    if announced > bytes_max as u64 {
        return Err(BodyError::TooLarge);
    }
    let mut first: Option<Bytes> = None;
    let mut all = BytesMut::new();
    let read = async {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| BodyError::Aborted)?.into_data() else { continue };
            let n_so_far = first.as_ref().map_or(all.len(), Bytes::len);
            if n_so_far + data.len() > bytes_max {
                return Err(BodyError::TooLarge);
            }
            // Nearly every message arrives in one chunk, which is used without a copy.
            if n_so_far == 0 {
                first = Some(data);
                continue;
            }
            if let Some(first) = first.take() {
                all.reserve(usize::try_from(announced).unwrap_or(0).max(first.len() + data.len()));
                all.put(first);
            }
            all.put(data);
        }
        Ok(())
    };
    tokio::select! {
        biased;
        read = read => read?,
        () = timer.wait(timeout) => return Err(BodyError::TooSlow),
    }
    Ok(first.unwrap_or_else(|| all.freeze()))
}

/// The body of a reply.
pub(super) enum Body {
    Whole(Chunks),
    Events(Box<Events>),
}

impl Body {
    pub(super) fn whole(message: impl Into<Outgoing>) -> Body {
        Body::Whole(message.into().into_chunks())
    }

    pub(super) fn empty() -> Body {
        Body::whole(Bytes::new())
    }
}

/// A task that is aborted when the reader of its output is dropped.
pub(super) struct AbortOnDrop(pub(super) AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A stream of server-sent events to a client.
pub(super) struct Events {
    reader: Reader,
    ids: EventIds,
    /// What to send before the next event: the prelude, or the rest of a large event.
    queued: VecDeque<Chunks>,
    /// The task to abort when the client stops reading.
    abort_on_close: Option<AbortOnDrop>,
    keep_alive: Pin<Box<Sleep>>,
    /// The interval of keep-alive comments.
    interval: Duration,
}

/// Whether events have ids, with which a client can resume a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventIds {
    Included,
    Omitted,
}

impl Events {
    pub(super) fn new(reader: Reader, ids: EventIds, interval: Duration) -> Events {
        let keep_alive = Box::pin(sleep_until(clock::now() + interval));
        Events { reader, ids, queued: VecDeque::new(), abort_on_close: None, keep_alive, interval }
    }

    /// Starts with an empty event, so that the client can resume the stream from the beginning.
    pub(super) fn with_prelude(mut self) -> Events {
        let number = self.reader.stream_number();
        self.reader.announce();
        let prelude = format!("id: {number}-0\nretry: 1000\ndata: \n\n");
        self.queue(Bytes::from(prelude));
        self
    }

    /// Aborts this task when the client stops reading.
    pub(super) fn abort_on_close(mut self, task: AbortHandle) -> Events {
        self.abort_on_close = Some(AbortOnDrop(task));
        self
    }

    fn poll_events(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        while let Some(first) = self.queued.front_mut() {
            if let Some(chunk) = first.next() {
                return Poll::Ready(Some(chunk));
            }
            self.queued.pop_front();
        }
        match self.reader.poll_next(cx) {
            Poll::Ready(Some((number, event))) => {
                Poll::Ready(Some(self.encode_event(number, event)))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                if self.keep_alive.as_mut().poll(cx).is_ready() {
                    self.reset_keep_alive();
                    // The timer wakes this task only if it is polled again.
                    let _ = self.keep_alive.as_mut().poll(cx);
                    return Poll::Ready(Some(Bytes::from_static(b":\n\n")));
                }
                Poll::Pending
            }
        }
    }

    fn queue(&mut self, message: impl Into<Outgoing>) {
        self.queued.push_back(message.into().into_chunks());
    }

    fn reset_keep_alive(&mut self) {
        let next: Instant = clock::now() + self.interval;
        self.keep_alive.as_mut().reset(next);
    }

    /// Encodes an event, which is one line. Of a large event, returns only the start, and queues
    /// the rest without a copy.
    fn encode_event(&mut self, number: u64, event: Outgoing) -> Bytes {
        const COPIED_BYTES_MAX: usize = 16 * 1024;
        const END: &[u8] = b"\n\n";
        self.reset_keep_alive();
        let is_large = event.len() > COPIED_BYTES_MAX;
        let mut out = Vec::with_capacity(if is_large { 64 } else { event.len() + 64 });
        if self.ids == EventIds::Included {
            let id = format!("id: {}-{number}\n", self.reader.stream_number());
            out.extend_from_slice(id.as_bytes());
        }
        out.extend_from_slice(b"data: ");
        if is_large {
            self.queue(event);
            self.queue(Bytes::from_static(END));
        } else {
            out.extend_from_slice(&event.into_bytes());
            out.extend_from_slice(END);
        }
        out.into()
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Body::Whole(chunks) => Poll::Ready(chunks.next().map(|chunk| Ok(Frame::data(chunk)))),
            Body::Events(events) => {
                events.poll_events(cx).map(|event| event.map(|event| Ok(Frame::data(event))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Body::Whole(chunks) if chunks.n_bytes() == 0)
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole(chunks) => SizeHint::with_exact(chunks.n_bytes() as u64),
            Body::Events(_) => SizeHint::default(),
        }
    }
}
