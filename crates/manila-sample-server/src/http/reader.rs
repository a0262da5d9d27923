//! Reading a request: checks that hyper leaves to the server, and the body within limits.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use hyper::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use hyper::{Method, Request, Version};

use super::super::line::LINE_BYTES_MAX;
use super::incoming::{Incoming, Refused};

/// The maximum pause between two parts of a body.
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// Headers that a request may have only once, in addition to those of MCP.
const SINGLE: [&str; 2] = ["host", "origin"];

const BAD_VERSION: Refused = Refused::new(400, "the request is not HTTP/1.1");
const DUPLICATE_HEADER: Refused = Refused::new(400, "a header is given twice");
const NO_LENGTH: Refused = Refused::new(411, "a body must have a length");
const TOO_LARGE: Refused = Refused::new(413, "the body must be at most 16 MiB");
const TOO_SLOW: Refused = Refused::new(408, "the rest of the request did not arrive in time");
const BAD_BODY: Refused = Refused::new(400, "the chunks of the body cannot be read");

/// Reads a request. After a refusal, the rest of the connection cannot be read.
pub(super) async fn read(request: Request<hyper::body::Incoming>) -> Result<Incoming, Refused> {
    let (head, body) = request.into_parts();
    let names = || head.headers.keys();
    let is_single = |name: &str| SINGLE.contains(&name) || name.starts_with("mcp-");
    if head.version != Version::HTTP_11 {
        return Err(BAD_VERSION);
    }
    if names()
        .any(|name| is_single(name.as_str()) && head.headers.get_all(name).iter().nth(1).is_some())
    {
        return Err(DUPLICATE_HEADER);
    }
    let has_length = names().any(|name| name == CONTENT_LENGTH || name == TRANSFER_ENCODING);
    if head.method == Method::POST && !has_length {
        return Err(NO_LENGTH);
    }
    Ok(Incoming {
        method: head.method,
        path: head.uri.path().to_owned(),
        headers: head.headers,
        body: read_body(body).await?,
    })
}

async fn read_body(mut body: hyper::body::Incoming) -> Result<Bytes, Refused> {
    if body.size_hint().lower() > LINE_BYTES_MAX as u64 {
        return Err(TOO_LARGE);
    }
    let mut bytes = Vec::new();
    loop {
        let frame = tokio::time::timeout(PAUSE_MAX, body.frame()).await.map_err(|_| TOO_SLOW)?;
        let Some(frame) = frame else { return Ok(bytes.into()) };
        // Trailers are ignored.
        let Ok(data) = frame.map_err(|_| BAD_BODY)?.into_data() else { continue };
        if data.len() > LINE_BYTES_MAX - bytes.len() {
            return Err(TOO_LARGE);
        }
        bytes.extend_from_slice(&data);
    }
}
