//! `manila call`

use std::io::Write;
use std::pin::pin;
use std::sync::Arc;

use anyhow::Context;
use manila::request_envelope::{Message, Notification, Request};
use manila::{JsonObject, RawJson, closest};
use manila_gateway::{Answer, Caller, Gateway, Placement, Sealed};
use manila_process::os::stop::wait_for_stop;

use crate::exit_status::ExitStatus;
use crate::logging::Verbosity;
use crate::output::{LayoutArgs, Output};
use crate::refusal::Refusal;
use crate::server::{ServerArgs, unavailable};

/// Call one tool of an MCP server and print the envelope
///
/// The call runs through the same pipeline as in the gateway: Manila validates the arguments
/// against the tool's schema and turns every outcome into an envelope. Images and other media are
/// part of the payload.
///
///   manila call echo --arg message=hello -- manila sample-server
///   manila call add --args '{"a": 1, "b": 2}' -- manila sample-server
///   manila call echo --arg message=hello --url http://127.0.0.1:9000/mcp
///   manila call files_read_file --arg path=notes.txt --config manila.toml
///
/// Ctrl-C cancels the call.
///
/// Exit status: 0 the call succeeded; 1 it failed, and the envelope has the reason; 2 Manila could
/// not make the call.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Name of the tool
    #[arg(value_name = "TOOL")]
    tool: String,

    /// One argument; repeatable
    ///
    /// The tool's schema decides whether the value is text or JSON.
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    pairs: Vec<String>,

    /// Arguments as a JSON object; --arg overrides its members
    #[arg(long = "args", value_name = "JSON")]
    object: Option<String>,

    /// Print the server's progress notifications to stderr
    #[arg(long)]
    progress: bool,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let given = parse_arguments(args)?;
    let settings = args.server.settings_for_one_call()?;
    let is_shown = args.progress;
    let answer = args.server.with_gateway(settings, Verbosity::OneCall, |gateway| async move {
        let request = build_call(args, &gateway, &given).await?;
        let caller = Caller::without_client(move |notification| {
            if is_shown {
                print_progress(notification);
            }
        });
        call_tool(&gateway, &request, Arc::new(caller)).await
    })?;
    print(args, &answer, out)
}

/// Calls the tool. The first Ctrl-C cancels the call and waits for its result; the second one stops
/// at once.
async fn call_tool(
    gateway: &Gateway,
    request: &Request,
    caller: Arc<Caller>,
) -> anyhow::Result<Answer> {
    let mut answer = pin!(gateway.call_tool(request, &caller));
    tokio::select! {
        answer = &mut answer => return Ok(answer),
        () = wait_for_stop() => caller.stop(),
    }
    tokio::select! {
        answer = &mut answer => Ok(answer),
        () = wait_for_stop() => {
            let hint = "its effects are unknown; check the server";
            Err(Refusal::new("the call was interrupted", hint).into())
        }
    }
}

/// Prints the envelope or the result.
fn print(args: &Args, answer: &Answer, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let layout = args.layout.layout(out);
    match answer {
        Answer::Sealed(sealed) => {
            let Sealed { reply, .. } = &**sealed;
            out.json(&reply.envelope, layout)?;
            Ok(if reply.is_error { ExitStatus::Failure } else { ExitStatus::Success })
        }
        Answer::Passthrough(response) => match response.answer() {
            Ok(result) => print_result(result, args, out),
            Err(error) => {
                out.json(error, layout)?;
                Ok(ExitStatus::Failure)
            }
        },
        Answer::Plain { result, .. } => print_result(result, args, out),
        Answer::Refused(refusal) => {
            let mut message = refusal.code().entry().message.to_owned();
            for violation in refusal.violations() {
                message = format!("{message}: {violation}");
            }
            Err(Refusal::new(message, refusal.code().entry().remedy).into())
        }
    }
}

fn print_result(result: &RawJson, args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    out.json(result, args.layout.layout(out))?;
    let is_error = result.get("isError").is_some_and(|it| it.as_bytes() == b"true");
    Ok(if is_error { ExitStatus::Failure } else { ExitStatus::Success })
}

/// Arguments from `--args` and `--arg`; the values of the latter are still text.
struct GivenArguments {
    object: JsonObject,
    texts: Vec<(String, String)>,
}

/// Parses `--args` and `--arg`.
fn parse_arguments(args: &Args) -> anyhow::Result<GivenArguments> {
    let object = match &args.object {
        None => JsonObject::default(),
        Some(json) => {
            let hint = "pass a JSON object, e.g. --args '{\"message\": \"hello\"}'";
            let value = RawJson::parse(json.clone())
                .map_err(|error| Refusal::new(format!("--args: {error}"), hint))?;
            let object = JsonObject::new(value)
                .ok_or_else(|| Refusal::new("--args must be a JSON object", hint))?;
            if let Some(key) = object.duplicate_key() {
                let message = format!("--args has the member `{key}` twice");
                return Err(Refusal::new(message, "remove one of them").into());
            }
            object
        }
    };
    let texts = args.pairs.iter().map(|text| {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            let message = format!("--arg must be NAME=VALUE; there is no `=` in `{text}`");
            Refusal::new(message, "e.g. --arg path=notes.txt")
        })?;
        if name.is_empty() {
            let message = format!("--arg must be NAME=VALUE; there is no name in `{text}`");
            return Err(Refusal::new(message, "e.g. --arg path=notes.txt"));
        }
        Ok((name.to_owned(), value.to_owned()))
    });
    Ok(GivenArguments { object, texts: texts.collect::<Result<_, Refusal>>()? })
}

/// Builds the request, with each value parsed by the tool's schema.
async fn build_call(
    args: &Args,
    gateway: &Gateway,
    given: &GivenArguments,
) -> anyhow::Result<Request> {
    let tools = gateway.tools_of_same_server(&args.tool, Placement::Text).await;
    let tools = tools.map_err(|down| unavailable(&args.server, &down))?;
    let Some(tools) = tools else {
        let (missing, hint) = if args.server.packs.is_empty() {
            (
                "no server in the configuration",
                "with several servers, tools are named SERVER_TOOL; `manila tools --config FILE` \
                 lists them",
            )
        } else {
            ("no pack in use", "tools are named PACK_TOOL; `manila tools --pack PACK` lists them")
        };
        let message = format!("{missing} has the tool `{}`", args.tool);
        return Err(Refusal::new(message, hint).into());
    };
    let names: Vec<String> = tools.iter().map(tool_name).collect();
    let tool = tools.iter().find(|tool| tool_name(tool) == args.tool);
    if tool.is_none() && !tools.is_empty() {
        let hint = match closest(&args.tool, names.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if args.server.is_configured() => {
                "`manila tools --config FILE` lists the tools".to_owned()
            }
            None if args.server.url.is_some() => {
                "`manila tools --url URL` lists the tools".to_owned()
            }
            None => "`manila tools -- COMMAND` lists the tools".to_owned(),
        };
        let message = format!("the server has no tool `{}`", args.tool);
        return Err(Refusal::new(message, hint).into());
    }
    let properties = tool.and_then(|tool| tool.get("inputSchema")?.get("properties"));
    let typed = given.texts.iter().map(|(name, text)| {
        let schema = properties.as_ref().and_then(|properties| properties.get(name));
        Ok((name.as_str(), parse_value(text, schema.as_ref())?))
    });
    let typed: Vec<(&str, RawJson)> = typed.collect::<anyhow::Result<_>>()?;
    let keys: Vec<_> = given.object.members().map(|it| (it.key(), it.value())).collect();
    let from_object = keys.iter().map(|(key, value)| (key.as_ref(), value.clone()));
    // Of several members with the same name, the first one counts.
    let arguments = JsonObject::from_members(typed.into_iter().rev().chain(from_object));
    call_request(&args.tool, &arguments)
}

/// Parses a value by the tool's schema: a string parameter takes the text, any other takes JSON.
fn parse_value(text: &str, schema: Option<&RawJson>) -> anyhow::Result<RawJson> {
    let kind = schema.and_then(|schema| schema.get("type"));
    let is_text = kind.as_ref().and_then(RawJson::as_text).is_some_and(|kind| kind == "string");
    if !is_text && let Ok(value) = RawJson::parse(text.to_owned()) {
        return Ok(value);
    }
    Ok(RawJson::of(text)?)
}

/// Returns the name of a listed tool.
pub(super) fn tool_name(tool: &RawJson) -> String {
    let name = tool.get("name");
    name.as_ref().and_then(RawJson::as_text).unwrap_or_default().into_owned()
}

/// Builds the request that calls a tool.
pub(super) fn call_request(tool: &str, arguments: &JsonObject) -> anyhow::Result<Request> {
    let meta = JsonObject::build(|meta| meta.member("progressToken", &1_u64));
    let params = JsonObject::build(|params| {
        params.member("name", tool);
        params.member("arguments", arguments);
        params.member("_meta", &meta);
    });
    let frame = JsonObject::build(|frame| {
        frame.member("jsonrpc", "2.0");
        frame.member("id", &1_u64);
        frame.member("method", "tools/call");
        frame.member("params", &params);
    });
    match Message::from_json(frame.to_string()) {
        Ok(Message::Request(request)) => Ok(request),
        Ok(Message::Notification(_) | Message::Response(_)) => {
            None.context("the call is not a request")
        }
        Err(refused) => {
            let message = format!("cannot send the arguments: {}", refused.violation);
            Err(Refusal::new(message, "pass smaller or less deeply nested arguments").into())
        }
    }
}

/// Prints a notification to stderr, if it reports progress.
fn print_progress(notification: &Notification) {
    let is_progress = notification.method == "notifications/progress";
    let Some(params) = notification.params.as_ref().filter(|_| is_progress) else { return };
    // Prints `3.0` as `3`.
    let text =
        |name: &str| params.get(name).map(|value| value.as_str().trim_end_matches(".0").to_owned());
    let message = params.get("message");
    let message = message.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    let total = text("total").map(|total| format!(" of {total}")).unwrap_or_default();
    let progress = text("progress").unwrap_or_default();
    let message = message.replace(char::is_control, " ");
    let colon = if message.is_empty() { "" } else { ": " };
    // A failed write of progress does not affect the call.
    let _ = writeln!(anstream::stderr(), "progress: {progress}{total}{colon}{message}");
}
