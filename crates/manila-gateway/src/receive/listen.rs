//! `subscriptions/listen`: a request that lasts as long as its client wants to hear of changes.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::answering::not_available;
use super::encode::Written;
use crate::audience::{Listener, Lists, Resources, Wants};
use crate::caller::Caller;
use crate::era::{Era, meta};
use crate::hub::{Hello, Hub};
use crate::jsonrpc::{self, Fault};
use crate::upstream::{Arrived, Mirrored};

/// How many resources one client may watch, or one subscription name.
pub(super) const RESOURCES_MAX: usize = 256;

/// Lets the client listen, until it does not want to, or there is nothing to hear any more. What is
/// given back tells it that.
pub(super) async fn listen(hub: &Hub, request: &Request, caller: &Arc<Caller>) -> Written {
    let asked = request.params.as_ref().and_then(|params| params.get("notifications"));
    let Some(asked) = asked.and_then(JsonObject::new) else {
        let fault = Fault::new(Code::InvalidToolInput)
            .message("Invalid params: `notifications` must be an object");
        return Written::fault(&request.id, &fault);
    };
    let hello = match hub.hello(Era::Modern).await {
        Ok(hello) => hello,
        Err(down) => return Written::fault(&request.id, &not_available(&down)),
    };
    let refused = tokio::select! {
        biased;
        () = hub.stopping() => None,
        refused = heard(hub, request, caller, &hello, &asked) => refused,
    };
    match refused {
        Some(error) => {
            let error = hub.settings().hiding.part(error);
            Written::error(jsonrpc::error(Some(&request.id), &error), &error)
        }
        None => Written::result(over(&request.id)),
    }
}

/// The end of a subscription that ends in order.
fn over(id: &RawJson) -> Bytes {
    let result = JsonObject::build(|object| {
        object.member("resultType", "complete");
        object.member("_meta", &tag(id));
    });
    jsonrpc::result(id, &result)
}

fn tag(id: &RawJson) -> JsonObject {
    JsonObject::build(|object| object.member(meta::SUBSCRIPTION_ID, id))
}

async fn heard(
    hub: &Hub,
    request: &Request,
    caller: &Arc<Caller>,
    hello: &Hello,
    asked: &JsonObject,
) -> Option<RawJson> {
    let capabilities = match hello {
        // The server knows best what has changed, and when it begins to tell.
        Hello::Of(ready) if ready.era == Era::Modern => {
            let mirrored = Mirrored::default();
            let mut waiting = ready.connection.forward(request, caller, &mirrored).await.ok()?;
            // Whatever it is, it is the end.
            return match waiting.arrived().await {
                Ok(Arrived::Response(response)) => response.answer.err(),
                Ok(_) | Err(_) => None,
            };
        }
        Hello::Of(ready) => ready.capabilities(),
        Hello::United(united) => united.capabilities.clone(),
    };
    let mut wants = wants(&request.id, asked, &capabilities);
    let Resources::Some(uris) = &mut wants.resources else { return None };
    let mut watching = Vec::new();
    for uri in std::mem::take(uris) {
        // What the server does not want to tell is not promised.
        if let Ok(watch) = hub.watch(&uri).await {
            watching.push(watch);
            uris.insert(uri);
        }
    }
    // Nothing comes before this.
    caller.line.put(acknowledged(&request.id, &wants)).ok()?;
    let (client, line) = (Arc::clone(&caller.client), Arc::clone(&caller.line));
    let _listening = hub.audience.add(Listener { client, line, wants });
    std::future::pending().await
}

/// What of a client's wishes can be fulfilled where the server does not know them itself.
fn wants(id: &RawJson, asked: &JsonObject, capabilities: &JsonObject) -> Wants {
    let is_asked = |word: &str| asked.get(word).is_some_and(|it| it.as_bytes() == b"true");
    let can = |kind: &str, word: &str| {
        let can = capabilities.get(kind).and_then(|it| it.get(word));
        can.is_some_and(|it| it.as_bytes() == b"true")
    };
    let uris = asked.get("resourceSubscriptions").filter(|_| can("resources", "subscribe"));
    let uris = uris.iter().flat_map(RawJson::items).take(RESOURCES_MAX);
    let uris: HashSet<String> =
        uris.filter_map(|uri| uri.as_text().map(std::borrow::Cow::into_owned)).collect();
    Wants {
        lists: Lists {
            // That we can tell ourselves, when a server was started again.
            tools: is_asked("toolsListChanged") && capabilities.get("tools").is_some(),
            prompts: is_asked("promptsListChanged") && can("prompts", "listChanged"),
            resources: is_asked("resourcesListChanged") && can("resources", "listChanged"),
        },
        resources: Resources::Some(uris),
        rest: false,
        subscription: Some(id.clone()),
    }
}

fn acknowledged(id: &RawJson, wants: &Wants) -> Bytes {
    let Wants { lists, resources, .. } = wants;
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
        if let Resources::Some(uris) = resources
            && !uris.is_empty()
        {
            let uris: Vec<&str> = uris.iter().map(String::as_str).collect();
            object.member("resourceSubscriptions", &uris);
        }
    });
    let params = JsonObject::build(|object| {
        object.member("_meta", &tag(id));
        object.member("notifications", &notifications);
    });
    jsonrpc::notification("notifications/subscriptions/acknowledged", &params)
}
