//! Hearing of changes of single resources: many clients may want to, and the server is told once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use manila::JsonObject;
use tokio::task::AbortHandle;

use crate::era::Era;
use crate::gateway::Gateway;
use crate::upstream::{Ready, subscribe};

/// Who watches what: by URI, how many do.
#[derive(Default)]
pub(crate) struct Watched(Mutex<HashMap<String, Watcher>>);

struct Watcher {
    n: usize,
    /// What listens, where the server tells it only whoever listens.
    listening: Option<AbortHandle>,
}

/// Resources that are watched, until this is dropped.
pub(crate) struct Watch {
    watched: Arc<Watched>,
    ready: Option<Arc<Ready>>,
    uris: Vec<String>,
}

impl Gateway {
    /// Asks the server to tell when these resources change.
    pub(crate) async fn watch(&self, uris: Vec<String>) -> Watch {
        let ready = if uris.is_empty() { None } else { self.upstream.ready(None).await.ok() };
        for uri in &uris {
            let is_new = self.watched.0.lock().is_ok_and(|mut all| {
                let watcher = all.entry(uri.clone()).or_insert(Watcher { n: 0, listening: None });
                watcher.n += 1;
                watcher.n == 1
            });
            if let (true, Some(ready)) = (is_new, &ready) {
                let listening = begin(ready, uri).await;
                if let Ok(mut all) = self.watched.0.lock()
                    && let Some(watcher) = all.get_mut(uri)
                {
                    watcher.listening = listening;
                }
            }
        }
        Watch { watched: Arc::clone(&self.watched), ready, uris }
    }
}

async fn begin(ready: &Arc<Ready>, uri: &str) -> Option<AbortHandle> {
    const LONGEST: Duration = Duration::from_secs(5);
    match ready.era {
        Era::Legacy(_) => {
            let params = JsonObject::build(|object| object.member("uri", uri));
            let asked = async {
                let mut waiting =
                    ready.connection.ask("resources/subscribe", &params).await.ok()?;
                waiting.arrived().await.ok()
            };
            // A server that does not answer may still tell.
            let _ = tokio::time::timeout(LONGEST, asked).await;
            None
        }
        Era::Modern => {
            let (ready, uri) = (Arc::clone(ready), uri.to_owned());
            Some(tokio::spawn(async move { subscribe(&ready, &uri).await }).abort_handle())
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for uri in &self.uris {
            let Ok(mut all) = self.watched.0.lock() else { return };
            let Some(watcher) = all.get_mut(uri) else { continue };
            watcher.n = watcher.n.saturating_sub(1);
            if watcher.n > 0 {
                continue;
            }
            let ended = all.remove(uri);
            drop(all);
            if let Some(listening) = ended.and_then(|it| it.listening) {
                listening.abort();
            }
            if let Some(ready) = self.ready.as_ref().filter(|ready| ready.era != Era::Modern) {
                let (ready, uri) = (Arc::clone(ready), uri.clone());
                tokio::spawn(async move {
                    let params = JsonObject::build(|object| object.member("uri", &*uri));
                    // Nobody waits for that.
                    if let Ok(mut it) = ready.connection.ask("resources/unsubscribe", &params).await
                    {
                        let _ = it.arrived().await;
                    }
                });
            }
        }
    }
}
