//! `subscriptions/listen`: a request that stays open while its client subscribes to changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::answer::unavailable_fault;
use super::response::Response;
use crate::gateway::{Gateway, HandshakeInfo};
use crate::notifications::{Lists, NotificationFilter, Resources, Subscriber};
use crate::protocol::caller::Caller;
use crate::protocol::era::{Era, meta};
use crate::protocol::jsonrpc::{self, Fault};
use crate::upstream::{RequestOverrides, UpstreamReply};

/// The number of resources that one client may watch, or one subscription may name.
pub(crate) const RESOURCES_MAX: usize = 4_096;

/// Subscribes the client to changes. Returns when the server ends the subscription or the gateway
/// is stopping; the response reports that to the client.
pub(crate) async fn listen(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Response {
    let requested = request.params.as_ref().and_then(|params| params.get("notifications"));
    let Some(requested) = requested.and_then(JsonObject::new) else {
        let fault = Fault::new(Code::InvalidToolInput)
            .message("Invalid params: `notifications` must be an object");
        return Response::Refused(fault);
    };
    let info = match gateway.handshake_info(Era::Modern).await {
        Ok(info) => info,
        Err(unavailable) => return Response::Refused(unavailable_fault(&unavailable)),
    };
    let error = tokio::select! {
        biased;
        () = gateway.wait_stopping() => None,
        error = listen_until_end(gateway, request, caller, &info, &requested) => error,
    };
    match error {
        Some(error) => Response::Error(gateway.settings().redaction.redact_part(error), None),
        None => Response::Result(closing_result(&request.id)),
    }
}

/// Returns the result of a subscription that ends without an error.
fn closing_result(id: &RawJson) -> JsonObject {
    JsonObject::build(|object| {
        object.member("resultType", "complete");
        object.member("_meta", &subscription_meta(id));
    })
}

fn subscription_meta(id: &RawJson) -> JsonObject {
    JsonObject::build(|object| object.member(meta::SUBSCRIPTION_ID, id))
}

/// Waits for the end of the subscription, and returns the server's error object if it has one.
async fn listen_until_end(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
    info: &HandshakeInfo,
    requested: &JsonObject,
) -> Option<RawJson> {
    let capabilities = match info {
        // A server of the modern era handles the subscription itself.
        HandshakeInfo::Single(ready) if ready.era == Era::Modern => {
            let overrides = RequestOverrides::default();
            let mut waiting = ready.connection.forward(request, caller, &overrides).await.ok()?;
            // Any reply ends the subscription.
            return match waiting.wait().await {
                Ok(UpstreamReply::Response(response)) => response.answer.err(),
                Ok(_) | Err(_) => None,
            };
        }
        HandshakeInfo::Single(ready) => ready.capabilities(),
        HandshakeInfo::Merged(merged) => merged.capabilities.clone(),
    };
    let mut watches = BTreeMap::new();
    for uri in uris(requested, &capabilities) {
        // A resource whose subscription the server refuses is not acknowledged.
        if let Ok(watch) = gateway.watch(&uri).await {
            watches.insert(uri, watch);
        }
    }
    let granted = acknowledgement(&request.id, lists(requested, &capabilities), watches.keys());
    let filter = NotificationFilter {
        lists: lists(requested, &capabilities),
        resources: Resources::Some(Arc::new(watches)),
        rest: false,
        subscription: Some(request.id.clone()),
    };
    // The acknowledgement precedes all notifications.
    caller.outbound.put(granted).ok()?;
    let (client, outbound) = (Arc::clone(&caller.client), Arc::clone(&caller.outbound));
    let _guard = gateway.notifications.add(Subscriber { client, outbound, filter });
    std::future::pending().await
}

/// Returns whether the capability `name` of this kind is `true`.
fn has_capability(capabilities: &JsonObject, kind: &str, name: &str) -> bool {
    let capability = capabilities.get(kind).and_then(|it| it.get(name));
    capability.is_some_and(|it| it.as_bytes() == b"true")
}

/// Returns the lists whose changes the client requested and the gateway can report.
fn lists(requested: &JsonObject, capabilities: &JsonObject) -> Lists {
    let is_requested = |name: &str| requested.get(name).is_some_and(|it| it.as_bytes() == b"true");
    Lists {
        // The gateway itself reports these changes, when a server restarts.
        tools: is_requested("toolsListChanged") && capabilities.get("tools").is_some(),
        prompts: is_requested("promptsListChanged")
            && has_capability(capabilities, "prompts", "listChanged"),
        resources: is_requested("resourcesListChanged")
            && has_capability(capabilities, "resources", "listChanged"),
    }
}

/// Returns the resources whose changes the client requested, if any server supports that.
fn uris(requested: &JsonObject, capabilities: &JsonObject) -> BTreeSet<String> {
    let uris = requested.get("resourceSubscriptions");
    let uris = uris.filter(|_| has_capability(capabilities, "resources", "subscribe"));
    let uris = uris.iter().flat_map(RawJson::items).take(RESOURCES_MAX);
    uris.filter_map(|uri| uri.as_text().map(std::borrow::Cow::into_owned)).collect()
}

fn acknowledgement<'a>(
    id: &RawJson,
    lists: Lists,
    uris: impl Iterator<Item = &'a String>,
) -> Bytes {
    let uris: Vec<&str> = uris.map(String::as_str).collect();
    let notifications = JsonObject::build(|object| {
        for (name, is_granted) in [
            ("toolsListChanged", lists.tools),
            ("promptsListChanged", lists.prompts),
            ("resourcesListChanged", lists.resources),
        ] {
            if is_granted {
                object.member(name, &true);
            }
        }
        if !uris.is_empty() {
            object.member("resourceSubscriptions", &uris);
        }
    });
    let params = JsonObject::build(|object| {
        object.member("_meta", &subscription_meta(id));
        object.member("notifications", &notifications);
    });
    jsonrpc::notification("notifications/subscriptions/acknowledged", &params)
}
