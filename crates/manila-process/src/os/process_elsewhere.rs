//! Where servers cannot be kept from outliving us yet, none is started.

use std::io;

use super::{Process, Status};
use crate::command::Command;

impl Process {
    pub fn start(_command: &Command) -> io::Result<Process> {
        let message = "servers can be started on Linux and other Unix systems only, so far";
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }
}

/// Keeps a process alive as long as it is held.
pub struct Lifeline;

impl Lifeline {
    pub async fn ended(&mut self) -> Option<Status> {
        None
    }

    pub async fn terminate(&mut self) {}

    pub async fn cut(self) {}
}
