//! Media: answers with blocks that are not, or not only, text.

use super::super::answer::push_folded;
use super::super::conduct::{Conduct, Stop};
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const IMAGE: Tool = Tool {
    name: "image",
    title: "An image",
    description: "Answers with a PNG of a single pixel, and a text that says so.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: image,
};

fn image(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    answer(
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
    description: "Answers with a WAV file that lasts a millisecond.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: audio,
};

fn audio(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    answer(
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
    description: "Answers with two links to resources of this server instead of their content. \
                  Read them with resources/read.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: links,
};

fn links(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    answer(
        call,
        out,
        r#"{"content":[
            {"type":"text","text":"Two things worth reading."},
            {"type":"resource_link","uri":"sample://greeting","name":"greeting",
                "description":"A few friendly words.","mimeType":"text/plain"},
            {"type":"resource_link","uri":"sample://bytes","name":"bytes",
                "mimeType":"application/octet-stream","size":16}
        ]}"#,
    )
}

pub(super) const EMBEDDED: Tool = Tool {
    name: "embedded",
    title: "Embedded resources",
    description: "Answers with the content of two resources, one of text and one of bytes.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: embedded,
};

fn embedded(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    answer(
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
    description: "Answers with text, an image, a block of a kind that nobody knows yet, and text. \
                  Whoever passes it on should keep all four, in this order.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: mixed,
};

fn mixed(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    answer(
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

/// The result `json`, which may stand on several lines here but not on the wire.
fn answer(call: &Call<'_>, out: &mut Vec<u8>, json: &str) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    push_folded(out, json);
    Ok(Conduct::Answer)
}
