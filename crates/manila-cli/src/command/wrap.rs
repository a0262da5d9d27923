//! `manila wrap`

use std::io::{IsTerminal, Write};

use manila_gateway::receive::stdio;

use crate::exit_status::ExitStatus;
use crate::narrator::Verbosity;
use crate::refusal::Refusal;
use crate::server::{PlacementArg, ServerArgs};

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
/// A request chooses another contract with params._meta["dev.manila/contract"].
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

    /// Where the envelope goes in a result
    #[arg(long, value_enum, default_value_t = PlacementArg::Structured)]
    placement: PlacementArg,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    if std::io::stdin().is_terminal() {
        // Where standard error is gone, too, there is nobody left to tell.
        let _ = writeln!(
            anstream::stderr(),
            "manila: waiting for an MCP client on standard input; to call a tool by hand, use \
             `manila call`"
        );
    }
    let mut settings = args.server.settings()?;
    settings.placement = args.placement.into();
    args.server.with_gateway(settings, Verbosity::Usual, |gateway| async move {
        let served = stdio::serve(gateway).await;
        served.map_err(|error| {
            let message = format!("cannot write to standard output: {error}");
            Refusal::new(message, "check that the disk has room and the target can be written")
        })?;
        Ok(ExitStatus::Good)
    })
}
