//! Bodies: what clients send, within limits, and what they get.

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

use super::patience::Patience;
use super::stream::Reader;
use crate::rt::clock;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotRead {
    TooLarge,
    TooSlow,
    BrokenOff,
}

/// A body on its way, and the timer of its connection.
pub(super) struct Arriving {
    pub(super) incoming: Incoming,
    pub(super) patience: Patience,
}

/// Reads a whole body, within its limits.
pub(super) async fn whole(
    body: Arriving,
    bytes_max: usize,
    longest: Duration,
) -> Result<Bytes, NotRead> {
    let Arriving { incoming: mut body, patience } = body;
    let announced = body.size_hint().lower();
    if announced > bytes_max as u64 {
        return Err(NotRead::TooLarge);
    }
    let mut first: Option<Bytes> = None;
    let mut all = BytesMut::new();
    let read = async {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| NotRead::BrokenOff)?.into_data() else { continue };
            let n_so_far = first.as_ref().map_or(all.len(), Bytes::len);
            if n_so_far + data.len() > bytes_max {
                return Err(NotRead::TooLarge);
            }
            // Nearly every message comes in one piece, which is taken as it is.
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
        () = patience.wait(longest) => return Err(NotRead::TooSlow),
    }
    Ok(first.unwrap_or_else(|| all.freeze()))
}

/// What a client gets.
pub(super) enum Body {
    Whole(Option<Bytes>),
    Events(Box<Events>),
}

impl Body {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Body {
        Body::Whole(Some(bytes.into()))
    }

    pub(super) const fn empty() -> Body {
        Body::Whole(None)
    }
}

/// A task that ends with whoever reads what it brings.
pub(super) struct AbortOnDrop(pub(super) AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A stream of events on its way to a client.
pub(super) struct Events {
    reader: Reader,
    ids: Ids,
    /// What is written before the first event.
    prelude: Option<Bytes>,
    /// What ends when nobody reads any more.
    ending: Option<AbortOnDrop>,
    keep_alive: Pin<Box<Sleep>>,
    every: Duration,
}

/// Whether events have ids, by which a stream can be taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    Written,
    Left,
}

impl Events {
    pub(super) fn new(reader: Reader, ids: Ids, every: Duration) -> Events {
        let keep_alive = Box::pin(sleep_until(clock::now() + every));
        Events { reader, ids, prelude: None, ending: None, keep_alive, every }
    }

    /// Lets the client know at once how it can come back.
    pub(super) fn primed(mut self) -> Events {
        let number = self.reader.stream_number();
        self.prelude = Some(format!("id: {number}-0\nretry: 1000\ndata: \n\n").into());
        self
    }

    /// Ends this task when the client does not read any more.
    pub(super) fn ending(mut self, task: AbortHandle) -> Events {
        self.ending = Some(AbortOnDrop(task));
        self
    }

    fn poll_events(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(prelude) = self.prelude.take() {
            return Poll::Ready(Some(prelude));
        }
        match self.reader.poll_next(cx) {
            Poll::Ready(Some((number, event))) => Poll::Ready(Some(self.written(number, &event))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                if self.keep_alive.as_mut().poll(cx).is_ready() {
                    self.stay_awake();
                    // The timer must be looked at again, or it does not wake us.
                    let _ = self.keep_alive.as_mut().poll(cx);
                    return Poll::Ready(Some(Bytes::from_static(b":\n\n")));
                }
                Poll::Pending
            }
        }
    }

    fn stay_awake(&mut self) {
        let next: Instant = clock::now() + self.every;
        self.keep_alive.as_mut().reset(next);
    }

    /// An event as it is written. A frame is one line.
    fn written(&mut self, number: u64, event: &Bytes) -> Bytes {
        self.stay_awake();
        let mut out = Vec::with_capacity(event.len() + 64);
        if self.ids == Ids::Written {
            let id = format!("id: {}-{number}\n", self.reader.stream_number());
            out.extend_from_slice(id.as_bytes());
        }
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(event);
        out.extend_from_slice(b"\n\n");
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
            Body::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Body::Events(events) => {
                events.poll_events(cx).map(|event| event.map(|event| Ok(Frame::data(event))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Body::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Body::Events(_) => SizeHint::default(),
        }
    }
}
