//! The output: whole messages from many threads, one after the other.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where all threads write.
pub(super) struct Output {
    /// Nothing is written without one.
    sink: Mutex<Option<Box<dyn Sink>>>,
    /// Whether what is sent is dropped; the sink is kept, so that the client sees no end.
    muted: Arc<AtomicBool>,
}

/// What takes messages: a line each, or a part of an HTTP answer each.
pub(super) trait Sink: Write + Send {
    /// What is written from now on is `part`.
    fn begin(&mut self, part: Part) -> io::Result<()>;

    /// What began has been written.
    fn end(&mut self, part: Part) -> io::Result<()>;

    /// Nothing more will be written about the request, which has no answer.
    fn leave(&mut self) -> io::Result<()>;
}

/// What a message is to the request that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Something before the answer, or without any request.
    Aside,
    /// The answer.
    Answer,
    /// The answer of a request that was refused, with its HTTP status.
    Refusal(u16),
}

impl Output {
    /// An output into `sink`, or into nothing for the time being; silent while `muted`.
    pub(super) fn new(sink: Option<Box<dyn Sink>>, muted: &Arc<AtomicBool>) -> Output {
        Output { sink: Mutex::new(sink), muted: Arc::clone(muted) }
    }

    /// Writes `bytes` at once; they are one or more whole lines.
    pub(super) fn send(&self, part: Part, bytes: &[u8]) -> io::Result<()> {
        self.send_in_pieces(part, |writer| writer.write_all(bytes))
    }

    /// Lets `write` write as it likes, with nothing of another thread in between.
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

    /// Ends what was about a request, without an answer.
    pub(super) fn leave(&self) -> io::Result<()> {
        self.with_sink(|sink| sink.leave())
    }

    /// Writes to `sink` from now on; gives it back when another one is in use.
    pub(super) fn attach<S: Sink + 'static>(&self, sink: S) -> Result<(), S> {
        let mut place = self.sink();
        if place.is_some() {
            return Err(sink);
        }
        *place = Some(Box::new(sink));
        Ok(())
    }

    /// Drops the sink, and with it everything from now on.
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

    /// A panic of another thread leaves at worst half a line behind.
    fn sink(&self) -> MutexGuard<'_, Option<Box<dyn Sink>>> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream of lines, on which all messages are alike.
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

    fn leave(&mut self) -> io::Result<()> {
        Ok(())
    }
}
