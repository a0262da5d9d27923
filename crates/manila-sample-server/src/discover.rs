//! `server/discover`: the greeting of the modern era.

use serde::de::IgnoredAny;

use super::answer::{push, push_string};
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::era::MODERN_REVISION;
use super::handshake::{CAPABILITIES, INSTRUCTIONS};

/// `server/discover`.
pub(super) fn discover(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    request.params::<IgnoredAny>()?;
    push(out, "{\"supportedVersions\":[");
    push_string(out, MODERN_REVISION);
    push(out, "],\"capabilities\":{");
    push(out, CAPABILITIES);
    push(out, ",\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}},\"instructions\":");
    push_string(out, INSTRUCTIONS);
    push(out, "}");
    Ok(Conduct::Answer)
}
