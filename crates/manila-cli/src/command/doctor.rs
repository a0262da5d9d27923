//! `manila doctor`

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use manila::{Contract, JsonObject, RawJson, closest};
use manila_gateway::downstream::http::Door;
use manila_gateway::{
    Answer, Caller, Config, Event, Events, Gateway, Member, Placement, Server, Shape,
};
use serde::Serialize;

use super::{call, serve};
use crate::exit_status::ExitStatus;
use crate::output::Output;
use crate::refusal::{Refusal, visible};
use crate::server::not_served;

/// Look whether everything that manila.toml names works, without calling a server's tool
///
/// Reads the configuration, tries the address and the journal, and starts or reaches every server
/// by itself: does it answer, how does it speak MCP, how many tools does it list, is the program of
/// a pack there? A `[tool.NAME]` that no server has is told, too. What does not work is told with
/// the next step. Exits with 1 if something does not.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The configuration; ./manila.toml if it is there
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

/// What was found out about one thing.
#[derive(Serialize)]
struct Finding {
    /// What it is: `configuration`, `http`, `journal`, or a server's name.
    about: String,
    ok: bool,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<usize>,
    /// The tools of a server, as clients know them.
    #[serde(skip)]
    listed: Vec<String>,
}

impl Finding {
    fn good(about: &str, found: impl Into<String>) -> Finding {
        let (about, found) = (about.to_owned(), found.into());
        Finding { about, ok: true, found, hint: None, tools: None, listed: Vec::new() }
    }

    fn bad(about: &str, found: impl Into<String>, hint: impl Into<String>) -> Finding {
        Finding { ok: false, hint: Some(hint.into()), ..Finding::good(about, found) }
    }

    fn of_error(about: &str, error: &anyhow::Error) -> Finding {
        match error.downcast_ref::<Refusal>() {
            Some(refusal) => Finding::bad(about, refusal.message(), refusal.hint()),
            None => Finding::bad(about, format!("{error:#}"), "look at what it says"),
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let path = args.config.clone().or_else(serve::usual_file);
    let findings = match serve::config(path.as_deref()) {
        Ok(config) => examined(path.as_deref(), config)?,
        Err(error) => vec![Finding::of_error("configuration", &error)],
    };
    let is_well = findings.iter().all(|finding| finding.ok);
    if args.json {
        out.line(&serde_json::to_vec_pretty(&findings)?)?;
    } else {
        for finding in &findings {
            print(finding, out)?;
        }
    }
    Ok(if is_well { ExitStatus::Good } else { ExitStatus::BadNews })
}

fn examined(path: Option<&Path>, config: Config) -> anyhow::Result<Vec<Finding>> {
    let n_servers = config.members.len();
    let word = if n_servers == 1 { "server" } else { "servers" };
    let name = path.map_or("none, so this is the sample server".into(), Path::to_string_lossy);
    let mut findings = vec![Finding::good("configuration", format!("{name}: {n_servers} {word}"))];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        if let Some(address) = config.listen.http {
            findings.push(match Door::open(address).await {
                Ok(_) => Finding::good("http", format!("{address} is free")),
                Err(error) => Finding::of_error("http", &not_served(&error).into()),
            });
        }
        if path.is_some() {
            findings.push(journal(&config));
        }
        let mut looks = tokio::task::JoinSet::new();
        for (at, member) in config.members.into_iter().enumerate() {
            looks.spawn(async move { (at, look(member, n_servers).await) });
        }
        let mut looked_at = looks.join_all().await;
        looked_at.sort_unstable_by_key(|(at, _)| *at);
        let servers: Vec<Finding> = looked_at.into_iter().map(|(_, finding)| finding).collect();
        let nobodys = nobodys(config.settings.tools.keys(), &servers);
        findings.extend(servers);
        findings.extend(nobodys);
    });
    runtime.shutdown_background();
    Ok(findings)
}

/// The tools that the configuration has tables for, and no server has. Nothing is said where a
/// server did not tell what it has.
fn nobodys<'a>(configured: impl Iterator<Item = &'a String>, servers: &[Finding]) -> Vec<Finding> {
    if servers.iter().any(|server| !server.ok) {
        return Vec::new();
    }
    let names: Vec<&str> =
        servers.iter().flat_map(|server| &server.listed).map(String::as_str).collect();
    let missing = configured.filter(|name| !names.contains(&name.as_str()));
    let told = missing.map(|tool| {
        let hint = match closest(tool, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`manila tools --config FILE` lists the tools".to_owned(),
        };
        Finding::bad(&format!("tool.{tool}"), "no server has this tool", hint)
    });
    told.collect()
}

fn journal(config: &Config) -> Finding {
    match serve::opened(&config.journal, Arc::new(|_| ())) {
        Ok(None) => Finding::good("journal", "none is kept"),
        Ok(Some(_)) => {
            let folder = serve::journal_folder(&config.journal);
            Finding::good("journal", format!("{} can be written", folder.display()))
        }
        Err(error) => Finding::of_error("journal", &error),
    }
}

/// Starts a server, of which there are so many, asks what it has, and ends it.
async fn look(mut member: Member, n_servers: usize) -> Finding {
    // What we ask, we read ourselves.
    member.settings.shape = Shape::Contract(Contract::ResponseV2);
    let longest = member.settings.start_timeout;
    let (name, is_pack) = (member.name.clone(), member.server.is_pack());
    let hint = match &member.server {
        _ if is_pack => "look at what it says, and at `roots`",
        Server::Command(_) | Server::Pack(_) => "run its command by itself to see what it says",
        Server::At(_) => {
            "check that it runs, its host, port and path, and credentials in `headers`"
        }
    };
    let started = Arc::<Mutex<Option<(Duration, String)>>>::default();
    let heard = Arc::clone(&started);
    let events: Events = Arc::new(move |event| {
        if let (Event::Started { era, duration, .. }, Ok(mut heard)) = (event, heard.lock()) {
            let era = era.map(|era| format!("MCP {era}")).unwrap_or_default();
            heard.get_or_insert((duration, era));
        }
    });
    let settings = member.settings.clone();
    let gateway =
        Gateway::in_front_of_all(vec![member], settings, Arc::clone(&events), move |_| {
            Arc::clone(&events)
        });
    let asked = async {
        gateway.greet().await.map_err(|down| down.reason)?;
        let tools = gateway.tools(Placement::Text).await?;
        let lack = if is_pack { lack(&gateway, &name).await } else { None };
        let trouble = gateway.troubles().into_iter().map(|(_, reason)| reason).next();
        match trouble.filter(|_| tools.is_empty()) {
            Some(reason) => Err(reason),
            None => Ok((tools, lack)),
        }
    };
    let listed = tokio::time::timeout(longest, asked).await;
    gateway.stop().await;
    match listed {
        Ok(Ok((_, Some((reason, hint))))) => Finding::bad(&name, reason, hint),
        Ok(Ok((tools, None))) => {
            let n_tools = tools.len();
            let names = tools.iter().map(call::name_of);
            // A pack gives its tools whole names.
            let is_whole = is_pack || n_servers == 1;
            let listed = if is_whole {
                names.collect()
            } else {
                names.map(|tool| format!("{name}_{tool}")).collect()
            };
            let started = started.lock().ok().and_then(|started| started.clone());
            let how = started.map(|(duration, era)| format!(", {era}, ready in {duration:.0?}"));
            let found = format!("{n_tools} tools{}", how.unwrap_or_default());
            Finding { tools: Some(n_tools), listed, ..Finding::good(&name, found) }
        }
        Ok(Err(reason)) => Finding::bad(&name, reason, hint),
        Err(_) => {
            let found = format!("it did not answer within {longest:?}");
            Finding::bad(&name, found, "raise `start_timeout` if it needs longer")
        }
    }
}

/// Why the program of a pack cannot be used, if it cannot, and what can be done.
async fn lack(gateway: &Gateway, pack: &str) -> Option<(String, String)> {
    let tool = format!("{pack}_server_capabilities");
    let request = call::frame(&tool, &JsonObject::default()).ok()?;
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

fn print(finding: &Finding, out: &mut Output) -> anyhow::Result<()> {
    const GOOD: Style = AnsiColor::Green.on_default();
    const BAD: Style = AnsiColor::Red.on_default().bold();
    let Finding { about, ok, found, hint, .. } = finding;
    let (word, style) = if *ok { ("ok", GOOD) } else { ("bad", BAD) };
    let word =
        if out.is_coloured() { format!("{style}{word:<4}{style:#}") } else { format!("{word:<4}") };
    out.line(format!("{word} {about:<14} {}", visible(found)).as_bytes())?;
    if let Some(hint) = hint {
        out.line(format!("     {:<14} hint: {hint}", "").as_bytes())?;
    }
    Ok(())
}
