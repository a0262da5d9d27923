//! Hearing from a server of the modern era what has changed: it tells only whoever has asked.

use std::time::Duration;

use manila::JsonObject;
use tokio::time::sleep;

use super::Ready;
use crate::clock;
use crate::era::Era;

/// The lists that can change, with the word that asks for it.
const LISTS: [(&str, &str); 3] = [
    ("tools", "toolsListChanged"),
    ("prompts", "promptsListChanged"),
    ("resources", "resourcesListChanged"),
];

/// Asks for changes of lists, again when that ends, as long as the server is there. What it tells
/// then comes with everything else. A server of the legacy era tells it unasked.
pub(super) async fn hear(ready: &Ready) {
    let Some(wanted) = wanted(ready) else { return };
    let params = JsonObject::build(|object| object.member("notifications", &wanted));
    listen(ready, &params).await;
}

/// Asks for changes of one resource, again when that ends, as long as the server is there.
pub(crate) async fn subscribe(ready: &Ready, uri: &str) {
    let wanted = JsonObject::build(|object| object.member("resourceSubscriptions", &[uri][..]));
    let params = JsonObject::build(|object| object.member("notifications", &wanted));
    listen(ready, &params).await;
}

/// Listens to what these parameters of `subscriptions/listen` ask for.
async fn listen(ready: &Ready, params: &JsonObject) {
    const FIRST: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_secs(60);
    let mut pause = FIRST;
    loop {
        let started = clock::now();
        let Ok(mut waiting) = ready.connection.ask("subscriptions/listen", params).await else {
            return;
        };
        if waiting.arrived().await.is_err() {
            return;
        }
        // A subscription that lasted was a good one.
        let has_lasted = started.elapsed() > LONGEST;
        pause = if has_lasted { FIRST } else { (pause * 2).min(LONGEST) };
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
