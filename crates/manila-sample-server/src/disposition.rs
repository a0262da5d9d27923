//! Dispositions: how a handler responds to a request.

use std::io::{self, Write};

use super::pending_calls::{Cancelled, PendingCall};
use super::rpc_error::RpcError;

/// How a handler responds to a request.
pub(super) enum Disposition {
    /// It has appended a result for the dispatcher to send.
    Answer,
    /// It has appended a result that contains its own `_meta`.
    AnswerWithMeta,
    /// It has appended the start of a result; the long `text` and then `rest` complete it.
    Long { text: LongText, rest: &'static str },
    /// It has appended nothing, and its result is not final. `kind` is the type of the interim
    /// result, and `members` are its members.
    Unfinished { kind: &'static str, members: String },
    /// The dispatcher sends nothing: the handler has sent its messages, or there are none.
    Nothing,
    /// It has to wait, so another thread completes the call.
    Later(Job),
}

/// Writes a text that is too long to hold in memory.
pub(super) type LongText = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// The rest of a pending call. It appends a result, unless it is cancelled.
pub(super) type Job = Box<dyn FnOnce(&PendingCall, &mut Vec<u8>) -> Result<(), Cancelled> + Send>;

impl Disposition {
    /// Creates a disposition that runs `job` on another thread.
    pub(super) fn later(
        job: impl FnOnce(&PendingCall, &mut Vec<u8>) -> Result<(), Cancelled> + Send + 'static,
    ) -> Disposition {
        Disposition::Later(Box::new(job))
    }
}

/// The reason why a handler failed.
#[derive(Debug)]
pub(super) enum HandlerError {
    /// The request is refused.
    Refused(RpcError),
    /// The client cannot be written to, so the server stops.
    Broken(io::Error),
}

impl From<RpcError> for HandlerError {
    fn from(error: RpcError) -> HandlerError {
        HandlerError::Refused(error)
    }
}

impl From<io::Error> for HandlerError {
    fn from(error: io::Error) -> HandlerError {
        HandlerError::Broken(error)
    }
}
