//! Subscribes to changes of a server's resources.

use std::sync::Arc;
use std::task::Poll;

use manila::request_envelope::Notification;
use manila::{Code, JsonObject, RawJson};

use super::Backend;
use super::mcp_response::unavailable_error;
use crate::notifications::{ServerSubscription, Watch};
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{self, Fault};
use crate::upstream::Ready;

impl Backend {
    /// Subscribes to changes of this resource. Fails with an error object: the
    /// server's, or the gateway's if the server is unavailable.
    pub(crate) async fn watch(self: &Arc<Backend>, uri: &str) -> Result<Watch, RawJson> {
        let resource = self.watched.add(uri);
        // From here on, dropping this future ends the watch. The request to the server still runs
        // to its end, because otherwise the subscription's state would be unknown.
        let watch = Watch::new(&self.watched, &resource, uri);
        let (backend, uri) = (Arc::clone(self), uri.to_owned());
        let mut subscribing = Box::pin(async move {
            let mut subscription = resource.subscription.lock().await;
            if subscription.is_none() {
                let ready = backend.upstream.ready(None).await;
                let ready = ready.map_err(|reason| unavailable_error(&reason))?;
                *subscription = Some(backend.subscribe(&ready, &uri).await?);
            }
            Ok(())
        });
        // Poll once now, so that messages reach the server in the client's order.
        let polled = std::future::poll_fn(|cx| Poll::Ready(subscribing.as_mut().poll(cx))).await;
        let subscribed = match polled {
            Poll::Ready(subscribed) => subscribed,
            Poll::Pending => tokio::spawn(subscribing).await.unwrap_or_else(|_| {
                // The task ends early only if the gateway stops.
                Err(jsonrpc::encode_part(&Fault::new(Code::InternalError)).into())
            }),
        };
        subscribed.map(|()| watch)
    }

    /// Subscribes again after a restart of the server. Changes during the restart went unreported,
    /// so every watcher is notified.
    pub(crate) async fn resubscribe(self: &Arc<Backend>, ready: &Arc<Ready>) {
        for (uri, resource) in self.watched.all() {
            let mut subscription = resource.subscription.lock().await;
            if !resource.is_watched() {
                continue;
            }
            // The restarted server does not know the subscription, so there is nothing to cancel.
            *subscription = None;
            // If the server now refuses, the resource is no longer watched.
            if let Ok(renewed) = self.subscribe(ready, &uri).await {
                *subscription = Some(renewed);
                self.notify_missed(&uri);
            }
        }
    }

    async fn subscribe(
        self: &Arc<Backend>,
        ready: &Arc<Ready>,
        uri: &str,
    ) -> Result<ServerSubscription, RawJson> {
        let (backend, missed_uri) = (Arc::downgrade(self), uri.to_owned());
        let missed = move || {
            if let Some(backend) = backend.upgrade() {
                backend.notify_missed(&missed_uri);
            }
        };
        let subscription = ready.subscribe(uri, missed).await?;
        Ok(ServerSubscription { end: Box::new(move || Box::pin(subscription.end())) })
    }

    /// Notifies the clients that watch a resource that it may have changed.
    fn notify_missed(&self, uri: &str) {
        let method = "notifications/resources/updated".to_owned();
        let params = JsonObject::build(|object| object.member("uri", uri));
        let Ok(frame) = RawJson::parse(jsonrpc::notification(&method, &params)) else { return };
        let params = frame.get("params").and_then(JsonObject::new);
        let notification = Notification { method, params, frame };
        self.notifications.notify_updated(&notification, Era::FALLBACK, &self.watched);
    }
}
