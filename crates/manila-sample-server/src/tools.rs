//! Tools: their common types, their table, and the methods `tools/list` and `tools/call`.

mod app;
mod big_numbers;
mod client_input;
mod crash;
mod enveloped;
mod fail;
mod huge;
mod job;
mod media;
mod misbehave;
mod plain;
mod route;
mod secrets;
mod side_effects;
mod structured;
mod timed;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::arguments;
use super::dispatch::{ListParams, Request};
use super::disposition::{Disposition, HandlerError};
use super::era::Era;
use super::input::RetryInput;
use super::jsonrpc::{self, push, push_folded, push_string};
use super::output::{Output, Part};
use super::rpc_error::RpcError;
use super::session::Session;
use super::shape::Shape;

/// A tool: its entry in `tools/list`, and its handler.
pub struct Tool {
    /// The name that calls use.
    pub name: &'static str,
    /// The title for people.
    pub title: &'static str,
    /// The description, for readers who do not know the tool.
    pub description: &'static str,
    /// The JSON Schema of its arguments, on one or more lines.
    pub input_schema: &'static str,
    /// The JSON Schema of its structured content, on one or more lines.
    pub output_schema: Option<&'static str>,
    /// Its `_meta`, a JSON object.
    pub meta: Option<&'static str>,
    handler: Handler,
}

type Handler = fn(&Call<'_>, &mut Vec<u8>) -> Result<Disposition, HandlerError>;

/// All tools that are always listed, in the order of `tools/list`.
pub const TOOLS: &[Tool] = &[
    plain::ECHO,
    plain::ADD,
    plain::TEXT,
    plain::JSON,
    plain::LIST,
    structured::STRUCTURED,
    big_numbers::BIG_NUMBERS,
    structured::WRONG_OUTPUT,
    structured::ABOUT,
    enveloped::ENVELOPED,
    app::APP,
    fail::FAIL,
    secrets::SECRETS,
    huge::HUGE,
    media::IMAGE,
    media::AUDIO,
    media::LINKS,
    media::EMBEDDED,
    media::MIXED,
    timed::PROGRESS,
    timed::WAIT,
    job::JOB,
    side_effects::LOG,
    side_effects::STDERR,
    side_effects::CHANGE_TOOLS,
    side_effects::TOUCH,
    client_input::ASK_USER,
    client_input::ASK_MODEL,
    client_input::ROOTS,
    route::ROUTE,
    crash::CRASH,
    misbehave::MISBEHAVE,
];

/// The number of tools per page of `tools/list`. It exceeds the number of tools, so that one page
/// is enough.
const PAGE_TOOLS_MAX: usize = 50;

/// The input schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// A call of a tool.
struct Call<'a> {
    session: &'a Arc<Session>,
    output: &'a Arc<Output>,
    era: &'a Era,
    shape: Shape,
    id: &'a RawValue,
    arguments: &'a str,
    meta: Option<&'a RawValue>,
    /// Whether a legacy client requested a task.
    wants_task: bool,
    retry: RetryInput<'a>,
}

impl<'a> Call<'a> {
    /// Parses the arguments into the type of the tool.
    fn arguments<T: Deserialize<'a>>(&self) -> Result<T, RpcError> {
        arguments::read(self.arguments)
    }

    /// Sends a notification before the response; `params` is JSON text on one line.
    fn notify(&self, method: &str, params: &str) -> io::Result<()> {
        let mut line = Vec::new();
        jsonrpc::notification(&mut line, method, params);
        self.output.send(Part::Other, &line)
    }

    /// Refuses any argument.
    fn reject_arguments(&self) -> Result<(), RpcError> {
        self.arguments::<arguments::NoArguments>().map(|_| ())
    }
}

#[derive(Deserialize)]
struct CallParams<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
    task: Option<IgnoredAny>,
}

/// The additional params of a call that is retried with input.
#[derive(Deserialize)]
struct RetryParams<'a> {
    #[serde(borrow, rename = "inputResponses")]
    responses: Option<HashMap<String, &'a RawValue>>,
    #[serde(rename = "requestState")]
    state: Option<String>,
}

/// Handles `tools/call`.
pub(super) fn call(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let params: CallParams<'_> = request.params()?;
    let tool = current_tools(request.session)
        .find(|tool| tool.name == params.name)
        .ok_or_else(|| RpcError::invalid_params(format!("unknown tool: {}", params.name)))?;
    request.session.server.calls.fetch_add(1, Ordering::Relaxed);
    let retry = match request.era {
        Era::Legacy => RetryInput::default(),
        Era::Modern(_) => {
            let RetryParams { responses, state } = request.params()?;
            RetryInput { responses, state }
        }
    };
    let call = Call {
        session: request.session,
        output: request.output,
        era: request.era,
        shape: request.shape,
        id: request.id,
        arguments: params.arguments.map_or("{}", RawValue::get),
        meta: params.meta,
        wants_task: params.task.is_some(),
        retry,
    };
    (tool.handler)(&call, out)
}

/// Returns the arguments of a tool that clients repeat in headers: JSON pointer and header.
pub(super) fn header_arguments(name: &str) -> &'static [(&'static str, &'static str)] {
    if name == route::ROUTE.name { route::HEADERS } else { &[] }
}

/// Returns the current tools: all of [`TOOLS`], and `extra` while it is listed.
fn current_tools(session: &Session) -> impl Iterator<Item = &'static Tool> + use<> {
    let extra = session.server.extra_listed.load(Ordering::Relaxed).then_some(&side_effects::EXTRA);
    TOOLS.iter().chain(extra)
}

/// Handles `tools/list`.
pub(super) fn list(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let params: ListParams<'_> = request.params()?;
    let tools: Vec<&Tool> = current_tools(request.session).collect();
    let start = params.cursor.map_or(Some(0), |cursor| parse_cursor(cursor.get()));
    let start = start.filter(|start| *start < tools.len()).ok_or_else(RpcError::unknown_cursor)?;
    push_page(out, &tools, start, PAGE_TOOLS_MAX);
    Ok(Disposition::Answer)
}

fn parse_cursor(json: &str) -> Option<usize> {
    json.strip_prefix("\"from-")?.strip_suffix('"')?.parse().ok()
}

/// Appends the page of `tools` that begins at `start`, with a cursor if there is another page.
pub(super) fn push_page(out: &mut Vec<u8>, tools: &[&Tool], start: usize, page_tools_max: usize) {
    push(out, "{\"tools\":[");
    for (index, tool) in tools.iter().skip(start).take(page_tools_max).enumerate() {
        push(out, if index == 0 { "" } else { "," });
        push_tool(out, tool);
    }
    push(out, "]");
    let next = start + page_tools_max;
    if next < tools.len() {
        push(out, ",\"nextCursor\":");
        push_string(out, &format!("from-{next}"));
    }
    push(out, "}");
}

fn push_tool(out: &mut Vec<u8>, tool: &Tool) {
    push(out, "{\"name\":");
    push_string(out, tool.name);
    push(out, ",\"title\":");
    push_string(out, tool.title);
    push(out, ",\"description\":");
    push_string(out, tool.description);
    push(out, ",\"inputSchema\":");
    push_folded(out, tool.input_schema);
    let optional = [(",\"outputSchema\":", tool.output_schema), (",\"_meta\":", tool.meta)];
    for (key, json) in optional {
        if let Some(json) = json {
            push(out, key);
            push_folded(out, json);
        }
    }
    if tool.name == job::JOB.name {
        push(out, ",\"execution\":{\"taskSupport\":\"optional\"}");
    }
    push(out, "}");
}
