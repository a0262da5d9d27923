//! `subscriptions/listen`: a request that lasts as long as its client wants to hear of changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::answer::not_available;
use super::response::Response;
use crate::gateway::{Gateway, Hello};
use crate::notifications::{Listener, Lists, Resources, Wants};
use crate::protocol::caller::Caller;
use crate::protocol::era::{Era, meta};
use crate::protocol::jsonrpc::{self, Fault};
use crate::upstream::{Arrived, SentAs};

/// How many resources one client may watch, or one subscription name.
pub(crate) const RESOURCES_MAX: usize = 4_096;

/// Lets the client listen, until it does not want to, or there is nothing to hear any more. What is
/// given back tells it that.
pub(crate) async fn listen(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Response {
    let asked = request.params.as_ref().and_then(|params| params.get("notifications"));
    let Some(asked) = asked.and_then(JsonObject::new) else {
        let fault = Fault::new(Code::InvalidToolInput)
            .message("Invalid params: `notifications` must be an object");
        return Response::Refused(fault);
    };
    let hello = match gateway.hello(Era::Modern).await {
        Ok(hello) => hello,
        Err(down) => return Response::Refused(not_available(&down)),
    };
    let refused = tokio::select! {
        biased;
        () = gateway.stopping() => None,
        refused = heard(gateway, request, caller, &hello, &asked) => refused,
    };
    match refused {
        Some(error) => Response::Error(gateway.settings().hiding.part(error), None),
        None => Response::Result(over(&request.id)),
    }
}

/// The end of a subscription that ends in order.
fn over(id: &RawJson) -> JsonObject {
    JsonObject::build(|object| {
        object.member("resultType", "complete");
        object.member("_meta", &tag(id));
    })
}

fn tag(id: &RawJson) -> JsonObject {
    JsonObject::build(|object| object.member(meta::SUBSCRIPTION_ID, id))
}

async fn heard(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
    hello: &Hello,
    asked: &JsonObject,
) -> Option<RawJson> {
    let capabilities = match hello {
        // The server knows best what has changed, and when it begins to tell.
        Hello::Of(ready) if ready.era == Era::Modern => {
            let sent = SentAs::default();
            let mut waiting = ready.connection.forward(request, caller, &sent).await.ok()?;
            // Whatever it is, it is the end.
            return match waiting.arrived().await {
                Ok(Arrived::Response(response)) => response.answer.err(),
                Ok(_) | Err(_) => None,
            };
        }
        Hello::Of(ready) => ready.capabilities(),
        Hello::United(united) => united.capabilities.clone(),
    };
    let mut watches = BTreeMap::new();
    for uri in uris(asked, &capabilities) {
        // What the server does not want to tell is not promised.
        if let Ok(watch) = gateway.watch(&uri).await {
            watches.insert(uri, watch);
        }
    }
    let granted = acknowledged(&request.id, lists(asked, &capabilities), watches.keys());
    let wants = Wants {
        lists: lists(asked, &capabilities),
        resources: Resources::Some(Arc::new(watches)),
        rest: false,
        subscription: Some(request.id.clone()),
    };
    // Nothing comes before this.
    caller.line.put(granted).ok()?;
    let (client, line) = (Arc::clone(&caller.client), Arc::clone(&caller.line));
    let _listening = gateway.audience.add(Listener { client, line, wants });
    std::future::pending().await
}

/// Whether a server can do something.
fn can(capabilities: &JsonObject, kind: &str, word: &str) -> bool {
    let can = capabilities.get(kind).and_then(|it| it.get(word));
    can.is_some_and(|it| it.as_bytes() == b"true")
}

/// The lists that a client hears of, where the server does not know such wishes itself.
fn lists(asked: &JsonObject, capabilities: &JsonObject) -> Lists {
    let is_asked = |word: &str| asked.get(word).is_some_and(|it| it.as_bytes() == b"true");
    Lists {
        // That we can tell ourselves, when a server was started again.
        tools: is_asked("toolsListChanged") && capabilities.get("tools").is_some(),
        prompts: is_asked("promptsListChanged") && can(capabilities, "prompts", "listChanged"),
        resources: is_asked("resourcesListChanged")
            && can(capabilities, "resources", "listChanged"),
    }
}

/// The resources that a client wants to hear of, where some server tells of any.
fn uris(asked: &JsonObject, capabilities: &JsonObject) -> BTreeSet<String> {
    let uris = asked.get("resourceSubscriptions");
    let uris = uris.filter(|_| can(capabilities, "resources", "subscribe"));
    let uris = uris.iter().flat_map(RawJson::items).take(RESOURCES_MAX);
    uris.filter_map(|uri| uri.as_text().map(std::borrow::Cow::into_owned)).collect()
}

fn acknowledged<'a>(id: &RawJson, lists: Lists, uris: impl Iterator<Item = &'a String>) -> Bytes {
    let uris: Vec<&str> = uris.map(String::as_str).collect();
    let notifications = JsonObject::build(|object| {
        for (word, is_told) in [
            ("toolsListChanged", lists.tools),
            ("promptsListChanged", lists.prompts),
            ("resourcesListChanged", lists.resources),
        ] {
            if is_told {
                object.member(word, &true);
            }
        }
        if !uris.is_empty() {
            object.member("resourceSubscriptions", &uris);
        }
    });
    let params = JsonObject::build(|object| {
        object.member("_meta", &tag(id));
        object.member("notifications", &notifications);
    });
    jsonrpc::notification("notifications/subscriptions/acknowledged", &params)
}
