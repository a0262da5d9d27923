//! `manila serve`

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use manila_files::values::address;
use manila_gateway::config;
use manila_gateway::downstream::http::{self, Door};
use manila_gateway::downstream::stdio;
use manila_gateway::journal::{Journal, JournalEvents, JournalSettings};
use manila_gateway::{Config, Gateway, Member, Server, traced};
use manila_process::Command;
use manila_process::os::stop::Reloads;

use crate::config::for_serving;
use crate::environment::{home, variable};
use crate::exit_status::ExitStatus;
use crate::narrator::{LogArgs, Narrator, Notice, Verbosity};
use crate::output::Output;
use crate::refusal::Refusal;
use crate::server::{self, not_served};

/// Stand in front of many MCP servers, as manila.toml says
///
/// One configuration names the servers, programs or URLs; clients come over HTTP, or over standard
/// input and output. With several servers, every tool and prompt is named SERVER_NAME, and what a
/// server listed last stays listed while it is down. A server that dies is started again.
///
///   [upstream.files]
///   command = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
///   [upstream.search]
///   url = "http://127.0.0.1:9000/mcp"
///   headers = { Authorization = "Bearer ${SEARCH_TOKEN}" }
///
/// Without a configuration it serves the built-in sample server, so that there is something to try.
/// SIGHUP reads the configuration again: servers that did not change go on, and a wrong file
/// changes nothing. SIGTERM lets open calls end first.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_link_with_quotes,
    rustdoc::broken_intra_doc_links,
    reason = "it is TOML, shown as it is typed"
)]
pub(crate) struct Args {
    /// The configuration; ./manila.toml if it is there
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// A pack beside the servers of the configuration: cargo, dotnet, or a file of your own
    /// (`manila pack list`). Its program works in the current folder. Repeatable
    #[arg(long = "pack", value_name = "PACK")]
    packs: Vec<String>,

    /// Serve over HTTP at this address of this machine, e.g. 127.0.0.1:7300, or 7300, whatever the
    /// configuration says; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,

    /// Serve one client over standard input and output
    #[arg(long)]
    stdio: bool,

    /// Only read the configuration and say whether it is good
    #[arg(long)]
    check: bool,

    /// Tell every call and start on standard error, and what was redacted
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    pub(crate) log: LogArgs,
}

/// Where HTTP is served if nobody says it.
const USUAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7300);

/// Where clients come.
struct Doors {
    http: Option<SocketAddr>,
    stdio: bool,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let path = args.config.clone().or_else(usual_file);
    let config = with_packs(path.as_deref(), &args.packs)?;
    if args.check {
        return check(path.as_deref(), &config, out);
    }
    let doors = doors(args, &config);
    let verbosity = if args.verbose { Verbosity::Verbose } else { Verbosity::Usual };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let narrator = Narrator::start(args.log.format, verbosity);
    let served = runtime.block_on(serve(path.as_deref(), &args.packs, config, doors));
    // A thread that waits for input must not keep us.
    runtime.shutdown_background();
    narrator.finish();
    served
}

/// What the file says, and these packs.
fn with_packs(path: Option<&Path>, packs: &[String]) -> anyhow::Result<Config> {
    if packs.is_empty() {
        return config(path);
    }
    let mut config = match path {
        Some(path) => crate::config::with_servers(path)?,
        None => Config::default(),
    };
    for member in server::packs(packs, &config.settings)? {
        if config.members.iter().any(|other| other.name == member.name) {
            let message = format!("a server of the configuration is called `{}`, too", member.name);
            return Err(Refusal::new(message, "leave --pack out, or rename the server").into());
        }
        config.members.push(member);
    }
    Ok(config)
}

/// What the file says, or what holds without one.
pub(super) fn config(path: Option<&Path>) -> anyhow::Result<Config> {
    match path {
        Some(path) => for_serving(path),
        None => sample(),
    }
}

/// The file that is read if none is named.
pub(super) fn usual_file() -> Option<PathBuf> {
    let path = PathBuf::from("manila.toml");
    path.is_file().then_some(path)
}

/// What is served without a configuration: something to try.
fn sample() -> anyhow::Result<Config> {
    let program = std::env::current_exe().context("this program does not know where it is")?;
    let command = Command::new(program.into(), vec!["sample-server".into()]);
    let mut config = Config::default();
    let settings = config.settings.clone();
    config.members = vec![Member::new("sample", Server::Command(command), settings)];
    Ok(config)
}

fn check(path: Option<&Path>, config: &Config, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let name = path.map_or("the built-in configuration".into(), |path| path.to_string_lossy());
    let names: Vec<&str> = config.members.iter().map(|member| member.name.as_str()).collect();
    let word = if names.len() == 1 { "server" } else { "servers" };
    let told = format!("{name} is good: {} {word}: {}", names.len(), names.join(", "));
    out.line(told.as_bytes())?;
    Ok(ExitStatus::Good)
}

fn doors(args: &Args, config: &Config) -> Doors {
    let stdio = args.stdio || config.listen.stdio;
    let http = args.http.or(config.listen.http);
    Doors { http: if stdio { http } else { Some(http.unwrap_or(USUAL)) }, stdio }
}

async fn serve(
    path: Option<&Path>,
    packs: &[String],
    config: Config,
    doors: Doors,
) -> anyhow::Result<ExitStatus> {
    let door = match doors.http {
        Some(address) => Some(Door::open(address).await.map_err(|error| not_served(&error))?),
        None => None,
    };
    let fixed = config.fixed();
    let Config { members, settings, limits, journal, .. } = config;
    // Whoever only tries it out need not keep what was asked.
    let journal = match path {
        Some(_) => opened(&journal, Arc::new(|event| Notice::Journal(&event).tell()))?,
        None => None,
    };
    let has_pack = members.iter().any(|member| member.server.is_pack());
    let is_shared = door.is_some() || has_pack || members.len() > 1;
    let reloads = path.map(|_| Reloads::listen());
    let gateway = Gateway::in_front_of_all(members, settings, traced(""), traced);
    if let Some(journal) = journal {
        gateway.keep_journal(journal);
    }
    if is_shared {
        gateway.greet_all();
    }
    let (at, has_config) = (door.as_ref().map(Door::address), path.is_some() || has_pack);
    // This has its turn when signals are listened to: whoever knows that we are ready may send one.
    tokio::spawn(async move {
        if let Some(at) = at {
            tell_where(at, has_config);
        }
        tell_service_manager("READY=1");
    });
    let (file, packs) = (path.map(Path::to_path_buf), packs.to_vec());
    let reloading = reload(Arc::clone(&gateway), file, packs, fixed, reloads);
    let reloading = tokio::spawn(reloading);
    let served = match (door, doors.stdio) {
        (Some(door), true) => {
            gateway.add_door();
            let over_http = http::serve(Arc::clone(&gateway), door, limits);
            tokio::join!(over_http, stdio::serve(Arc::clone(&gateway))).1
        }
        (Some(door), false) => {
            http::serve(Arc::clone(&gateway), door, limits).await;
            Ok(())
        }
        (None, _) => stdio::serve(Arc::clone(&gateway)).await,
    };
    reloading.abort();
    tell_service_manager("STOPPING=1");
    if let Some(journal) = gateway.journal() {
        const MOMENT: Duration = Duration::from_secs(2);
        // What the disk does not take by then is lost, and was told.
        let _ = journal.close(MOMENT);
    }
    served.map_err(|error| {
        let message = format!("cannot write to standard output: {error}");
        Refusal::new(message, "check that the disk has room and the target can be written")
    })?;
    Ok(ExitStatus::Good)
}

/// Where the journal is kept.
pub(super) fn journal_folder(journal: &config::Journal) -> PathBuf {
    journal.folder.clone().unwrap_or_else(|| home().join("runs"))
}

/// The journal, if one is to be kept.
pub(super) fn opened(
    journal: &config::Journal,
    events: JournalEvents,
) -> anyhow::Result<Option<Journal>> {
    if journal.files_max == 0 {
        return Ok(None);
    }
    let mut settings = JournalSettings::new(journal_folder(journal));
    settings.file_bytes_max = journal.file_bytes_max as u64;
    settings.files_max = journal.files_max;
    let opened = Journal::open(settings, events).map_err(|error| {
        let hint = "set journal.folder to a folder that can be written, or journal.files_max = 0";
        Refusal::new(format!("the journal cannot be kept: {error}"), hint)
    })?;
    Ok(Some(opened))
}

/// Tells systemd, where that started us.
fn tell_service_manager(state: &str) {
    if let Some(socket) = variable("NOTIFY_SOCKET") {
        // Where it cannot be told, it finds out by itself.
        let _ = manila_process::os::tell_service_manager(&socket, state);
    }
}

/// Says where clients find it; a newcomer is told what to try.
fn tell_where(at: SocketAddr, has_config: bool) {
    Notice::Listening(at).tell();
    if !has_config {
        Notice::Sample(at).tell();
    }
}

/// Reads the configuration again whenever somebody asks for it.
async fn reload(
    gateway: Arc<Gateway>,
    path: Option<PathBuf>,
    packs: Vec<String>,
    fixed: config::Fixed,
    reloads: Option<Reloads>,
) {
    let (Some(path), Some(mut reloads)) = (path, reloads) else { return };
    loop {
        reloads.next().await;
        // A file that is slow to read must keep nobody waiting.
        let (file, packs) = (path.clone(), packs.clone());
        let read = tokio::task::spawn_blocking(move || with_packs(Some(&file), &packs)).await;
        match read.unwrap_or_else(|error| Err(error.into())) {
            Ok(config) => {
                let (n_servers, tables) = (config.members.len(), fixed.changed_in(&config.fixed()));
                gateway.replace(config.members, config.settings);
                Notice::Reloaded { file: &path, n_servers }.tell();
                if !tables.is_empty() {
                    Notice::NeedsRestart { file: &path, tables: &tables }.tell();
                }
            }
            Err(error) => Notice::ReloadFailed { file: &path, error: &error }.tell(),
        }
    }
}
