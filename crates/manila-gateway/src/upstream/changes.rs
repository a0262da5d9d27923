//! Hearing from a server what has changed, in the way of its era.

use std::sync::Arc;
use std::time::Duration;

use manila::{JsonObject, RawJson};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::{Arrived, Ready};
use crate::clock;
use crate::era::Era;

/// The lists that can change, with the word that asks for it.
const LISTS: [(&str, &str); 3] = [
    ("tools", "toolsListChanged"),
    ("prompts", "promptsListChanged"),
    ("resources", "resourcesListChanged"),
];

/// How long a server may take to take note of a wish.
const LONGEST: Duration = Duration::from_secs(5);

/// Asks for changes of lists, again when that ends, as long as the server is there. What it tells
/// then comes with everything else. A server of the legacy era tells it unasked.
pub(super) async fn hear(ready: &Ready) {
    let Some(wanted) = wanted(ready) else { return };
    let params = JsonObject::build(|object| object.member("notifications", &wanted));
    listen(ready, &params).await;
}

/// A resource that is watched at a server, until this is dropped.
pub(crate) struct Subscription {
    ready: Arc<Ready>,
    uri: String,
    /// What listens, where the server tells it only whoever listens.
    listening: Option<AbortHandle>,
}

impl Ready {
    /// Asks for changes of one resource. An error is what the server says against it.
    pub(crate) async fn subscribe(self: &Arc<Ready>, uri: &str) -> Result<Subscription, RawJson> {
        let (ready, uri) = (Arc::clone(self), uri.to_owned());
        let listening = match self.era {
            Era::Legacy(_) => {
                let params = JsonObject::build(|object| object.member("uri", &*uri));
                let asked = async {
                    let mut waiting =
                        self.connection.ask("resources/subscribe", &params).await.ok()?;
                    waiting.arrived().await.ok()
                };
                // A server that does not answer may still tell.
                if let Ok(Some(Arrived::Response(response))) = timeout(LONGEST, asked).await {
                    response.answer?;
                }
                None
            }
            Era::Modern => {
                let wanted = JsonObject::build(|object| {
                    object.member("resourceSubscriptions", &[uri.as_str()][..]);
                });
                let params = JsonObject::build(|object| object.member("notifications", &wanted));
                let heard = Arc::clone(self);
                let listening = tokio::spawn(async move { listen(&heard, &params).await });
                Some(listening.abort_handle())
            }
        };
        Ok(Subscription { ready, uri, listening })
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
            return;
        }
        let (ready, uri) = (Arc::clone(&self.ready), std::mem::take(&mut self.uri));
        let told = async move {
            let params = JsonObject::build(|object| object.member("uri", &*uri));
            if let Ok(mut asked) = ready.connection.ask("resources/unsubscribe", &params).await {
                // Nobody waits for that.
                let _ = asked.arrived().await;
            }
        };
        tokio::spawn(timeout(LONGEST, told));
    }
}

/// Listens to what these parameters of `subscriptions/listen` ask for.
async fn listen(ready: &Ready, params: &JsonObject) {
    const FIRST: Duration = Duration::from_secs(1);
    const LAST: Duration = Duration::from_secs(60);
    let mut pause = FIRST;
    loop {
        let started = clock::now();
        let Ok(mut waiting) = ready.connection.ask("subscriptions/listen", params).await else {
            return;
        };
        match waiting.arrived().await {
            // It does not know that, whatever it promised.
            Ok(Arrived::Response(response)) if response.answer.is_err() => return,
            Ok(_) => {}
            Err(_) => return,
        }
        // A subscription that lasted was a good one.
        let has_lasted = started.elapsed() > LAST;
        pause = if has_lasted { FIRST } else { (pause * 2).min(LAST) };
        sleep(pause).await;
    }
}

fn wanted(ready: &Ready) -> Option<JsonObject> {
    if ready.era != Era::Modern {
        return None;
    }
    let capabilities = ready.capabilities();
    let is_told = |kind: &str| {
        let capability = capabilities.get(kind)?.get("listChanged")?;
        (capability.as_bytes() == b"true").then_some(())
    };
    let wanted = JsonObject::build(|object| {
        for (kind, word) in LISTS {
            if is_told(kind).is_some() {
                object.member(word, &true);
            }
        }
    });
    (!wanted.is_empty()).then_some(wanted)
}
