//! The body of a response that is written in pieces.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{Either, Full};
use hyper::body::{Body as HttpBody, Bytes, Frame};
use tokio::time::Interval;

use super::pieces::{Cut, Receiver};
use super::presence::LeaveOnDrop;

/// How long a stream of events is silent before a comment shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The body of any response.
pub(super) type Body = Either<Full<Bytes>, Written>;

/// The body of a response that is written while it is sent.
pub(super) struct Written {
    /// Dropped before `_client`: whoever waits for room holds locks that a disconnect needs.
    pieces: Receiver,
    keep_alive: Option<KeepAlive>,
    has_yielded: bool,
    _client: LeaveOnDrop,
}

/// Comments in a stream of events, which clients skip.
struct KeepAlive {
    timer: Interval,
    /// Whether the server sends nothing at all.
    muted: Arc<AtomicBool>,
    is_between_events: bool,
}

impl Written {
    /// An object in pieces.
    pub(super) fn object(pieces: Receiver, client: LeaveOnDrop) -> Written {
        Written { pieces, keep_alive: None, has_yielded: false, _client: client }
    }

    /// A stream of events; silent while `muted`.
    pub(super) fn events(pieces: Receiver, client: LeaveOnDrop, muted: Arc<AtomicBool>) -> Written {
        let mut timer = tokio::time::interval(KEEP_ALIVE);
        timer.reset();
        let keep_alive = Some(KeepAlive { timer, muted, is_between_events: true });
        Written { keep_alive, ..Written::object(pieces, client) }
    }
}

impl KeepAlive {
    fn note(&mut self, piece: &[u8]) {
        self.is_between_events = piece.ends_with(b"\n\n");
        self.timer.reset();
    }

    fn poll_comment(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        while self.timer.poll_tick(cx).is_ready() {
            if self.is_between_events && !self.muted.load(Ordering::Relaxed) {
                return Poll::Ready(Bytes::from_static(b":\n\n"));
            }
        }
        Poll::Pending
    }
}

impl HttpBody for Written {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        let this = self.get_mut();
        match this.pieces.poll_next(cx) {
            Poll::Ready(Some(Ok(piece))) => {
                if let Some(keep_alive) = &mut this.keep_alive {
                    keep_alive.note(&piece);
                }
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            // hyper sends what it has when a body pauses, and forgets it when a body fails.
            Poll::Ready(Some(Err(Cut))) if !this.has_yielded => {
                this.has_yielded = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Ready(Some(Err(Cut))) => Poll::Ready(Some(Err(Cut))),
            Poll::Pending => match &mut this.keep_alive {
                Some(keep_alive) => {
                    keep_alive.poll_comment(cx).map(|comment| Some(Ok(Frame::data(comment))))
                }
                None => Poll::Pending,
            },
        }
    }
}
