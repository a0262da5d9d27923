//! Public names of the items of several servers: each begins with the name of its server.

use std::borrow::Cow;

use manila::json::Emit;
use manila::request_envelope::{Message, Notification, Request};
use manila::{JsonObject, RawJson};

use crate::protocol::jsonrpc;

/// The separator between the name of a server and the name of its item. The name of a server does
/// not contain it, so a public name is never ambiguous.
pub(crate) const SEPARATOR: char = '_';

/// Splits a public name into the name of the server and the server's name for the item.
pub(crate) fn split(public: &str) -> Option<(&str, &str)> {
    public.split_once(SEPARATOR)
}

/// Returns the member of this name, if it is a string.
pub(crate) fn text(object: &RawJson, name: &str) -> Option<String> {
    object.get(name)?.as_text().map(Cow::into_owned)
}

/// Returns an object with another value for one member. A new member is added at the end.
pub(crate) fn with_member(object: &RawJson, name: &str, value: &(impl Emit + ?Sized)) -> RawJson {
    const OVERHEAD: usize = 64;
    let n_bytes = object.as_bytes().len() + value.n_bytes_known() + OVERHEAD;
    let mut is_replaced = false;
    let rewritten = JsonObject::build_in(n_bytes, |writer| {
        for member in object.members() {
            if member.is(name) {
                writer.member(name, value);
                is_replaced = true;
            } else {
                writer.token_member(member.key_token(), &member.value());
            }
        }
        if !is_replaced {
            writer.member(name, value);
        }
    });
    rewritten.into()
}

/// Returns a request with a part replaced by a string. The part must be a slice of its frame.
pub(crate) fn with_text(request: &Request, part: &RawJson, text: &str) -> Option<Request> {
    let mut token = Vec::with_capacity(text.len() + 2);
    text.emit(&mut token);
    with_part(request, part, &token)
}

/// Returns a notification with a part replaced by a string. The part must be a slice of its frame.
pub(crate) fn notification_with_text(
    notification: &Notification,
    part: &RawJson,
    text: &str,
) -> Option<Notification> {
    let mut token = Vec::with_capacity(text.len() + 2);
    text.emit(&mut token);
    match Message::from_json(jsonrpc::replace_part(&notification.frame, part, &token)) {
        Ok(Message::Notification(notification)) => Some(notification),
        // A notification with another value is still a notification.
        Ok(Message::Request(_) | Message::Response(_)) | Err(_) => None,
    }
}

/// Returns a request with a part replaced. The part must be a slice of its frame.
pub(crate) fn with_part(request: &Request, part: &RawJson, with: &[u8]) -> Option<Request> {
    match Message::from_json(jsonrpc::replace_part(&request.frame, part, with)) {
        Ok(Message::Request(request)) => Some(request),
        // A request with another value is still a request.
        Ok(Message::Notification(_) | Message::Response(_)) | Err(_) => None,
    }
}
