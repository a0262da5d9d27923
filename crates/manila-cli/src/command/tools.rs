//! `manila tools`

use manila::RawJson;
use manila_gateway::Placement;

use crate::exit_status::ExitStatus;
use crate::narrator::Verbosity;
use crate::output::{LayoutArgs, Output};
use crate::refusal::{Refusal, note};
use crate::server::{ServerArgs, greet};

/// List the tools of an MCP server, as a client behind Manila sees them
///
///   manila tools -- manila sample-server
///   manila tools --config manila.toml
///
/// For people: each tool with its parameters (`?` marks optional ones) and its description.
/// With --json the tools as they are listed to clients, each with the envelope's schema as its
/// `outputSchema`. Of several servers of a configuration, those that cannot be asked are told on
/// standard error, and the exit status is 1.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Print JSON: the array of tools
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let settings = args.server.settings_once()?;
    let (tools, troubles) =
        args.server.with_gateway(settings, Verbosity::OneCall, |gateway| async move {
            greet(&args.server, &gateway).await?;
            let listed = gateway.tools(Placement::Structured).await;
            let tools = listed.map_err(|reason| {
                Refusal::new(reason, "look at what the server says on standard error")
            })?;
            Ok((tools, gateway.troubles()))
        })?;
    for (server, reason) in &troubles {
        note(&format!("the server `{server}` is not available: {reason}"));
    }
    let status = if troubles.is_empty() { ExitStatus::Good } else { ExitStatus::BadNews };
    if args.json {
        let all = RawJson::parse(joined(&tools))?;
        out.json(&all, args.layout.layout(out))?;
        return Ok(status);
    }
    for tool in &tools {
        out.line(summary(tool).as_bytes())?;
    }
    if tools.is_empty() {
        out.line(b"The server has no tools.")?;
    }
    Ok(status)
}

fn joined(tools: &[RawJson]) -> Vec<u8> {
    let tools: Vec<String> = tools.iter().map(RawJson::to_string).collect();
    format!("[{}]", tools.join(",")).into_bytes()
}

/// Name, parameters and description, for people.
fn summary(tool: &RawJson) -> String {
    let text = |name: &str| {
        let value = tool.get(name);
        let text = value.as_ref().and_then(RawJson::as_text).unwrap_or_default();
        // Foreign text must not move the cursor, or look like a line of ours.
        let plain = text.replace(char::is_control, " ");
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let parameters = parameters(tool).join(", ").replace(char::is_control, " ");
    let line = format!("{} {{{parameters}}}", text("name"));
    match text("description").as_str() {
        "" => line,
        description => format!("{line}\n    {description}"),
    }
}

fn parameters(tool: &RawJson) -> Vec<String> {
    let Some(schema) = tool.get("inputSchema") else { return Vec::new() };
    let required = schema.get("required");
    let is_required = |name: &str| {
        let mut names = required.iter().flat_map(RawJson::items);
        names.any(|item| item.as_text().is_some_and(|text| text == name))
    };
    let properties = schema.get("properties");
    let named = properties.iter().flat_map(RawJson::members);
    named
        .map(|member| {
            let name = member.key();
            let mark = if is_required(&name) { "" } else { "?" };
            let kind = member.value().get("type");
            match (choices(&member.value()), kind.as_ref().and_then(RawJson::as_text)) {
                (Some(choices), _) => format!("{name}{mark}: {choices}"),
                (None, Some(kind)) => format!("{name}{mark}: {kind}"),
                (None, None) => format!("{name}{mark}"),
            }
        })
        .collect()
}

/// What a parameter may be, where its schema lists it.
fn choices(schema: &RawJson) -> Option<String> {
    let choices: Vec<String> = schema.get("enum")?.items().map(|it| it.to_string()).collect();
    Some(choices.join("|"))
}
