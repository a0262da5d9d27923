//! Translates a server's result into the client's era.

use manila::json::Kind;
use manila::{JsonObject, RawJson};

use super::Era;

/// The members of a result that exist only in the modern era.
const MODERN_MEMBERS: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// The methods whose results declare how long they may be cached.
const CACHEABLE: [&str; 6] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// Returns whether the results of this method declare how long they may be cached.
fn is_cacheable(method: &str) -> bool {
    CACHEABLE.contains(&method)
}

/// Translates a server's result for a client; `None` if no change is necessary.
pub(crate) fn translate_result(
    result: &RawJson,
    method: &str,
    server: Era,
    client: Era,
) -> Option<RawJson> {
    match (server, client) {
        (Era::Legacy(_), Era::Modern) => Some(with_modern_members(result, method)),
        (Era::Modern, Era::Legacy(_)) => without_modern_members(result),
        (Era::Legacy(_), Era::Legacy(_)) | (Era::Modern, Era::Modern) => None,
    }
}

/// Adds the members that clients of the modern era require. A `resultType` of the server is
/// replaced: the legacy era does not have it, so every result is complete.
fn with_modern_members(result: &RawJson, method: &str) -> RawJson {
    if result.kind() != Kind::Object {
        return result.clone();
    }
    let object = JsonObject::build(|object| {
        for member in result.members().filter(|member| !member.is("resultType")) {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("resultType", "complete");
        if is_cacheable(method) {
            // A server of the legacy era does not declare how long its lists are valid.
            if result.get("ttlMs").is_none() {
                object.member("ttlMs", &0_u64);
            }
            if result.get("cacheScope").is_none() {
                object.member("cacheScope", "private");
            }
        }
    });
    object.into()
}

fn without_modern_members(result: &RawJson) -> Option<RawJson> {
    let mut others = JsonObject::new(result.clone())?;
    if !MODERN_MEMBERS.into_iter().any(|name| others.get(name).is_some()) {
        return None;
    }
    for name in MODERN_MEMBERS {
        others = others.without(name);
    }
    Some(others.into())
}
