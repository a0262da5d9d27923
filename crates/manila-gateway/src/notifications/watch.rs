//! Which resources of a server are watched: many clients may watch one, and the server is told
//! once.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What of a server is watched, by its own URIs.
#[derive(Default)]
pub(crate) struct Watched(Mutex<HashMap<String, Arc<Resource>>>);

/// A resource that is watched.
#[derive(Default)]
pub(crate) struct Resource {
    /// How many watch it. It changes while the map is locked, and at no other time.
    n: AtomicUsize,
    /// What makes the server tell. Locked by whoever tells the server something about it, so that a
    /// wish and its end reach the server in their order.
    pub(crate) subscription: tokio::sync::Mutex<Option<Subscribed>>,
}

/// A resource that somebody watches, until this is dropped.
pub(crate) struct Watch {
    watched: Arc<Watched>,
    resource: Option<Arc<Resource>>,
    uri: String,
}

/// A subscription at the server. Dropped, it is over where the server needs not be told.
pub(crate) struct Subscribed {
    /// Tells the server that it is over, and waits until the server has taken note.
    pub(crate) end: Box<dyn FnOnce() -> Ending + Send>,
}

/// The end of a subscription on its way to the server.
pub(crate) type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Watched {
    /// Notes that somebody watches.
    pub(crate) fn add(&self, uri: &str) -> Arc<Resource> {
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
            (subscription.end)().await;
        }
        let Ok(mut all) = self.0.lock() else { return };
        let is_it = |it: &Arc<Resource>| Arc::ptr_eq(it, resource);
        if resource.n.load(Ordering::Relaxed) == 0 && all.get(uri).is_some_and(is_it) {
            all.remove(uri);
        }
    }

    pub(crate) fn all(&self) -> Vec<(String, Arc<Resource>)> {
        let all = self.0.lock().ok();
        let all = all.iter().flat_map(|all| all.iter());
        all.map(|(uri, resource)| (uri.clone(), Arc::clone(resource))).collect()
    }
}

impl Resource {
    /// Whether somebody watches it.
    pub(crate) fn is_watched(&self) -> bool {
        self.n.load(Ordering::Relaxed) > 0
    }
}

impl Watch {
    /// A watch of a resource that was added.
    pub(crate) fn new(watched: &Arc<Watched>, resource: &Arc<Resource>, uri: &str) -> Watch {
        let (watched, resource) = (Arc::clone(watched), Some(Arc::clone(resource)));
        Watch { watched, resource, uri: uri.to_owned() }
    }

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
