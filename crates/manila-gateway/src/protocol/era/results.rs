//! A server's result in the words of the client's era.

use manila::json::Kind;
use manila::{JsonObject, RawJson};

use super::Era;

/// What only the results of the modern era say.
const MARKS: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// Methods whose results say how long they may be kept.
const CACHEABLE: [&str; 6] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// Whether the results of this method say how long they may be kept.
fn is_cacheable(method: &str) -> bool {
    CACHEABLE.contains(&method)
}

/// A server's result for a client of another era; `None` if it can stay as it is.
pub(crate) fn incoming(
    result: &RawJson,
    method: &str,
    server: Era,
    client: Era,
) -> Option<RawJson> {
    match (server, client) {
        (Era::Legacy(_), Era::Modern) => Some(with_modern_marks(result, method)),
        (Era::Modern, Era::Legacy(_)) => without_modern_marks(result),
        (Era::Legacy(_), Era::Legacy(_)) | (Era::Modern, Era::Modern) => None,
    }
}

/// A result with all that clients of the modern era want of it. What is there already stays.
fn with_modern_marks(result: &RawJson, method: &str) -> RawJson {
    if result.kind() != Kind::Object {
        return result.clone();
    }
    let object = JsonObject::build(|object| {
        for member in result.members() {
            object.token_member(member.key_token(), &member.value());
        }
        if result.get("resultType").is_none() {
            object.member("resultType", "complete");
        }
        if is_cacheable(method) {
            // What a server of the legacy era lists may be other the next time.
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

fn without_modern_marks(result: &RawJson) -> Option<RawJson> {
    let mut left = JsonObject::new(result.clone())?;
    if !MARKS.into_iter().any(|mark| left.get(mark).is_some()) {
        return None;
    }
    for mark in MARKS {
        left = left.without(mark);
    }
    Some(left.into())
}
