//! The kinds of observation and their fields.
//!
//! `read_kind` parses a kind, `write` writes it, and `classify` gives it a code.

use std::time::Duration;

use super::mcp_result::McpResult;
use crate::catalogue::Code;
use crate::diagnostics::Diagnosis;
use crate::outcome::{Payload, Truncation};
use crate::raw_json::{JsonObject, RawJson};
use crate::violation::Violation;

/// The observed end of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Observed {
    /// The tool returned JSON.
    Answered(RawJson),
    /// The tool returned text.
    Said(ToolText),
    /// The tool returned an MCP `CallToolResult`.
    Mcp(McpResult),
    /// A program ran and exited.
    Exited(Exited),
    /// The failure already has a code.
    Failed(Box<Failed>),
    /// The arguments were rejected before anything ran (M7, M8).
    Invalid(Invalid),
    /// Something that the tool needs is missing (M9).
    Unavailable(Unavailable),
    /// A concurrent operation blocks this one (M10).
    Conflict(Conflict),
    /// The caller cancelled the call (M10).
    Cancelled(Cancelled),
    /// The call timed out.
    TimedOut(TimedOut),
    /// The caller exceeded its rate limit (R9).
    RateLimited(RateLimited),
    /// The caller's tier does not include the feature (E9).
    TierRequired(TierRequired),
    /// The feature is disabled (R13).
    FeatureDisabled {
        /// The feature.
        feature: String,
    },
}

/// Text that a tool returned.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolText(pub(super) Payload);

impl ToolText {
    /// Wraps text that is a JSON string, and keeps its escapes.
    pub(super) fn token(token: RawJson) -> ToolText {
        ToolText(Payload::Json(token))
    }

    pub(crate) fn into_payload(self) -> Payload {
        self.0
    }
}

impl From<String> for ToolText {
    fn from(text: String) -> ToolText {
        ToolText(Payload::Text(text))
    }
}

/// A program that ran and exited.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exited {
    /// The command line, as typed in a shell.
    pub command: Option<String>,
    /// The exit code.
    pub code: i64,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// A diagnosis by a caller that knows the program, in addition to the diagnostics known here
    /// (M4). It has no JSON form.
    pub diagnosis: Option<Diagnosis>,
}

/// A failure whose canonical code is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// The canonical code.
    pub code: Code,
    /// The tool's own code.
    pub origin_code: Option<String>,
    /// What happened.
    pub message: String,
    /// How to fix it. An empty text means that nothing can be done.
    pub remediation: Option<String>,
    /// Facts about it.
    pub details: JsonObject,
    /// Facts that `response-v2` puts directly into its `data`.
    pub data: JsonObject,
    /// How long to wait before a retry.
    pub retry_after: Option<Duration>,
    /// The partial result before the failure.
    pub partial: Payload,
}

impl Failed {
    /// Creates a failure with this code and message.
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

/// Rejected arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invalid {
    /// The message, if the default one is not specific enough.
    pub message: Option<String>,
    /// The name of the parameter.
    pub parameter: Option<String>,
    /// The reason, preferably one of those in M7, e.g. `required`.
    pub reason: Option<String>,
    /// The rejected value. Shown only for the parameter `action` (M8): other values may be secret.
    pub provided: Option<String>,
    /// The allowed values.
    pub allowed: Vec<String>,
    /// The rules that the arguments break, if a schema was checked.
    pub violations: Vec<Violation>,
}

/// A missing dependency of the tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unavailable {
    /// The missing feature.
    pub feature: String,
    /// The reason, if no command was run.
    pub reason: Option<String>,
    /// The command that showed that it is missing.
    pub command: Option<String>,
    /// The output of that command, or the system's error.
    pub details: Option<String>,
    /// Alternatives that can be used instead.
    pub alternatives: Vec<String>,
}

/// A concurrent operation that blocks this one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conflict {
    /// The requested operation.
    pub operation: String,
    /// Its target.
    pub target: String,
    /// The operation in progress on the target.
    pub conflicting: String,
}

/// A call that its caller cancelled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cancelled {
    /// The command that was stopped.
    pub command: Option<String>,
    /// Its output until then.
    pub stdout: String,
    /// Whether the output was truncated.
    pub truncation: Truncation,
}

/// A call that timed out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimedOut {
    /// The timeout.
    pub after: Duration,
    /// The command that was stopped.
    pub command: Option<String>,
    /// Its output until then.
    pub stdout: String,
}

/// A caller that exceeded its rate limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RateLimited {
    /// The number of calls allowed per period.
    pub limit: u64,
    /// The period, e.g. `minute`.
    pub period: String,
    /// How long to wait before the next call.
    pub retry_after: Option<Duration>,
}

/// A feature that the caller's tier does not include.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TierRequired {
    /// The feature.
    pub feature: String,
    /// The lowest tier that includes it.
    pub tier: String,
    /// Why it needs that tier.
    pub reason: String,
}
