//! A client's request in the words of the server's era.

use bytes::Bytes;
use manila::json::Emit;
use manila::request_envelope::Request;
use manila::{JsonObject, RawJson};

use super::{Era, meta};
use crate::protocol::caller::Client;
use crate::protocol::jsonrpc;

/// Who we are, where nobody else asks.
pub(crate) struct OwnInfo;

impl Emit for OwnInfo {
    fn emit(&self, out: &mut Vec<u8>) {
        let text = concat!(r#"{"name":"manila","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);
        out.extend_from_slice(text.as_bytes());
    }
}

/// A client's request under an id of ours, in the words of the server's era. Progress is
/// reported under that id, too: two clients may have chosen the same token.
pub(crate) fn outgoing(
    request: &Request,
    id: u64,
    client: &Client,
    server: Era,
) -> (Bytes, Option<RawJson>) {
    let given = request.meta.as_ref();
    let token = given.and_then(|given| given.get("progressToken"));
    let own_id = id.to_string();
    if !client.era().is_like(server) {
        let params = params(request, given, token.is_some().then_some(id), |object| {
            if server == Era::Modern {
                modern_members(object, Some(client));
            }
        });
        return (jsonrpc::request(id, &request.method, &params), token);
    }
    let frame = match &token {
        None => jsonrpc::replaced(&request.frame, &request.id, own_id.as_bytes()),
        Some(token) => {
            jsonrpc::both_replaced(&request.frame, [&request.id, token], own_id.as_bytes())
        }
    };
    (frame, token)
}

/// The parameters with another `_meta`: without what only a client of the modern era says, with
/// our progress token, and with what `add` adds.
fn params(
    request: &Request,
    given: Option<&RawJson>,
    token: Option<u64>,
    add: impl FnOnce(&mut manila::json::ObjectWriter<'_>),
) -> JsonObject {
    let meta = JsonObject::build(|object| {
        for member in given.iter().flat_map(|given| given.members()) {
            let is_modern = meta::OF_A_REQUEST.into_iter().any(|key| member.is(key));
            let is_replaced = token.is_some() && member.is("progressToken");
            if !is_modern && !is_replaced {
                object.token_member(member.key_token(), &member.value());
            }
        }
        object.member("progressToken", &token);
        add(object);
    });
    let members = request.params.iter().flat_map(|params| params.members());
    JsonObject::build(|object| {
        for member in members.filter(|member| !member.is("_meta")) {
            object.token_member(member.key_token(), &member.value());
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
