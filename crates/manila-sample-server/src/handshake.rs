//! The handshake, and the other methods that are about the connection itself.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::answer::{push, push_string};
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::level::Level;

/// The revisions that the server speaks; the last one is offered to a client that wants another.
pub(super) const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What the server offers in either era, as members of an object; each era has its own tasks
/// beside it.
pub(super) const CAPABILITIES: &str = concat!(
    r#""tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"#,
    r#""logging":{},"completions":{}"#,
);

const TASKS: &str = r#""tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#;

/// What a model should know about the server.
pub(super) const INSTRUCTIONS: &str =
    "Call any tool freely: nothing here touches real data, and some tools fail on purpose.";

#[derive(Deserialize)]
struct InitializeParams<'a> {
    #[serde(borrow, rename = "protocolVersion")]
    protocol_version: Cow<'a, str>,
}

/// `initialize`.
pub(super) fn initialize(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let params: InitializeParams<'_> = request.params()?;
    let [.., newest] = REVISIONS;
    let wanted = REVISIONS.iter().find(|revision| **revision == params.protocol_version);
    push(out, "{\"protocolVersion\":");
    push_string(out, wanted.unwrap_or(&newest));
    push(out, ",\"capabilities\":{");
    push(out, CAPABILITIES);
    push(out, ",");
    push(out, TASKS);
    push(out, "},\"serverInfo\":{\"name\":\"manila-sample\",\"version\":");
    push_string(out, env!("CARGO_PKG_VERSION"));
    push(out, "},\"instructions\":");
    push_string(out, INSTRUCTIONS);
    push(out, "}");
    Ok(Conduct::Answer)
}

/// `ping`.
pub(super) fn ping(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    request.params::<IgnoredAny>()?;
    push(out, "{}");
    Ok(Conduct::Answer)
}

#[derive(Deserialize)]
struct SetLevelParams {
    level: Level,
}

/// `logging/setLevel`.
pub(super) fn set_level(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let params: SetLevelParams = request.params()?;
    request.session.set_level_min(params.level);
    push(out, "{}");
    Ok(Conduct::Answer)
}
