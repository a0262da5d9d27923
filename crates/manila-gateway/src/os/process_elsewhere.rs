//! Where servers cannot be kept from outliving us yet, none is started.

use std::io;

use super::{Process, Status};
use crate::upstream::Command;

impl Process {
    pub(crate) fn start(_command: &Command) -> io::Result<Process> {
        let message = "servers can be started on Linux and other Unix systems only, so far";
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }
}

/// Keeps a process alive as long as it is held.
pub(crate) struct Lifeline;

impl Lifeline {
    pub(crate) async fn ended(&mut self) -> Option<Status> {
        None
    }

    pub(crate) async fn terminate(&mut self) {}

    pub(crate) async fn cut(self) {}
}
