//! Where servers cannot be kept from outliving us yet, none is started.

use std::io;

use super::{Source, Target};
use crate::upstream::Command;

/// A server's process: its streams, and the line that keeps it alive.
pub(crate) struct Process {
    pub(crate) stdin: Target,
    pub(crate) stdout: Source,
    pub(crate) stderr: Source,
    pub(crate) lifeline: Lifeline,
}

impl Process {
    pub(crate) fn start(_command: &Command) -> io::Result<Process> {
        let message = "servers can be started on Linux and other Unix systems only, so far";
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }
}

/// Keeps a process alive as long as it is held.
pub(crate) struct Lifeline;

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It never ran.
    NotStarted(String),
}

impl Lifeline {
    pub(crate) async fn ended(&mut self) -> Option<Status> {
        None
    }

    pub(crate) async fn terminate(&mut self) {}

    pub(crate) async fn cut(self) {}
}
