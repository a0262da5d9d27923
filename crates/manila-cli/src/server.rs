//! The arguments that select a server and the format of its results, and a gateway for one command.

use std::ffi::{OsStr, OsString};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila::Contract;
use manila_files::values::{bytes, duration};
use manila_gateway::downstream::http::ServeError;
use manila_gateway::downstream::stdio::StdioError;
use manila_gateway::{
    Address, AddressError, Gateway, NamedServer, Placement, ResultFormat, Server, Settings,
    Unavailable, tracing_events,
};
use manila_pack::{LoadedPack, PackSettings};
use manila_process::Command;

use crate::command::contracts::one_contract;
use crate::config::ConfigArgs;
use crate::environment::{expand_variables, variable};
use crate::exit_status::ExitStatus;
use crate::logging::{LogFormat, Logger, Verbosity};
use crate::refusal::Refusal;

/// The arguments of every command that uses a server.
#[derive(clap::Args)]
#[command(mut_arg("config", |it| it.long_help("Configuration file, e.g. manila.toml

Manila applies its settings. `call` and `tools` also use its servers, if the command line names
none.")))]
pub(crate) struct ServerArgs {
    /// Contract for results; `none` passes them through
    ///
    /// Defaults to the contract of the configuration, or response-v2.
    #[arg(long, short, value_name = "CONTRACT", value_parser = contract_or_none())]
    pub(crate) contract: Option<ResultFormat>,

    /// Contract that the server's results already follow
    ///
    /// Only machine-readable-v1 needs this; Manila recognises the other contracts by their
    /// members, e.g. meta.version.
    #[arg(long, value_name = "CONTRACT", value_parser = one_contract())]
    pub(crate) speaks: Option<Contract>,

    /// Timeout of a call, e.g. 500ms, 30s, 5m
    ///
    /// Defaults to that of the configuration, or 60s. Each progress notification restarts it. A
    /// pack's calls default to the timeouts of its actions. `call` and `tools` also limit the
    /// server's start to this time. A number without a unit is in seconds.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// Largest message to read from the server, e.g. 512KiB
    ///
    /// Defaults to 64MiB. A larger result becomes the failure TOO_LARGE.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) message_bytes_max: Option<usize>,

    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    /// Log every call, server start and redaction
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// URL of a running server, e.g. http://127.0.0.1:9000/mcp
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,

    /// HTTP header to send to the server; repeatable
    ///
    /// `${NAME}` in the value is replaced by an environment variable:
    /// --header 'Authorization: Bearer ${TOKEN}'.
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    pub(crate) headers: Vec<String>,

    /// Pack to use instead of a server: cargo, dotnet or a file; repeatable
    ///
    /// The pack's program runs in the current folder. `manila pack list` lists the built-in packs.
    #[arg(long = "pack", value_name = "PACK", conflicts_with_all = ["command", "url"])]
    pub(crate) packs: Vec<OsString>,

    /// Command that starts the server, after `--`; no shell is involved
    #[arg(last = true, value_name = "COMMAND")]
    #[arg(required_unless_present_any = ["url", "config", "packs"])]
    pub(crate) command: Vec<OsString>,
}

/// The servers of a command.
enum Servers {
    /// One server, whose tools keep their names.
    One(Server),
    /// The servers of the configuration, or packs.
    All(Vec<NamedServer>),
}

/// The place of the envelope in a result.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum PlacementArg {
    /// In structuredContent, and as the first text block
    Structured,
    /// As the first text block only, for clients that hide images beside structuredContent
    Text,
}

impl From<PlacementArg> for Placement {
    fn from(placement: PlacementArg) -> Placement {
        match placement {
            PlacementArg::Structured => Placement::Structured,
            PlacementArg::Text => Placement::Text,
        }
    }
}

/// Parses the name of a contract, or `none`.
fn contract_or_none() -> impl TypedValueParser<Value = ResultFormat> {
    PossibleValuesParser::new(ResultFormat::ids())
        .try_map(|id| ResultFormat::from_id(&id).ok_or("unknown contract"))
}

impl ServerArgs {
    /// Returns the settings of the configuration, overridden by the arguments.
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        Ok(self.apply_overrides(self.config.read()?.settings))
    }

    /// Returns the settings for a command that starts the server for a single task.
    pub(crate) fn settings_for_one_call(&self) -> anyhow::Result<Settings> {
        Ok(for_one_call(self.settings()?))
    }

    /// Overrides settings by the arguments.
    fn apply_overrides(&self, mut settings: Settings) -> Settings {
        settings.format = self.contract.unwrap_or(settings.format);
        // M11: choosing a contract requests its envelopes.
        settings.is_plain &= self.contract.is_none();
        settings.speaks = self.speaks.or(settings.speaks);
        settings.timeout = self.timeout.unwrap_or(settings.timeout);
        settings.message_bytes_max = self.message_bytes_max.unwrap_or(settings.message_bytes_max);
        settings
    }

    /// Returns whether the servers are those of the configuration.
    pub(crate) fn is_configured(&self) -> bool {
        self.url.is_none() && self.command.is_empty() && self.packs.is_empty()
    }

    /// Returns the servers that the arguments select.
    fn servers(&self) -> anyhow::Result<Servers> {
        let mut servers = match (self.is_configured(), self.packs.is_empty()) {
            (false, true) => return self.server().map(Servers::One),
            (false, false) => load_packs(&self.packs, &self.settings()?)?,
            (true, _) => {
                let bytes_max = self.message_bytes_max;
                self.config.servers(|settings| {
                    settings.message_bytes_max = bytes_max.unwrap_or(settings.message_bytes_max);
                })?
            }
        };
        for entry in &mut servers {
            let settings = self.apply_overrides(std::mem::take(&mut entry.settings));
            // `--timeout` does not limit the start of a pack, whose server is Manila itself.
            entry.settings = if entry.server.is_pack() { settings } else { for_one_call(settings) };
            // A call needs only one server; a list starts all of them.
            entry.settings.is_lazy = true;
        }
        Ok(Servers::All(servers))
    }

    /// Returns the one server that the arguments name.
    fn server(&self) -> anyhow::Result<Server> {
        if let Some(url) = &self.url {
            let headers = self.headers.iter().map(|header| expand_variables(header));
            let headers = headers.collect::<anyhow::Result<Vec<String>>>()?;
            let address = Address::new(url, &headers).map_err(|error| {
                let hint = match error {
                    AddressError::Url(..) | AddressError::Scheme(_) => {
                        "pass the complete URL, e.g. --url http://127.0.0.1:9000/mcp"
                    }
                    AddressError::Header(_) => "e.g. --header 'Authorization: Bearer ${TOKEN}'",
                    AddressError::Reserved(_) => "remove it; Manila sets this header",
                };
                Refusal::new(error.to_string(), hint)
            })?;
            return Ok(Server::Remote(address));
        }
        if !self.headers.is_empty() {
            let message = "--header needs --url, but a command is given";
            return Err(Refusal::new(message, "remove --header, or use --url").into());
        }
        let (program, arguments) = self.command.split_first().context("no COMMAND given")?;
        Ok(Server::Command(Command::new(program.clone(), arguments.to_vec())))
    }

    /// Starts the servers, runs `work` with them, and stops them, even if `work` fails.
    pub(crate) fn with_gateway<T, F: Future<Output = anyhow::Result<T>>>(
        &self,
        settings: Settings,
        default_verbosity: Verbosity,
        work: impl FnOnce(Arc<Gateway>) -> F,
    ) -> anyhow::Result<T> {
        self.with_gateway_logging(settings, default_verbosity, LogFormat::Text, work)
    }

    /// Does the same as [`with_gateway`](Self::with_gateway), with the log in this format.
    pub(crate) fn with_gateway_logging<T, F: Future<Output = anyhow::Result<T>>>(
        &self,
        settings: Settings,
        default_verbosity: Verbosity,
        format: LogFormat,
        work: impl FnOnce(Arc<Gateway>) -> F,
    ) -> anyhow::Result<T> {
        let servers = self.servers()?;
        let verbosity = if self.verbose { Verbosity::Verbose } else { default_verbosity };
        let logger = Logger::start(format, verbosity);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let result = runtime.block_on(async {
            let gateway = match servers {
                Servers::One(server) => {
                    let events = tracing_events(&short_name(&server));
                    Gateway::with_server(server, settings, events)
                }
                Servers::All(servers) => {
                    Gateway::with_servers(servers, settings, tracing_events(""), tracing_events)
                }
            };
            let result = work(Arc::clone(&gateway)).await;
            gateway.stop().await;
            result
        });
        // A thread that is blocked on input must not delay the exit.
        runtime.shutdown_background();
        logger.finish();
        result
    }
}

/// Loads packs by name or file.
pub(crate) fn load_packs(
    names: &[OsString],
    settings: &Settings,
) -> anyhow::Result<Vec<NamedServer>> {
    let mut servers: Vec<NamedServer> = Vec::new();
    for given in names {
        let source = load_pack(given)?;
        let name = source.pack.name.clone();
        if servers.iter().any(|entry| entry.name == name) {
            let message = format!("the pack `{name}` is given twice");
            return Err(Refusal::new(message, "remove one of them").into());
        }
        let packs = PackSettings::new(variable);
        let entry =
            NamedServer::of_pack(source, &name, packs, settings.clone()).map_err(|error| {
                let message = format!("cannot use the pack `{name}`: {error}");
                Refusal::new(
                    message,
                    "run this in the folder of a project, or set `roots` in manila.toml",
                )
            })?;
        servers.push(entry);
    }
    Ok(servers)
}

/// Loads a pack by name or file.
pub(crate) fn load_pack(name: impl AsRef<OsStr>) -> Result<LoadedPack, Refusal> {
    LoadedPack::from_name(name).map_err(|error| Refusal::new(error.to_string(), error.hint()))
}

/// Returns the settings for a command that makes one call: a start may take as long as a call.
fn for_one_call(mut settings: Settings) -> Settings {
    settings.start_timeout = settings.timeout;
    settings
}

/// Returns the name of a server for the lines of its stderr in the log.
fn short_name(server: &Server) -> String {
    match server {
        Server::Command(command) => {
            let path = std::path::Path::new(&command.program);
            let name = path.file_name().unwrap_or(&command.program);
            name.to_string_lossy().into_owned()
        }
        Server::Remote(address) => address.to_string(),
        Server::Pack(pack) => pack.pack.name.clone(),
    }
}

/// Performs Manila's handshake with the server, if it is the only one.
pub(crate) async fn handshake(args: &ServerArgs, gateway: &Gateway) -> anyhow::Result<()> {
    Ok(gateway.perform_handshake().await.map_err(|down| unavailable(args, &down))?)
}

/// Returns the refusal for a server that is not available.
pub(crate) fn unavailable(args: &ServerArgs, down: &Unavailable) -> Refusal {
    let hint = match (args.url.is_some(), down.was_reached) {
        (_, _) if args.is_configured() => "`manila doctor --config FILE` tests every server",
        (true, _) => remote_hint(down),
        (false, true) => "run the command after `--` by itself to see its output",
        (false, false) if down.reason.contains("Permission denied") => {
            "make it executable, e.g. with chmod +x"
        }
        (false, false) => {
            "check the spelling and your PATH; pass each argument separately, without quotes \
             around the whole command"
        }
    };
    Refusal::new(format!("the server is not available: {}", down.reason), hint)
}

/// Returns the hint for a server that is already running, by the HTTP status of its response.
fn remote_hint(down: &Unavailable) -> &'static str {
    let response = down.reason.split_once(" responded with HTTP ").map(|(_, response)| response);
    match response.map(str::as_bytes) {
        Some([b'4', b'0', b'1' | b'3', ..]) => "check the credentials that --header sends",
        Some([b'4', b'0', b'4', ..]) => "check the path of the URL",
        Some([b'4', b'2', b'9', ..]) => "try again later",
        Some([b'3', ..]) => "use the URL that the server redirects to",
        Some([b'5', ..]) => "look at the server's log",
        None if down.reason.contains(" within ") => "raise --timeout if it needs more time",
        None if !down.was_reached => "check the host and port, and that the server is running",
        Some(_) | None => "check the path of the URL and the credentials in --header",
    }
}

/// Returns the refusal for an address that cannot be served.
pub(crate) fn cannot_serve(error: &ServeError) -> Refusal {
    let hint = match error {
        ServeError::NotLocal(_) => "use a loopback address, e.g. 127.0.0.1:7300",
        ServeError::NotBound(..) | _ => "choose another port, or 0 for a free one",
    };
    Refusal::new(error.to_string(), hint)
}

/// Returns the refusal for a client on stdio that cannot be served any longer.
pub(crate) fn cannot_answer(error: &StdioError) -> Refusal {
    let (hint, status) = match error {
        StdioError::NotWritten(_) => {
            ("check the free disk space and that the target is writable", ExitStatus::Error)
        }
        StdioError::TooMuchUnread(_) => {
            let hint = "read the responses while you send requests, or raise \
                        limits.queue_bytes_max in manila.toml";
            (hint, ExitStatus::Failure)
        }
        StdioError::NotRead(_) | _ => {
            ("read stdout to its end after closing stdin", ExitStatus::Failure)
        }
    };
    Refusal::new(error.to_string(), hint).with_status(status)
}
