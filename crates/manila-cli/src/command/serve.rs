//! `manila serve`

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use manila_files::values::address;
use manila_gateway::config;
use manila_gateway::downstream::http::{self, Listener};
use manila_gateway::downstream::stdio;
use manila_gateway::journal::{Journal, JournalEvents, JournalSettings};
use manila_gateway::{Config, Gateway, NamedServer, Server, tracing_events};
use manila_process::Command;
use manila_process::os::stop::Reloads;

use crate::config::read_for_serving;
use crate::environment::{home, variable};
use crate::exit_status::ExitStatus;
use crate::logging::{LogArgs, Logger, ProgramEvent, Verbosity};
use crate::output::Output;
use crate::refusal::Refusal;
use crate::server::{self, cannot_answer, cannot_serve};

/// Serve many MCP servers as one, configured by manila.toml
///
/// manila.toml names the servers, as commands or URLs. Clients connect over HTTP or stdio.
/// With several servers, tools are named SERVER_TOOL, e.g. files_read_file, and prompts
/// SERVER_PROMPT. If a server is down, its last known tools stay listed. Manila restarts servers
/// that exit.
///
///   [upstream.files]
///   command = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
///   [upstream.search]
///   url = "http://127.0.0.1:9000/mcp"
///   headers = { Authorization = "Bearer ${SEARCH_TOKEN}" }
///
/// Without a configuration or a pack, Manila serves its built-in sample server.
///
/// On SIGHUP, Manila reloads the configuration. Unchanged servers keep running, and an invalid file
/// changes nothing. On SIGTERM, Manila waits for open calls, then exits.
///
/// Exit status: 0 stopped; 1 the client on stdio did not read the responses; 2 Manila could not
/// serve.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_link_with_quotes,
    rustdoc::broken_intra_doc_links,
    reason = "it is TOML, not a link"
)]
pub(crate) struct Args {
    /// Configuration file [default: ./manila.toml if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Additional pack: cargo, dotnet or a file; repeatable
    ///
    /// The pack's program runs in the current folder. `manila pack list` lists the built-in packs.
    #[arg(long = "pack", value_name = "PACK")]
    packs: Vec<OsString>,

    /// Listen for HTTP on this local address, e.g. 127.0.0.1:7300
    ///
    /// Overrides the configuration. Defaults to 127.0.0.1:7300 unless Manila serves stdio. A port
    /// alone (7300) listens on 127.0.0.1. Port 0 picks a free port.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,

    /// Serve one client over stdio
    #[arg(long)]
    stdio: bool,

    /// Validate the configuration and exit
    #[arg(long)]
    check: bool,

    /// Log every call, server start and redaction
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    pub(crate) log: LogArgs,
}

/// Default HTTP address.
const DEFAULT_ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7300);

/// Listeners for clients.
struct Listeners {
    http: Option<SocketAddr>,
    stdio: bool,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let path = args.config.clone().or_else(default_file);
    let config = with_packs(path.as_deref(), &args.packs)?;
    if args.check {
        return check(path.as_deref(), &config, out);
    }
    let listeners = listeners(args, &config);
    let verbosity = if args.verbose { Verbosity::Verbose } else { Verbosity::Usual };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let logger = Logger::start(args.log.format, verbosity);
    let served = runtime.block_on(serve(path.as_deref(), &args.packs, config, listeners));
    // A thread that is blocked on input must not delay the exit.
    runtime.shutdown_background();
    logger.finish();
    served
}

/// Reads the configuration and adds the packs.
fn with_packs(path: Option<&Path>, packs: &[OsString]) -> anyhow::Result<Config> {
    if packs.is_empty() {
        return config(path);
    }
    let mut config = match path {
        Some(path) => crate::config::read_with_servers(path)?,
        None => Config::default(),
    };
    for entry in server::load_packs(packs, &config.settings)? {
        if config.servers.iter().any(|other| other.name == entry.name) {
            let message = format!("the configuration already has a server named `{}`", entry.name);
            return Err(Refusal::new(message, "remove --pack, or rename the server").into());
        }
        config.servers.push(entry);
    }
    Ok(config)
}

/// Reads the configuration, or returns the default one.
pub(super) fn config(path: Option<&Path>) -> anyhow::Result<Config> {
    match path {
        Some(path) => read_for_serving(path),
        None => sample_config(),
    }
}

/// Returns the default configuration file, if it exists.
pub(super) fn default_file() -> Option<PathBuf> {
    let path = PathBuf::from("manila.toml");
    path.is_file().then_some(path)
}

/// Returns the configuration of the sample server.
fn sample_config() -> anyhow::Result<Config> {
    let program = std::env::current_exe().context("cannot determine the path of this program")?;
    let command = Command::new(program.into(), vec!["sample-server".into()]);
    let mut config = Config::default();
    let settings = config.settings.clone();
    config.servers = vec![NamedServer::new("sample", Server::Command(command), settings)];
    Ok(config)
}

fn check(path: Option<&Path>, config: &Config, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let name = path.map_or("the built-in configuration".into(), |path| path.to_string_lossy());
    let names: Vec<&str> = config.servers.iter().map(|entry| entry.name.as_str()).collect();
    let noun = if names.len() == 1 { "server" } else { "servers" };
    let line = format!("{name} is valid: {} {noun}: {}", names.len(), names.join(", "));
    out.line(line.as_bytes())?;
    Ok(ExitStatus::Success)
}

fn listeners(args: &Args, config: &Config) -> Listeners {
    let stdio = args.stdio || config.listen.stdio;
    let http = args.http.or(config.listen.http);
    Listeners { http: if stdio { http } else { Some(http.unwrap_or(DEFAULT_ADDRESS)) }, stdio }
}

async fn serve(
    path: Option<&Path>,
    packs: &[OsString],
    config: Config,
    listeners: Listeners,
) -> anyhow::Result<ExitStatus> {
    let listener = match listeners.http {
        Some(address) => Some(Listener::open(address).await.map_err(|error| cannot_serve(&error))?),
        None => None,
    };
    let startup = config.startup_settings();
    let Config { servers, settings, limits, journal, .. } = config;
    // Without a configuration, there is no journal.
    let journal = match path {
        Some(_) => open_journal(&journal, Arc::new(|event| ProgramEvent::Journal(&event).log()))?,
        None => None,
    };
    let has_pack = servers.iter().any(|entry| entry.server.is_pack());
    let is_shared = listener.is_some() || has_pack || servers.len() > 1;
    let reloads = path.map(|_| Reloads::listen());
    let gateway = Gateway::with_servers(servers, settings, tracing_events(""), tracing_events);
    if let Some(journal) = journal {
        gateway.keep_journal(journal);
    }
    if is_shared {
        gateway.perform_handshakes();
    }
    let (at, has_config) = (listener.as_ref().map(Listener::address), path.is_some() || has_pack);
    // Runs after the signal handlers are installed, because a process that knows that Manila is
    // ready may send a signal.
    tokio::spawn(async move {
        if let Some(at) = at {
            log_address(at, has_config);
        }
        notify_service_manager("READY=1");
    });
    let (file, packs) = (path.map(Path::to_path_buf), packs.to_vec());
    let reloading = reload(Arc::clone(&gateway), file, packs, startup, reloads);
    let reloading = tokio::spawn(reloading);
    let served = match (listener, listeners.stdio) {
        (Some(listener), true) => {
            gateway.add_listener();
            let over_http = http::serve(Arc::clone(&gateway), listener, limits);
            tokio::join!(over_http, stdio::serve(Arc::clone(&gateway))).1
        }
        (Some(listener), false) => {
            http::serve(Arc::clone(&gateway), listener, limits).await;
            Ok(())
        }
        (None, _) => stdio::serve(Arc::clone(&gateway)).await,
    };
    reloading.abort();
    notify_service_manager("STOPPING=1");
    if let Some(journal) = gateway.journal() {
        const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
        // Lines that are not written by then are lost; the journal has logged that.
        let _ = journal.close(CLOSE_TIMEOUT);
    }
    served.map_err(|error| cannot_answer(&error))?;
    Ok(ExitStatus::Success)
}

/// Returns the journal's folder.
pub(super) fn journal_folder(journal: &config::Journal) -> PathBuf {
    journal.folder.clone().unwrap_or_else(|| home().join("runs"))
}

/// Opens the journal, unless it is disabled.
pub(super) fn open_journal(
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
        let hint = "set journal.folder to a writable folder, or disable the journal with \
                    journal.files_max = 0";
        Refusal::new(error.to_string(), hint)
    })?;
    Ok(Some(opened))
}

/// Notifies systemd, if it started this process.
fn notify_service_manager(state: &str) {
    if let Some(socket) = variable("NOTIFY_SOCKET") {
        // Readiness is best effort.
        let _ = manila_process::os::notify_service_manager(&socket, state);
    }
}

/// Logs the address, and without a configuration also commands to try.
fn log_address(at: SocketAddr, has_config: bool) {
    ProgramEvent::Listening(at).log();
    if !has_config {
        ProgramEvent::Sample(at).log();
    }
}

/// Reloads the configuration on each signal.
async fn reload(
    gateway: Arc<Gateway>,
    path: Option<PathBuf>,
    packs: Vec<OsString>,
    startup: config::StartupSettings,
    reloads: Option<Reloads>,
) {
    let (Some(path), Some(mut reloads)) = (path, reloads) else { return };
    loop {
        reloads.next().await;
        // A slow file must not block the runtime.
        let (file, packs) = (path.clone(), packs.clone());
        let read = tokio::task::spawn_blocking(move || with_packs(Some(&file), &packs)).await;
        match read.unwrap_or_else(|error| Err(error.into())) {
            Ok(config) => {
                let (n_servers, tables) =
                    (config.servers.len(), startup.changed_tables(&config.startup_settings()));
                gateway.reload(config.servers, config.settings);
                ProgramEvent::Reloaded { file: &path, n_servers }.log();
                if !tables.is_empty() {
                    ProgramEvent::NeedsRestart { file: &path, tables: &tables }.log();
                }
            }
            Err(error) => ProgramEvent::ReloadFailed { file: &path, error: &error }.log(),
        }
    }
}
