//! The output: whole lines from many threads, one after the other.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where all threads write.
pub(super) struct Output {
    state: Mutex<State>,
}

enum State {
    /// What is sent is written.
    Open(Box<dyn Write + Send>),
    /// What is sent is dropped, but the writer is kept, so that the client sees no end.
    Muted { _kept_open: Box<dyn Write + Send> },
    /// What is sent is dropped, and the writer is gone.
    Closed,
}

impl Output {
    /// An open output.
    pub(super) fn new(writer: Box<dyn Write + Send>) -> Output {
        Output { state: Mutex::new(State::Open(writer)) }
    }

    /// Writes `bytes` at once; they are one or more whole lines.
    pub(super) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        self.send_in_pieces(|writer| writer.write_all(bytes))
    }

    /// Lets `write` write as it likes, with nothing of another thread in between.
    pub(super) fn send_in_pieces(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match &mut *self.state() {
            State::Open(writer) => write(writer),
            State::Muted { .. } | State::Closed => Ok(()),
        }
    }

    /// Drops everything from now on, without closing.
    pub(super) fn mute(&self) {
        let mut state = self.state();
        if let State::Open(writer) = std::mem::replace(&mut *state, State::Closed) {
            *state = State::Muted { _kept_open: writer };
        }
    }

    /// Drops the writer, and with it everything from now on.
    pub(super) fn close(&self) {
        *self.state() = State::Closed;
    }

    /// A panic of another thread leaves at worst half a line behind.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
