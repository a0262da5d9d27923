//! `manila call`

use std::io::Write;
use std::pin::pin;
use std::sync::Arc;

use anyhow::Context;
use manila::request_envelope::{Message, Notification, Request};
use manila::{JsonObject, RawJson, closest};
use manila_gateway::{Answer, Caller, Gateway, Placement, Sealed};
use manila_process::os::stop::asked as asked_to_stop;

use crate::exit_status::ExitStatus;
use crate::narrator::Verbosity;
use crate::output::{LayoutArgs, Output};
use crate::refusal::Refusal;
use crate::server::{ServerArgs, not_there};

/// Call one tool of an MCP server, and print the envelope
///
/// The call goes through the same pipeline as in the gateway: the arguments are checked against
/// the tool's schema, and whatever happens comes out as an envelope. Media stand in the payload.
///
///   manila call echo --arg message=hello -- manila sample-server
///   manila call add --args '{"a": 1, "b": 2}' -- manila sample-server
///   manila call echo --arg message=hello --url http://127.0.0.1:9000/mcp
///   manila call files_read --arg path=notes.txt --config manila.toml
///
/// Exit status 0: the tool did its work; 1: the call failed, and the envelope says how;
/// 2: there was nothing to call. Ctrl-C cancels the call, and the envelope says so.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The tool
    #[arg(value_name = "TOOL")]
    tool: String,

    /// One argument; the tool's schema says whether the value is text or JSON. Repeatable
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    one_by_one: Vec<String>,

    /// All arguments as a JSON object; `--arg` adds to it and wins
    #[arg(long = "args", value_name = "JSON")]
    together: Option<String>,

    /// Show the server's progress reports on standard error
    #[arg(long)]
    progress: bool,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let given = given(args)?;
    let settings = args.server.settings_once()?;
    let is_shown = args.progress;
    let answer = args.server.with_gateway(settings, Verbosity::OneCall, |gateway| async move {
        let request = request(args, &gateway, &given).await?;
        let caller = Caller::without_client(move |told| {
            if is_shown {
                show(told);
            }
        });
        called(&gateway, &request, Arc::new(caller)).await
    })?;
    print(args, &answer, out)
}

/// Calls the tool. Who stops us is told what there is until then; who does it twice does not want
/// to wait.
async fn called(
    gateway: &Gateway,
    request: &Request,
    caller: Arc<Caller>,
) -> anyhow::Result<Answer> {
    let mut answer = pin!(gateway.call_tool(request, &caller));
    tokio::select! {
        answer = &mut answer => return Ok(answer),
        () = asked_to_stop() => caller.stop(),
    }
    tokio::select! {
        answer = &mut answer => Ok(answer),
        () = asked_to_stop() => {
            Err(Refusal::new("the call was stopped", "nothing is known of what it did").into())
        }
    }
}

fn print(args: &Args, answer: &Answer, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let layout = args.layout.layout(out);
    match answer {
        Answer::Sealed(sealed) => {
            let Sealed { reply, .. } = &**sealed;
            out.json(&reply.envelope, layout)?;
            Ok(if reply.is_error { ExitStatus::BadNews } else { ExitStatus::Good })
        }
        Answer::AsItCame(answered) => match answered.answer() {
            Ok(result) => print_result(result, args, out),
            Err(error) => {
                out.json(error, layout)?;
                Ok(ExitStatus::BadNews)
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
    Ok(if is_error { ExitStatus::BadNews } else { ExitStatus::Good })
}

/// What `--args` and `--arg` give; the values of the latter are still text.
struct Given {
    object: JsonObject,
    texts: Vec<(String, String)>,
}

fn given(args: &Args) -> anyhow::Result<Given> {
    let object = match &args.together {
        None => JsonObject::default(),
        Some(json) => {
            let hint = "give a JSON object, e.g. --args '{\"message\": \"hello\"}'";
            let value = RawJson::parse(json.clone())
                .map_err(|error| Refusal::new(format!("--args: {error}"), hint))?;
            let object = JsonObject::new(value)
                .ok_or_else(|| Refusal::new("--args must be an object, but is not", hint))?;
            if let Some(twice) = object.given_twice() {
                let message = format!("--args has `{twice}` twice");
                return Err(Refusal::new(message, "leave one of the two out").into());
            }
            object
        }
    };
    let texts = args.one_by_one.iter().map(|text| {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            let message = format!("--arg must be NAME=VALUE, but has no `=` in `{text}`");
            Refusal::new(message, "e.g. --arg message=hello")
        })?;
        if name.is_empty() {
            let message = format!("--arg must be NAME=VALUE, but has no name in `{text}`");
            return Err(Refusal::new(message, "e.g. --arg message=hello"));
        }
        Ok((name.to_owned(), value.to_owned()))
    });
    Ok(Given { object, texts: texts.collect::<Result<_, Refusal>>()? })
}

async fn request(args: &Args, gateway: &Gateway, given: &Given) -> anyhow::Result<Request> {
    let tools = gateway.tools_beside(&args.tool, Placement::Text).await;
    let tools = tools.map_err(|down| not_there(&args.server, &down))?;
    let Some(tools) = tools else {
        let (whose, list) = if args.server.packs.is_empty() {
            (
                "the configuration has no server",
                "with several servers a tool is named SERVER_TOOL; `manila tools --config FILE` \
                 lists them",
            )
        } else {
            ("no pack is there", "a tool is named PACK_TOOL; `manila tools --pack PACK` lists them")
        };
        let message = format!("{whose} for the tool `{}`", args.tool);
        let hint = list;
        return Err(Refusal::new(message, hint).into());
    };
    let names: Vec<String> = tools.iter().map(name_of).collect();
    let tool = tools.iter().find(|tool| name_of(tool) == args.tool);
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
        Ok((name.as_str(), value(text, schema.as_ref())?))
    });
    let typed: Vec<(&str, RawJson)> = typed.collect::<anyhow::Result<_>>()?;
    let keys: Vec<_> = given.object.members().map(|it| (it.key(), it.value())).collect();
    let from_object = keys.iter().map(|(key, value)| (key.as_ref(), value.clone()));
    // Of several members with one name the first stands.
    let arguments = JsonObject::from_members(typed.into_iter().rev().chain(from_object));
    frame(&args.tool, &arguments)
}

/// A value as the tool's schema wants it: text stays text, anything else is read as JSON.
fn value(text: &str, schema: Option<&RawJson>) -> anyhow::Result<RawJson> {
    let kind = schema.and_then(|schema| schema.get("type"));
    let is_text = kind.as_ref().and_then(RawJson::as_text).is_some_and(|kind| kind == "string");
    if !is_text && let Ok(value) = RawJson::parse(text.to_owned()) {
        return Ok(value);
    }
    Ok(RawJson::of(text)?)
}

/// What a listed tool is called.
pub(super) fn name_of(tool: &RawJson) -> String {
    let name = tool.get("name");
    name.as_ref().and_then(RawJson::as_text).unwrap_or_default().into_owned()
}

/// The request that calls a tool.
pub(super) fn frame(tool: &str, arguments: &JsonObject) -> anyhow::Result<Request> {
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
        Ok(Message::Notification(_) | Message::Response(_)) => None.context("no request was made"),
        Err(refused) => {
            let message = format!("the arguments cannot be sent: {}", refused.violation);
            Err(Refusal::new(message, "give less, or less deeply nested, arguments").into())
        }
    }
}

fn show(told: &Notification) {
    let Some(params) = told.params.as_ref().filter(|_| told.method == "notifications/progress")
    else {
        return;
    };
    // `3.0` is for machines.
    let text =
        |name: &str| params.get(name).map(|value| value.as_str().trim_end_matches(".0").to_owned());
    let message = params.get("message");
    let message = message.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    let total = text("total").map(|total| format!(" of {total}")).unwrap_or_default();
    let progress = text("progress").unwrap_or_default();
    let message = message.replace(char::is_control, " ");
    // Progress that cannot be shown changes nothing about the call.
    let _ = writeln!(anstream::stderr(), "progress: {progress}{total} {message}");
}
