//! The guard: what is refused before anybody looks into the body.

use std::net::IpAddr;

use super::incoming::{Incoming, Refused};

/// Refuses requests for or from a site that is not this machine.
///
/// A page in a browser can send requests to this machine, and with a name of its own that leads
/// here even read the answers; but its browser says for which name and from which page they are.
pub(super) fn check_site(request: &Incoming) -> Result<(), Refused> {
    let Some(host) = request.text("host") else {
        return Err(Refused::new(400, "a request must have a Host"));
    };
    if !is_here(host) {
        return Err(Refused::new(403, "the Host is not this machine"));
    }
    let Some(origin) = request.header("origin") else { return Ok(()) };
    let origin = str::from_utf8(origin).unwrap_or_default();
    let site = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    if site.is_some_and(is_here) {
        Ok(())
    } else {
        Err(Refused::new(403, "the Origin is not this machine"))
    }
}

/// Whether `host`, perhaps with a port, is a name of this machine.
fn is_here(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    let address = name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Refuses a body that is no JSON, and clients that do not take both forms of an answer.
pub(super) fn check_post(request: &Incoming) -> Result<(), Refused> {
    let kind = request.text("content-type").and_then(|kind| kind.split(';').next());
    if !kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        return Err(Refused::new(415, "the body must be application/json"));
    }
    if accepts(request, "application/json") && accepts(request, "text/event-stream") {
        Ok(())
    } else {
        let why = "Accept must have both application/json and text/event-stream";
        Err(Refused::new(406, why))
    }
}

/// Refuses clients that do not take a stream.
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
