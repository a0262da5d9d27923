//! Side effects: tools that do more than return a result.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde_json::Value;

use super::super::disposition::{Disposition, HandlerError};
use super::super::era::Era;
use super::super::level::Level;
use super::super::result;
use super::super::rpc_error::RpcError;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const LOG: Tool = Tool {
    name: "log",
    title: "Log a message",
    description: "Sends your message to the client's log. Messages below the level that the \
                  client set with logging/setLevel, or in the call itself, are not sent.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "message": {"type": "string", "description": "The text to log."},
            "level": {
                "type": "string", "default": "info",
                "enum": ["debug", "info", "notice", "warning", "error", "critical", "alert",
                    "emergency"],
                "description": "The severity."
            }
        },
        "required": ["message"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: log,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LogArguments<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
    level: Option<Level>,
}

fn log(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let arguments: LogArguments<'_> = call.arguments()?;
    let level = arguments.level.unwrap_or(Level::Info);
    let level_min = match call.era {
        Era::Legacy => Some(call.session.level_min()),
        Era::Modern(client) => client.level_min,
    };
    if level_min.is_none_or(|level_min| level < level_min) {
        let accepted = if level_min.is_some() { "only higher levels" } else { "no log messages" };
        result::text(out, &format!("not logged: the client accepts {accepted}"));
        return Ok(Disposition::Answer);
    }
    let data = Value::from(arguments.message);
    let name = level.name();
    let params = format!("{{\"level\":\"{name}\",\"logger\":\"manila-sample\",\"data\":{data}}}");
    call.notify("notifications/message", &params)?;
    result::text(out, &format!("logged as {name}"));
    Ok(Disposition::Answer)
}

pub(super) const STDERR: Tool = Tool {
    name: "stderr",
    title: "Write to stderr",
    description: "Writes your text to the server's stderr. \
                  Shows where the stderr output of a server goes.",
    input_schema: r#"{
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The text to write."}},
        "required": ["text"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: stderr,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StderrArguments<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

fn stderr(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let arguments: StderrArguments<'_> = call.arguments()?;
    match writeln!(io::stderr().lock(), "{}", arguments.text) {
        Ok(()) => result::text(out, "written to stderr"),
        Err(error) => result::failure(out, &format!("stderr cannot be written to: {error}")),
    }
    Ok(Disposition::Answer)
}

pub(super) const TOUCH: Tool = Tool {
    name: "touch",
    title: "Touch the shelf",
    description: "Changes one of the three places of a sample shelf. The shelf and its places are \
                  resources: clients that have subscribed to the place or to the shelf are \
                  notified.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "place": {
                "type": "string", "default": "top", "enum": ["top", "middle", "bottom"],
                "description": "The place; its resource is sample://shelf/{place}."
            }
        },
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: touch,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TouchArguments<'a> {
    #[serde(borrow)]
    place: Option<Cow<'a, str>>,
}

fn touch(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let arguments: TouchArguments<'_> = call.arguments()?;
    let place = arguments.place.unwrap_or(Cow::Borrowed("top"));
    let server = &call.session.server;
    let uri = server.changing_resources.touch(&place);
    let uri = uri.ok_or_else(|| RpcError::invalid_params("there is no such place on the shelf"))?;
    for session in server.live_sessions() {
        session.notify_updated(&uri);
    }
    result::text(out, &format!("{uri} has changed"));
    Ok(Disposition::Answer)
}

pub(super) const CHANGE_TOOLS: Tool = Tool {
    name: "change_tools",
    title: "Change the list of tools",
    description: "Adds the tool `extra` to the list, or removes it again, and notifies the \
                  clients that the list has changed.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: change_tools,
};

fn change_tools(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    let server = &call.session.server;
    let was_listed = server.extra_listed.fetch_xor(true, Ordering::Relaxed);
    for session in server.live_sessions() {
        session.notify_tools_changed();
    }
    result::text(out, if was_listed { "removed `extra`" } else { "added `extra`" });
    Ok(Disposition::Answer)
}

/// The tool that `change_tools` adds and removes.
pub(super) const EXTRA: Tool = Tool {
    name: "extra",
    title: "Extra",
    description: "Exists only after a call of change_tools, until the next call of change_tools.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: extra,
};

fn extra(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    result::text(out, "You found the extra tool.");
    Ok(Disposition::Answer)
}
