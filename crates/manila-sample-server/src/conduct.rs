//! Conduct: what a handler does about a request.

use std::io::{self, Write};

use super::rpc_error::RpcError;
use super::waiting::{Cancelled, Wait};

/// What a handler did about a request.
pub(super) enum Conduct {
    /// It has appended a result, which is now to be sent.
    Answer,
    /// The same, and the result has a `_meta` of its own.
    AnswerWithMeta,
    /// It has appended a result up to a place where a long text comes, and then `rest` follows.
    Long { text: LongText, rest: &'static str },
    /// It has appended nothing, and its result is not the last word: `kind` tells what comes
    /// instead, and `members` are the rest of that.
    Unfinished { kind: &'static str, members: String },
    /// It has sent what it wanted to send, or wants to send nothing.
    Nothing,
    /// It has to wait, so the rest is done on another thread.
    Later(Job),
}

/// Writes a text that is too long to be held as a whole.
pub(super) type LongText = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// The rest of a call that waits: it appends a result, unless it is cancelled.
pub(super) type Job = Box<dyn FnOnce(&Wait, &mut Vec<u8>) -> Result<(), Cancelled> + Send>;

impl Conduct {
    /// The rest is `job`.
    pub(super) fn later(
        job: impl FnOnce(&Wait, &mut Vec<u8>) -> Result<(), Cancelled> + Send + 'static,
    ) -> Conduct {
        Conduct::Later(Box::new(job))
    }
}

/// Why a handler stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The request is refused.
    Refused(RpcError),
    /// The client cannot be written to, so the server ends.
    Broken(io::Error),
}

impl From<RpcError> for Stop {
    fn from(error: RpcError) -> Stop {
        Stop::Refused(error)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Broken(error)
    }
}
