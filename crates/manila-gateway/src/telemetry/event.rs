//! What happens in the gateway, for whoever tells people or keeps a log.

use std::sync::Arc;
use std::time::Duration;

use manila::Code;

mod traced;

pub use traced::traced;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A tool call ended.
    Called {
        /// The tool.
        tool: String,
        /// The failure, if it failed.
        failure: Option<Code>,
        /// How long it took.
        duration: Duration,
    },
    /// The server's process runs and has answered the handshake.
    Started {
        /// How often it was started before.
        n_earlier: u64,
        /// The date of the MCP revision that it speaks.
        era: Option<&'static str>,
        /// How long that took.
        duration: Duration,
    },
    /// The server is gone.
    Ended {
        /// Command, reason and its last words.
        reason: String,
        /// When it is started again; `None` if nobody misses it now.
        next_start: Option<Duration>,
    },
    /// The server wrote a line to its standard error.
    Stderr(String),
    /// The server sent something that cannot be used.
    Unusable(String),
    /// A tool's schema cannot be used, so calls or answers are not checked against it.
    SchemaUnusable {
        /// The tool.
        tool: String,
        /// Why.
        reason: String,
    },
    /// We are stopping, and wait for open requests.
    Stopping {
        /// How many there are.
        n_open: usize,
        /// How long they have.
        grace: Duration,
    },
    /// The client sent something that was refused.
    Refused(String),
    /// A connection of a client ended before it was done.
    Disconnected(String),
    /// Secrets were hidden.
    Redacted {
        /// The tool or the method in whose answer they stood.
        place: String,
        /// The rules that found them, and how often.
        findings: Vec<(String, u64)>,
    },
    /// An answer was not redacted, because that was asked for.
    Unredacted {
        /// The tool.
        tool: String,
        /// Who asked for it.
        why: Consent,
    },
}

/// Who wants answers with their secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The operator, for all answers of the tool.
    Operator,
    /// The caller, for this one, where the operator allows it.
    Caller,
    /// The operator, for envelopes that already have the caller's contract.
    Passthrough,
}

/// Where events go.
pub type Events = Arc<dyn Fn(Event) + Send + Sync>;
