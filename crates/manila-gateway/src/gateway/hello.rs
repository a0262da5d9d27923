//! The server's hello, as the client hears it, whatever the server's own era.

use manila::json::ObjectWriter;
use manila::{JsonObject, RawJson};

use crate::gateway::{Hello, United};
use crate::protocol::era::{Era, OwnInfo, Revision, meta};
use crate::protocol::own_meta;
use crate::upstream::Ready;

/// The extension that tasks are in the modern era.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The answer to `initialize`: the server's own hello, in the client's revision. Since we can tell
/// when the tools of a server that was started again differ, we promise it.
pub(crate) fn initialized(hello: &Hello, revision: Revision) -> JsonObject {
    match hello {
        Hello::Of(ready) => initialized_by(ready, revision),
        Hello::United(united) => JsonObject::build(|object| {
            object.member("protocolVersion", revision.date());
            object.member("capabilities", &without_modern_tasks(&united.capabilities));
            object.member("serverInfo", &OwnInfo);
            object.member("instructions", &united.instructions);
            object.member("_meta", &with_gateway(&JsonObject::default().into(), |_| ()));
        }),
    }
}

fn initialized_by(ready: &Ready, revision: Revision) -> JsonObject {
    let greeting = &ready.greeting;
    match ready.era {
        Era::Legacy(_) => JsonObject::build(|object| {
            for member in greeting.members() {
                match member.key().as_ref() {
                    "protocolVersion" => object.member("protocolVersion", revision.date()),
                    "capabilities" => object.member("capabilities", &promising(&member.value())),
                    "_meta" => {}
                    _ => object.token_member(member.key_token(), &member.value()),
                }
            }
            object.member("_meta", &with_gateway(greeting, |_| ()));
        }),
        Era::Modern => JsonObject::build(|object| {
            object.member("protocolVersion", revision.date());
            let capabilities = promising(ready.capabilities().as_raw());
            object.member("capabilities", &without_modern_tasks(&capabilities));
            match &ready.info {
                Some(info) => object.member("serverInfo", &info),
                None => object.member("serverInfo", &OwnInfo),
            }
            object.member("instructions", &greeting.get("instructions"));
            object.member("_meta", &with_gateway(greeting, |_| ()));
        }),
    }
}

/// The answer to `server/discover`.
pub(crate) fn discovered(hello: &Hello) -> JsonObject {
    match hello {
        Hello::Of(ready) => discovered_of(ready),
        Hello::United(united) => discovered_of_all(united),
    }
}

fn discovered_of_all(united: &United) -> JsonObject {
    JsonObject::build(|object| {
        object.member("resultType", "complete");
        object.member("supportedVersions", &Era::dates());
        // Tasks of the legacy era are no part of this one.
        object.member("capabilities", &united.capabilities.without("tasks"));
        object.member("instructions", &united.instructions);
        // What all can do together may change with each that comes.
        object.member("ttlMs", &0_u64);
        object.member("cacheScope", "private");
        let add_info = |object: &mut ObjectWriter<'_>| object.member(meta::SERVER_INFO, &OwnInfo);
        object.member("_meta", &with_gateway(&JsonObject::default().into(), add_info));
    })
}

fn discovered_of(ready: &Ready) -> JsonObject {
    let greeting = &ready.greeting;
    JsonObject::build(|object| {
        object.member("resultType", "complete");
        object.member("supportedVersions", &Era::dates());
        let capabilities = promising(ready.capabilities().as_raw());
        // Tasks of the legacy era are no part of this one.
        let capabilities = match ready.era {
            Era::Legacy(_) => capabilities.without("tasks"),
            Era::Modern => capabilities,
        };
        object.member("capabilities", &capabilities);
        object.member("instructions", &greeting.get("instructions"));
        // What a server of the legacy era can do may change with its next start.
        let cached = |name: &str| greeting.get(name).filter(|_| ready.era == Era::Modern);
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
        object.member("_meta", &with_gateway(greeting, add_info));
    })
}

/// What the server says beside its hello, and who stands between.
fn with_gateway(greeting: &RawJson, add: impl FnOnce(&mut ObjectWriter<'_>)) -> JsonObject {
    let own = greeting.get("_meta").and_then(JsonObject::new).unwrap_or_default();
    let own = own.without(meta::SERVER_INFO);
    JsonObject::build(|object| {
        for member in own.members().filter(|member| !own_meta::is_told(member)) {
            object.token_member(member.key_token(), &member.value());
        }
        add(object);
        object.member(own_meta::GATEWAY, &OwnInfo);
    })
}

/// What a client of the legacy era can make use of: tasks of the modern one are no part of it.
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
