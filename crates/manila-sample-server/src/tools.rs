//! Tools: what they share, the one list of them, and the methods `tools/list` and `tools/call`.

mod app;
mod asking;
mod big_numbers;
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

use super::answer::{self, push, push_folded, push_string};
use super::arguments;
use super::conduct::{Conduct, Stop};
use super::dispatch::{ListParams, Request};
use super::era::Era;
use super::input::Returned;
use super::output::{Output, Part};
use super::rpc_error::RpcError;
use super::session::Session;
use super::shape::Shape;

/// A tool: what `tools/list` says of it, and what it does.
pub struct Tool {
    /// What it is called by.
    pub name: &'static str,
    /// What people read.
    pub title: &'static str,
    /// What it is good for, to somebody who has never seen it.
    pub description: &'static str,
    /// The JSON Schema of its arguments, perhaps over several lines.
    pub input_schema: &'static str,
    /// The JSON Schema of its structured content, perhaps over several lines.
    pub output_schema: Option<&'static str>,
    /// Its `_meta`, a JSON object.
    pub meta: Option<&'static str>,
    handler: Handler,
}

type Handler = fn(&Call<'_>, &mut Vec<u8>) -> Result<Conduct, Stop>;

/// Every tool that is always there, in the order of `tools/list`.
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
    asking::ASK_USER,
    asking::ASK_MODEL,
    asking::ROOTS,
    route::ROUTE,
    crash::CRASH,
    misbehave::MISBEHAVE,
];

/// How many tools `tools/list` gives at once: more than there are, so that one page is enough.
const PAGE_TOOLS_MAX: usize = 50;

/// The input schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// A call on its way to its tool.
struct Call<'a> {
    session: &'a Arc<Session>,
    output: &'a Arc<Output>,
    era: &'a Era,
    shape: Shape,
    id: &'a RawValue,
    arguments: &'a str,
    meta: Option<&'a RawValue>,
    /// Whether it is to become a task, as legacy clients say it.
    wants_task: bool,
    returned: Returned<'a>,
}

impl<'a> Call<'a> {
    /// The arguments as the tool wants them.
    fn arguments<T: Deserialize<'a>>(&self) -> Result<T, RpcError> {
        arguments::read(self.arguments)
    }

    /// Sends a notification before the answer; `params` is JSON text on one line.
    fn notify(&self, method: &str, params: &str) -> io::Result<()> {
        let mut line = Vec::new();
        answer::notification(&mut line, method, params);
        self.output.send(Part::Aside, &line)
    }

    /// Refuses any argument.
    fn no_arguments(&self) -> Result<(), RpcError> {
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

/// What a call has besides, when it is made again with the answer to a question.
#[derive(Deserialize)]
struct AgainParams<'a> {
    #[serde(borrow, rename = "inputResponses")]
    responses: Option<HashMap<String, &'a RawValue>>,
    #[serde(rename = "requestState")]
    state: Option<String>,
}

/// `tools/call`.
pub(super) fn call(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let params: CallParams<'_> = request.params()?;
    let tool = listed(request.session)
        .find(|tool| tool.name == params.name)
        .ok_or_else(|| RpcError::invalid_params(format!("unknown tool: {}", params.name)))?;
    request.session.server.calls.fetch_add(1, Ordering::Relaxed);
    let returned = match request.era {
        Era::Legacy => Returned::default(),
        Era::Modern(_) => {
            let AgainParams { responses, state } = request.params()?;
            Returned { responses, state }
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
        returned,
    };
    (tool.handler)(&call, out)
}

/// The arguments of the tool `name` that stand in headers, too: where they are, and the header.
pub(super) fn mirrored(name: &str) -> &'static [(&'static str, &'static str)] {
    if name == route::ROUTE.name { route::HEADERS } else { &[] }
}

/// The tools as they are now: all of [`TOOLS`], and `extra` when it has been switched on.
fn listed(session: &Session) -> impl Iterator<Item = &'static Tool> + use<> {
    let extra = session.server.extra_listed.load(Ordering::Relaxed).then_some(&side_effects::EXTRA);
    TOOLS.iter().chain(extra)
}

/// `tools/list`.
pub(super) fn list(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let params: ListParams<'_> = request.params()?;
    let tools: Vec<&Tool> = listed(request.session).collect();
    let start = params.cursor.map_or(Some(0), |cursor| parse_cursor(cursor.get()));
    let start = start.filter(|start| *start < tools.len()).ok_or_else(RpcError::unknown_cursor)?;
    push_page(out, &tools, start, PAGE_TOOLS_MAX);
    Ok(Conduct::Answer)
}

fn parse_cursor(json: &str) -> Option<usize> {
    json.strip_prefix("\"from-")?.strip_suffix('"')?.parse().ok()
}

/// The page of `tools` that begins at `start`, with the cursor of the next page if there is one.
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
