//! The handshake result for a client, independent of the server's era.

use manila::json::ObjectWriter;
use manila::{JsonObject, RawJson};

use crate::gateway::{HandshakeInfo, MergedCapabilities};
use crate::protocol::era::{Era, OwnInfo, Revision, meta};
use crate::protocol::meta_keys;
use crate::upstream::Ready;

/// The name of the extension for tasks in the modern era.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Returns the result of `initialize`: that of the server, in the client's revision. It declares
/// `listChanged` for tools, because the gateway notices if a restarted server has other tools.
pub(crate) fn initialize_result(info: &HandshakeInfo, revision: Revision) -> JsonObject {
    match info {
        HandshakeInfo::Single(ready) => single_initialize_result(ready, revision),
        HandshakeInfo::Merged(merged) => JsonObject::build(|object| {
            object.member("protocolVersion", revision.date());
            object.member("capabilities", &without_modern_tasks(&merged.capabilities));
            object.member("serverInfo", &OwnInfo);
            object.member("instructions", &merged.instructions);
            object.member("_meta", &with_gateway(&JsonObject::default().into(), |_| ()));
        }),
    }
}

fn single_initialize_result(ready: &Ready, revision: Revision) -> JsonObject {
    let result = &ready.handshake_result;
    match ready.era {
        Era::Legacy(_) => JsonObject::build(|object| {
            for member in result.members() {
                match member.key().as_ref() {
                    "protocolVersion" => object.member("protocolVersion", revision.date()),
                    "capabilities" => {
                        object.member("capabilities", &with_tools_list_changed(&member.value()));
                    }
                    "_meta" => {}
                    _ => object.token_member(member.key_token(), &member.value()),
                }
            }
            object.member("_meta", &with_gateway(result, |_| ()));
        }),
        Era::Modern => JsonObject::build(|object| {
            object.member("protocolVersion", revision.date());
            let capabilities = with_tools_list_changed(ready.capabilities().as_raw());
            object.member("capabilities", &without_modern_tasks(&capabilities));
            match &ready.info {
                Some(info) => object.member("serverInfo", &info),
                None => object.member("serverInfo", &OwnInfo),
            }
            object.member("instructions", &result.get("instructions"));
            object.member("_meta", &with_gateway(result, |_| ()));
        }),
    }
}

/// Returns the result of `server/discover`.
pub(crate) fn discover_result(info: &HandshakeInfo) -> JsonObject {
    match info {
        HandshakeInfo::Single(ready) => single_discover_result(ready),
        HandshakeInfo::Merged(merged) => merged_discover_result(merged),
    }
}

fn merged_discover_result(merged: &MergedCapabilities) -> JsonObject {
    JsonObject::build(|object| {
        object.member("resultType", "complete");
        object.member("supportedVersions", &Era::dates());
        // The modern era does not have the tasks of the legacy era.
        object.member("capabilities", &merged.capabilities.without("tasks"));
        object.member("instructions", &merged.instructions);
        // The merged capabilities may change with each server that starts.
        object.member("ttlMs", &0_u64);
        object.member("cacheScope", "private");
        let add_info = |object: &mut ObjectWriter<'_>| object.member(meta::SERVER_INFO, &OwnInfo);
        object.member("_meta", &with_gateway(&JsonObject::default().into(), add_info));
    })
}

fn single_discover_result(ready: &Ready) -> JsonObject {
    let result = &ready.handshake_result;
    JsonObject::build(|object| {
        object.member("resultType", "complete");
        object.member("supportedVersions", &Era::dates());
        let capabilities = with_tools_list_changed(ready.capabilities().as_raw());
        // The modern era does not have the tasks of the legacy era.
        let capabilities = match ready.era {
            Era::Legacy(_) => capabilities.without("tasks"),
            Era::Modern => capabilities,
        };
        object.member("capabilities", &capabilities);
        object.member("instructions", &result.get("instructions"));
        // The capabilities of a server of the legacy era may change with its next start.
        let cached = |name: &str| result.get(name).filter(|_| ready.era == Era::Modern);
        match cached("ttlMs") {
            Some(ttl) => object.member("ttlMs", &ttl),
            None => object.member("ttlMs", &0_u64),
        }
        match cached("cacheScope") {
            Some(scope) => object.member("cacheScope", &scope),
            None => object.member("cacheScope", "private"),
        }
        let info = ready.info.clone();
        let add_info = |object: &mut ObjectWriter<'_>| match &info {
            Some(info) => object.member(meta::SERVER_INFO, info),
            None => object.member(meta::SERVER_INFO, &OwnInfo),
        };
        object.member("_meta", &with_gateway(result, add_info));
    })
}

/// Returns the `_meta` of the server's handshake result, with the members that `add` writes and
/// the gateway's name and version.
fn with_gateway(result: &RawJson, add: impl FnOnce(&mut ObjectWriter<'_>)) -> JsonObject {
    let server_meta = result.get("_meta").and_then(JsonObject::new).unwrap_or_default();
    let server_meta = server_meta.without(meta::SERVER_INFO);
    JsonObject::build(|object| {
        for member in server_meta.members().filter(|member| !meta_keys::is_own_member(member)) {
            object.token_member(member.key_token(), &member.value());
        }
        add(object);
        object.member(meta_keys::GATEWAY, &OwnInfo);
    })
}

/// Removes the tasks extension of the modern era, which clients of the legacy era do not support.
fn without_modern_tasks(capabilities: &JsonObject) -> JsonObject {
    let Some(extensions) = capabilities.get("extensions").and_then(JsonObject::new) else {
        return capabilities.clone();
    };
    let left = extensions.without(TASKS);
    JsonObject::build(|object| {
        for member in capabilities.members().filter(|member| !member.is("extensions")) {
            object.token_member(member.key_token(), &member.value());
        }
        if !left.is_empty() {
            object.member("extensions", &left);
        }
    })
}

fn with_tools_list_changed(capabilities: &RawJson) -> JsonObject {
    JsonObject::build(|object| {
        for member in capabilities.members() {
            match JsonObject::new(member.value()) {
                Some(tools) if member.is("tools") => {
                    let others = tools.without("listChanged");
                    let tools = JsonObject::build(|object| {
                        for member in others.members() {
                            object.token_member(member.key_token(), &member.value());
                        }
                        object.member("listChanged", &true);
                    });
                    object.member("tools", &tools);
                }
                Some(_) | None => object.token_member(member.key_token(), &member.value()),
            }
        }
    })
}
