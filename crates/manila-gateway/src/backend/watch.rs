//! Hearing of changes of single resources: many clients may want to, and the server is told once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use manila::request_envelope::Notification;
use manila::{Code, JsonObject, RawJson};

use super::answer::unavailable;
use crate::backend::Backend;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{self, Fault};
use crate::upstream::{Ready, Subscription};

/// What of a server is watched, by its own URIs.
#[derive(Default)]
pub(crate) struct Watched(Mutex<HashMap<String, Arc<Resource>>>);

/// A resource that is watched.
#[derive(Default)]
struct Resource {
    /// How many watch it. It changes while the map is locked, and at no other time.
    n: AtomicUsize,
    /// What makes the server tell. Locked by whoever tells the server something about it, so that a
    /// wish and its end reach the server in their order.
    subscription: tokio::sync::Mutex<Option<Subscription>>,
}

/// A resource that somebody watches, until this is dropped.
pub(crate) struct Watch {
    watched: Arc<Watched>,
    resource: Option<Arc<Resource>>,
    uri: String,
}

impl Backend {
    /// Asks the server to tell when this resource changes. An error is what is said against it.
    pub(crate) async fn watch(self: &Arc<Backend>, uri: &str) -> Result<Watch, RawJson> {
        let resource = self.watched.add(uri);
        // Whoever gives up from here on takes its wish back. The server is asked to the end all the
        // same: nobody would know what it has heard.
        let watched = Arc::clone(&self.watched);
        let watch = Watch { watched, resource: Some(Arc::clone(&resource)), uri: uri.to_owned() };
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

    /// Tells a server that was started again what is watched. What changed meanwhile nobody has told,
    /// so whoever watches had better look again.
    pub(crate) async fn watch_again(self: &Arc<Backend>, ready: &Arc<Ready>) {
        for (uri, resource) in self.watched.all() {
            let mut subscription = resource.subscription.lock().await;
            if resource.n.load(Ordering::Relaxed) == 0 {
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
    ) -> Result<Subscription, RawJson> {
        let (backend, own) = (Arc::downgrade(self), uri.to_owned());
        let missed = move || {
            if let Some(backend) = backend.upgrade() {
                backend.tell_missed(&own);
            }
        };
        ready.subscribe(uri, missed).await
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

impl Watched {
    /// Notes that somebody watches.
    fn add(&self, uri: &str) -> Arc<Resource> {
        let Ok(mut all) = self.0.lock() else { return Arc::default() };
        let resource = all.entry(uri.to_owned()).or_default();
        resource.n.fetch_add(1, Ordering::Relaxed);
        Arc::clone(resource)
    }

    /// Notes that somebody does not watch any more. `true` if nobody does.
    fn remove(&self, resource: &Resource) -> bool {
        let _all = self.0.lock();
        resource.n.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// Tells the server that nobody watches, unless somebody has begun to meanwhile.
    async fn end(&self, uri: &str, resource: &Arc<Resource>) {
        let mut subscription = resource.subscription.lock().await;
        if resource.n.load(Ordering::Relaxed) == 0
            && let Some(subscription) = subscription.take()
        {
            subscription.end().await;
        }
        let Ok(mut all) = self.0.lock() else { return };
        let is_it = |it: &Arc<Resource>| Arc::ptr_eq(it, resource);
        if resource.n.load(Ordering::Relaxed) == 0 && all.get(uri).is_some_and(is_it) {
            all.remove(uri);
        }
    }

    fn all(&self) -> Vec<(String, Arc<Resource>)> {
        let all = self.0.lock().ok();
        let all = all.iter().flat_map(|all| all.iter());
        all.map(|(uri, resource)| (uri.clone(), Arc::clone(resource))).collect()
    }
}

impl Watch {
    /// Ends it, and waits until the server has taken note.
    pub(crate) async fn end(mut self) {
        if let Some(end) = self.over() {
            end.await;
        }
    }

    /// The URI under which somebody who watches this as `public` hears of a change of a server's
    /// resource `changed`; `None` if it is neither this one nor a part of it.
    pub(crate) fn heard_as(
        &self,
        public: &str,
        changed: &str,
        of_server: &Arc<Watched>,
    ) -> Option<String> {
        let rest = changed.strip_prefix(self.uri.as_str())?;
        let is_part =
            rest.is_empty() || self.uri.ends_with('/') || rest.starts_with(['/', '?', '#']);
        (Arc::ptr_eq(&self.watched, of_server) && is_part).then(|| format!("{public}{rest}"))
    }

    /// Notes that it is over, once. What is given back tells the server, where nobody else watches.
    fn over(&mut self) -> Option<impl Future<Output = ()> + Send + 'static> {
        let resource = self.resource.take()?;
        let is_last = self.watched.remove(&resource);
        let (watched, uri) = (Arc::clone(&self.watched), std::mem::take(&mut self.uri));
        is_last.then_some(async move { watched.end(&uri, &resource).await })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(end) = self.over() {
            tokio::spawn(end);
        }
    }
}

#[cfg(test)]
mod tests;
