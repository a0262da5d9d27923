//! Resources: one of text, one of bytes, and the page of the tool `app`.

use std::borrow::Cow;

use serde::Deserialize;

use super::answer::{push, push_string};
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::rpc_error::RpcError;

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

/// `resources/templates/list`: there are none.
pub(super) fn list_templates(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    request.no_cursor()?;
    push(out, "{\"resourceTemplates\":[]}");
    Ok(Conduct::Answer)
}

#[derive(Deserialize)]
struct ReadParams<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
}

/// `resources/read`.
pub(super) fn read(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let params: ReadParams<'_> = request.params()?;
    let resource = RESOURCES
        .iter()
        .find(|resource| resource.uri == params.uri)
        .ok_or_else(|| RpcError::resource_not_found(request.era, &params.uri))?;
    push(out, "{\"contents\":[{\"uri\":");
    push_string(out, resource.uri);
    push(out, ",\"mimeType\":");
    push_string(out, resource.mime_type);
    let (field, body) = match resource.body {
        Body::Text(text) => (",\"text\":", text),
        Body::Blob(base64) => (",\"blob\":", base64),
    };
    push(out, field);
    push_string(out, body);
    push(out, "}]}");
    Ok(Conduct::Answer)
}
