//! `manila doctor`

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use manila::{Contract, JsonObject, RawJson, closest};
use manila_gateway::downstream::http::Listener;
use manila_gateway::{
    Answer, Caller, Config, Event, Events, Gateway, NamedServer, Placement, ResultFormat, Server,
};
use serde::Serialize;

use super::{call, serve};
use crate::exit_status::ExitStatus;
use crate::output::Output;
use crate::plural::pluralize;
use crate::refusal::{Refusal, visible};
use crate::server::cannot_serve;

/// Check that everything in manila.toml works
///
/// Manila reads the configuration, tests the listen address and the journal, and connects to every
/// server. It reports each server's MCP version and number of tools, missing programs of packs, and
/// [tool.NAME] tables that match no tool. It calls no tool of a server; for a pack, it calls
/// NAME_server_capabilities, which tests the program. Each problem comes with a hint.
///
/// Exit status: 0 everything works; 1 something does not.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Configuration file [default: ./manila.toml if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Result of one check.
#[derive(Serialize)]
struct CheckResult {
    /// Subject: `configuration`, `http`, `journal`, or a server's name.
    about: String,
    ok: bool,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<usize>,
    /// A server's tools, by the names that clients use.
    #[serde(skip)]
    listed: Vec<String>,
}

impl CheckResult {
    fn pass(about: &str, found: impl Into<String>) -> CheckResult {
        let (about, found) = (about.to_owned(), found.into());
        CheckResult { about, ok: true, found, hint: None, tools: None, listed: Vec::new() }
    }

    fn fail(about: &str, found: impl Into<String>, hint: impl Into<String>) -> CheckResult {
        CheckResult { ok: false, hint: Some(hint.into()), ..CheckResult::pass(about, found) }
    }

    fn of_error(about: &str, error: &anyhow::Error) -> CheckResult {
        match error.downcast_ref::<Refusal>() {
            Some(refusal) => CheckResult::fail(about, refusal.message(), refusal.hint()),
            None => CheckResult::fail(
                about,
                format!("{error:#}"),
                "correct what the error names, then run this again",
            ),
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let path = args.config.clone().or_else(serve::default_file);
    let findings = match serve::config(path.as_deref()) {
        Ok(config) => examine(path.as_deref(), config)?,
        Err(error) => vec![CheckResult::of_error("configuration", &error)],
    };
    let is_ok = findings.iter().all(|finding| finding.ok);
    if args.json {
        out.line(&serde_json::to_vec_pretty(&findings)?)?;
    } else {
        for finding in &findings {
            print(finding, out)?;
        }
    }
    Ok(if is_ok { ExitStatus::Success } else { ExitStatus::Failure })
}

/// Checks the listen address, the journal, and all servers concurrently.
fn examine(path: Option<&Path>, config: Config) -> anyhow::Result<Vec<CheckResult>> {
    let n_servers = config.servers.len();
    let noun = if n_servers == 1 { "server" } else { "servers" };
    let name = path.map_or("no file; using the sample server".into(), Path::to_string_lossy);
    let mut findings =
        vec![CheckResult::pass("configuration", format!("{name}: {n_servers} {noun}"))];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        if let Some(address) = config.listen.http {
            findings.push(match Listener::open(address).await {
                Ok(_) => CheckResult::pass("http", format!("{address} is free")),
                Err(error) => CheckResult::of_error("http", &cannot_serve(&error).into()),
            });
        }
        if path.is_some() {
            findings.push(journal(&config));
        }
        let mut probes = tokio::task::JoinSet::new();
        for (at, entry) in config.servers.into_iter().enumerate() {
            probes.spawn(async move { (at, probe_server(entry, n_servers).await) });
        }
        let mut reports = probes.join_all().await;
        reports.sort_unstable_by_key(|(at, _)| *at);
        let servers: Vec<CheckResult> = reports.into_iter().map(|(_, finding)| finding).collect();
        let unknown = unknown_tools(config.settings.tools.keys(), &servers);
        findings.extend(servers);
        findings.extend(unknown);
    });
    runtime.shutdown_background();
    Ok(findings)
}

/// Returns a finding for each `[tool.NAME]` table whose tool no server has, or none if the tools of
/// any server are unknown.
fn unknown_tools<'a>(
    configured: impl Iterator<Item = &'a String>,
    servers: &[CheckResult],
) -> Vec<CheckResult> {
    if servers.iter().any(|server| !server.ok) {
        return Vec::new();
    }
    let names: Vec<&str> =
        servers.iter().flat_map(|server| &server.listed).map(String::as_str).collect();
    let missing = configured.filter(|name| !names.contains(&name.as_str()));
    let findings = missing.map(|tool| {
        let hint = match closest(tool, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`manila tools --config FILE` lists the tools".to_owned(),
        };
        CheckResult::fail(&format!("tool.{tool}"), "no server has this tool", hint)
    });
    findings.collect()
}

/// Checks that the journal can be opened, unless it is disabled.
fn journal(config: &Config) -> CheckResult {
    match serve::open_journal(&config.journal, Arc::new(|_| ())) {
        Ok(None) => CheckResult::pass("journal", "disabled"),
        Ok(Some(_)) => {
            let folder = serve::journal_folder(&config.journal);
            CheckResult::pass("journal", format!("{} is writable", folder.display()))
        }
        Err(error) => CheckResult::of_error("journal", &error),
    }
}

/// Starts a server, requests its tools, and stops it; of a pack, also tests the program.
///
/// `n_servers` is the number of all servers.
async fn probe_server(mut entry: NamedServer, n_servers: usize) -> CheckResult {
    // `program_problem` reads this contract.
    entry.settings.format = ResultFormat::Contract(Contract::ResponseV2);
    let timeout = entry.settings.start_timeout;
    let (name, is_pack) = (entry.name.clone(), entry.server.is_pack());
    let hint = match &entry.server {
        Server::Pack(_) => "check `roots`, and run `manila pack show` to see what the pack needs",
        Server::Command(_) => "run its command by itself to see its output",
        Server::Remote(_) => {
            "check that it runs, its host, port and path, and the credentials in `headers`"
        }
    };
    let started = Arc::<Mutex<Option<(Duration, String)>>>::default();
    let first_start = Arc::clone(&started);
    let events: Events = Arc::new(move |event| {
        if let (Event::Started { era, duration, .. }, Ok(mut first)) = (event, first_start.lock()) {
            let era = era.map(|era| format!("MCP {era}")).unwrap_or_default();
            first.get_or_insert((duration, era));
        }
    });
    let settings = entry.settings.clone();
    let gateway = Gateway::with_servers(vec![entry], settings, Arc::clone(&events), move |_| {
        Arc::clone(&events)
    });
    let probe = async {
        gateway.perform_handshake().await.map_err(|down| down.reason)?;
        let tools = gateway.tools(Placement::Text).await?;
        let problem = if is_pack { program_problem(&gateway, &name).await } else { None };
        let failure = gateway.unavailable_servers().into_iter().map(|(_, reason)| reason).next();
        match failure.filter(|_| tools.is_empty()) {
            Some(reason) => Err(reason),
            None => Ok((tools, problem)),
        }
    };
    let probed = tokio::time::timeout(timeout, probe).await;
    gateway.stop().await;
    match probed {
        Ok(Ok((_, Some((reason, hint))))) => CheckResult::fail(&name, reason, hint),
        Ok(Ok((tools, None))) => {
            let n_tools = tools.len();
            let names = tools.iter().map(call::tool_name);
            // A pack's tools have full names already.
            let has_full_names = is_pack || n_servers == 1;
            let listed = if has_full_names {
                names.collect()
            } else {
                names.map(|tool| format!("{name}_{tool}")).collect()
            };
            let started = started.lock().ok().and_then(|started| started.clone());
            let start = started.map(|(duration, era)| format!(", {era}, ready in {duration:.0?}"));
            let tools = pluralize(n_tools as u64, "tool", "tools");
            let found = format!("{tools}{}", start.unwrap_or_default());
            CheckResult { tools: Some(n_tools), listed, ..CheckResult::pass(&name, found) }
        }
        Ok(Err(reason)) => {
            let hint = start_hint(&reason).filter(|_| !is_pack).unwrap_or(hint);
            CheckResult::fail(&name, reason, hint)
        }
        Err(_) => {
            let found = format!("no response within {timeout:?}");
            CheckResult::fail(&name, found, "raise `start_timeout` if it needs more time")
        }
    }
}

/// Returns the hint for a server that could not be started.
fn start_hint(reason: &str) -> Option<&'static str> {
    let (_, cause) = reason.split_once(" could not be started: ")?;
    Some(if cause.contains("(`cwd`)") {
        "create the folder, or correct `cwd`"
    } else if cause.contains("Permission denied") {
        "make it executable, or correct `command`"
    } else {
        "install it, or correct `command`"
    })
}

/// Returns why the program of a pack cannot be used, with a hint; `None` if no problem is known.
async fn program_problem(gateway: &Gateway, pack: &str) -> Option<(String, String)> {
    let tool = format!("{pack}_server_capabilities");
    let request = call::call_request(&tool, &JsonObject::default()).ok()?;
    let caller = Arc::new(Caller::without_client(|_| ()));
    let Answer::Sealed(sealed) = gateway.call_tool(&request, &caller).await else { return None };
    let program = sealed.reply.envelope.get("data")?.get("program")?;
    if program.get("available")?.as_bytes() == b"true" {
        return None;
    }
    let text = |value: Option<RawJson>| value?.as_text().map(std::borrow::Cow::into_owned);
    let first = program.get("alternatives").and_then(|all| all.items().next());
    let hint = text(first).unwrap_or_else(|| "install it".to_owned());
    let (name, reason) = (text(program.get("name"))?, text(program.get("reason"))?);
    Some((format!("`{name}` cannot be used: {reason}"), hint))
}

fn print(finding: &CheckResult, out: &mut Output) -> anyhow::Result<()> {
    const GOOD: Style = AnsiColor::Green.on_default();
    const BAD: Style = AnsiColor::Red.on_default().bold();
    let CheckResult { about, ok, found, hint, .. } = finding;
    let (mark, style) = if *ok { ("ok", GOOD) } else { ("bad", BAD) };
    let mark =
        if out.is_coloured() { format!("{style}{mark:<4}{style:#}") } else { format!("{mark:<4}") };
    out.line(format!("{mark} {about:<14} {}", visible(found)).as_bytes())?;
    if let Some(hint) = hint {
        out.line(format!("     {:<14} hint: {hint}", "").as_bytes())?;
    }
    Ok(())
}
