//! What a request of the modern era tells in its headers, so that nobody on the way has to open it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::PROTOCOL_VERSION;
use crate::protocol::era::{self, Era};
use crate::upstream::wire::{Mirrored, Outgoing};

/// The headers of a request. In the legacy era there are none that are its own.
pub(super) fn of(about: &Outgoing<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if about.era != Era::Modern {
        return headers;
    }
    headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(Era::Modern.date()));
    put(&mut headers, "mcp-method", about.method);
    let own = about.sent.name.clone().filter(|_| about.method == "tools/call");
    let given = || era::name_of(about.method, about.name, about.params).map(|(_, name)| name);
    if let Some(name) = own.or_else(given) {
        put(&mut headers, "mcp-name", &name);
    }
    let Mirrored(mirrored) = &about.sent.headers;
    for (name, value) in mirrored {
        put(&mut headers, &format!("mcp-param-{name}"), value);
    }
    headers
}

fn put(headers: &mut HeaderMap, name: &str, value: &str) {
    let value = HeaderValue::from_str(&encoded(value));
    if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value) {
        headers.insert(name, value);
    }
}

/// A value as a header can carry it.
fn encoded(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim_matches(' ') == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    if is_plain { value.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(value)) }
}

#[cfg(test)]
mod tests;
