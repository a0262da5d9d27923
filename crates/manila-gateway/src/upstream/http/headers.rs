//! The headers of a modern-era request, which let proxies route it without parsing the body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::PROTOCOL_VERSION;
use crate::protocol::era::{self, Era};
use crate::upstream::wire::{HeaderParams, Outgoing};

/// Returns the headers of a request. The legacy era has none.
pub(super) fn of(outgoing: &Outgoing<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if outgoing.era != Era::Modern {
        return headers;
    }
    headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(Era::Modern.date()));
    put(&mut headers, "mcp-method", outgoing.method);
    let renamed = outgoing.overrides.name.clone().filter(|_| outgoing.method == "tools/call");
    let given =
        || era::name_of(outgoing.method, outgoing.name, outgoing.params).map(|(_, name)| name);
    if let Some(name) = renamed.or_else(given) {
        put(&mut headers, "mcp-name", &name);
    }
    let HeaderParams(params) = &outgoing.overrides.headers;
    for (name, value) in params {
        put(&mut headers, &format!("mcp-param-{name}"), value);
    }
    headers
}

fn put(headers: &mut HeaderMap, name: &str, value: &str) {
    let value = HeaderValue::from_str(&encode_value(value));
    if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value) {
        headers.insert(name, value);
    }
}

/// Encodes a value for a header.
fn encode_value(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim_matches(' ') == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    if is_plain { value.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(value)) }
}

#[cfg(test)]
mod tests;
