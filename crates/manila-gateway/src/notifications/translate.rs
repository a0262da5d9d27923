//! Translates a server's notifications into the era and the URIs of each subscriber.

use bytes::Bytes;
use manila::json::ObjectWriter;
use manila::request_envelope::Notification;
use manila::{JsonObject, RawJson};

use super::Subscriber;
use crate::protocol::era::{Era, meta};
use crate::protocol::{jsonrpc, naming};

/// Translates a notification of a server of this era for a subscriber. The result contains the
/// subscriber's own subscription id, and no other.
pub(crate) fn for_subscriber(notification: &Notification, era: Era, to: &Subscriber) -> Bytes {
    match (&to.filter.subscription, era) {
        (Some(id), _) => tag(notification, Some(id)),
        (None, Era::Modern) => tag(notification, None),
        (None, Era::Legacy(_)) => notification.frame.to_bytes(),
    }
}

/// Translates a notification of a changed resource, which the subscriber knows by this URI.
pub(crate) fn with_uri(notification: &Notification, uri: &str, era: Era, to: &Subscriber) -> Bytes {
    let given = notification.params.as_ref().and_then(|params| params.get("uri"));
    let is_same = given.as_ref().and_then(RawJson::as_text).is_none_or(|given| given == uri);
    let renamed = match given {
        Some(given) if !is_same => naming::notification_with_text(notification, &given, uri),
        Some(_) | None => None,
    };
    for_subscriber(renamed.as_ref().unwrap_or(notification), era, to)
}

/// Returns a notification with this subscription id, and no other.
pub(crate) fn tag(notification: &Notification, id: Option<&RawJson>) -> Bytes {
    let params = notification.params.clone().unwrap_or_default();
    let others = params.get("_meta").and_then(JsonObject::new).unwrap_or_default();
    let others = others.without(meta::SUBSCRIPTION_ID);
    let write_meta = |object: &mut ObjectWriter<'_>| {
        object.member(meta::SUBSCRIPTION_ID, &id);
        for member in others.members() {
            object.token_member(member.key_token(), &member.value());
        }
    };
    let params = JsonObject::build(|object| {
        if id.is_some() || !others.is_empty() {
            object.member("_meta", &JsonObject::build(write_meta));
        }
        for member in params.members().filter(|member| !member.is("_meta")) {
            object.token_member(member.key_token(), &member.value());
        }
    });
    jsonrpc::notification(&notification.method, &params)
}
