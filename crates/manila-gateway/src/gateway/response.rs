//! What a request is answered with, before a transport writes it.

use manila::{Code, JsonObject, RawJson};

use crate::backend::{Answer, Details, Failed, Forwarded};
use crate::protocol::jsonrpc::Fault;
use crate::protocol::modern::Breach;

/// What a request is answered with.
pub(crate) enum Response {
    /// What a tool call came to.
    Tool(Answer),
    /// The state of a task.
    Task(Details),
    /// A server's answer to a request that was handed on.
    Forwarded(Forwarded),
    /// A result of the gateway's own.
    Result(JsonObject),
    /// A refusal of the gateway's own.
    Refused(Fault),
    /// A refusal that the protocol has a number for.
    Breach(Breach),
    /// An error object of a server, and its code where the number does not say it.
    Error(RawJson, Option<Code>),
}

impl Response {
    /// A result that says nothing.
    pub(crate) fn empty() -> Response {
        Response::Result(JsonObject::default())
    }

    /// What went wrong, if something did.
    pub(crate) fn failure(&self) -> Option<Failed> {
        match self {
            Response::Tool(answer) => answer.failure(),
            Response::Task(Details::Sealed { result, .. }) => result.failure.clone(),
            Response::Task(Details::Forwarded(forwarded)) | Response::Forwarded(forwarded) => {
                match forwarded {
                    Forwarded::AsItCame(answered) => answered.answer().err().map(Failed::of_error),
                    Forwarded::Changed(..) => None,
                    Forwarded::Fault(fault) => Some(Failed::of_fault(fault)),
                }
            }
            Response::Result(_) => None,
            Response::Refused(fault) => Some(Failed::of_fault(fault)),
            Response::Breach(breach) => {
                let message = Some(breach.message.clone());
                Some(Failed { message, ..Failed::new(Code::InvalidEnvelope) })
            }
            Response::Error(error, code) => {
                let failed = Failed::of_error(error);
                Some(Failed { code: code.unwrap_or(failed.code), ..failed })
            }
        }
    }

    /// The contract of the answer, if it has one.
    pub(crate) fn contract(&self) -> Option<&'static str> {
        match self {
            Response::Tool(answer) => answer.contract(),
            Response::Task(Details::Sealed { result, .. }) => Some(result.contract.id()),
            Response::Task(Details::Forwarded(_))
            | Response::Forwarded(_)
            | Response::Result(_)
            | Response::Refused(_)
            | Response::Breach(_)
            | Response::Error(..) => None,
        }
    }

    /// The request id in the envelope, if there is one.
    pub(crate) fn request_id(&self) -> Option<&str> {
        match self {
            Response::Tool(answer) => answer.request_id(),
            Response::Task(Details::Sealed { result, .. }) => result.reply.request_id.as_deref(),
            Response::Task(Details::Forwarded(_))
            | Response::Forwarded(_)
            | Response::Result(_)
            | Response::Refused(_)
            | Response::Breach(_)
            | Response::Error(..) => None,
        }
    }
}
