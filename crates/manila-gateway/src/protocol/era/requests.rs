//! A client's request in the words of the server's era.

use bytes::Bytes;
use manila::json::{Emit, Kind};
use manila::request_envelope::Request;
use manila::{JsonObject, RawJson};

use super::{Era, meta};
use crate::protocol::caller::{Caller, Client};
use crate::protocol::jsonrpc::{self, Edits};
use crate::protocol::own_meta;

/// Who we are, where nobody else asks.
pub(crate) struct OwnInfo;

impl Emit for OwnInfo {
    fn emit(&self, out: &mut Vec<u8>) {
        let text = concat!(r#"{"name":"manila","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);
        out.extend_from_slice(text.as_bytes());
    }
}

/// A client's request under an id of ours, in the words of the server's era, with the server's own
/// `name` where clients know another. Progress is reported under that id, too: two clients may have
/// chosen the same token. Servers learn our span, so that theirs become its children.
pub(crate) fn outgoing(
    request: &Request,
    id: u64,
    caller: &Caller,
    server: Era,
    name: Option<&str>,
) -> (Bytes, Option<RawJson>) {
    let given = request.meta.as_ref();
    let token = given.and_then(|given| given.get("progressToken"));
    let own_id = id.to_string();
    let traceparent = caller.origin.trace.traceparent();
    if !caller.era().is_like(server) {
        let own = Own { token: token.is_some().then_some(id), name, traceparent: &traceparent };
        let params = params(request, given, &own, |object| {
            if server == Era::Modern {
                modern_members(object, Some(&caller.client));
            }
        });
        return (jsonrpc::request(id, &request.method, &params), token);
    }
    let mut edits = Edits::of(&request.frame);
    edits.replace(&request.id, own_id.as_bytes());
    if let Some(token) = &token {
        edits.replace(token, own_id.as_bytes());
    }
    if let (Some(name), Some(given)) = (name, &request.name) {
        edits.replace_text(given, name);
    }
    trace(&mut edits, request, &traceparent);
    (edits.apply(), token)
}

/// Adds our span to the `_meta` of a request. One without parameters has no place for it.
fn trace(edits: &mut Edits<'_>, request: &Request, traceparent: &str) {
    let member = |text: &mut Vec<u8>| {
        // Neither needs escaping.
        text.push(b'"');
        text.extend_from_slice(own_meta::TRACEPARENT.as_bytes());
        text.extend_from_slice(b"\":\"");
        text.extend_from_slice(traceparent.as_bytes());
        text.push(b'"');
    };
    match (&request.meta, &request.params) {
        (Some(meta), _) => match meta.get(own_meta::TRACEPARENT) {
            Some(given) => edits.replace_text(&given, traceparent),
            None if meta.kind() == Kind::Object => edits.add_member(meta, member),
            None => {}
        },
        (None, Some(params)) => edits.add_member(params.as_raw(), |text| {
            text.extend_from_slice(br#""_meta":{"#);
            member(text);
            text.push(b'}');
        }),
        (None, None) => {}
    }
}

/// What a request says of ours instead of its client's.
struct Own<'a> {
    token: Option<u64>,
    name: Option<&'a str>,
    traceparent: &'a str,
}

/// The parameters with another `_meta`: without what only a client of the modern era says, with
/// our progress token, and with what `add` adds.
fn params(
    request: &Request,
    given: Option<&RawJson>,
    own: &Own<'_>,
    add: impl FnOnce(&mut manila::json::ObjectWriter<'_>),
) -> JsonObject {
    let meta = JsonObject::build(|object| {
        for member in given.iter().flat_map(|given| given.members()) {
            let is_modern = meta::OF_A_REQUEST.into_iter().any(|key| member.is(key));
            let is_replaced = own.token.is_some() && member.is("progressToken")
                || member.is(own_meta::TRACEPARENT);
            if !is_modern && !is_replaced {
                object.token_member(member.key_token(), &member.value());
            }
        }
        object.member("progressToken", &own.token);
        object.member(own_meta::TRACEPARENT, own.traceparent);
        add(object);
    });
    let members = request.params.iter().flat_map(|params| params.members());
    JsonObject::build(|object| {
        for member in members.filter(|member| !member.is("_meta")) {
            match own.name {
                Some(name) if member.is("name") => object.token_member(member.key_token(), name),
                Some(_) | None => object.token_member(member.key_token(), &member.value()),
            }
        }
        if !meta.is_empty() {
            object.member("_meta", &meta);
        }
    })
}

/// What a request of the modern era says about its client. A client of the legacy era cannot be
/// asked back across eras, so nothing is claimed that it could do.
fn modern_members(object: &mut manila::json::ObjectWriter<'_>, client: Option<&Client>) {
    object.member(meta::PROTOCOL_VERSION, Era::Modern.date());
    object.member(meta::CLIENT_CAPABILITIES, &JsonObject::default());
    match client.and_then(Client::speech).and_then(|speech| speech.info.as_ref()) {
        Some(info) => object.member(meta::CLIENT_INFO, info),
        None => object.member(meta::CLIENT_INFO, &OwnInfo),
    }
    object.member(meta::LOG_LEVEL, &client.and_then(Client::log_level));
}

/// The parameters of a request of our own in the modern era.
pub(crate) fn modern_request(params: &JsonObject) -> JsonObject {
    JsonObject::build(|object| {
        for member in params.members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("_meta", &JsonObject::build(|object| modern_members(object, None)));
    })
}
