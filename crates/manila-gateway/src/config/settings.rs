//! What an operator decides about servers and tools.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use manila::Contract;

use super::hiding::Hiding;
use crate::protocol::presentation::{Placement, Shape};

/// How a gateway works.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// What the names of this server begin with, where it is one of several.
    pub name: Option<String>,
    /// Whether it is started when it is needed for the first time, and not before.
    pub is_lazy: bool,
    /// What becomes of results whose caller does not say it.
    pub shape: Shape,
    /// Whether results of `machine-readable-v1` are plain text where their caller does not ask for
    /// an envelope (M11). A contract of a single tool's is always meant so.
    pub is_plain: bool,
    /// What of its tools is offered.
    pub offered: Offered,
    /// What is other for single tools, by the names that clients know.
    pub tools: Arc<BTreeMap<String, ToolSettings>>,
    /// The contract in which the server answers already, where its answers do not show it.
    pub speaks: Option<Contract>,
    /// Where the envelope goes.
    pub placement: Placement,
    /// What becomes of answers that are not what their tools promise.
    pub output_check: OutputCheck,
    /// How secrets are hidden.
    pub hiding: Arc<Hiding>,
    /// How long a call may take without a sign of life.
    pub timeout: Duration,
    /// How long the server may take to answer `initialize`: it may have to be fetched first.
    pub start_timeout: Duration,
    /// The largest message that is read, from either side.
    pub frame_bytes_max: usize,
    /// How many requests of a client may be open.
    pub in_flight_max: usize,
    /// How many bytes they may have together.
    pub in_flight_bytes_max: usize,
    /// How much may wait in each queue.
    pub queue_bytes_max: usize,
    /// How long open calls have to end when we stop.
    pub grace: Duration,
    /// How long the server has to end when its input is closed, and again when it is asked to.
    /// Clients lose patience after two seconds.
    pub server_grace: Duration,
}

/// Which tools of a server are offered, by their own names; `*` stands for any letters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offered {
    /// Those that are; all, if this is not said.
    pub allow: Option<Vec<String>>,
    /// Those that are not, whatever else is said.
    pub deny: Vec<String>,
}

impl Offered {
    /// Whether a tool is offered.
    #[must_use]
    pub fn has(&self, tool: &str) -> bool {
        let is_among = |patterns: &[String]| patterns.iter().any(|it| is_like(tool, it));
        self.allow.as_deref().is_none_or(is_among) && !is_among(&self.deny)
    }
}

/// Whether a name is like a pattern, in which `*` stands for any letters.
fn is_like(name: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(left) = name.strip_prefix(start) else { return false };
    let Some((middle, end)) = rest.rsplit_once('*') else { return left.ends_with(rest) };
    let Some(mut left) = left.strip_suffix(end) else { return false };
    // What stands between two stars is taken where it comes first.
    for part in middle.split('*') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    true
}

/// What is other for one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// What becomes of its results.
    pub shape: Option<Shape>,
    /// Where the envelope goes.
    pub placement: Option<Placement>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// What becomes of answers that are not what it promises.
    pub output_check: Option<OutputCheck>,
}

/// What becomes of an answer that does not fit its tool's own `outputSchema`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputCheck {
    /// It is a failure, `INVALID_TOOL_OUTPUT`.
    Strict,
    /// It goes on, with the warning `OUTPUT_SCHEMA_MISMATCH`.
    #[default]
    Warn,
    /// Nobody looks. So nothing is promised of it, either.
    Off,
}

impl Settings {
    /// Whether results of a tool, as clients know it, are plain text where their caller does not
    /// ask for an envelope (M11).
    pub(crate) fn is_plain_for(&self, tool: &str) -> bool {
        let readable = Shape::Contract(Contract::MachineReadableV1);
        match self.tools.get(tool).and_then(|tool| tool.shape) {
            Some(own) => own == readable,
            None => self.is_plain && self.shape == readable,
        }
    }

    /// What becomes of answers of a tool, as clients know it, that are not what it promises.
    pub(crate) fn output_check_of(&self, tool: &str) -> OutputCheck {
        self.tools.get(tool).and_then(|tool| tool.output_check).unwrap_or(self.output_check)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            name: None,
            is_lazy: false,
            is_plain: false,
            shape: Shape::Contract(Contract::default()),
            offered: Offered::default(),
            tools: Arc::default(),
            speaks: None,
            placement: Placement::Structured,
            output_check: OutputCheck::default(),
            hiding: Arc::default(),
            timeout: Duration::from_secs(60),
            start_timeout: Duration::from_secs(60),
            frame_bytes_max: 64 * 1024 * 1024,
            in_flight_max: 16_384,
            in_flight_bytes_max: 64 * 1024 * 1024,
            queue_bytes_max: 16 * 1024 * 1024,
            grace: Duration::from_secs(5),
            server_grace: Duration::from_millis(700),
        }
    }
}
