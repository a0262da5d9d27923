//! Accepts only requests that address this machine by one of its local names. Otherwise a web page
//! in a local browser could reach the gateway.

use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, ORIGIN};
use manila::Code;

use super::head::Head;
use super::reply::{self, RefusalReply};
use crate::protocol::host::is_loopback;

/// Refuses a request for another host, or from a web page of another host.
pub(super) fn check(head: &Head) -> Result<(), RefusalReply> {
    let Head { authority, headers, .. } = head;
    // HTTP ignores the header if the target names a host.
    if !authority.as_ref().is_none_or(|authority| is_loopback(authority.as_str())) {
        let message = "the request target must name this machine, such as http://localhost/mcp";
        return Err(Box::new(reply::refusal(StatusCode::FORBIDDEN, Code::Forbidden, message)));
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(is_loopback) || headers.get_all(HOST).iter().count() != 1 {
        let message = "the header Host must name this machine, such as localhost or 127.0.0.1";
        return Err(Box::new(reply::refusal(StatusCode::FORBIDDEN, Code::Forbidden, message)));
    }
    let is_local = |origin: &str| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(is_loopback)
    };
    let mut origins = headers.get_all(ORIGIN).iter();
    if !origins.all(|origin| origin.to_str().is_ok_and(is_local)) {
        let message = "the header Origin must name this machine, such as http://localhost:3000";
        return Err(Box::new(reply::refusal(StatusCode::FORBIDDEN, Code::Forbidden, message)));
    }
    Ok(())
}

/// Refuses a body whose declared type is not JSON.
pub(super) fn check_json(headers: &HeaderMap) -> Result<(), RefusalReply> {
    let Some(kind) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // Form data is curl's default, and a web page may send it without a CORS preflight.
    let is_json = kind == "application/json" || kind.ends_with("+json");
    if is_json {
        return Ok(());
    }
    let message = "the header Content-Type must be application/json";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Box::new(reply::refusal(status, Code::ParseError, message)))
}
