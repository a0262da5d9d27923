//! The guard: checks of a request before its body is parsed.

use std::net::IpAddr;

use super::incoming::{Incoming, Refused};

/// Refuses requests whose host or origin is not this machine.
///
/// A web page can send requests to this machine. With a domain name that resolves to this machine,
/// it can even read the responses. The browser, however, sends the name and the page's origin.
pub(super) fn check_host_and_origin(request: &Incoming) -> Result<(), Refused> {
    let Some(host) = request.text("host") else {
        return Err(Refused::new(400, "a request must have a Host"));
    };
    if !is_local(host) {
        return Err(Refused::new(403, "the Host must name this machine"));
    }
    let Some(origin) = request.header("origin") else { return Ok(()) };
    let origin = str::from_utf8(origin).unwrap_or_default();
    let site = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    if site.is_some_and(is_local) {
        Ok(())
    } else {
        Err(Refused::new(403, "the Origin must name this machine"))
    }
}

/// Returns whether `host`, with or without a port, is a name of this machine.
fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    let address = name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Refuses a body that is not JSON, and clients that do not accept both types of responses.
pub(super) fn check_post(request: &Incoming) -> Result<(), Refused> {
    let kind = request.text("content-type").and_then(|kind| kind.split(';').next());
    if !kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        return Err(Refused::new(415, "the body must be application/json"));
    }
    if accepts(request, "application/json") && accepts(request, "text/event-stream") {
        Ok(())
    } else {
        let reason = "Accept must have both application/json and text/event-stream";
        Err(Refused::new(406, reason))
    }
}

/// Refuses clients that do not accept a stream.
pub(super) fn check_get(request: &Incoming) -> Result<(), Refused> {
    if accepts(request, "text/event-stream") {
        Ok(())
    } else {
        Err(Refused::new(406, "Accept must have text/event-stream"))
    }
}

fn accepts(request: &Incoming, kind: &str) -> bool {
    let family = kind.split('/').next().unwrap_or_default();
    let accepted = request.text("accept").unwrap_or_default().split(',');
    accepted.map(|range| range.split(';').next().unwrap_or_default().trim()).any(|range| {
        range.eq_ignore_ascii_case(kind) || range == "*/*" || range == format!("{family}/*")
    })
}
