//! The answer to a tool call: an envelope, the server's response, or a refusal.

use std::time::Duration;

use manila::{Code, Contract, RawJson, Reply, Violation};

use super::mcp_response::{error_number, is_error};
use super::send_request::ServerResponse;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::{Presentation, ResultFormat};

/// The answer to a tool call.
#[derive(Debug)]
pub enum Answer {
    /// An envelope.
    Sealed(Box<Sealed>),
    /// The server's response without an envelope: a result or a protocol error. The gateway has
    /// replaced its resource links and task ids with its own.
    Passthrough(ServerResponse),
    /// An MCP result from the gateway, for callers that request results without an envelope.
    Plain {
        /// The result.
        result: RawJson,
        /// The failure, if the call failed.
        failure: Option<CallFailure>,
    },
    /// A refusal without an envelope, because the request itself is invalid.
    Refused(Refusal),
}

/// An envelope and the other parts of its result.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sealed {
    /// The envelope, and the media that are sent with it.
    pub reply: Reply,
    /// Its contract.
    pub contract: Contract,
    /// How it is presented to its caller.
    pub presentation: Presentation,
    /// The failure, if the call failed.
    pub failure: Option<CallFailure>,
    /// The `_meta` of the server's result.
    pub meta: Option<RawJson>,
    /// The result as plain text (M11), if the caller requested it.
    pub text: Option<String>,
}

/// The failure of a request, for events, the journal and HTTP statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallFailure {
    /// The canonical code.
    pub code: Code,
    /// A message that is more specific than the catalogue's.
    pub message: Option<String>,
    /// The rules that the request violates, if it was refused for them.
    pub violations: Vec<Violation>,
    /// When to retry, if known.
    pub retry_after: Option<Duration>,
}

impl CallFailure {
    pub(crate) fn new(code: Code) -> CallFailure {
        CallFailure { code, message: None, violations: Vec::new(), retry_after: None }
    }

    /// Creates a failure from a fault.
    pub(crate) fn of_fault(fault: &Fault) -> CallFailure {
        let first_violation = || fault.violations.first().map(Violation::to_string);
        let message = fault.message.clone().or_else(first_violation);
        let (violations, retry_after) = (fault.violations.clone(), fault.retry_after);
        CallFailure { code: fault.code, message, violations, retry_after }
    }

    /// Converts the failure to a fault.
    pub(crate) fn into_fault(self) -> Fault {
        let CallFailure { code, message, violations, retry_after } = self;
        Fault { code, message, violations, retry_after }
    }

    /// Creates a failure from the number of a protocol error.
    pub(crate) fn of_error(error: &RawJson) -> CallFailure {
        let code = match error_number(error) {
            Some(-32700) => Code::ParseError,
            Some(-32600) => Code::InvalidEnvelope,
            Some(-32601) => Code::MethodNotFound,
            Some(-32602) => Code::InvalidToolInput,
            Some(_) | None => Code::ToolFailed,
        };
        let message = error.get("message");
        let message = message.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned);
        CallFailure { message, ..CallFailure::new(code) }
    }
}

impl Answer {
    /// Returns the failure, if the call failed.
    #[must_use]
    pub fn failure(&self) -> Option<CallFailure> {
        match self {
            Answer::Sealed(sealed) => sealed.failure.clone(),
            Answer::Passthrough(response) => match response.answer() {
                Ok(result) => is_error(result).then(|| CallFailure::new(Code::ToolFailed)),
                Err(error) => Some(CallFailure::of_error(error)),
            },
            Answer::Plain { failure, .. } => failure.clone(),
            Answer::Refused(refusal) => Some(CallFailure::of_fault(&refusal.fault)),
        }
    }

    /// Returns the id of the answer's contract, or `"none"` for a result without an envelope.
    /// A refusal has no contract.
    pub(crate) fn contract(&self) -> Option<&'static str> {
        match self {
            Answer::Sealed(sealed) => Some(sealed.contract.id()),
            Answer::Passthrough(_) | Answer::Plain { .. } => Some(ResultFormat::NONE),
            Answer::Refused(_) => None,
        }
    }

    /// Returns the request id in the envelope, if there is one.
    pub(crate) fn request_id(&self) -> Option<&str> {
        match self {
            Answer::Sealed(sealed) => sealed.reply.request_id.as_deref(),
            Answer::Passthrough(_) | Answer::Plain { .. } | Answer::Refused(_) => None,
        }
    }

    /// Adds the rules that a refused request violates.
    pub(super) fn with_violations(mut self, violations: Vec<Violation>) -> Answer {
        let failure = match &mut self {
            Answer::Sealed(sealed) => sealed.failure.as_mut(),
            Answer::Plain { failure, .. } => failure.as_mut(),
            Answer::Passthrough(_) | Answer::Refused(_) => None,
        };
        if let Some(failure) = failure {
            failure.violations = violations;
        }
        self
    }
}

/// The refusal of an invalid request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub(crate) fault: Fault,
}

impl ServerResponse {
    /// Returns the result, or the error object.
    pub fn answer(&self) -> Result<&RawJson, &RawJson> {
        self.response.answer.as_ref()
    }
}

impl Refusal {
    pub(crate) fn new(code: Code) -> Refusal {
        Refusal { fault: Fault::new(code) }
    }

    /// Refuses a call to an unknown tool. `similar` is a tool with a similar name.
    pub(crate) fn unknown_tool(similar: Option<&str>) -> Refusal {
        let hint = similar.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let violation =
            Violation::new("/params/name", "enum", format!("is not a tool of this server{hint}"));
        // Q4: the message is the catalogue's; the violation suggests the similar name.
        Refusal::new(Code::ToolNotFound).violation(violation)
    }

    /// Refuses a call to a tool that the server does not list and the operator does not name.
    pub(crate) fn withheld_tool() -> Refusal {
        let message = "is not in the server's list of tools, which cannot be read; with `allow` or \
                       `deny`, only tools that are listed or named in `allow` can be called";
        Refusal::new(Code::ToolNotFound).violation(Violation::new("/params/name", "enum", message))
    }

    pub(crate) fn violation(self, violation: Violation) -> Refusal {
        Refusal { fault: self.fault.violation(violation) }
    }

    pub(crate) fn message(self, message: impl Into<String>) -> Refusal {
        Refusal { fault: self.fault.message(message) }
    }

    /// Returns the code of the refusal.
    #[must_use]
    pub fn code(&self) -> Code {
        self.fault.code
    }

    /// Returns the rules that the request violates.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.fault.violations
    }
}
