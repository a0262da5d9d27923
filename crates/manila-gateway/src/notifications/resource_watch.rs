//! The watched resources of a server: many clients may watch one, but the gateway subscribes once.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The watched resources of a server, by the server's URIs.
#[derive(Default)]
pub(crate) struct WatchedResources(Mutex<HashMap<String, Arc<Resource>>>);

/// A watched resource.
#[derive(Default)]
pub(crate) struct Resource {
    /// The number of watchers. It changes only while the map is locked.
    n_watchers: AtomicUsize,
    /// The subscription at the server. Locked while it is being changed, so that subscribing and
    /// unsubscribing reach the server in order.
    pub(crate) subscription: tokio::sync::Mutex<Option<ServerSubscription>>,
}

/// A watch of a resource, which ends when this is dropped.
pub(crate) struct Watch {
    watched: Arc<WatchedResources>,
    resource: Option<Arc<Resource>>,
    uri: String,
}

/// A subscription at the server. Dropping it ends it, if no message to the server is needed.
pub(crate) struct ServerSubscription {
    /// Ends the subscription, and waits until the server has acknowledged that.
    pub(crate) end: Box<dyn FnOnce() -> Ending + Send>,
}

/// The end of a subscription, in progress.
pub(crate) type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;

impl WatchedResources {
    /// Adds a watcher.
    pub(crate) fn add(&self, uri: &str) -> Arc<Resource> {
        let Ok(mut all) = self.0.lock() else { return Arc::default() };
        let resource = all.entry(uri.to_owned()).or_default();
        resource.n_watchers.fetch_add(1, Ordering::Relaxed);
        Arc::clone(resource)
    }

    /// Removes a watcher. Returns `true` if none is left.
    fn remove(&self, resource: &Resource) -> bool {
        let _all = self.0.lock();
        resource.n_watchers.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// Ends the subscription, unless a new watcher was added meanwhile.
    async fn end(&self, uri: &str, resource: &Arc<Resource>) {
        let mut subscription = resource.subscription.lock().await;
        if resource.n_watchers.load(Ordering::Relaxed) == 0
            && let Some(subscription) = subscription.take()
        {
            (subscription.end)().await;
        }
        let Ok(mut all) = self.0.lock() else { return };
        let is_same = |it: &Arc<Resource>| Arc::ptr_eq(it, resource);
        if resource.n_watchers.load(Ordering::Relaxed) == 0 && all.get(uri).is_some_and(is_same) {
            all.remove(uri);
        }
    }

    /// Returns all watched resources, with their URIs.
    pub(crate) fn all(&self) -> Vec<(String, Arc<Resource>)> {
        let all = self.0.lock().ok();
        let all = all.iter().flat_map(|all| all.iter());
        all.map(|(uri, resource)| (uri.clone(), Arc::clone(resource))).collect()
    }
}

impl Resource {
    /// Returns whether the resource has watchers.
    pub(crate) fn is_watched(&self) -> bool {
        self.n_watchers.load(Ordering::Relaxed) > 0
    }
}

impl Watch {
    /// Creates a watch of a resource that was added.
    pub(crate) fn new(
        watched: &Arc<WatchedResources>,
        resource: &Arc<Resource>,
        uri: &str,
    ) -> Watch {
        let (watched, resource) = (Arc::clone(watched), Some(Arc::clone(resource)));
        Watch { watched, resource, uri: uri.to_owned() }
    }

    /// Ends the watch, and waits until the server has acknowledged that.
    pub(crate) async fn end(mut self) {
        if let Some(end) = self.release() {
            end.await;
        }
    }

    /// Returns the URI with which to report the change of `changed` to a client that watches this
    /// resource as `public`; `None` if `changed` is neither this resource nor a part of it.
    pub(crate) fn uri_for_change(
        &self,
        public: &str,
        changed: &str,
        of_server: &Arc<WatchedResources>,
    ) -> Option<String> {
        let rest = changed.strip_prefix(self.uri.as_str())?;
        let is_part =
            rest.is_empty() || self.uri.ends_with('/') || rest.starts_with(['/', '?', '#']);
        (Arc::ptr_eq(&self.watched, of_server) && is_part).then(|| format!("{public}{rest}"))
    }

    /// Ends the watch once. The returned future ends the subscription, if no other watcher is left.
    fn release(&mut self) -> Option<impl Future<Output = ()> + Send + 'static> {
        let resource = self.resource.take()?;
        let is_last = self.watched.remove(&resource);
        let (watched, uri) = (Arc::clone(&self.watched), std::mem::take(&mut self.uri));
        is_last.then_some(async move { watched.end(&uri, &resource).await })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(end) = self.release() {
            tokio::spawn(end);
        }
    }
}

#[cfg(test)]
mod tests;
