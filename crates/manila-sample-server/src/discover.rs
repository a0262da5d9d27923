//! `server/discover`: how a modern client learns the capabilities of the server.

use serde::de::IgnoredAny;

use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::era::MODERN_REVISION;
use super::handshake::{CAPABILITIES, INSTRUCTIONS};
use super::jsonrpc::{push, push_string};

/// Handles `server/discover`.
pub(super) fn discover(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    request.params::<IgnoredAny>()?;
    push(out, "{\"supportedVersions\":[");
    push_string(out, MODERN_REVISION);
    push(out, "],\"capabilities\":{");
    push(out, CAPABILITIES);
    push(out, ",\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}},\"instructions\":");
    push_string(out, INSTRUCTIONS);
    push(out, "}");
    Ok(Disposition::Answer)
}
