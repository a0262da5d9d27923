//! Asking a server to tell when a resource changes.

use std::sync::Arc;
use std::task::Poll;

use manila::request_envelope::Notification;
use manila::{Code, JsonObject, RawJson};

use super::Backend;
use super::answer::unavailable;
use crate::notifications::{Subscribed, Watch};
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{self, Fault};
use crate::upstream::Ready;

impl Backend {
    /// Asks the server to tell when this resource changes. An error is what is said against it.
    pub(crate) async fn watch(self: &Arc<Backend>, uri: &str) -> Result<Watch, RawJson> {
        let resource = self.watched.add(uri);
        // Whoever gives up from here on takes its wish back. The server is asked to the end all the
        // same: nobody would know what it has heard.
        let watch = Watch::new(&self.watched, &resource, uri);
        let (backend, uri) = (Arc::clone(self), uri.to_owned());
        let mut asking = Box::pin(async move {
            let mut subscription = resource.subscription.lock().await;
            if subscription.is_none() {
                let ready = backend.upstream.ready(None).await;
                let ready = ready.map_err(|down| unavailable(&down))?;
                *subscription = Some(backend.subscribed(&ready, &uri).await?);
            }
            Ok(())
        });
        // What can be said at once is: messages reach the server in the client's order.
        let at_once = std::future::poll_fn(|cx| Poll::Ready(asking.as_mut().poll(cx))).await;
        let told = match at_once {
            Poll::Ready(told) => told,
            Poll::Pending => tokio::spawn(asking).await.unwrap_or_else(|_| {
                // It ends early only if we do.
                Err(jsonrpc::written(&Fault::new(Code::InternalError)).into())
            }),
        };
        told.map(|()| watch)
    }

    /// Tells a server that was started again what is watched. What changed meanwhile nobody has
    /// told, so whoever watches had better look again.
    pub(crate) async fn watch_again(self: &Arc<Backend>, ready: &Arc<Ready>) {
        for (uri, resource) in self.watched.all() {
            let mut subscription = resource.subscription.lock().await;
            if !resource.is_watched() {
                continue;
            }
            // The server has forgotten it, and needs not be told that it is over.
            *subscription = None;
            // What it does not want to tell any more is not told.
            if let Ok(again) = self.subscribed(ready, &uri).await {
                *subscription = Some(again);
                self.tell_missed(&uri);
            }
        }
    }

    async fn subscribed(
        self: &Arc<Backend>,
        ready: &Arc<Ready>,
        uri: &str,
    ) -> Result<Subscribed, RawJson> {
        let (backend, own) = (Arc::downgrade(self), uri.to_owned());
        let missed = move || {
            if let Some(backend) = backend.upgrade() {
                backend.tell_missed(&own);
            }
        };
        let subscription = ready.subscribe(uri, missed).await?;
        Ok(Subscribed { end: Box::new(move || Box::pin(subscription.end())) })
    }

    /// Tells those who watch a resource that it may have changed.
    fn tell_missed(&self, uri: &str) {
        let method = "notifications/resources/updated".to_owned();
        let params = JsonObject::build(|object| object.member("uri", uri));
        let Ok(frame) = RawJson::parse(jsonrpc::notification(&method, &params)) else { return };
        let params = frame.get("params").and_then(JsonObject::new);
        let notification = Notification { method, params, frame };
        self.audience.tell_updated(&notification, Era::PLAINEST, &self.watched);
    }
}
