//! The response to a request, before a transport encodes it.

use manila::{Code, JsonObject, RawJson};

use crate::backend::{Answer, CallFailure, Forwarded, TaskDetails};
use crate::protocol::jsonrpc::Fault;
use crate::protocol::modern::ProtocolViolation;

/// The response to a request.
pub(crate) enum Response {
    /// The answer to a tool call.
    Tool(Answer),
    /// The state of a task.
    Task(TaskDetails),
    /// A server's response to a forwarded request.
    Forwarded(Forwarded),
    /// The gateway's own result.
    Result(JsonObject),
    /// The gateway's own refusal.
    Refused(Fault),
    /// A refusal with an error number that MCP defines.
    ProtocolViolation(ProtocolViolation),
    /// A server's error object, and its failure code if the error number does not imply it.
    Error(RawJson, Option<Code>),
}

impl Response {
    /// Creates an empty result.
    pub(crate) fn empty() -> Response {
        Response::Result(JsonObject::default())
    }

    /// Returns the failure, if the request failed.
    pub(crate) fn failure(&self) -> Option<CallFailure> {
        match self {
            Response::Tool(answer) => answer.failure(),
            Response::Task(TaskDetails::Sealed { result, .. }) => result.failure.clone(),
            Response::Task(TaskDetails::Forwarded(forwarded)) | Response::Forwarded(forwarded) => {
                match forwarded {
                    Forwarded::Passthrough(response) => {
                        response.answer().err().map(CallFailure::of_error)
                    }
                    Forwarded::Rewritten(..) => None,
                    Forwarded::Fault(fault) => Some(CallFailure::of_fault(fault)),
                }
            }
            Response::Result(_) => None,
            Response::Refused(fault) => Some(CallFailure::of_fault(fault)),
            Response::ProtocolViolation(violation) => {
                let message = Some(violation.message.clone());
                Some(CallFailure { message, ..CallFailure::new(Code::InvalidEnvelope) })
            }
            Response::Error(error, code) => {
                let failed = CallFailure::of_error(error);
                Some(CallFailure { code: code.unwrap_or(failed.code), ..failed })
            }
        }
    }

    /// Returns the contract of the response, if it has one.
    pub(crate) fn contract(&self) -> Option<&'static str> {
        match self {
            Response::Tool(answer) => answer.contract(),
            Response::Task(TaskDetails::Sealed { result, .. }) => Some(result.contract.id()),
            Response::Task(TaskDetails::Forwarded(_))
            | Response::Forwarded(_)
            | Response::Result(_)
            | Response::Refused(_)
            | Response::ProtocolViolation(_)
            | Response::Error(..) => None,
        }
    }

    /// Returns the request id in the envelope, if there is one.
    pub(crate) fn request_id(&self) -> Option<&str> {
        match self {
            Response::Tool(answer) => answer.request_id(),
            Response::Task(TaskDetails::Sealed { result, .. }) => {
                result.reply.request_id.as_deref()
            }
            Response::Task(TaskDetails::Forwarded(_))
            | Response::Forwarded(_)
            | Response::Result(_)
            | Response::Refused(_)
            | Response::ProtocolViolation(_)
            | Response::Error(..) => None,
        }
    }
}
