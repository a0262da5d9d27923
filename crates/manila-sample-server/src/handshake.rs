//! The handshake, and the other methods that concern the connection itself.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::jsonrpc::{push, push_string};
use super::level::Level;

/// The supported revisions. The server offers the last one if a client requests another revision.
pub(super) const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The server's capabilities in both eras, as members of an object. Each era adds its own form of
/// the tasks capability.
pub(super) const CAPABILITIES: &str = concat!(
    r#""tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"#,
    r#""logging":{},"completions":{}"#,
);

const TASKS: &str = r#""tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#;

/// The instructions for models.
pub(super) const INSTRUCTIONS: &str =
    "Call any tool freely: nothing here touches real data, and some tools fail on purpose.";

#[derive(Deserialize)]
struct InitializeParams<'a> {
    #[serde(borrow, rename = "protocolVersion")]
    protocol_version: Cow<'a, str>,
}

/// Handles `initialize`.
pub(super) fn initialize(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    let params: InitializeParams<'_> = request.params()?;
    let [.., newest] = REVISIONS;
    let requested = REVISIONS.iter().find(|revision| **revision == params.protocol_version);
    push(out, "{\"protocolVersion\":");
    push_string(out, requested.unwrap_or(&newest));
    push(out, ",\"capabilities\":{");
    push(out, CAPABILITIES);
    push(out, ",");
    push(out, TASKS);
    push(out, "},\"serverInfo\":{\"name\":\"manila-sample\",\"version\":");
    push_string(out, env!("CARGO_PKG_VERSION"));
    push(out, "},\"instructions\":");
    push_string(out, INSTRUCTIONS);
    push(out, "}");
    Ok(Disposition::Answer)
}

/// Handles `ping`.
pub(super) fn ping(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    request.params::<IgnoredAny>()?;
    push(out, "{}");
    Ok(Disposition::Answer)
}

#[derive(Deserialize)]
struct SetLevelParams {
    level: Level,
}

/// Handles `logging/setLevel`.
pub(super) fn set_level(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    let params: SetLevelParams = request.params()?;
    request.session.set_level_min(params.level);
    push(out, "{}");
    Ok(Disposition::Answer)
}
