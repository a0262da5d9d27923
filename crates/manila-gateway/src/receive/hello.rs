//! The server's hello, as the client hears it.

use manila::{JsonObject, RawJson};

use crate::era::Revision;
use crate::own_meta;

/// The server's own hello, in the client's revision. Since we can tell when the tools of a
/// server that was started again differ, we promise it.
pub(super) fn shown(greeting: &RawJson, revision: Revision) -> JsonObject {
    JsonObject::build(|object| {
        for member in greeting.members() {
            match member.key().as_ref() {
                "protocolVersion" => object.member("protocolVersion", revision.date()),
                "capabilities" => object.member("capabilities", &promising(&member.value())),
                "_meta" => {}
                _ => object.token_member(member.key_token(), &member.value()),
            }
        }
        let own = greeting.get("_meta").and_then(JsonObject::new).unwrap_or_default();
        let meta = JsonObject::build(|meta| {
            for member in own.members().filter(|member| !own_meta::is_told(member)) {
                meta.token_member(member.key_token(), &member.value());
            }
            meta.member(own_meta::GATEWAY, &own_meta::Gateway);
        });
        object.member("_meta", &meta);
    })
}

fn promising(capabilities: &RawJson) -> JsonObject {
    JsonObject::build(|object| {
        for member in capabilities.members() {
            match JsonObject::new(member.value()) {
                Some(tools) if member.is("tools") => {
                    let others = tools.without("listChanged");
                    let promised = JsonObject::build(|object| {
                        for member in others.members() {
                            object.token_member(member.key_token(), &member.value());
                        }
                        object.member("listChanged", &true);
                    });
                    object.member("tools", &promised);
                }
                Some(_) | None => object.token_member(member.key_token(), &member.value()),
            }
        }
    })
}
