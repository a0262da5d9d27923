//! The body of a response that is written in pieces.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{Either, Full};
use hyper::body::{Body as HttpBody, Bytes, Frame};
use tokio::time::Interval;

use super::body_queue::{Receiver, Truncated};
use super::presence::DisconnectOnDrop;

/// The time without events after which the server sends a comment to keep a stream alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The body of any response.
pub(super) type Body = Either<Full<Bytes>, StreamBody>;

/// The body of a response that is written while it is sent.
pub(super) struct StreamBody {
    /// Dropped before `_client`, because a writer that waits for room holds locks that a disconnect
    /// needs.
    pieces: Receiver,
    keep_alive: Option<KeepAlive>,
    has_yielded: bool,
    _client: DisconnectOnDrop,
}

/// The timer for comments in a stream of events, which clients ignore.
struct KeepAlive {
    timer: Interval,
    /// Whether the server has stopped sending.
    muted: Arc<AtomicBool>,
    is_between_events: bool,
}

impl StreamBody {
    /// Creates a body for an object in pieces.
    pub(super) fn object(pieces: Receiver, client: DisconnectOnDrop) -> StreamBody {
        StreamBody { pieces, keep_alive: None, has_yielded: false, _client: client }
    }

    /// Creates a body for a stream of events. It sends no comments while `muted`.
    pub(super) fn events(
        pieces: Receiver,
        client: DisconnectOnDrop,
        muted: Arc<AtomicBool>,
    ) -> StreamBody {
        let mut timer = tokio::time::interval(KEEP_ALIVE);
        timer.reset();
        let keep_alive = Some(KeepAlive { timer, muted, is_between_events: true });
        StreamBody { keep_alive, ..StreamBody::object(pieces, client) }
    }
}

impl KeepAlive {
    fn note_piece(&mut self, piece: &[u8]) {
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

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = Truncated;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Truncated>>> {
        let this = self.get_mut();
        match this.pieces.poll_next(cx) {
            Poll::Ready(Some(Ok(piece))) => {
                if let Some(keep_alive) = &mut this.keep_alive {
                    keep_alive.note_piece(&piece);
                }
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            // hyper flushes its buffer when a body pauses, and discards it when a body fails.
            Poll::Ready(Some(Err(Truncated))) if !this.has_yielded => {
                this.has_yielded = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Ready(Some(Err(Truncated))) => Poll::Ready(Some(Err(Truncated))),
            Poll::Pending => match &mut this.keep_alive {
                Some(keep_alive) => {
                    keep_alive.poll_comment(cx).map(|comment| Some(Ok(Frame::data(comment))))
                }
                None => Poll::Pending,
            },
        }
    }
}
