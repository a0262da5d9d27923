//! An exchange: the server reads a request, serves it on its own thread, and sends the response.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use http_body_util::{Either, Full};
use hyper::{Request, Response as HttpResponse};
use tokio::sync::oneshot;

use super::body::{Body, StreamBody};
use super::body_queue::Truncated;
use super::presence::{DisconnectOnDrop, Presence};
use super::response::{Content, Response};
use super::turn::Turn;
use super::{HttpState, endpoint, reader};

/// A response whose head is not known yet.
pub(super) struct Pending {
    /// Dropped before `client`, because a writer that waits for room holds locks that a disconnect
    /// needs.
    reply: oneshot::Receiver<HttpResponse<Content>>,
    client: DisconnectOnDrop,
    muted: Arc<AtomicBool>,
}

/// Starts to serve a request.
///
/// hyper drops [`Pending::head`] when the client disconnects, perhaps without ever polling it. The
/// request is served anyway, because its era decides the effect of a disconnect.
pub(super) fn begin(
    state: &Arc<HttpState>,
    turn: &Arc<Turn>,
    request: Request<hyper::body::Incoming>,
) -> Pending {
    turn.begin();
    let (response, reply) = Response::new(Arc::clone(turn), state.is_noisy);
    let (client, muted) = (DisconnectOnDrop::default(), Arc::clone(&state.server.muted));
    tokio::spawn(serve(Arc::clone(state), request, response, Arc::clone(&client.0)));
    Pending { reply, client, muted }
}

async fn serve(
    state: Arc<HttpState>,
    request: Request<hyper::body::Incoming>,
    response: Response,
    presence: Arc<Presence>,
) {
    // Errors are ignored, because they mean that the client has disconnected.
    match reader::read(request).await {
        Ok(request) => {
            tokio::task::spawn_blocking(move || {
                let _ = endpoint::serve(&state, &request, response, &presence);
            });
        }
        Err(refused) => {
            let _ = response.refuse_and_close(&refused);
        }
    }
}

impl Pending {
    /// Waits for the head of the response. The body follows as a stream.
    pub(super) async fn head(mut self) -> Result<HttpResponse<Body>, Truncated> {
        // A missing response is one of the ways to misbehave.
        let reply = (&mut self.reply).await.map_err(|_| Truncated)?;
        let Pending { client, muted, .. } = self;
        Ok(reply.map(|content| match content {
            Content::Whole(bytes) => Either::Left(Full::new(bytes)),
            Content::Object(pieces) => Either::Right(StreamBody::object(pieces, client)),
            Content::Events(pieces) => Either::Right(StreamBody::events(pieces, client, muted)),
        }))
    }
}
