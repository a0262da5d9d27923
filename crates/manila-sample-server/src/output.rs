//! The output: complete messages from many threads, one at a time.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The output that all threads write to.
pub(super) struct Output {
    /// Without a sink, messages are dropped.
    sink: Mutex<Option<Box<dyn Sink>>>,
    /// Whether messages are dropped. The sink stays open, so that the client sees no end.
    muted: Arc<AtomicBool>,
}

/// A receiver of messages, such as a stream of lines or an HTTP response.
pub(super) trait Sink: Write + Send {
    /// Begins a message of the kind `part`.
    fn begin(&mut self, part: Part) -> io::Result<()>;

    /// Ends the message that [`begin`](Sink::begin) began.
    fn end(&mut self, part: Part) -> io::Result<()>;

    /// Ends the output of the request, which gets no response.
    fn abandon(&mut self) -> io::Result<()>;
}

/// The relation of a message to its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Any message but the response, such as a notification before it.
    Other,
    /// The response.
    Answer,
    /// The error response to a refused request, with its HTTP status.
    Refusal(u16),
}

impl Output {
    /// Creates an output to `sink`, which can be attached later. It drops messages while `muted`.
    pub(super) fn new(sink: Option<Box<dyn Sink>>, muted: &Arc<AtomicBool>) -> Output {
        Output { sink: Mutex::new(sink), muted: Arc::clone(muted) }
    }

    /// Writes `bytes`, one or more complete lines, in one write.
    pub(super) fn send(&self, part: Part, bytes: &[u8]) -> io::Result<()> {
        self.send_in_pieces(part, |writer| writer.write_all(bytes))
    }

    /// Lets `write` write a message in several writes, while other threads wait.
    pub(super) fn send_in_pieces(
        &self,
        part: Part,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        self.with_sink(|sink| {
            sink.begin(part)?;
            write(sink)?;
            sink.end(part)
        })
    }

    /// Ends the output of a request without a response.
    pub(super) fn abandon(&self) -> io::Result<()> {
        self.with_sink(|sink| sink.abandon())
    }

    /// Attaches `sink`, or returns it if another one is attached.
    pub(super) fn attach<S: Sink + 'static>(&self, sink: S) -> Result<(), S> {
        let mut attached = self.sink();
        if attached.is_some() {
            return Err(sink);
        }
        *attached = Some(Box::new(sink));
        Ok(())
    }

    /// Drops the sink and all later messages.
    pub(super) fn close(&self) {
        *self.sink() = None;
    }

    fn with_sink(&self, run: impl FnOnce(&mut dyn Sink) -> io::Result<()>) -> io::Result<()> {
        let mut sink = self.sink();
        match &mut *sink {
            Some(sink) if !self.muted.load(Ordering::Relaxed) => run(&mut **sink),
            Some(_) | None => Ok(()),
        }
    }

    /// Locks the sink. A panic of another thread leaves at worst an incomplete line.
    fn sink(&self) -> MutexGuard<'_, Option<Box<dyn Sink>>> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream of lines, where all messages are written in the same way.
pub(super) struct Lines<W>(pub(super) W);

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write + Send> Sink for Lines<W> {
    fn begin(&mut self, _part: Part) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _part: Part) -> io::Result<()> {
        Ok(())
    }

    fn abandon(&mut self) -> io::Result<()> {
        Ok(())
    }
}
