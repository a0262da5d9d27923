//! Hearing from a server what has changed, in the way of its era.

use std::sync::Arc;
use std::time::Duration;

use manila::request_envelope::Response;
use manila::{Code, JsonObject, RawJson};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::{Arrived, Ready};
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{self, Fault};
use crate::rt::clock;

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
    listen(ready, &params, |_| ()).await;
}

/// A resource that is watched at a server. Where the server tells it only whoever listens, nobody
/// listens any more when this is dropped; any other server must be told.
pub(crate) struct Subscription {
    ready: Arc<Ready>,
    uri: String,
    /// What listens, where the server tells it only whoever listens.
    listening: Option<AbortHandle>,
}

impl Ready {
    /// Asks for changes of one resource. An error is what the server says against it. `missed` is
    /// called when the server was away, and was asked again: what changed meanwhile nobody has
    /// told.
    pub(crate) async fn subscribe(
        self: &Arc<Ready>,
        uri: &str,
        missed: impl Fn() + Send + Sync + 'static,
    ) -> Result<Subscription, RawJson> {
        let (ready, own_uri) = (Arc::clone(self), uri.to_owned());
        match self.era {
            Era::Legacy(_) => {
                let asked = self.ask_about("resources/subscribe", uri);
                // A server that does not answer may still tell.
                if let Ok(Some(Arrived::Response(response))) = timeout(LONGEST, asked).await {
                    response.answer?;
                }
                Ok(Subscription { ready, uri: own_uri, listening: None })
            }
            Era::Modern => {
                let (listening, first) = self.listen_to(uri, missed);
                // Dropped from here on, it listens no more.
                let listening = Some(listening);
                let subscription = Subscription { ready, uri: own_uri, listening };
                // A server that does not answer may still tell.
                if let Ok(Ok(told)) = timeout(LONGEST, first).await
                    && !is_granted(&told?, uri)
                {
                    return Err(not_granted());
                }
                Ok(subscription)
            }
        }
    }

    /// Listens to what the server tells of a resource. Beside that comes what it first says to it.
    fn listen_to(
        self: &Arc<Ready>,
        uri: &str,
        missed: impl Fn() + Send + Sync + 'static,
    ) -> (AbortHandle, oneshot::Receiver<Told>) {
        let wanted = JsonObject::build(|object| object.member("resourceSubscriptions", &[uri][..]));
        let params = JsonObject::build(|object| object.member("notifications", &wanted));
        let (sender, first) = oneshot::channel();
        let (mut sender, ready) = (Some(sender), Arc::clone(self));
        let listening = tokio::spawn(async move {
            let told = |told: Told| match (sender.take(), told) {
                // Whoever does not wait for it hears what comes all the same.
                (Some(sender), told) => drop(sender.send(told)),
                (None, Ok(_)) => missed(),
                (None, Err(_)) => {}
            };
            listen(&ready, &params, told).await;
        });
        (listening.abort_handle(), first)
    }

    async fn ask_about(&self, method: &str, uri: &str) -> Option<Arrived> {
        let params = JsonObject::build(|object| object.member("uri", uri));
        let mut waiting = self.connection.ask(method, &params).await.ok()?;
        waiting.arrived().await.ok()
    }
}

impl Subscription {
    /// Tells the server that nobody wants to hear of it any more, and waits until it has taken
    /// note.
    pub(crate) async fn end(self) {
        if self.listening.is_none() {
            let told = self.ready.ask_about("resources/unsubscribe", &self.uri);
            // Who does not answer is not waited for.
            let _ = timeout(LONGEST, told).await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

/// What a server says to somebody's wishes: what it grants, or what it has against them.
type Told = Result<JsonObject, RawJson>;

fn is_granted(told: &JsonObject, uri: &str) -> bool {
    let granted = told.get("notifications").and_then(|it| it.get("resourceSubscriptions"));
    let mut granted = granted.iter().flat_map(RawJson::items);
    granted.any(|it| it.as_text().is_some_and(|it| it == uri))
}

fn not_granted() -> RawJson {
    let message = "Invalid params: the server does not tell when this resource changes";
    jsonrpc::written(&Fault::new(Code::InvalidToolInput).message(message)).into()
}

/// Listens to what these parameters of `subscriptions/listen` ask for, again when that ends. `told`
/// hears each time what the server says to them.
async fn listen(ready: &Ready, params: &JsonObject, mut told: impl FnMut(Told)) {
    const FIRST: Duration = Duration::from_secs(1);
    const LAST: Duration = Duration::from_secs(60);
    // One that cannot be reached may be back soon.
    const AWAY: Duration = Duration::from_secs(5);
    let mut pause = FIRST;
    loop {
        let started = clock::now();
        let Ok((mut waiting, granted)) = ready.connection.listen(params).await else { return };
        let arrived = tokio::select! {
            biased;
            Ok(granted) = granted => {
                told(Ok(granted));
                waiting.arrived().await
            }
            arrived = waiting.arrived() => arrived,
        };
        let is_away = match arrived {
            // It does not know that, whatever it promised.
            Ok(Arrived::Response(Response { answer: Err(error), .. })) => return told(Err(error)),
            Ok(Arrived::Declined(declined)) => declined.status.is_none(),
            Ok(_) => false,
            Err(_) => return,
        };
        // A subscription that lasted was a good one.
        let has_lasted = started.elapsed() > LAST;
        pause = if has_lasted { FIRST } else { pause.min(if is_away { AWAY } else { LAST }) };
        sleep(pause).await;
        pause *= 2;
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
