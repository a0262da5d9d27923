//! The kinds of observation, and what each one holds.
//!
//! `read_kind` reads a kind, `write` writes it, and `classify` names it.

use std::time::Duration;

use super::mcp_result::McpResult;
use crate::catalogue::Code;
use crate::diagnostics::Diagnosed;
use crate::outcome::{Cut, Payload};
use crate::raw_json::{JsonObject, RawJson};
use crate::violation::Violation;

/// What was seen of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Observed {
    /// The tool answered JSON.
    Answered(RawJson),
    /// The tool answered text.
    Said(Spoken),
    /// The tool answered an MCP `CallToolResult`.
    Mcp(McpResult),
    /// A program ran and ended.
    Exited(Exited),
    /// Somebody already knows what went wrong.
    Failed(Box<Failed>),
    /// The arguments were refused before anything ran (M7, M8).
    Invalid(Invalid),
    /// Something that the tool needs is not there (M9).
    Unavailable(Unavailable),
    /// Another operation is in the way (M10).
    Conflict(Conflict),
    /// The caller cancelled the call (M10).
    Cancelled(Cancelled),
    /// The call took too long.
    TimedOut(TimedOut),
    /// The caller made too many calls (R9).
    RateLimited(RateLimited),
    /// The caller's tier does not have the feature (E9).
    TierRequired(TierRequired),
    /// The feature is switched off (R13).
    FeatureDisabled {
        /// The feature.
        feature: String,
    },
}

/// Text that a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken(pub(super) Payload);

impl Spoken {
    /// Text that came as a JSON string, whose escapes are kept.
    pub(super) fn token(token: RawJson) -> Spoken {
        Spoken(Payload::Json(token))
    }

    pub(crate) fn into_payload(self) -> Payload {
        self.0
    }
}

impl From<String> for Spoken {
    fn from(text: String) -> Spoken {
        Spoken(Payload::Text(text))
    }
}

/// A program that ran and ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exited {
    /// The command line, as people would type it.
    pub command: Option<String>,
    /// The exit code.
    pub code: i64,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// What somebody who knows the program read from that, beside the diagnostics that are known
    /// here (M4). It has no JSON form.
    pub diagnosed: Option<Diagnosed>,
}

/// A failure whose canonical code is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// What it is.
    pub code: Code,
    /// What the tool itself calls it.
    pub origin_code: Option<String>,
    /// What happened.
    pub message: String,
    /// What to do about it. An empty one says that there is nothing to do.
    pub remediation: Option<String>,
    /// Facts about it.
    pub details: JsonObject,
    /// Facts that `response-v2` puts directly into its `data`.
    pub data: JsonObject,
    /// How long to wait before the next try.
    pub retry_after: Option<Duration>,
    /// What the tool produced before it failed.
    pub partial: Payload,
}

impl Failed {
    /// A failure of this code, with nothing else known.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Failed {
        Failed {
            code,
            origin_code: None,
            message: message.into(),
            remediation: None,
            details: JsonObject::default(),
            data: JsonObject::default(),
            retry_after: None,
            partial: Payload::Absent,
        }
    }
}

/// Arguments that were refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invalid {
    /// What is wrong, if the default message does not say it.
    pub message: Option<String>,
    /// The parameter.
    pub parameter: Option<String>,
    /// Why, in one of M7's words where one fits, e.g. `required`.
    pub reason: Option<String>,
    /// What was given. Shown only for the parameter `action` (M8): other values may be secret.
    pub provided: Option<String>,
    /// What may be given.
    pub allowed: Vec<String>,
    /// The rules that the arguments break, where a schema says so.
    pub violations: Vec<Violation>,
}

/// Something that the tool needs is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unavailable {
    /// What is missing.
    pub feature: String,
    /// Why, when nothing was run to find out.
    pub reason: Option<String>,
    /// The command that showed that it is missing.
    pub command: Option<String>,
    /// What that command, or the system, said.
    pub details: Option<String>,
    /// What can be used instead.
    pub alternatives: Vec<String>,
}

/// An operation that is in the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conflict {
    /// What was asked for.
    pub operation: String,
    /// On what.
    pub target: String,
    /// What is going on there.
    pub conflicting: String,
}

/// A call that its caller cancelled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cancelled {
    /// The command that was stopped.
    pub command: Option<String>,
    /// What it wrote until then.
    pub stdout: String,
    /// Whether that was cut.
    pub cut: Cut,
}

/// A call that took too long.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimedOut {
    /// How long it was given.
    pub after: Duration,
    /// The command that was stopped.
    pub command: Option<String>,
    /// What it wrote until then.
    pub stdout: String,
}

/// A caller that made too many calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RateLimited {
    /// How many calls a period allows.
    pub limit: u64,
    /// The period, e.g. `minute`.
    pub period: String,
    /// How long to wait before the next call.
    pub retry_after: Option<Duration>,
}

/// A feature that the caller's tier does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TierRequired {
    /// The feature.
    pub feature: String,
    /// The tier that has it.
    pub tier: String,
    /// Why it needs that tier.
    pub reason: String,
}
