//! The outcome: everything that is known about a call, independent of any contract.
//!
//! An outcome is deliberately not serializable. Only a contract writes one.

use std::borrow::Cow;
use std::time::Duration;

use crate::document_kind::Contract;
use crate::raw_json::{JsonObject, RawJson};

mod failure;
mod loss;
mod non_empty;
mod notes;

pub(crate) use failure::exit_message;
pub use failure::{Category, Failure};
pub use loss::Loss;
pub(crate) use loss::Losses;
pub use non_empty::NonEmpty;
pub use notes::{
    Fidelity, Notes, Pagination, RateLimit, Reduction, Severity, Telemetry, UpgradeHint, Warning,
};
pub(crate) use notes::{milliseconds, parse_seconds, seconds};

/// Text that is often a constant, and otherwise comes from the tool.
pub type Text = Cow<'static, str>;

/// Everything that is known about a call when it has ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The tool, the caller and the duration.
    pub call: Call,
    /// How it ended.
    pub ended: Ended,
    /// The program that ran, if one did.
    pub run: Option<Run>,
    /// Media blocks of an MCP result, which are written beside the envelope.
    pub blocks: Vec<RawJson>,
    /// Warnings, paging and other facts beside the result.
    pub notes: Notes,
    /// The redacted secrets, by rule.
    pub receipt: Receipt,
    /// The provenance record, if the caller requested one.
    pub provenance: Provenance,
    /// The contract of the result, if it already was an envelope.
    pub(crate) source_contract: Option<Contract>,
    /// The original result, if it already was an envelope. A stage that changes anything clears
    /// this; a contract writes an envelope of its own kind byte for byte.
    pub(crate) verbatim: Option<Verbatim>,
    /// Facts of an envelope that an outcome cannot hold.
    pub(crate) unread: Vec<Loss>,
    /// The result as seen by contracts other than the envelope's own, if that differs.
    pub(crate) unwrapped: Option<Box<Unwrapped>>,
}

impl Outcome {
    /// Creates an outcome of which only the end is known.
    pub(crate) fn new(ended: Ended) -> Outcome {
        Outcome {
            call: Call::default(),
            ended,
            run: None,
            blocks: Vec::new(),
            notes: Notes::default(),
            receipt: Receipt::default(),
            provenance: Provenance::NotRequested,
            source_contract: None,
            verbatim: None,
            unread: Vec::new(),
            unwrapped: None,
        }
    }
}

/// An unchanged result that already was an envelope.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verbatim {
    pub(crate) contract: Contract,
    pub(crate) envelope: RawJson,
    /// The envelope's own request id, which may differ from the caller's.
    pub(crate) request_id: Option<String>,
}

/// The fields that replace the outcome's own when another contract writes the envelope.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unwrapped {
    pub(crate) ended: Ended,
    pub(crate) unread: Vec<Loss>,
}

/// The tool, the caller and the duration of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// The tool's id, if known.
    pub tool_id: Option<String>,
    /// The tool's version, if known.
    pub tool_version: Option<String>,
    /// The caller's correlation id. Without one, the contract generates one.
    pub request_id: Option<String>,
    /// The caller's tier.
    pub tier: Tier,
    /// The duration of the call.
    pub duration: Option<Duration>,
    /// Whether responses must not depend on time or randomness; `None` leaves it to the contract.
    pub deterministic: Option<bool>,
    /// The capabilities of the invocation (E4); `None` means only the contract's own.
    pub capabilities: Option<Vec<String>>,
    /// The source of the correlation id.
    pub id_source: IdSource,
}

/// The source of a correlation id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IdSource {
    /// The caller, which matches responses by it.
    #[default]
    Caller,
    /// The tool, in an envelope of its own.
    Tool,
}

/// The caller's tier (E2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The lowest tier, which is also used for unknown names.
    #[default]
    Community,
    /// The middle tier.
    Pro,
    /// The highest tier.
    Enterprise,
}

impl Tier {
    /// Every tier, lowest first.
    pub const ALL: [Tier; 3] = [Tier::Community, Tier::Pro, Tier::Enterprise];

    /// Parses a tier (E2): trimmed and case-insensitive. An unknown name is the lowest tier.
    #[must_use]
    pub fn from_name(name: &str) -> Tier {
        let name = name.trim();
        let found = Tier::ALL.into_iter().find(|tier| tier.name().eq_ignore_ascii_case(name));
        found.unwrap_or_default()
    }

    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tier::Community => "community",
            Tier::Pro => "pro",
            Tier::Enterprise => "enterprise",
        }
    }
}

/// The end of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// The tool succeeded.
    Done(Payload),
    /// The tool failed.
    Failed {
        /// The failures, the most important one first.
        failures: NonEmpty<Failure>,
        /// The partial result before the failure.
        partial: Payload,
    },
}

/// The payload of a result.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Payload {
    /// No payload.
    #[default]
    Absent,
    /// JSON, with its original bytes.
    Json(RawJson),
    /// Text that is not JSON.
    Text(String),
}

/// A program that was run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Run {
    /// The command line, as typed in a shell.
    pub command: Option<String>,
    /// The exit code, unless the program was stopped or never started.
    pub exit: Option<i64>,
    /// Its standard output, which is the payload of the call.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Whether a limit truncated its output.
    pub truncation: Truncation,
}

/// Whether output is complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Truncation {
    /// Nothing is missing.
    #[default]
    Complete,
    /// The end is missing.
    Truncated,
}

/// The redacted secrets: each rule and its number of matches, never the secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// The names of the rules, with their number of matches.
    pub findings: Vec<(String, u64)>,
}

impl Receipt {
    /// Returns the number of redacted secrets.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.findings.iter().fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }

    /// Adds the matches of a later redaction.
    pub(crate) fn add(&mut self, findings: Vec<(String, u64)>) {
        for (rule, n) in findings {
            match self.findings.iter_mut().find(|(known, _)| *known == rule) {
                Some((_, known)) => *known = known.saturating_add(n),
                None => self.findings.push((rule, n)),
            }
        }
    }

    /// Summarizes the redaction in a sentence; `None` if nothing was redacted.
    pub(crate) fn sentence(&self) -> Option<String> {
        match self.count() {
            0 => None,
            1 => Some("1 secret was hidden".to_owned()),
            n => Some(format!("{n} secrets were hidden")),
        }
    }

    /// Lists the rules that matched and their counts, for people.
    pub(crate) fn rules(&self) -> String {
        let rules: Vec<String> =
            self.findings.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
        rules.join(", ")
    }
}

/// The provenance of a call (P2, P5).
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Provenance {
    /// The caller did not request it.
    #[default]
    NotRequested,
    /// The caller requested it, but it could not be recorded.
    Unavailable,
    /// The record.
    Record(JsonObject),
}

/// The payload of a call, wherever it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<'a> {
    Nothing,
    Json(&'a RawJson),
    Text(&'a str),
}

/// Returns the trimmed text, or `None` if it is blank.
pub(crate) fn non_blank(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

impl Outcome {
    /// Returns the payload of a successful call, or the partial result of a failed one.
    ///
    /// A program's payload is its standard output, which is stored only in [`Run`].
    pub(crate) fn content(&self) -> Content<'_> {
        let (payload, is_done) = match &self.ended {
            Ended::Done(payload) => (payload, true),
            Ended::Failed { partial, .. } => (partial, false),
        };
        match (payload, &self.run) {
            (Payload::Json(json), _) => Content::Json(json),
            (Payload::Text(text), _) => Content::Text(text),
            (Payload::Absent, Some(run)) if is_done || !run.stdout.is_empty() => {
                Content::Text(&run.stdout)
            }
            (Payload::Absent, _) => Content::Nothing,
        }
    }
}
