//! Telling people what happens, without ever waiting for them.
//!
//! Whatever is to be told is an event of `tracing` with the target `manila`: the gateway's own, and
//! the program's in `notice`. A client that does not read our standard error must not stop the
//! gateway, so a thread writes, and what it cannot write in time is counted and left out.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tracing::Subscriber;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

mod failure;
mod layer;
mod line;
mod notice;

pub(crate) use failure::report;
use layer::{LogLayer, log_filter};
pub(crate) use line::{LogArgs, LogFormat};
pub(crate) use notice::Notice;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// What goes wrong, and what the server itself says.
    Usual,
    /// Every call and start, too.
    Verbose,
    /// What the server itself says; the command tells how its one call ended.
    OneCall,
}

/// Tells events on standard error. A process has one.
pub(crate) struct Narrator(Lines);

/// Lines on their way to standard error.
#[derive(Clone)]
struct Lines {
    waiting: mpsc::Sender<Waiting>,
    n_bytes: Arc<AtomicUsize>,
}

/// What the thread that writes has to do next.
enum Waiting {
    /// Write a line, with its end.
    Line(String),
    /// Say that all before it is written.
    End(mpsc::Sender<()>),
}

impl Lines {
    /// Lines that `write` writes, on a thread of its own.
    fn written_by(mut write: impl FnMut(&str) + Send + 'static) -> Lines {
        let (waiting, to_write) = mpsc::channel();
        let n_bytes = Arc::<AtomicUsize>::default();
        std::thread::spawn({
            let n_bytes = Arc::clone(&n_bytes);
            move || {
                for next in to_write {
                    match next {
                        Waiting::Line(line) => {
                            write(&line);
                            n_bytes.fetch_sub(line.len(), Ordering::Relaxed);
                        }
                        // Who does not wait any more need not know.
                        Waiting::End(tell_done) => drop(tell_done.send(())),
                    }
                }
            }
        });
        Lines { waiting, n_bytes }
    }

    /// Puts a line in, if not too much waits already.
    fn put(&self, line: String) -> bool {
        const BYTES_MAX: usize = 4 * 1024 * 1024;
        if self.n_bytes.load(Ordering::Relaxed) >= BYTES_MAX {
            return false;
        }
        self.n_bytes.fetch_add(line.len(), Ordering::Relaxed);
        self.waiting.send(Waiting::Line(line)).is_ok()
    }

    /// Waits a moment for the rest to be written.
    fn finish(&self) {
        const MOMENT: Duration = Duration::from_millis(500);
        let (tell_done, done) = mpsc::channel();
        if self.waiting.send(Waiting::End(tell_done)).is_ok() {
            // Who does not read it by then will not read it.
            let _ = done.recv_timeout(MOMENT);
        }
    }
}

impl Narrator {
    /// From now on, whatever is traced on any thread is told.
    pub(crate) fn start(format: LogFormat, verbosity: Verbosity) -> Narrator {
        let lines = Lines::written_by(|line| {
            // Where standard error is gone, there is nobody left to tell.
            let _ = std::io::stderr().write_all(line.as_bytes());
        });
        let subscriber = build_subscriber(lines.clone(), format, verbosity);
        // A command starts one narrator. Were there another, that one would tell.
        let _ = tracing::subscriber::set_global_default(subscriber);
        if format == LogFormat::Json {
            failure::tell_panics();
        }
        Narrator(lines)
    }

    /// Waits a moment for the rest to be written.
    pub(crate) fn finish(self) {
        self.0.finish();
    }
}

/// Builds the stack of layers that listen to `tracing`.
///
/// Every layer is added here and brings its own filter, so that no layer changes what another one
/// sees. With the log alone, spans are disabled: one costs at most two atomic loads, and its fields
/// are not evaluated. That holds for filters that look at metadata only. With one that decides for
/// each span anew, the registry creates every span that it is asked about.
fn build_subscriber(
    lines: Lines,
    format: LogFormat,
    verbosity: Verbosity,
) -> impl Subscriber + for<'span> LookupSpan<'span> {
    Registry::default().with(LogLayer::new(lines, format).with_filter(log_filter(verbosity)))
}

#[cfg(test)]
mod tests;
