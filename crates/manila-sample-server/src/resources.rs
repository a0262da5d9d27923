//! Resources: one of text, one of bytes, one that changes, and the page of the tool `app`.

use std::borrow::Cow;

use serde::Deserialize;

use super::answer::{push, push_string};
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::rpc_error::RpcError;
use super::server::Server;
use super::shelf::{SHELF, TEMPLATE};

/// Something that can be read.
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
    /// In base64.
    Blob(&'static str),
    /// As it is now.
    Shelf,
}

#[derive(PartialEq, Eq)]
enum Listing {
    Listed,
    /// Found through a tool only.
    Hidden,
}

const RESOURCES: &[Resource] = &[
    Resource {
        uri: "sample://greeting",
        name: "greeting",
        description: "A few friendly words, as plain text.",
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
        uri: SHELF,
        name: "shelf",
        description: "How often each place was touched. It can be subscribed to.",
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
        listing: Listing::Hidden,
    },
];

/// `resources/list`.
pub(super) fn list(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    request.no_cursor()?;
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
    Ok(Conduct::Answer)
}

/// `resources/templates/list`: the places of the shelf.
pub(super) fn list_templates(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    request.no_cursor()?;
    push(out, "{\"resourceTemplates\":[{\"uriTemplate\":");
    push_string(out, TEMPLATE);
    push(out, ",\"name\":\"place\",\"description\":\"How often one place was touched.\"");
    push(out, ",\"mimeType\":\"text/plain\"}]}");
    Ok(Conduct::Answer)
}

#[derive(Deserialize)]
pub(super) struct UriParams<'a> {
    #[serde(borrow)]
    pub(super) uri: Cow<'a, str>,
}

/// `resources/read`.
pub(super) fn read(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
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
    Ok(Conduct::Answer)
}

/// Whether there is a resource of this URI.
pub(super) fn is_there(server: &Server, uri: &str) -> bool {
    find(server, uri).is_some()
}

/// The media type of a resource, the member that holds it, and what that is now.
fn find(server: &Server, uri: &str) -> Option<(&'static str, &'static str, Cow<'static, str>)> {
    let text = ",\"text\":";
    let shelf = || Some(("text/plain", text, Cow::Owned(server.shelf.read(uri)?)));
    let Some(resource) = RESOURCES.iter().find(|resource| resource.uri == uri) else {
        return shelf();
    };
    match resource.body {
        Body::Text(body) => Some((resource.mime_type, text, Cow::Borrowed(body))),
        Body::Blob(body) => Some((resource.mime_type, ",\"blob\":", Cow::Borrowed(body))),
        Body::Shelf => shelf(),
    }
}
