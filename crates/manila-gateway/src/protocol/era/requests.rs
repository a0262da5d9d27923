//! Translates a client's request into the server's era.

use bytes::Bytes;
use manila::json::{Emit, Kind};
use manila::request_envelope::Request;
use manila::{JsonObject, RawJson};

use super::{Era, meta};
use crate::protocol::caller::{Caller, Client};
use crate::protocol::jsonrpc::{self, Edits};
use crate::protocol::meta_keys;

/// The gateway's name and version, for requests and results of its own.
pub(crate) struct OwnInfo;

impl Emit for OwnInfo {
    fn emit(&self, out: &mut Vec<u8>) {
        let text = concat!(r#"{"name":"manila","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);
        out.extend_from_slice(text.as_bytes());
    }
}

/// Encodes a client's request for a server, in the server's era. Also returns the client's progress
/// token.
///
/// - The gateway's `id` replaces the client's. It is also the progress token, because two clients
///   may have chosen the same token.
/// - `name` is the server's name for the requested item, if clients use another one.
/// - The gateway's span is added, so that the server's spans become its children.
pub(crate) fn translate_request(
    request: &Request,
    id: u64,
    caller: &Caller,
    server: Era,
    name: Option<&str>,
) -> (Bytes, Option<RawJson>) {
    let given = request.meta.as_ref();
    let token = given.and_then(|given| given.get("progressToken"));
    let own_id = id.to_string();
    let traceparent = caller.source.trace.traceparent();
    if !caller.era().is_same_era(server) {
        let token_id = token.is_some().then_some(id);
        let overrides = Overrides { token: token_id, name, traceparent: &traceparent };
        let params = build_params(request, given, &overrides, |object| {
            if server == Era::Modern {
                write_modern_members(object, Some(&caller.client));
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
    add_traceparent(&mut edits, request, &traceparent);
    (edits.apply(), token)
}

/// Adds the gateway's span to the `_meta` of a request, unless the request has no parameters.
fn add_traceparent(edits: &mut Edits<'_>, request: &Request, traceparent: &str) {
    let member = |text: &mut Vec<u8>| {
        // Neither the key nor the value needs escaping.
        text.push(b'"');
        text.extend_from_slice(meta_keys::TRACEPARENT.as_bytes());
        text.extend_from_slice(b"\":\"");
        text.extend_from_slice(traceparent.as_bytes());
        text.push(b'"');
    };
    match (&request.meta, &request.params) {
        (Some(meta), _) => match meta.get(meta_keys::TRACEPARENT) {
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

/// The gateway's values that replace those of the client in a request.
struct Overrides<'a> {
    token: Option<u64>,
    name: Option<&'a str>,
    traceparent: &'a str,
}

/// Returns the parameters with another `_meta`: without the keys of the modern era, with the
/// gateway's values, and with the members that `add` writes.
fn build_params(
    request: &Request,
    given: Option<&RawJson>,
    overrides: &Overrides<'_>,
    add: impl FnOnce(&mut manila::json::ObjectWriter<'_>),
) -> JsonObject {
    let meta = JsonObject::build(|object| {
        for member in given.iter().flat_map(|given| given.members()) {
            let is_modern = meta::REQUEST_KEYS.into_iter().any(|key| member.is(key));
            let is_replaced = overrides.token.is_some() && member.is("progressToken")
                || member.is(meta_keys::TRACEPARENT);
            if !is_modern && !is_replaced {
                object.token_member(member.key_token(), &member.value());
            }
        }
        object.member("progressToken", &overrides.token);
        object.member(meta_keys::TRACEPARENT, overrides.traceparent);
        add(object);
    });
    let members = request.params.iter().flat_map(|params| params.members());
    JsonObject::build(|object| {
        for member in members.filter(|member| !member.is("_meta")) {
            match overrides.name {
                Some(name) if member.is("name") => object.token_member(member.key_token(), name),
                Some(_) | None => object.token_member(member.key_token(), &member.value()),
            }
        }
        if !meta.is_empty() {
            object.member("_meta", &meta);
        }
    })
}

/// Writes the members of `_meta` in which a request of the modern era declares its client. A server
/// cannot send requests to a client of another era, so no capabilities are declared.
fn write_modern_members(object: &mut manila::json::ObjectWriter<'_>, client: Option<&Client>) {
    object.member(meta::PROTOCOL_VERSION, Era::Modern.date());
    object.member(meta::CLIENT_CAPABILITIES, &JsonObject::default());
    let declared = client.and_then(Client::client_info);
    match declared.and_then(|declared| declared.implementation.as_ref()) {
        Some(info) => object.member(meta::CLIENT_INFO, info),
        None => object.member(meta::CLIENT_INFO, &OwnInfo),
    }
    object.member(meta::LOG_LEVEL, &client.and_then(Client::log_level));
}

/// Returns the parameters of the gateway's own request in the modern era.
pub(crate) fn modern_params(params: &JsonObject) -> JsonObject {
    JsonObject::build(|object| {
        for member in params.members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("_meta", &JsonObject::build(|object| write_modern_members(object, None)));
    })
}
