//! Subscribes to a server's changes, as its era requires.

use std::sync::Arc;
use std::time::Duration;

use manila::request_envelope::Response;
use manila::{Code, JsonObject, RawJson};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::{Ready, UpstreamReply};
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{self, Fault};
use crate::rt::clock;

/// The lists that can change, each with its member in a subscription.
const LISTS: [(&str, &str); 3] = [
    ("tools", "toolsListChanged"),
    ("prompts", "promptsListChanged"),
    ("resources", "resourcesListChanged"),
];

/// How long a server may take to acknowledge a subscription.
const SUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Subscribes to changes of lists, and renews the subscription when it ends. Notifications go to
/// the inbox. A server of the legacy era sends them without a subscription.
pub(super) async fn watch_lists(ready: &Ready) {
    let Some(filter) = list_filter(ready) else { return };
    let params = JsonObject::build(|object| object.member("notifications", &filter));
    listen(ready, &params, |_| ()).await;
}

/// A subscription to a resource of a server. In the modern era, dropping it closes its stream; in
/// the legacy era, `end` must send a request to the server.
pub(crate) struct Subscription {
    ready: Arc<Ready>,
    uri: String,
    /// The task that reads the stream of the subscription, in the modern era.
    listener: Option<AbortHandle>,
}

impl Ready {
    /// Subscribes to changes of one resource. Fails with an error object for the client. Calls
    /// `missed` when an interrupted subscription is renewed, because changes in between were not
    /// reported.
    pub(crate) async fn subscribe(
        self: &Arc<Ready>,
        uri: &str,
        missed: impl Fn() + Send + Sync + 'static,
    ) -> Result<Subscription, RawJson> {
        let (ready, subscribed_uri) = (Arc::clone(self), uri.to_owned());
        match self.era {
            Era::Legacy(_) => {
                let reply = self.request_about("resources/subscribe", uri);
                // A server that does not respond may still send notifications.
                if let Ok(Some(UpstreamReply::Response(response))) =
                    timeout(SUBSCRIBE_TIMEOUT, reply).await
                {
                    response.answer?;
                }
                Ok(Subscription { ready, uri: subscribed_uri, listener: None })
            }
            Era::Modern => {
                let (listener, first) = self.listen_to_resource(uri, missed);
                // From here on, dropping the subscription closes the stream.
                let listener = Some(listener);
                let subscription = Subscription { ready, uri: subscribed_uri, listener };
                // A server that does not respond may still send notifications.
                if let Ok(Ok(acknowledged)) = timeout(SUBSCRIBE_TIMEOUT, first).await
                    && !is_granted(&acknowledged?, uri)
                {
                    return Err(not_granted());
                }
                Ok(subscription)
            }
        }
    }

    /// Opens a stream for a resource. Also returns the receiver of the first acknowledgement.
    fn listen_to_resource(
        self: &Arc<Ready>,
        uri: &str,
        missed: impl Fn() + Send + Sync + 'static,
    ) -> (AbortHandle, oneshot::Receiver<Acknowledgement>) {
        let filter = JsonObject::build(|object| object.member("resourceSubscriptions", &[uri][..]));
        let params = JsonObject::build(|object| object.member("notifications", &filter));
        let (sender, first) = oneshot::channel();
        let (mut sender, ready) = (Some(sender), Arc::clone(self));
        let listener = tokio::spawn(async move {
            let acknowledge = |acknowledged: Acknowledgement| match (sender.take(), acknowledged) {
                // The caller may no longer wait for the acknowledgement; the stream stays open.
                (Some(sender), acknowledged) => drop(sender.send(acknowledged)),
                (None, Ok(_)) => missed(),
                (None, Err(_)) => {}
            };
            listen(&ready, &params, acknowledge).await;
        });
        (listener.abort_handle(), first)
    }

    async fn request_about(&self, method: &str, uri: &str) -> Option<UpstreamReply> {
        let params = JsonObject::build(|object| object.member("uri", uri));
        let mut waiting = self.connection.send_request(method, &params).await.ok()?;
        waiting.wait().await.ok()
    }
}

impl Subscription {
    /// Ends the subscription, and waits until the server has acknowledged that.
    pub(crate) async fn end(self) {
        if self.listener.is_none() {
            let reply = self.ready.request_about("resources/unsubscribe", &self.uri);
            // The subscription counts as ended even if the server does not respond.
            let _ = timeout(SUBSCRIBE_TIMEOUT, reply).await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}

/// A server's response to a subscription: what it grants, or its error object.
type Acknowledgement = Result<JsonObject, RawJson>;

fn is_granted(acknowledged: &JsonObject, uri: &str) -> bool {
    let granted = acknowledged.get("notifications").and_then(|it| it.get("resourceSubscriptions"));
    let mut granted = granted.iter().flat_map(RawJson::items);
    granted.any(|it| it.as_text().is_some_and(|it| it == uri))
}

fn not_granted() -> RawJson {
    let message = "Invalid params: the server does not report changes of this resource";
    jsonrpc::encode_part(&Fault::new(Code::InvalidToolInput).message(message)).into()
}

/// Subscribes with these parameters of `subscriptions/listen`, and subscribes again whenever the
/// subscription ends. `acknowledge` is called with each acknowledgement.
async fn listen(ready: &Ready, params: &JsonObject, mut acknowledge: impl FnMut(Acknowledgement)) {
    const FIRST: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_secs(60);
    // A server that cannot be reached may be back soon.
    const LONGEST_UNREACHABLE: Duration = Duration::from_secs(5);
    let mut pause = FIRST;
    loop {
        let started = clock::now();
        let Ok((mut waiting, granted)) = ready.connection.listen(params).await else { return };
        let reply = tokio::select! {
            biased;
            Ok(granted) = granted => {
                acknowledge(Ok(granted));
                waiting.wait().await
            }
            reply = waiting.wait() => reply,
        };
        let is_unreachable = match reply {
            // The server does not support the method, although it declares the capability.
            Ok(UpstreamReply::Response(Response { answer: Err(error), .. })) => {
                return acknowledge(Err(error));
            }
            Ok(UpstreamReply::HttpFailure(failure)) => failure.status.is_none(),
            Ok(_) => false,
            Err(_) => return,
        };
        // A long subscription resets the backoff.
        let has_lasted = started.elapsed() > LONGEST;
        let pause_max = if is_unreachable { LONGEST_UNREACHABLE } else { LONGEST };
        pause = if has_lasted { FIRST } else { pause.min(pause_max) };
        sleep(pause).await;
        pause *= 2;
    }
}

/// Returns the lists whose changes a server of the modern era reports, if any.
fn list_filter(ready: &Ready) -> Option<JsonObject> {
    if ready.era != Era::Modern {
        return None;
    }
    let capabilities = ready.capabilities();
    let list_changed = |kind: &str| {
        let capability = capabilities.get(kind)?.get("listChanged")?;
        (capability.as_bytes() == b"true").then_some(())
    };
    let filter = JsonObject::build(|object| {
        for (kind, member) in LISTS {
            if list_changed(kind).is_some() {
                object.member(member, &true);
            }
        }
    });
    (!filter.is_empty()).then_some(filter)
}
