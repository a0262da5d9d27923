//! The server that a command is about: how it is started and how its answers are shaped.

use std::ffi::OsString;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila::Contract;
use manila_files::values::{bytes, duration};
use manila_gateway::downstream::http::NotServed;
use manila_gateway::{
    Address, Down, Gateway, Member, NoAddress, Placement, Server, Settings, Shape, traced,
};
use manila_pack::{Source, Work};
use manila_process::Command;

use crate::command::contracts::one_contract;
use crate::config::ConfigArgs;
use crate::environment::{variable, with_variables};
use crate::narrator::{LogFormat, Narrator, Verbosity};
use crate::refusal::Refusal;

/// How a server is started, for every command that talks to one.
#[derive(clap::Args)]
pub(crate) struct ServerArgs {
    /// The contract of the answers, response-v2 unless the configuration says otherwise; `none`
    /// passes them on as they come
    #[arg(long, short, value_name = "CONTRACT", value_parser = one_shape())]
    pub(crate) contract: Option<Shape>,

    /// The contract in which the server answers already; those with a mark are recognised anyway
    #[arg(long, value_name = "CONTRACT", value_parser = one_contract())]
    pub(crate) speaks: Option<Contract>,

    /// How long a call may take, e.g. 500ms, 30s, 5m; usually 60s, where progress starts the clock
    /// anew, and for a pack as long as its actions may take. A number alone is seconds
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,

    /// The largest message that is read, e.g. 1000000, 512KiB, usually 64MiB; a larger answer is
    /// TOO_LARGE
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) message_bytes_max: Option<usize>,

    #[command(flatten)]
    pub(crate) config: ConfigArgs,

    /// Tell every call and start on standard error, and what was redacted
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// The URL of a server that runs already, e.g. http://127.0.0.1:9000/mcp
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,

    /// A header for the server at the URL, e.g. credentials; `${NAME}` in it stands for a variable
    /// of the environment. Repeatable
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    pub(crate) headers: Vec<String>,

    /// A pack instead of a server: cargo, dotnet, or a file of your own (`manila pack list`). Its
    /// program works in the current folder. Repeatable
    #[arg(long = "pack", value_name = "PACK", conflicts_with_all = ["command", "url"])]
    pub(crate) packs: Vec<String>,

    /// The server's program and its arguments, after `--`; no shell is involved
    #[arg(last = true, value_name = "COMMAND")]
    #[arg(required_unless_present_any = ["url", "config", "packs"])]
    pub(crate) command: Vec<OsString>,
}

/// The servers that a command is about.
enum Servers {
    /// One, whose names are its own.
    One(Server),
    /// Those of the configuration.
    All(Vec<Member>),
}

/// Where the envelope goes in a result.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum PlacementArg {
    /// As structuredContent and as the first text block
    Structured,
    /// As the first text block only, for clients that would hide images beside structuredContent
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

/// An argument that names a contract, or `none`.
fn one_shape() -> impl TypedValueParser<Value = Shape> {
    PossibleValuesParser::new(Shape::ids())
        .try_map(|id| Shape::from_id(&id).ok_or("there is no such contract"))
}

impl ServerArgs {
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        Ok(self.decided(self.config.read()?.settings))
    }

    /// As `settings`, for a command that starts the server for one thing only.
    pub(crate) fn settings_once(&self) -> anyhow::Result<Settings> {
        Ok(once(self.settings()?))
    }

    /// What is said here, and else what the configuration says.
    fn decided(&self, mut settings: Settings) -> Settings {
        settings.shape = self.contract.unwrap_or(settings.shape);
        // M11: who chooses a contract wants its envelopes.
        settings.is_plain &= self.contract.is_none();
        settings.speaks = self.speaks.or(settings.speaks);
        settings.timeout = self.timeout.unwrap_or(settings.timeout);
        settings.frame_bytes_max = self.message_bytes_max.unwrap_or(settings.frame_bytes_max);
        settings
    }

    /// Whether the servers are those of the configuration.
    pub(crate) fn is_configured(&self) -> bool {
        self.url.is_none() && self.command.is_empty() && self.packs.is_empty()
    }

    /// The servers that are meant.
    fn servers(&self) -> anyhow::Result<Servers> {
        let mut members = match (self.is_configured(), self.packs.is_empty()) {
            (false, true) => return self.server().map(Servers::One),
            (false, false) => packs(&self.packs, &self.settings()?)?,
            (true, _) => {
                let most = self.message_bytes_max;
                self.config.servers(|settings| {
                    settings.frame_bytes_max = most.unwrap_or(settings.frame_bytes_max);
                })?
            }
        };
        for member in &mut members {
            let settings = self.decided(std::mem::take(&mut member.settings));
            // How long our own program takes to start is not for a caller to say.
            member.settings = if member.server.is_pack() { settings } else { once(settings) };
            // One is enough for one call, and a list needs them all anyway.
            member.settings.is_lazy = true;
        }
        Ok(Servers::All(members))
    }

    /// The one server that is named here.
    fn server(&self) -> anyhow::Result<Server> {
        if let Some(url) = &self.url {
            let headers = self.headers.iter().map(|header| with_variables(header));
            let headers = headers.collect::<anyhow::Result<Vec<String>>>()?;
            let address = Address::new(url, &headers).map_err(|error| {
                let hint = match error {
                    NoAddress::Url(..) | NoAddress::Scheme(_) => {
                        "give the whole URL, e.g. --url http://127.0.0.1:9000/mcp"
                    }
                    NoAddress::Header(_) => "e.g. --header 'Authorization: Bearer ${TOKEN}'",
                    NoAddress::Own(_) => "leave it out",
                };
                Refusal::new(error.to_string(), hint)
            })?;
            return Ok(Server::At(address));
        }
        if !self.headers.is_empty() {
            let message = "--header is for a server at a URL, but a command is given";
            return Err(Refusal::new(message, "leave it out, or use --url").into());
        }
        let (program, arguments) = self.command.split_first().context("no COMMAND is given")?;
        Ok(Server::Command(Command::new(program.clone(), arguments.to_vec())))
    }

    /// Starts the servers, lets `work` use them, and ends them whatever comes of it.
    pub(crate) fn with_gateway<T, F: Future<Output = anyhow::Result<T>>>(
        &self,
        settings: Settings,
        usually: Verbosity,
        work: impl FnOnce(Arc<Gateway>) -> F,
    ) -> anyhow::Result<T> {
        self.with_gateway_told(settings, usually, LogFormat::Text, work)
    }

    /// As `with_hub`. What happens is told in this format.
    pub(crate) fn with_gateway_told<T, F: Future<Output = anyhow::Result<T>>>(
        &self,
        settings: Settings,
        usually: Verbosity,
        format: LogFormat,
        work: impl FnOnce(Arc<Gateway>) -> F,
    ) -> anyhow::Result<T> {
        let servers = self.servers()?;
        let verbosity = if self.verbose { Verbosity::Verbose } else { usually };
        let narrator = Narrator::start(format, verbosity);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(async {
            let gateway = match servers {
                Servers::One(server) => {
                    let events = traced(&short_name(&server));
                    Gateway::in_front_of(server, settings, events)
                }
                Servers::All(members) => {
                    Gateway::in_front_of_all(members, settings, traced(""), traced)
                }
            };
            let done = work(Arc::clone(&gateway)).await;
            gateway.stop().await;
            done
        });
        // A thread that waits for input must not keep us.
        runtime.shutdown_background();
        narrator.finish();
        done
    }
}

/// The packs of these names, or in these files.
pub(crate) fn packs(names: &[String], settings: &Settings) -> anyhow::Result<Vec<Member>> {
    let mut members: Vec<Member> = Vec::new();
    for given in names {
        let source = pack(given)?;
        let name = source.pack.name.clone();
        if members.iter().any(|member| member.name == name) {
            let message = format!("the pack `{name}` is given twice");
            return Err(Refusal::new(message, "leave one of the two out").into());
        }
        let work = Work::new(variable);
        let member = Member::of_pack(source, &name, work, settings.clone()).map_err(|error| {
            let message = format!("the pack `{name}` cannot be set to work: {error}");
            Refusal::new(
                message,
                "start it in the folder of a project, or set `roots` in manila.toml",
            )
        })?;
        members.push(member);
    }
    Ok(members)
}

/// The pack of this name, or in this file.
pub(crate) fn pack(name: &str) -> Result<Source, Refusal> {
    Source::named(name).map_err(|error| Refusal::new(error.to_string(), error.hint()))
}

/// For a command that starts a server for one thing only: what a call may take, its start may, too.
fn once(mut settings: Settings) -> Settings {
    settings.start_timeout = settings.timeout;
    settings
}

/// The name under which a server's own words are passed on.
fn short_name(server: &Server) -> String {
    match server {
        Server::Command(command) => {
            let path = std::path::Path::new(&command.program);
            let name = path.file_name().unwrap_or(&command.program);
            name.to_string_lossy().into_owned()
        }
        Server::At(address) => address.to_string(),
        Server::Pack(own) => own.pack.name.clone(),
    }
}

/// Greets the server on our own behalf, if it is the only one.
pub(crate) async fn greet(args: &ServerArgs, gateway: &Gateway) -> anyhow::Result<()> {
    Ok(gateway.greet().await.map_err(|down| not_there(args, &down))?)
}

/// A server cannot be used.
pub(crate) fn not_there(args: &ServerArgs, down: &Down) -> Refusal {
    let hint = match (args.url.is_some(), down.was_run) {
        (_, _) if args.is_configured() => {
            "`manila doctor --config FILE` tells what is wrong with it"
        }
        (true, true) => "check the path of the URL, and credentials with --header",
        (true, false) => "check that the server runs, and its host and port",
        (false, true) => "run the command after `--` by itself to see what it says",
        (false, false) => {
            "check that the program is installed and on your PATH; each word after `--` is one \
             argument"
        }
    };
    Refusal::new(format!("the server is not available: {}", down.reason), hint)
}

/// Nothing is served at an address.
pub(crate) fn not_served(error: &NotServed) -> Refusal {
    let hint = match error {
        NotServed::NotLocal(_) => "use an address of this machine, e.g. 127.0.0.1:7300",
        NotServed::NotBound(..) | _ => "choose another port, or 0 for any that is free",
    };
    Refusal::new(error.to_string(), hint)
}
