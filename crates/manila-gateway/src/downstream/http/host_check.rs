//! Who may come in: whoever speaks to this machine by one of its own names. A page from elsewhere
//! that a browser shows here could otherwise reach what listens here.

use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, ORIGIN};
use manila::Code;

use super::reply::{self, Refused};
use crate::protocol::host::is_loopback;

/// Refuses a request that names another host, or comes from a page of one.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Refused> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(is_loopback) || headers.get_all(HOST).iter().count() != 1 {
        let message = "the header Host must name this machine, such as localhost or 127.0.0.1";
        return Err(Box::new(reply::refused(StatusCode::FORBIDDEN, Code::Forbidden, message)));
    }
    let is_here = |origin: &str| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(is_loopback)
    };
    let mut origins = headers.get_all(ORIGIN).iter();
    if !origins.all(|origin| origin.to_str().is_ok_and(is_here)) {
        let message = "the header Origin must name this machine, such as http://localhost:3000";
        return Err(Box::new(reply::refused(StatusCode::FORBIDDEN, Code::Forbidden, message)));
    }
    Ok(())
}

/// Refuses a body that says that it is something else than JSON.
pub(super) fn check_json(headers: &HeaderMap) -> Result<(), Refused> {
    let Some(kind) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // A form is what curl says unless it is told otherwise; a page may send one without asking.
    let is_json = kind == "application/json" || kind.ends_with("+json");
    if is_json {
        return Ok(());
    }
    let message = "the header Content-Type must be application/json";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Box::new(reply::refused(status, Code::ParseError, message)))
}
