//! Hearing of changes of single resources: many clients may want to, and the server is told once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use manila::RawJson;

use super::answer::unavailable;
use crate::gateway::Gateway;
use crate::upstream::{Ready, Subscription};

/// Who watches what, by URI.
#[derive(Default)]
pub(crate) struct Watched(Mutex<HashMap<String, Watcher>>);

#[derive(Default)]
struct Watcher {
    n: usize,
    subscription: Option<Subscription>,
}

/// A resource that is watched, until this is dropped.
pub(crate) struct Watch {
    watched: Arc<Watched>,
    uri: String,
}

impl Gateway {
    /// Asks the server to tell when this resource changes. An error is what is said against it.
    pub(crate) async fn watch(&self, uri: &str) -> Result<Watch, RawJson> {
        let is_new = self.watched.add(uri);
        // Whoever gives up from here on takes its wish back.
        let watch = Watch { watched: Arc::clone(&self.watched), uri: uri.to_owned() };
        if is_new {
            let ready = self.upstream.ready(None).await;
            let ready = ready.map_err(|down| unavailable(&down))?;
            let subscription = ready.subscribe(uri).await?;
            self.watched.keep(uri, subscription);
        }
        Ok(watch)
    }

    /// Tells a server that was started again what is watched.
    pub(crate) async fn watch_again(&self, ready: &Arc<Ready>) {
        for uri in self.watched.uris() {
            // What it does not want to tell any more is not told.
            if let Ok(subscription) = ready.subscribe(&uri).await {
                self.watched.keep(&uri, subscription);
            }
        }
    }
}

impl Watched {
    /// Notes a watcher. `true` if nobody else has told the server.
    fn add(&self, uri: &str) -> bool {
        self.0.lock().is_ok_and(|mut all| {
            let watcher = all.entry(uri.to_owned()).or_default();
            watcher.n += 1;
            watcher.subscription.is_none()
        })
    }

    /// Keeps what makes the server tell, as long as somebody watches.
    fn keep(&self, uri: &str, subscription: Subscription) {
        let before = self.0.lock().ok().and_then(|mut all| {
            let Some(watcher) = all.get_mut(uri) else { return Some(subscription) };
            watcher.subscription.replace(subscription)
        });
        drop(before);
    }

    fn uris(&self) -> Vec<String> {
        self.0.lock().map(|all| all.keys().cloned().collect()).unwrap_or_default()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let ended = self.watched.0.lock().ok().and_then(|mut all| {
            let watcher = all.get_mut(&self.uri)?;
            watcher.n = watcher.n.saturating_sub(1);
            if watcher.n == 0 { all.remove(&self.uri) } else { None }
        });
        // What tells the server does so without the lock.
        drop(ended);
    }
}
