//! One exchange: a request is read, served on a thread of its own, and answered.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use http_body_util::{Either, Full};
use hyper::{Request, Response as HttpResponse};
use tokio::sync::oneshot;

use super::body::{Body, Written};
use super::pieces::Cut;
use super::presence::{LeaveOnDrop, Presence};
use super::response::{Content, Response};
use super::turn::Turn;
use super::{Site, endpoint, reader};

/// A response of which nothing is known yet.
pub(super) struct Pending {
    /// Dropped before `client`: whoever waits for room holds locks that a disconnect needs.
    reply: oneshot::Receiver<HttpResponse<Content>>,
    client: LeaveOnDrop,
    muted: Arc<AtomicBool>,
}

/// Begins to serve a request.
///
/// hyper drops [`Pending::head`] when the client disconnects, perhaps before it is ever polled.
/// The request is served all the same: what a disconnect means is decided by its era.
pub(super) fn begin(
    site: &Arc<Site>,
    turn: &Arc<Turn>,
    request: Request<hyper::body::Incoming>,
) -> Pending {
    turn.begin();
    let (response, reply) = Response::new(Arc::clone(turn), site.is_noisy);
    let (client, muted) = (LeaveOnDrop::default(), Arc::clone(&site.server.muted));
    tokio::spawn(serve(Arc::clone(site), request, response, Arc::clone(&client.0)));
    Pending { reply, client, muted }
}

async fn serve(
    site: Arc<Site>,
    request: Request<hyper::body::Incoming>,
    response: Response,
    presence: Arc<Presence>,
) {
    // An error means that the client is gone, which concerns nobody else.
    match reader::read(request).await {
        Ok(request) => {
            tokio::task::spawn_blocking(move || {
                let _ = endpoint::serve(&site, &request, response, &presence);
            });
        }
        Err(refused) => {
            let _ = response.refuse_and_close(&refused);
        }
    }
}

impl Pending {
    /// Waits for the head of the response; the body may follow it slowly.
    pub(super) async fn head(mut self) -> Result<HttpResponse<Body>, Cut> {
        // No response at all is one of the ways to misbehave.
        let reply = (&mut self.reply).await.map_err(|_| Cut)?;
        let Pending { client, muted, .. } = self;
        Ok(reply.map(|content| match content {
            Content::Whole(bytes) => Either::Left(Full::new(bytes)),
            Content::Object(pieces) => Either::Right(Written::object(pieces, client)),
            Content::Events(pieces) => Either::Right(Written::events(pieces, client, muted)),
        }))
    }
}
