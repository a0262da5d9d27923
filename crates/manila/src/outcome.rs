//! The outcome: everything that is known about a call, in no contract's words.
//!
//! An outcome is deliberately not serializable. Only a contract writes one.

use std::borrow::Cow;
use std::time::Duration;

use crate::raw_json::{JsonObject, RawJson};
use crate::subject::Contract;

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
pub(crate) use notes::{as_delay, milliseconds, seconds};

/// Text that is often one of ours, and otherwise the tool's.
pub type Text = Cow<'static, str>;

/// Everything that is known about a call when it has ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// Who was called, by whom, and how long it took.
    pub call: Call,
    /// How it ended.
    pub ended: Ended,
    /// The program that ran, if one did.
    pub run: Option<Run>,
    /// Media blocks of an MCP result that stand beside the envelope.
    pub blocks: Vec<RawJson>,
    /// What is said beside the answer.
    pub notes: Notes,
    /// What redaction hid.
    pub receipt: Receipt,
    /// The provenance record, if one was asked for.
    pub provenance: Provenance,
    /// The contract in which the answer came, if it already was an envelope.
    pub(crate) came_in: Option<Contract>,
    /// The answer as it came, if it already was an envelope. A stage that changes
    /// anything clears this; a contract that finds its own writes it byte for byte.
    pub(crate) verbatim: Option<Verbatim>,
    /// What an envelope said that no outcome can hold.
    pub(crate) unread: Vec<Loss>,
    /// How an envelope reads in another contract than its own, where that differs.
    pub(crate) unwrapped: Option<Box<Unwrapped>>,
}

impl Outcome {
    /// An outcome of which only the end is known.
    pub(crate) fn new(ended: Ended) -> Outcome {
        Outcome {
            call: Call::default(),
            ended,
            run: None,
            blocks: Vec::new(),
            notes: Notes::default(),
            receipt: Receipt::default(),
            provenance: Provenance::NotAsked,
            came_in: None,
            verbatim: None,
            unread: Vec::new(),
            unwrapped: None,
        }
    }
}

/// An answer that already was an envelope, unchanged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verbatim {
    pub(crate) contract: Contract,
    pub(crate) envelope: RawJson,
    /// The envelope's own request id, which may not be the caller's.
    pub(crate) request_id: Option<String>,
}

/// How an envelope reads in another contract: what stands in the place of the outcome's own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unwrapped {
    pub(crate) ended: Ended,
    pub(crate) unread: Vec<Loss>,
}

/// Who was called, by whom, and how long it took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// The tool's id, if it is known.
    pub tool_id: Option<String>,
    /// The tool's version, if it is known.
    pub tool_version: Option<String>,
    /// The caller's correlation id. Without one, a contract spells its own.
    pub request_id: Option<String>,
    /// The caller's tier.
    pub tier: Tier,
    /// How long the call took.
    pub duration: Option<Duration>,
    /// Whether answers must not depend on time or chance; `None` leaves it to the contract.
    pub deterministic: Option<bool>,
    /// What the invocation supports (E4); `None` for the contract and nothing else.
    pub capabilities: Option<Vec<String>>,
    /// Whose word the correlation id is.
    pub id_source: IdSource,
}

/// Who gave a call its correlation id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IdSource {
    /// The caller, who finds its call by it.
    #[default]
    Caller,
    /// The tool, in an envelope of its own.
    Tool,
}

/// What the caller may use (E2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The least privilege, and what everything unknown is taken for.
    #[default]
    Community,
    /// The middle tier.
    Pro,
    /// The highest tier.
    Enterprise,
}

impl Tier {
    /// Every tier, the lowest first.
    pub const ALL: [Tier; 3] = [Tier::Community, Tier::Pro, Tier::Enterprise];

    /// E2: trimmed, in any case; whatever is unknown has the least privilege.
    #[must_use]
    pub fn from_name(name: &str) -> Tier {
        let name = name.trim();
        let found = Tier::ALL.into_iter().find(|tier| tier.name().eq_ignore_ascii_case(name));
        found.unwrap_or_default()
    }

    /// The name, lower-case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tier::Community => "community",
            Tier::Pro => "pro",
            Tier::Enterprise => "enterprise",
        }
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// The tool did its work.
    Done(Payload),
    /// It did not; `partial` is what it left.
    Failed {
        /// What went wrong; the first is the one that matters most.
        failures: NonEmpty<Failure>,
        /// What the tool produced before it failed.
        partial: Payload,
    },
}

/// What a tool answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Payload {
    /// Nothing.
    #[default]
    Absent,
    /// JSON, as it was written.
    Json(RawJson),
    /// Text that was never JSON.
    Text(String),
}

/// A program that was run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Run {
    /// The command line, as people would type it.
    pub command: Option<String>,
    /// The exit code, unless the program was stopped or never started.
    pub exit: Option<i64>,
    /// What it wrote to standard output. This is the call's payload.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Whether a limit cut its output.
    pub cut: Cut,
}

/// Whether output is all there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cut {
    /// All of it.
    #[default]
    Whole,
    /// The end is missing.
    Truncated,
}

/// What redaction hid: rules and how often each one struck. Never what was hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// Rule names with their number of findings.
    pub findings: Vec<(String, u64)>,
}

impl Receipt {
    /// How many secrets were hidden.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.findings.iter().fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }

    /// Adds what was hidden later.
    pub(crate) fn add(&mut self, findings: Vec<(String, u64)>) {
        for (rule, n) in findings {
            match self.findings.iter_mut().find(|(known, _)| *known == rule) {
                Some((_, known)) => *known = known.saturating_add(n),
                None => self.findings.push((rule, n)),
            }
        }
    }

    /// What was done, in a sentence; nothing if nothing was hidden.
    pub(crate) fn sentence(&self) -> Option<String> {
        match self.count() {
            0 => None,
            1 => Some("1 secret was hidden".to_owned()),
            n => Some(format!("{n} secrets were hidden")),
        }
    }

    /// The rules that struck, and how often, for people.
    pub(crate) fn rules(&self) -> String {
        let rules: Vec<String> =
            self.findings.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
        rules.join(", ")
    }
}

/// The provenance of a call (P2, P5).
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Provenance {
    /// Nobody asked for it.
    #[default]
    NotAsked,
    /// It was asked for and could not be made.
    Unavailable,
    /// The record.
    Record(JsonObject),
}

/// What a call left behind, wherever it is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<'a> {
    Nothing,
    Json(&'a RawJson),
    Text(&'a str),
}

/// Text that says something, trimmed.
pub(crate) fn said(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

impl Outcome {
    /// The payload of a call that is done, or what a failed one left.
    ///
    /// A program's payload is its standard output, which is kept only in [`Run`].
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
