//! Processes on systems without a keeper: a server could outlive Manila, so none is started.

use std::io;

use super::{Process, Status};
use crate::command::Command;

impl Process {
    /// Fails: this system has no keeper.
    pub fn start(_command: &Command) -> io::Result<Process> {
        let message = "servers can be started only on Linux and other Unix systems";
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }
}

/// Keeps a process alive until it is dropped.
pub struct Lifeline;

impl Lifeline {
    /// Returns `None`: there is no process.
    pub async fn wait(&mut self) -> Option<Status> {
        None
    }

    /// Does nothing: there is no process.
    pub async fn terminate(&mut self) {}

    /// Does nothing: there is no process.
    pub async fn cut(self) {}
}
