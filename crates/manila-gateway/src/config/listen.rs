//! `[listen]`: the transports that clients connect to.

use std::net::SocketAddr;

use manila_files::{ConfigError, Key, Kind, at, key, values};
use serde::Deserialize;
use toml::Spanned;

use super::settings::Settings;
use crate::protocol::host;
use crate::protocol::presentation::NoneRequests;

/// The keys of `[listen]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "listen.http",
        Kind::Address,
        "loopback address on which to accept HTTP clients, e.g. `\"127.0.0.1:7300\"`",
    ),
    key("listen.stdio", Kind::Flag, "`true` serves one client over stdio"),
    key(
        "listen.allow_none",
        Kind::Flag,
        "whether a caller may request results without an envelope, with `none` as its contract; \
         default `true`. `contract = \"none\"` in this file applies either way",
    ),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListenTable {
    http: Option<Spanned<String>>,
    stdio: bool,
    allow_none: Option<bool>,
}

/// The transports that clients connect to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listen {
    /// HTTP, at this address.
    pub http: Option<SocketAddr>,
    /// stdio.
    pub stdio: bool,
}

/// Reads the table. The contracts that callers may request are part of the settings, so that a
/// reload replaces them.
pub(super) fn read(
    text: &str,
    table: &ListenTable,
    settings: &mut Settings,
) -> Result<Listen, ConfigError> {
    let ListenTable { http, stdio, allow_none } = table;
    if *allow_none == Some(false) {
        settings.none_requests = NoneRequests::Refused;
    }
    let http = http.as_ref().map(|address| local_address(text, address)).transpose()?;
    Ok(Listen { http, stdio: *stdio })
}

/// Parses an address that only this machine can reach.
fn local_address(text: &str, written: &Spanned<String>) -> Result<SocketAddr, ConfigError> {
    let address = manila_files::read(text, written, values::address)?;
    if host::is_loopback_address(&address) {
        return Ok(address);
    }
    let hint = "use a loopback address, e.g. 127.0.0.1:7300";
    Err(at(text, Some(written.span()), not_local(&address), hint))
}

/// Returns the error message for an address that other machines can reach.
pub(crate) fn not_local(address: &SocketAddr) -> String {
    format!("refusing to listen on {address}: not a loopback address")
}
