//! Structured tools: results with structured content, which matches its schema or does not.

use std::process;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::super::disposition::{Disposition, HandlerError};
use super::super::jsonrpc::push_folded;
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const STRUCTURED: Tool = Tool {
    name: "structured",
    title: "Structured content",
    description: "Returns nested structured content: lists, nulls, letters from several \
                  alphabets. Its output schema uses $defs and $ref.",
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

fn structured(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    let mut folded = Vec::new();
    push_folded(&mut folded, FLEET);
    result::push_mirrored(out, &String::from_utf8_lossy(&folded));
    Ok(Disposition::Answer)
}

pub(super) const WRONG_OUTPUT: Tool = Tool {
    name: "wrong_output",
    title: "Wrong output",
    description: "Declares an integer in its output schema and returns a string. \
                  Use it to see which component validates results against the output schema.",
    input_schema: NO_ARGUMENTS,
    output_schema: Some(
        r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#,
    ),
    meta: None,
    handler: wrong_output,
};

fn wrong_output(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    result::push_mirrored(out, r#"{"n":"seven"}"#);
    Ok(Disposition::Answer)
}

pub(super) const ABOUT: Tool = Tool {
    name: "about",
    title: "About this process",
    description: "Returns the server's process id, the number of tool calls including this one, \
                  the number of calls that were cancelled while pending, the number of open \
                  subscriptions, and the subscribed resources. \
                  Shows whether two calls reached the same process.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: about,
};

fn about(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    let server = &call.session.server;
    let n_subscriptions: usize =
        server.live_sessions().iter().map(|session| session.subscriptions.len()).sum();
    let about = json!({
        "pid": process::id(),
        "calls": server.calls.load(Ordering::Relaxed),
        "cancelled": server.cancelled.load(Ordering::Relaxed),
        "subscriptions": n_subscriptions,
        "subscribed": server.subscribed_uris(),
    });
    result::push_mirrored(out, &about.to_string());
    Ok(Disposition::Answer)
}
