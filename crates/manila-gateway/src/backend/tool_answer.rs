//! What a tool call came to: an envelope, the server's own answer, or a refusal.

use std::time::Duration;

use manila::{Code, Contract, RawJson, Reply, Violation};

use super::answer::{is_error, number};
use super::ask::Answered;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::{Presentation, Shape};

/// What a tool call came to.
#[derive(Debug)]
pub enum Answer {
    /// An envelope.
    Sealed(Box<Sealed>),
    /// What the server answered, a result or an error of the protocol, as it came.
    AsItCame(Answered),
    /// A result of the gateway's own in MCP's form, for callers that want results as they come.
    Plain {
        /// The result.
        result: RawJson,
        /// What went wrong, if something did.
        failure: Option<Failed>,
    },
    /// A refusal that has no envelope: the request itself is wrong.
    Refused(Refusal),
}

/// An envelope and what stands beside it in a result.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sealed {
    /// The envelope and the media beside it.
    pub reply: Reply,
    /// Its contract.
    pub contract: Contract,
    /// How it is presented to its caller.
    pub presentation: Presentation,
    /// What went wrong, if something did.
    pub failure: Option<Failed>,
    /// What the server said in the result's `_meta`.
    pub meta: Option<RawJson>,
    /// The same for people (M11), where that was asked for.
    pub text: Option<String>,
}

/// What went wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failed {
    /// Its canonical code.
    pub code: Code,
    /// What happened, where the catalogue's words do not say it.
    pub message: Option<String>,
    /// The rules that the request breaks, where it was refused for them.
    pub violations: Vec<Violation>,
    /// When it may be tried again, where that is known.
    pub retry_after: Option<Duration>,
}

impl Failed {
    pub(crate) fn new(code: Code) -> Failed {
        Failed { code, message: None, violations: Vec::new(), retry_after: None }
    }

    /// A failure that is not in an envelope.
    pub(crate) fn of_fault(fault: &Fault) -> Failed {
        let broken = || fault.violations.first().map(Violation::to_string);
        let message = fault.message.clone().or_else(broken);
        let (violations, retry_after) = (fault.violations.clone(), fault.retry_after);
        Failed { code: fault.code, message, violations, retry_after }
    }

    /// The same failure as a fault.
    pub(crate) fn into_fault(self) -> Fault {
        let Failed { code, message, violations, retry_after } = self;
        Fault { code, message, violations, retry_after }
    }

    /// An error of the protocol, by the number that it has.
    pub(crate) fn of_error(error: &RawJson) -> Failed {
        let code = match number(error) {
            Some(-32700) => Code::ParseError,
            Some(-32600) => Code::InvalidEnvelope,
            Some(-32601) => Code::MethodNotFound,
            Some(-32602) => Code::InvalidToolInput,
            Some(_) | None => Code::ToolFailed,
        };
        let message = error.get("message");
        let message = message.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned);
        Failed { message, ..Failed::new(code) }
    }
}

impl Answer {
    /// What went wrong, if something did.
    #[must_use]
    pub fn failure(&self) -> Option<Failed> {
        match self {
            Answer::Sealed(sealed) => sealed.failure.clone(),
            Answer::AsItCame(answered) => match answered.answer() {
                Ok(result) => is_error(result).then(|| Failed::new(Code::ToolFailed)),
                Err(error) => Some(Failed::of_error(error)),
            },
            Answer::Plain { failure, .. } => failure.clone(),
            Answer::Refused(refusal) => Some(Failed::of_fault(&refusal.fault)),
        }
    }

    /// The contract of the answer, or `none`; a refusal has neither.
    pub(crate) fn contract(&self) -> Option<&'static str> {
        match self {
            Answer::Sealed(sealed) => Some(sealed.contract.id()),
            Answer::AsItCame(_) | Answer::Plain { .. } => Some(Shape::NONE),
            Answer::Refused(_) => None,
        }
    }

    /// The request id in the envelope, if there is one.
    pub(crate) fn request_id(&self) -> Option<&str> {
        match self {
            Answer::Sealed(sealed) => sealed.reply.request_id.as_deref(),
            Answer::AsItCame(_) | Answer::Plain { .. } | Answer::Refused(_) => None,
        }
    }

    /// The same for a request that was refused because it breaks these rules.
    pub(super) fn breaking(mut self, violations: Vec<Violation>) -> Answer {
        if let Answer::Sealed(sealed) = &mut self
            && let Some(failure) = &mut sealed.failure
        {
            failure.violations = violations;
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
