//! `manila doctor`

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use manila_gateway::receive::http::Door;
use manila_gateway::{Config, Event, Events, Hub, Member, Placement, Server};
use serde::Serialize;

use super::serve;
use crate::exit_status::ExitStatus;
use crate::output::Output;
use crate::refusal::{Refusal, visible};
use crate::server::not_served;

/// Look whether everything that manila.toml names works, without calling a tool
///
/// Reads the configuration, tries the address and the journal, and starts or reaches every server by
/// itself: does it answer, how does it speak MCP, how many tools does it list? What does not work is told
/// with the next step. Exits with 1 if something does not.
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
}

impl Finding {
    fn good(about: &str, found: impl Into<String>) -> Finding {
        Finding { about: about.to_owned(), ok: true, found: found.into(), hint: None, tools: None }
    }

    fn bad(about: &str, found: impl Into<String>, hint: impl Into<String>) -> Finding {
        let (about, found) = (about.to_owned(), found.into());
        Finding { about, ok: false, found, hint: Some(hint.into()), tools: None }
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
            looks.spawn(async move { (at, look(member).await) });
        }
        let mut looked_at = looks.join_all().await;
        looked_at.sort_unstable_by_key(|(at, _)| *at);
        findings.extend(looked_at.into_iter().map(|(_, finding)| finding));
    });
    runtime.shutdown_background();
    Ok(findings)
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

/// Starts a server, asks what it has, and ends it.
async fn look(member: Member) -> Finding {
    let Member { name, server, settings, .. } = member;
    let longest = settings.start_timeout;
    let hint = match &server {
        Server::Command(_) => "run its command by itself to see what it says",
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
    let hub = Hub::in_front_of(server, settings, events);
    let asked = async {
        hub.greet().await.map_err(|down| down.reason)?;
        hub.tools(Placement::Text).await
    };
    let listed = tokio::time::timeout(longest, asked).await;
    hub.stop().await;
    match listed {
        Ok(Ok(tools)) => {
            let n_tools = tools.len();
            let started = started.lock().ok().and_then(|started| started.clone());
            let how = started.map(|(duration, era)| format!(", {era}, ready in {duration:.0?}"));
            let found = format!("{n_tools} tools{}", how.unwrap_or_default());
            Finding { tools: Some(n_tools), ..Finding::good(&name, found) }
        }
        Ok(Err(reason)) => Finding::bad(&name, reason, hint),
        Err(_) => {
            let found = format!("it did not answer within {longest:?}");
            Finding::bad(&name, found, "raise `start_timeout` if it needs longer")
        }
    }
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
