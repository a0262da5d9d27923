//! What a server tells, in the words of whoever hears it.

use bytes::Bytes;
use manila::json::ObjectWriter;
use manila::request_envelope::Notification;
use manila::{JsonObject, RawJson};

use super::Listener;
use crate::protocol::era::{Era, meta};
use crate::protocol::{jsonrpc, naming};

/// A notification for somebody who listens: it carries the id of the subscription that asked for
/// it, and none of anybody else's.
pub(crate) fn for_listener(notification: &Notification, told_in: Era, to: &Listener) -> Bytes {
    match (&to.wants.subscription, told_in) {
        (Some(id), _) => tagged(notification, Some(id)),
        (None, Era::Modern) => tagged(notification, None),
        (None, Era::Legacy(_)) => notification.frame.to_bytes(),
    }
}

/// The same for the change of a resource that the listener knows by this URI.
pub(crate) fn under_uri(
    notification: &Notification,
    uri: &str,
    told_in: Era,
    to: &Listener,
) -> Bytes {
    let own = notification.params.as_ref().and_then(|params| params.get("uri"));
    let is_known = own.as_ref().and_then(RawJson::as_text).is_none_or(|own| own == uri);
    let renamed = match own {
        Some(own) if !is_known => naming::notification_with_text(notification, &own, uri),
        Some(_) | None => None,
    };
    for_listener(renamed.as_ref().unwrap_or(notification), told_in, to)
}

/// A notification that carries this subscription id, and no other.
pub(crate) fn tagged(notification: &Notification, id: Option<&RawJson>) -> Bytes {
    let given = notification.params.clone().unwrap_or_default();
    let own = given.get("_meta").and_then(JsonObject::new).unwrap_or_default();
    let own = own.without(meta::SUBSCRIPTION_ID);
    let write_meta = |object: &mut ObjectWriter<'_>| {
        object.member(meta::SUBSCRIPTION_ID, &id);
        for member in own.members() {
            object.token_member(member.key_token(), &member.value());
        }
    };
    let params = JsonObject::build(|object| {
        if id.is_some() || !own.is_empty() {
            object.member("_meta", &JsonObject::build(write_meta));
        }
        for member in given.members().filter(|member| !member.is("_meta")) {
            object.token_member(member.key_token(), &member.value());
        }
    });
    jsonrpc::notification(&notification.method, &params)
}
