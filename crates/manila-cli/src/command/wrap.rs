//! `manila wrap`

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::time::Duration;

use manila_files::values::{address, duration};
use manila_gateway::Limits;
use manila_gateway::Settings;
use manila_gateway::downstream::http::{self, Listener};
use manila_gateway::downstream::stdio;

use crate::exit_status::ExitStatus;
use crate::logging::{LogArgs, ProgramEvent, Verbosity};
use crate::refusal::Refusal;
use crate::server::{PlacementArg, ServerArgs, cannot_answer, cannot_serve};

/// Run one MCP server and return every tool result in an envelope
///
/// Put `manila wrap --` before the server's command in your client's configuration:
///
///   {"mcpServers": {"files": {
///     "command": "manila",
///     "args": ["wrap", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "."]}}}
///
/// Manila connects to the client and to the server over stdio. Every result of `tools/call`
/// becomes an envelope. So do failures: invalid arguments (which never reach the server),
/// timeouts, a server that exits. Other messages are forwarded, with secrets redacted. Manila
/// restarts a server that exits. When Manila exits, the server and its descendants are killed.
///
/// Serve over HTTP instead, with MCP at /mcp and plain HTTP at /tools:
///
///   manila wrap --http 127.0.0.1:7300 -- npx -y @modelcontextprotocol/server-everything
///   curl -d '{"message": "hello"}' http://127.0.0.1:7300/tools/echo
///
/// Wrap a server that is already running, over HTTP:
///
///   manila wrap --url http://127.0.0.1:9000/mcp
///
/// A request can choose another contract with params._meta["dev.manila/contract"] or the HTTP
/// header Manila-Contract.
///
/// Exit status: 0 stopped; 1 the client on stdio did not read the responses; 2 Manila could not
/// serve.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_link_with_quotes,
    rustdoc::broken_intra_doc_links,
    reason = "it is JSON, not a link"
)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,

    /// Listen for HTTP on this local address, e.g. 127.0.0.1:7300
    ///
    /// A port alone (7300) listens on 127.0.0.1. Port 0 picks a free port.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,

    /// Idle time after which an HTTP session is closed (with --http)
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration)]
    #[arg(requires = "http")]
    session_idle: Duration,

    /// Where to put the envelope in a result
    ///
    /// Defaults to the placement of the configuration, or structured.
    #[arg(long, value_enum)]
    placement: Option<PlacementArg>,

    #[command(flatten)]
    pub(crate) log: LogArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    if args.server.is_configured() {
        let hint = "pass its command after `--`, or --url; `manila serve --config FILE` serves the \
                    servers of a configuration";
        return Err(Refusal::new("no server given", hint).into());
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
    args.server.with_gateway_logging(
        settings,
        Verbosity::Usual,
        args.log.format,
        |gateway| async move {
            if std::io::stdin().is_terminal() {
                ProgramEvent::Waiting.log();
            }
            stdio::serve(gateway).await.map_err(|error| cannot_answer(&error))?;
            Ok(ExitStatus::Success)
        },
    )
}

fn over_http(args: &Args, settings: Settings, address: SocketAddr) -> anyhow::Result<ExitStatus> {
    args.server.with_gateway_logging(
        settings,
        Verbosity::Usual,
        args.log.format,
        |gateway| async move {
            let listener = Listener::open(address).await.map_err(|error| cannot_serve(&error))?;
            ProgramEvent::Listening(listener.address()).log();
            let mut limits = Limits::default();
            limits.session_idle = args.session_idle;
            http::serve(gateway, listener, limits).await;
            Ok(ExitStatus::Success)
        },
    )
}
