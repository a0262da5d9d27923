//! Resources: a text, a blob, a resource that changes, and the page of the tool `app`.

use std::borrow::Cow;

use serde::Deserialize;

use super::changing_resources::{COLLECTION_URI, TEMPLATE};
use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::jsonrpc::{push, push_string};
use super::rpc_error::RpcError;
use super::server::Server;

/// A resource.
struct Resource {
    uri: &'static str,
    name: &'static str,
    description: &'static str,
    mime_type: &'static str,
    body: Body,
    listing: Listing,
}

enum Body {
    Text(&'static str),
    /// Bytes, in base64.
    Blob(&'static str),
    /// The current content of the shelf.
    Shelf,
}

#[derive(PartialEq, Eq)]
enum Listing {
    Listed,
    /// Only a tool refers to it.
    Unlisted,
}

const RESOURCES: &[Resource] = &[
    Resource {
        uri: "sample://greeting",
        name: "greeting",
        description: "A short greeting, as plain text.",
        mime_type: "text/plain",
        body: Body::Text("Good morning from the sample server.\n"),
        listing: Listing::Listed,
    },
    Resource {
        uri: "sample://bytes",
        name: "bytes",
        description: "Sixteen bytes, counting up from zero.",
        mime_type: "application/octet-stream",
        body: Body::Blob("AAECAwQFBgcICQoLDA0ODw=="),
        listing: Listing::Listed,
    },
    Resource {
        uri: COLLECTION_URI,
        name: "shelf",
        description: "The number of times each place was touched. Clients can subscribe to it.",
        mime_type: "text/plain",
        body: Body::Shelf,
        listing: Listing::Listed,
    },
    Resource {
        uri: "ui://sample/app",
        name: "app",
        description: "The page that a host shows for the tool `app`.",
        mime_type: "text/html;profile=mcp-app",
        body: Body::Text("<!doctype html><title>Sample</title><p>The sample app is ready.</p>"),
        listing: Listing::Unlisted,
    },
];

/// Handles `resources/list`.
pub(super) fn list(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    request.reject_cursor()?;
    push(out, "{\"resources\":[");
    let listed = RESOURCES.iter().filter(|resource| resource.listing == Listing::Listed);
    for (index, resource) in listed.enumerate() {
        push(out, if index == 0 { "{\"uri\":" } else { ",{\"uri\":" });
        push_string(out, resource.uri);
        push(out, ",\"name\":");
        push_string(out, resource.name);
        push(out, ",\"description\":");
        push_string(out, resource.description);
        push(out, ",\"mimeType\":");
        push_string(out, resource.mime_type);
        push(out, "}");
    }
    push(out, "]}");
    Ok(Disposition::Answer)
}

/// Handles `resources/templates/list`, which lists the places of the shelf.
pub(super) fn list_templates(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    request.reject_cursor()?;
    push(out, "{\"resourceTemplates\":[{\"uriTemplate\":");
    push_string(out, TEMPLATE);
    push(out, ",\"name\":\"place\",\"description\":\"The number of times one place was touched.\"");
    push(out, ",\"mimeType\":\"text/plain\"}]}");
    Ok(Disposition::Answer)
}

/// The params of methods that concern one resource.
#[derive(Deserialize)]
pub(super) struct UriParams<'a> {
    #[serde(borrow)]
    pub(super) uri: Cow<'a, str>,
}

/// Handles `resources/read`.
pub(super) fn read(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let UriParams { uri } = request.params()?;
    let (mime_type, field, body) = find(&request.session.server, &uri)
        .ok_or_else(|| RpcError::resource_not_found(request.era, &uri))?;
    push(out, "{\"contents\":[{\"uri\":");
    push_string(out, &uri);
    push(out, ",\"mimeType\":");
    push_string(out, mime_type);
    push(out, field);
    push_string(out, &body);
    push(out, "}]}");
    Ok(Disposition::Answer)
}

/// Returns whether there is a resource with this URI.
pub(super) fn is_known(server: &Server, uri: &str) -> bool {
    find(server, uri).is_some()
}

/// Returns the media type of a resource, the member for its content, and the current content.
fn find(server: &Server, uri: &str) -> Option<(&'static str, &'static str, Cow<'static, str>)> {
    let text = ",\"text\":";
    let shelf = || Some(("text/plain", text, Cow::Owned(server.changing_resources.read(uri)?)));
    let Some(resource) = RESOURCES.iter().find(|resource| resource.uri == uri) else {
        return shelf();
    };
    match resource.body {
        Body::Text(body) => Some((resource.mime_type, text, Cow::Borrowed(body))),
        Body::Blob(body) => Some((resource.mime_type, ",\"blob\":", Cow::Borrowed(body))),
        Body::Shelf => shelf(),
    }
}
