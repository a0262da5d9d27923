//! `manila wrap`

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::time::Duration;

use manila_files::values::{address, duration};
use manila_gateway::Limits;
use manila_gateway::Settings;
use manila_gateway::downstream::http::{self, Door};
use manila_gateway::downstream::stdio;

use crate::exit_status::ExitStatus;
use crate::narrator::{LogArgs, Notice, Verbosity};
use crate::refusal::Refusal;
use crate::server::{PlacementArg, ServerArgs, not_served};

/// Stand in front of an MCP server: every tool's answer in one envelope
///
/// Put it into your client's configuration before the server's own command:
///
///   {"mcpServers": {"files": {
///     "command": "manila",
///     "args": ["wrap", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "."]}}}
///
/// Manila speaks MCP over standard input and output on both sides. Every answer of `tools/call`
/// becomes an envelope of the contract, failures too: bad arguments (which never reach the
/// server), time-outs, a server that died. Everything else is passed on as it comes. A server
/// that dies is started again; when Manila ends, the server and all that it started end, too.
///
/// With --http, clients come over HTTP instead: MCP of both eras at /mcp, and plain HTTP at /tools.
///
///   manila wrap --http 127.0.0.1:7300 -- npx -y @modelcontextprotocol/server-everything
///   curl -d '{"message": "hello"}' http://127.0.0.1:7300/tools/echo
///
/// With --url, the server is one that runs already, over HTTP.
///
/// A request chooses another contract with params._meta["dev.manila/contract"], or with the header
/// Manila-Contract.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_link_with_quotes,
    rustdoc::broken_intra_doc_links,
    reason = "it is JSON, shown as it is typed"
)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,

    /// Serve over HTTP at this address of this machine, e.g. 127.0.0.1:7300, or 7300; port 0 is any
    /// that is free
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,

    /// How long a client over HTTP may be silent before its session is forgotten
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration)]
    #[arg(requires = "http")]
    session_idle: Duration,

    /// Where the envelope goes in a result; structured unless the configuration says otherwise
    #[arg(long, value_enum)]
    placement: Option<PlacementArg>,

    #[command(flatten)]
    pub(crate) log: LogArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    if args.server.is_configured() {
        let hint = "give its command after `--`, or --url; `manila serve --config FILE` stands in \
                    front of the servers of a configuration";
        return Err(Refusal::new("no server is given", hint).into());
    }
    let mut settings = args.server.settings()?;
    if let Some(placement) = args.placement {
        settings.placement = placement.into();
    }
    match args.http {
        Some(address) => over_http(args, settings, address),
        None => over_stdio(args, settings),
    }
}

fn over_stdio(args: &Args, settings: Settings) -> anyhow::Result<ExitStatus> {
    args.server.with_gateway_told(
        settings,
        Verbosity::Usual,
        args.log.format,
        |gateway| async move {
            if std::io::stdin().is_terminal() {
                Notice::Waiting.tell();
            }
            let served = stdio::serve(gateway).await;
            served.map_err(|error| {
                let message = format!("cannot write to standard output: {error}");
                Refusal::new(message, "check that the disk has room and the target can be written")
            })?;
            Ok(ExitStatus::Good)
        },
    )
}

fn over_http(args: &Args, settings: Settings, address: SocketAddr) -> anyhow::Result<ExitStatus> {
    args.server.with_gateway_told(
        settings,
        Verbosity::Usual,
        args.log.format,
        |gateway| async move {
            let door = Door::open(address).await.map_err(|error| not_served(&error))?;
            Notice::Listening(door.address()).tell();
            let mut limits = Limits::default();
            limits.session_idle = args.session_idle;
            http::serve(gateway, door, limits).await;
            Ok(ExitStatus::Good)
        },
    )
}
