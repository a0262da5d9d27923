//! The session: what the threads of one connection share.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};

use serde_json::value::RawValue;

use super::answer;
use super::level::Level;
use super::output::Output;
use super::rpc_error::RpcError;
use super::waiting::Waiting;

/// One connection with a client.
pub(super) struct Session {
    /// Where answers go.
    pub(super) output: Output,
    /// The calls that wait.
    pub(super) waiting: Waiting,
    /// How many tools have been called.
    pub(super) calls: AtomicU64,
    /// Whether the tool `extra` is on the list.
    pub(super) extra_listed: AtomicBool,
    level_min: Mutex<Level>,
}

impl Session {
    /// A connection that writes to `writer`.
    pub(super) fn new(writer: Box<dyn Write + Send>) -> Session {
        Session {
            output: Output::new(writer),
            waiting: Waiting::default(),
            calls: AtomicU64::new(0),
            extra_listed: AtomicBool::new(false),
            level_min: Mutex::new(Level::Debug),
        }
    }

    /// The least severe level that the client wants to hear of; at first, all of them.
    pub(super) fn level_min(&self) -> Level {
        *self.level_min.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `logging/setLevel`.
    pub(super) fn set_level_min(&self, level: Level) {
        *self.level_min.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    /// Sends a notification; `params` is JSON text on one line.
    pub(super) fn notify(&self, method: &str, params: &str) -> io::Result<()> {
        let mut line = Vec::new();
        answer::notification(&mut line, method, params);
        self.output.send(&line)
    }

    /// Sends an error answer.
    pub(super) fn refuse(&self, id: Option<&RawValue>, error: &RpcError) -> io::Result<()> {
        let mut line = Vec::new();
        answer::error(&mut line, id, error);
        self.output.send(&line)
    }
}
