//! Names of several servers behind one door: each name begins with that of its server.

use std::borrow::Cow;

use manila::json::Emit;
use manila::request_envelope::{Message, Notification, Request};
use manila::{JsonObject, RawJson};

use crate::protocol::jsonrpc;

/// What stands between the name of a server and the name of what it offers. No server's name has
/// it, so that it is always clear where one ends.
pub(crate) const BETWEEN: char = '_';

/// The server and its own name for something.
pub(crate) fn split(public: &str) -> Option<(&str, &str)> {
    public.split_once(BETWEEN)
}

/// The text of a member.
pub(crate) fn text(object: &RawJson, name: &str) -> Option<String> {
    object.get(name)?.as_text().map(Cow::into_owned)
}

/// An object with another value for one of its members, where it stands, or else at the end.
pub(crate) fn with_member(object: &RawJson, name: &str, value: &(impl Emit + ?Sized)) -> RawJson {
    const MOSTLY: usize = 64;
    let n_bytes = object.as_bytes().len() + value.n_bytes_known() + MOSTLY;
    let mut is_there = false;
    let changed = JsonObject::build_in(n_bytes, |writer| {
        for member in object.members() {
            if member.is(name) {
                writer.member(name, value);
                is_there = true;
            } else {
                writer.token_member(member.key_token(), &member.value());
            }
        }
        if !is_there {
            writer.member(name, value);
        }
    });
    changed.into()
}

/// A request with another text for a part of it, which must be a slice of its frame.
pub(crate) fn with_text(request: &Request, part: &RawJson, text: &str) -> Option<Request> {
    let mut token = Vec::with_capacity(text.len() + 2);
    text.emit(&mut token);
    with_part(request, part, &token)
}

/// A notification with another text for a part of it, which must be a slice of its frame.
pub(crate) fn notification_with_text(
    notification: &Notification,
    part: &RawJson,
    text: &str,
) -> Option<Notification> {
    let mut token = Vec::with_capacity(text.len() + 2);
    text.emit(&mut token);
    match Message::from_json(jsonrpc::replaced(&notification.frame, part, &token)) {
        Ok(Message::Notification(notification)) => Some(notification),
        // What was a notification is one with another value in it.
        Ok(Message::Request(_) | Message::Response(_)) | Err(_) => None,
    }
}

/// A request with another value for a part of it, which must be a slice of its frame.
pub(crate) fn with_part(request: &Request, part: &RawJson, with: &[u8]) -> Option<Request> {
    match Message::from_json(jsonrpc::replaced(&request.frame, part, with)) {
        Ok(Message::Request(request)) => Some(request),
        // What was a request is one with another value in it.
        Ok(Message::Notification(_) | Message::Response(_)) | Err(_) => None,
    }
}
