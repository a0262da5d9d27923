//! Names of hosts: which of them are this machine.

use std::net::{IpAddr, SocketAddr};

/// Whether a host, as it stands in a URL or a header, with or without a port, is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let Some(name) = without_port(host) else { return false };
    let name = name.trim_end_matches('.');
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let address = name.trim_start_matches('[').trim_end_matches(']');
    address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether an address to listen at can be reached from this machine only.
pub(crate) fn is_local(address: &SocketAddr) -> bool {
    address.ip().is_loopback()
}

/// The name before a port; `None` if what stands there is no port.
fn without_port(host: &str) -> Option<&str> {
    let is_port = |port: &str| port.bytes().all(|it| it.is_ascii_digit());
    if let Some((name, rest)) = host.split_once(']') {
        let is_whole = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
        return is_whole.then(|| host.get(..=name.len())).flatten();
    }
    match host.rsplit_once(':') {
        // More than one colon is an address of the newer kind, without a port.
        Some((name, _)) if name.contains(':') => Some(host),
        Some((name, port)) => is_port(port).then_some(name),
        None => Some(host),
    }
}

#[cfg(test)]
mod tests;
