//! Side effects: tools that do something besides answering.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde_json::Value;

use super::super::conduct::{Conduct, Stop};
use super::super::era::Era;
use super::super::level::Level;
use super::super::result;
use super::super::rpc_error::RpcError;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const LOG: Tool = Tool {
    name: "log",
    title: "Log a message",
    description: "Sends your message to the client's log, then answers. Messages below the level \
                  that the client set with logging/setLevel, or in the call itself, are not sent.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "message": {"type": "string", "description": "What to log."},
            "level": {
                "type": "string", "default": "info",
                "enum": ["debug", "info", "notice", "warning", "error", "critical", "alert",
                    "emergency"],
                "description": "How much it matters."
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

fn log(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let arguments: LogArguments<'_> = call.arguments()?;
    let level = arguments.level.unwrap_or(Level::Info);
    let level_min = match call.era {
        Era::Legacy => Some(call.session.level_min()),
        Era::Modern(client) => client.level_min,
    };
    if level_min.is_none_or(|level_min| level < level_min) {
        let wish = if level_min.is_some() { "graver things only" } else { "nothing" };
        result::text(out, &format!("not logged: the client wants to hear of {wish}"));
        return Ok(Conduct::Answer);
    }
    let data = Value::from(arguments.message);
    let name = level.name();
    let params = format!("{{\"level\":\"{name}\",\"logger\":\"manila-sample\",\"data\":{data}}}");
    call.notify("notifications/message", &params)?;
    result::text(out, &format!("logged as {name}"));
    Ok(Conduct::Answer)
}

pub(super) const STDERR: Tool = Tool {
    name: "stderr",
    title: "Write to stderr",
    description: "Writes your text to the server's stderr, then answers. \
                  Shows where the chatter of a server ends up.",
    input_schema: r#"{
        "type": "object",
        "properties": {"text": {"type": "string", "description": "What to write."}},
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

fn stderr(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let arguments: StderrArguments<'_> = call.arguments()?;
    match writeln!(io::stderr().lock(), "{}", arguments.text) {
        Ok(()) => result::text(out, "written to stderr"),
        Err(error) => result::failure(out, &format!("stderr cannot be written to: {error}")),
    }
    Ok(Conduct::Answer)
}

pub(super) const TOUCH: Tool = Tool {
    name: "touch",
    title: "Touch the shelf",
    description: "Changes one place of the shelf, a resource, and tells those who have subscribed \
                  to that place or to the whole shelf.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "place": {
                "type": "string", "default": "top", "enum": ["top", "middle", "bottom"],
                "description": "Where: the resource is sample://shelf/{place}."
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

fn touch(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let arguments: TouchArguments<'_> = call.arguments()?;
    let place = arguments.place.unwrap_or(Cow::Borrowed("top"));
    let server = &call.session.server;
    let uri = server.shelf.touch(&place);
    let uri = uri.ok_or_else(|| RpcError::invalid_params("there is no such place on the shelf"))?;
    for session in server.listening() {
        session.tell_updated(&uri);
    }
    result::text(out, &format!("{uri} has changed"));
    Ok(Conduct::Answer)
}

pub(super) const CHANGE_TOOLS: Tool = Tool {
    name: "change_tools",
    title: "Change the list of tools",
    description: "Adds the tool `extra` to the list, or takes it away again, and tells the client \
                  that the list has changed.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: change_tools,
};

fn change_tools(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    let server = &call.session.server;
    let was_listed = server.extra_listed.fetch_xor(true, Ordering::Relaxed);
    for session in server.listening() {
        session.tell_tools_changed();
    }
    result::text(out, if was_listed { "`extra` is gone" } else { "`extra` is there" });
    Ok(Conduct::Answer)
}

/// The tool that comes and goes.
pub(super) const EXTRA: Tool = Tool {
    name: "extra",
    title: "Extra",
    description: "Is there only after change_tools has been called, and only until it is called \
                  again.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: extra,
};

fn extra(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    result::text(out, "You found the extra tool.");
    Ok(Conduct::Answer)
}
