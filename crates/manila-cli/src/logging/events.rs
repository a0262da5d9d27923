//! Events of the program itself while it serves.

use std::net::SocketAddr;
use std::path::Path;

use manila_gateway::journal::JournalEvent;
use tracing::{info, warn};

use super::line::without_secrets;
use crate::refusal;

/// An event of the program.
pub(crate) enum ProgramEvent<'a> {
    /// The program waits for a client on stdin, which is a terminal.
    Waiting,
    /// The program listens for HTTP on this address.
    Listening(SocketAddr),
    /// The program serves the sample server; the log suggests commands to try.
    Sample(SocketAddr),
    /// The configuration was reloaded.
    Reloaded { file: &'a Path, n_servers: usize },
    /// The configuration was reloaded, but changes to these tables need a restart.
    NeedsRestart { file: &'a Path, tables: &'a [&'a str] },
    /// The configuration could not be reloaded.
    ReloadFailed { file: &'a Path, error: &'a anyhow::Error },
    /// An event of the journal.
    Journal(&'a JournalEvent),
}

impl ProgramEvent<'_> {
    /// Logs the event, from any thread.
    pub(crate) fn log(&self) {
        match self {
            ProgramEvent::Waiting => info!(
                name: "waiting", target: "manila",
                "waiting for an MCP client on stdin; use `manila call` to call a tool by hand, or \
                 `--http 127.0.0.1:7300` to serve over HTTP"
            ),
            ProgramEvent::Listening(at) => info!(
                name: "listening", target: "manila",
                address = at.to_string(), url = format!("http://{at}/mcp"),
                "serving MCP at http://{at}/mcp, and plain HTTP at http://{at}/tools"
            ),
            ProgramEvent::Sample(at) => sample(*at),
            ProgramEvent::Reloaded { file, n_servers } => info!(
                name: "reloaded", target: "manila", file = name(file), n_servers,
                "reloaded {}: {n_servers} {}", file.display(),
                if *n_servers == 1 { "server" } else { "servers" }
            ),
            ProgramEvent::NeedsRestart { file, tables } => {
                let tables = tables.join(", ");
                warn!(
                    name: "needs_restart", target: "manila", file = name(file), tables,
                    "changes to {tables} in {} take effect after a restart", file.display()
                );
            }
            ProgramEvent::ReloadFailed { file, error } => {
                let reason = without_secrets(&format!("{error:#}"));
                warn!(
                    name: "reload_failed", target: "manila", file = name(file), reason,
                    hint = refusal::hint(error),
                    "cannot reload the configuration, which stays unchanged: {reason}"
                );
            }
            ProgramEvent::Journal(event) => journal(event),
        }
    }
}

fn sample(at: SocketAddr) {
    info!(
        name: "sample", target: "manila",
        "no manila.toml found, serving the sample server; try:"
    );
    for command in [
        format!("curl http://{at}/tools"),
        format!("curl -d '{{\"message\": \"hello\"}}' http://{at}/tools/echo"),
        format!("manila call secrets --url http://{at}/mcp"),
    ] {
        info!(name: "try", target: "manila", "{command}");
    }
}

fn journal(event: &JournalEvent) {
    match event {
        JournalEvent::Problem { reason } => warn!(
            name: "journal_trouble", target: "manila", reason,
            "the journal cannot be written: {reason}; requests are still served"
        ),
        JournalEvent::Recovered { n_lost } => info!(
            name: "journal_over", target: "manila", n_lost,
            "the journal is writable again; {n_lost} lines were lost"
        ),
        JournalEvent::LinkFailed { reason } => warn!(
            name: "journal_unlinked", target: "manila", reason,
            "cannot update the link to the latest journal file: {reason}"
        ),
        _ => {}
    }
}

fn name(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}
