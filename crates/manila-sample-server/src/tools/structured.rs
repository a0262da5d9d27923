//! Structured tools: answers with structured content, rightly and wrongly described.

use std::process;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::super::answer::push_folded;
use super::super::conduct::{Conduct, Stop};
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const STRUCTURED: Tool = Tool {
    name: "structured",
    title: "Structured content",
    description: "Answers with nested structured content: lists, nulls, letters from several \
                  alphabets. Its output schema is split with $defs and $ref.",
    input_schema: NO_ARGUMENTS,
    output_schema: Some(
        r##"{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "fleet": {"type": "string"},
            "ships": {"type": "array", "items": {"$ref": "#/$defs/ship"}},
            "flagship": {"anyOf": [{"$ref": "#/$defs/ship"}, {"type": "null"}]}
        },
        "required": ["fleet", "ships", "flagship"],
        "additionalProperties": false,
        "$defs": {
            "ship": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "port": {"$ref": "#/$defs/port"},
                    "captain": {"type": ["string", "null"]}
                },
                "required": ["name", "port", "captain"]
            },
            "port": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "depth_m": {"type": "number"}},
                "required": ["city"]
            }
        }
    }"##,
    ),
    meta: None,
    handler: structured,
};

const FLEET: &str = r#"{
    "fleet": "Büyük Filo ⚓",
    "ships": [
        {"name": "Ērika", "port": {"city": "Rīga", "depth_m": 17.5}, "captain": null},
        {"name": "夕凪", "port": {"city": "神戸"}, "captain": "Zoë Ångström"}
    ],
    "flagship": null
}"#;

fn structured(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    let mut folded = Vec::new();
    push_folded(&mut folded, FLEET);
    result::mirrored(out, &String::from_utf8_lossy(&folded));
    Ok(Conduct::Answer)
}

pub(super) const WRONG_OUTPUT: Tool = Tool {
    name: "wrong_output",
    title: "Wrong output",
    description: "Promises a whole number in its output schema and delivers a word. \
                  Shows who checks what a tool promises.",
    input_schema: NO_ARGUMENTS,
    output_schema: Some(
        r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#,
    ),
    meta: None,
    handler: wrong_output,
};

fn wrong_output(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    result::mirrored(out, r#"{"n":"seven"}"#);
    Ok(Conduct::Answer)
}

pub(super) const ABOUT: Tool = Tool {
    name: "about",
    title: "About this process",
    description: "Tells the id of the server's process, how many tool calls it has had, this one \
                  included, how many of them were cancelled while they waited, how many \
                  subscriptions are open, and which resources are subscribed to. \
                  Shows whether two calls met the same process.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: about,
};

fn about(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    let server = &call.session.server;
    let about = json!({
        "pid": process::id(),
        "calls": server.calls.load(Ordering::Relaxed),
        "cancelled": server.cancelled.load(Ordering::Relaxed),
        "subscriptions": server.listening().iter().map(|it| it.subscriptions.len()).sum::<usize>(),
        "subscribed": server.subscribed(),
    });
    result::mirrored(out, &about.to_string());
    Ok(Conduct::Answer)
}
