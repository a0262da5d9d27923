//! What the program itself has to tell while it serves.

use std::net::SocketAddr;
use std::path::Path;

use manila_gateway::journal::JournalEvent;
use tracing::{info, warn};

use super::line::without_secrets;
use crate::refusal;

/// Something that the program itself tells.
pub(crate) enum Notice<'a> {
    /// Somebody has started it by hand, and may wonder.
    Waiting,
    /// Clients find it here over HTTP.
    Listening(SocketAddr),
    /// There is no configuration; a newcomer is told what to try.
    Sample(SocketAddr),
    /// The configuration was read again.
    Reloaded { file: &'a Path, n_servers: usize },
    /// The configuration was read again, and what changed in these tables needs a restart.
    NeedsRestart { file: &'a Path, tables: &'a [&'a str] },
    /// The configuration was read again in vain.
    ReloadFailed { file: &'a Path, error: &'a anyhow::Error },
    /// What becomes of the journal.
    Journal(&'a JournalEvent),
}

impl Notice<'_> {
    /// Tells it, from any thread.
    pub(crate) fn tell(&self) {
        match self {
            Notice::Waiting => info!(
                name: "waiting", target: "manila",
                "waiting for an MCP client on standard input; to call a tool by hand, use \
                 `manila call`, to serve over HTTP, `--http 127.0.0.1:7300`"
            ),
            Notice::Listening(at) => info!(
                name: "listening", target: "manila",
                address = at.to_string(), url = format!("http://{at}/mcp"),
                "serving MCP at http://{at}/mcp, and plain HTTP at http://{at}/tools"
            ),
            Notice::Sample(at) => sample(*at),
            Notice::Reloaded { file, n_servers } => info!(
                name: "reloaded", target: "manila", file = name(file), n_servers,
                "read {} again: {n_servers} {}", file.display(),
                if *n_servers == 1 { "server" } else { "servers" }
            ),
            Notice::NeedsRestart { file, tables } => {
                let tables = tables.join(", ");
                warn!(
                    name: "needs_restart", target: "manila", file = name(file), tables,
                    "what changed in {tables} of {} holds after a restart", file.display()
                );
            }
            Notice::ReloadFailed { file, error } => {
                let reason = without_secrets(&format!("{error:#}"));
                warn!(
                    name: "reload_failed", target: "manila", file = name(file), reason,
                    hint = refusal::hint(error), "the configuration stays as it was: {reason}"
                );
            }
            Notice::Journal(event) => journal(event),
        }
    }
}

fn sample(at: SocketAddr) {
    info!(
        name: "sample", target: "manila",
        "there is no manila.toml, so this is the sample server; try"
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
        JournalEvent::Trouble { reason } => warn!(
            name: "journal_trouble", target: "manila", reason,
            "the journal cannot be written: {reason}; serving goes on"
        ),
        JournalEvent::Over { n_lost } => info!(
            name: "journal_over", target: "manila", n_lost,
            "the journal is written again; {n_lost} lines are lost"
        ),
        JournalEvent::NoLatest { reason } => warn!(
            name: "journal_unlinked", target: "manila", reason,
            "the link to the latest journal is not set: {reason}"
        ),
        _ => {}
    }
}

fn name(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}
