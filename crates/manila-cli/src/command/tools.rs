//! `manila tools`

use manila::RawJson;
use manila_gateway::Placement;

use crate::exit_status::ExitStatus;
use crate::logging::Verbosity;
use crate::output::{LayoutArgs, Output};
use crate::refusal::{Refusal, print_note};
use crate::server::{ServerArgs, handshake};

/// List the tools of an MCP server as Manila's clients see them
///
///   manila tools -- manila sample-server
///   manila tools --config manila.toml
///
/// The list has each tool's parameters (`?` marks optional ones) and its description. --json prints
/// the tools as `tools/list` returns them, with the envelope's schema as their `outputSchema`.
///
/// If a server of the configuration does not respond, Manila reports it on stderr, lists the tools
/// of the others and exits with status 1.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Print the array of tools as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let settings = args.server.settings_for_one_call()?;
    let (tools, unavailable) =
        args.server.with_gateway(settings, Verbosity::OneCall, |gateway| async move {
            handshake(&args.server, &gateway).await?;
            let listed = gateway.tools(Placement::Structured).await;
            let tools = listed.map_err(|reason| {
                let hint = if reason.contains("exceeds the limit") {
                    "raise --message-bytes-max"
                } else {
                    "check the server's messages on stderr"
                };
                Refusal::new(reason, hint)
            })?;
            Ok((tools, gateway.unavailable_servers()))
        })?;
    for (server, reason) in &unavailable {
        print_note(&format!("the server `{server}` is not available: {reason}"));
    }
    let status = if unavailable.is_empty() { ExitStatus::Success } else { ExitStatus::Failure };
    if args.json {
        let all = RawJson::parse(json_array(&tools))?;
        out.json(&all, args.layout.layout(out))?;
        return Ok(status);
    }
    for tool in &tools {
        out.line(summary(tool).as_bytes())?;
    }
    if tools.is_empty() && unavailable.is_empty() {
        out.line(b"No tools are offered.")?;
    }
    Ok(status)
}

fn json_array(tools: &[RawJson]) -> Vec<u8> {
    let tools: Vec<String> = tools.iter().map(RawJson::to_string).collect();
    format!("[{}]", tools.join(",")).into_bytes()
}

/// Formats name, parameters and description for people.
fn summary(tool: &RawJson) -> String {
    let text = |name: &str| {
        let value = tool.get(name);
        let text = value.as_ref().and_then(RawJson::as_text).unwrap_or_default();
        // A server's text must not move the cursor or imitate Manila's output.
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

/// Returns the values of a parameter, if its schema lists them.
fn choices(schema: &RawJson) -> Option<String> {
    let choices: Vec<String> = schema.get("enum")?.items().map(|it| it.to_string()).collect();
    Some(choices.join("|"))
}
