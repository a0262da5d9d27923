//! Media: tools that return blocks other than text.

use super::super::disposition::{Disposition, HandlerError};
use super::super::jsonrpc::push_folded;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const IMAGE: Tool = Tool {
    name: "image",
    title: "An image",
    description: "Returns a PNG of a single pixel, and a text that describes it.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: image,
};

fn image(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    push_result(
        call,
        out,
        concat!(
            r#"{"content":[{"type":"text","text":"One pixel, the colour of sand."},"#,
            r#"{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42m"#,
            r#"M4MS0AAAPYAa8DYzNiAAAAAElFTkSuQmCC","mimeType":"image/png"}]}"#,
        ),
    )
}

pub(super) const AUDIO: Tool = Tool {
    name: "audio",
    title: "A sound",
    description: "Returns a WAV file with a duration of one millisecond.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: audio,
};

fn audio(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    push_result(
        call,
        out,
        concat!(
            r#"{"content":[{"type":"audio","data":"UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAA"#,
            r#"gAZGF0YQgAAACAoIBggKCAYA==","mimeType":"audio/wav"}]}"#,
        ),
    )
}

pub(super) const LINKS: Tool = Tool {
    name: "links",
    title: "Links",
    description: "Returns two links to resources of this server instead of their content. \
                  Read them with resources/read.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: links,
};

fn links(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    push_result(
        call,
        out,
        r#"{"content":[
            {"type":"text","text":"Two links to resources."},
            {"type":"resource_link","uri":"sample://greeting","name":"greeting",
                "description":"A short greeting.","mimeType":"text/plain"},
            {"type":"resource_link","uri":"sample://bytes","name":"bytes",
                "mimeType":"application/octet-stream","size":16}
        ]}"#,
    )
}

pub(super) const EMBEDDED: Tool = Tool {
    name: "embedded",
    title: "Embedded resources",
    description: "Returns the content of two resources: a text and a blob.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: embedded,
};

fn embedded(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    push_result(
        call,
        out,
        r#"{"content":[
            {"type":"resource","resource":{"uri":"sample://greeting","mimeType":"text/plain",
                "text":"Good morning from the sample server.\n"}},
            {"type":"resource","resource":{"uri":"sample://bytes",
                "mimeType":"application/octet-stream","blob":"AAECAwQFBgcICQoLDA0ODw=="}}
        ]}"#,
    )
}

pub(super) const MIXED: Tool = Tool {
    name: "mixed",
    title: "Mixed blocks",
    description: "Returns text, an image, a block of an unknown type, and text. \
                  A gateway should keep all four, in this order.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: mixed,
};

fn mixed(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    push_result(
        call,
        out,
        concat!(
            r#"{"content":[{"type":"text","text":"before"},"#,
            r#"{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42m"#,
            r#"M4MS0AAAPYAa8DYzNiAAAAAElFTkSuQmCC","mimeType":"image/png"},"#,
            r#"{"type":"hologram","x":1},{"type":"text","text":"after"}]}"#,
        ),
    )
}

/// Appends the result `json`, which may have several lines here but not on the wire.
fn push_result(
    call: &Call<'_>,
    out: &mut Vec<u8>,
    json: &str,
) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    push_folded(out, json);
    Ok(Disposition::Answer)
}
