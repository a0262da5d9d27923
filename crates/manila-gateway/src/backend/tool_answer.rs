//! What a tool call came to: an envelope, the server's own answer, or a refusal.

use manila::{Code, Contract, RawJson, Reply, Violation};

use super::ask::Answered;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::Told;

/// What a tool call came to.
#[derive(Debug)]
pub enum Answer {
    /// An envelope.
    Sealed(Box<Sealed>),
    /// What the server answered, a result or an error of the protocol, as it came.
    AsItCame(Answered),
    /// An answer of ours in MCP's own form, for whoever wants results as they come, and what went wrong.
    Plain(RawJson, Option<Code>),
    /// A refusal that has no envelope: the request itself is wrong.
    Refused(Refusal),
}

/// An envelope and what stands beside it in a result.
#[derive(Debug)]
pub struct Sealed {
    /// The envelope and the media beside it.
    pub reply: Reply,
    /// Its contract.
    pub contract: Contract,
    /// What went wrong, canonically.
    pub failure: Option<Code>,
    /// What is said of that.
    pub message: Option<String>,
    /// The rules that the request breaks, where it was refused for them.
    pub violations: Vec<Violation>,
    /// What the server said in the result's `_meta`.
    pub meta: Option<RawJson>,
    /// The same for people (M11), where that was asked for.
    pub text: Option<String>,
    /// How it is told to a client of MCP.
    pub told: Told,
}

impl Answer {
    /// The same for a request that was refused because it breaks these rules.
    pub(super) fn breaking(mut self, violations: Vec<Violation>) -> Answer {
        if let Answer::Sealed(sealed) = &mut self {
            sealed.violations = violations;
        }
        self
    }
}

/// A request that is wrong in itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub(crate) fault: Fault,
}

impl Answered {
    /// The result, or the error object.
    pub fn answer(&self) -> Result<&RawJson, &RawJson> {
        self.response.answer.as_ref()
    }
}

impl Refusal {
    pub(crate) fn new(code: Code) -> Refusal {
        Refusal { fault: Fault::new(code) }
    }

    /// There is no such tool; `meant` is one whose name is much like it.
    pub(crate) fn unknown_tool(meant: Option<&str>) -> Refusal {
        let hint = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let violation =
            Violation::new("/params/name", "enum", format!("is no tool of this server{hint}"));
        // Q4: the message is the catalogue's; what was meant stands beside it.
        Refusal::new(Code::ToolNotFound).violation(violation)
    }

    pub(crate) fn violation(self, violation: Violation) -> Refusal {
        Refusal { fault: self.fault.violation(violation) }
    }

    pub(crate) fn message(self, message: impl Into<String>) -> Refusal {
        Refusal { fault: self.fault.message(message) }
    }

    /// What it is.
    #[must_use]
    pub fn code(&self) -> Code {
        self.fault.code
    }

    /// The rules that it breaks.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.fault.violations
    }
}
