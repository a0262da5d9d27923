//! Host names and addresses: which of them mean this machine.

use std::net::{IpAddr, SocketAddr};

/// Returns whether a host means this machine. The host is from a URL or a header, with or without
/// a port.
pub(crate) fn is_loopback(host: &str) -> bool {
    let Some(name) = without_port(host) else { return false };
    let name = name.trim_end_matches('.');
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let address = name.trim_start_matches('[').trim_end_matches(']');
    address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns whether a listening address can be reached only from this machine.
pub(crate) fn is_loopback_address(address: &SocketAddr) -> bool {
    address.ip().is_loopback()
}

/// Removes the port from a host; `None` if the port is invalid.
fn without_port(host: &str) -> Option<&str> {
    let is_port = |port: &str| port.bytes().all(|it| it.is_ascii_digit());
    if let Some((name, rest)) = host.split_once(']') {
        let is_valid = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
        return is_valid.then(|| host.get(..=name.len())).flatten();
    }
    match host.rsplit_once(':') {
        // A host with several colons is an IPv6 address without a port.
        Some((name, _)) if name.contains(':') => Some(host),
        Some((name, port)) => is_port(port).then_some(name),
        None => Some(host),
    }
}

#[cfg(test)]
mod tests;
