//! Events in the gateway, for logs and metrics.

use std::sync::Arc;
use std::time::Duration;

use manila::Code;

mod tracing_events;

pub use tracing_events::tracing_events;

/// An event in the gateway.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A tool call ended.
    Called {
        /// The tool.
        tool: String,
        /// The failure, if it failed.
        failure: Option<Code>,
        /// The duration of the call.
        duration: Duration,
    },
    /// The server's process runs and has completed the handshake.
    Started {
        /// The number of earlier starts.
        n_earlier_starts: u64,
        /// The date of the MCP revision that the server uses.
        era: Option<&'static str>,
        /// The time from the start to the end of the handshake.
        duration: Duration,
    },
    /// The server ended.
    Ended {
        /// The command, the reason, and the last stderr lines.
        reason: String,
        /// The delay before the gateway restarts it; `None` if no client needs it now.
        next_start: Option<Duration>,
    },
    /// The server wrote a line to its standard error.
    Stderr(String),
    /// The server sent an unusable message, or did not accept a notification. The text continues
    /// a sentence about the server.
    Unusable(String),
    /// A tool's schema is unusable, so arguments or results are not checked against it.
    SchemaUnusable {
        /// The tool.
        tool: String,
        /// Why the schema is unusable.
        reason: String,
    },
    /// An item of a server's list cannot be used, so clients do not see it.
    LeftOut {
        /// The method that requests the list.
        method: &'static str,
        /// The item's name.
        name: String,
        /// Why the item cannot be used.
        reason: String,
    },
    /// The gateway is stopping, and waits for open requests.
    Stopping {
        /// The number of open requests.
        n_open: usize,
        /// How long the gateway waits at most.
        grace: Duration,
    },
    /// A client's message or connection was refused: what it was, and the reason.
    Refused(String),
    /// A connection of a client was lost before it was closed.
    Disconnected(String),
    /// Secrets were redacted.
    Redacted {
        /// The tool or the method whose response contained them.
        place: String,
        /// The rules that matched, with their number of matches.
        findings: Vec<(String, u64)>,
    },
    /// A response was not redacted, because the operator or the caller consented.
    Unredacted {
        /// The tool.
        tool: String,
        /// Who consented.
        why: Consent,
    },
}

/// The consent to a response without redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The operator's, for all responses of the tool.
    Operator,
    /// The caller's, for this response, if the operator allows it.
    Caller,
    /// The operator's, for envelopes that already have the caller's contract.
    Passthrough,
}

/// The callback for events.
pub type Events = Arc<dyn Fn(Event) + Send + Sync>;
