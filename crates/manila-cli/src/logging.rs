//! The log on stderr, which never blocks the program.
//!
//! The log contains the events of `tracing` with the target `manila`: those of the gateway, and
//! those of the program in `events`. A client that does not read stderr must not block the gateway.
//! Therefore a separate thread writes, and lines that it cannot write in time are dropped and
//! counted.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tracing::Subscriber;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

mod events;
mod failure;
mod layer;
mod line;

pub(crate) use events::ProgramEvent;
pub(crate) use failure::report;
use layer::{LogLayer, log_filter};
pub(crate) use line::{LogArgs, LogFormat};

/// The amount of logging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Problems, and the servers' stderr.
    Usual,
    /// Also every call, server start and redaction.
    Verbose,
    /// As `Usual`, without the end of a server: the command itself reports how its one call ended.
    OneCall,
}

/// Logs events to stderr. A process has one logger.
pub(crate) struct Logger(LogWriter);

/// Queues lines for the thread that writes them.
#[derive(Clone)]
struct LogWriter {
    tasks: mpsc::Sender<WriterTask>,
    /// The number of queued bytes.
    n_bytes: Arc<AtomicUsize>,
}

/// A task of the writer thread.
enum WriterTask {
    /// Write a line, which includes its line end.
    Line(String),
    /// Signal that all earlier lines are written.
    Flush(mpsc::Sender<()>),
}

impl LogWriter {
    /// Starts a thread that calls `write` for each line.
    fn spawn(mut write: impl FnMut(&str) + Send + 'static) -> LogWriter {
        let (tasks, queued) = mpsc::channel();
        let n_bytes = Arc::<AtomicUsize>::default();
        std::thread::spawn({
            let n_bytes = Arc::clone(&n_bytes);
            move || {
                for task in queued {
                    match task {
                        WriterTask::Line(line) => {
                            write(&line);
                            n_bytes.fetch_sub(line.len(), Ordering::Relaxed);
                        }
                        // The receiver may have timed out.
                        WriterTask::Flush(done) => drop(done.send(())),
                    }
                }
            }
        });
        LogWriter { tasks, n_bytes }
    }

    /// Queues a line. Returns `false` if the queue is full.
    fn put(&self, line: String) -> bool {
        const BYTES_MAX: usize = 4 * 1024 * 1024;
        if self.n_bytes.load(Ordering::Relaxed) >= BYTES_MAX {
            return false;
        }
        self.n_bytes.fetch_add(line.len(), Ordering::Relaxed);
        self.tasks.send(WriterTask::Line(line)).is_ok()
    }

    /// Waits until the queued lines are written, up to a timeout.
    fn finish(&self) {
        const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);
        let (done, is_done) = mpsc::channel();
        if self.tasks.send(WriterTask::Flush(done)).is_ok() {
            // After the timeout, the rest is lost: the reader is probably blocked.
            let _ = is_done.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

impl Logger {
    /// Starts to log the events of all threads.
    pub(crate) fn start(format: LogFormat, verbosity: Verbosity) -> Logger {
        let lines = LogWriter::spawn(|line| {
            // If stderr is closed, the log is discarded.
            let _ = std::io::stderr().write_all(line.as_bytes());
        });
        let subscriber = build_subscriber(lines.clone(), format, verbosity);
        // A command starts only one logger. A second one would have no effect.
        let _ = tracing::subscriber::set_global_default(subscriber);
        if format == LogFormat::Json {
            failure::log_panics();
        }
        Logger(lines)
    }

    /// Waits until the queued lines are written, up to a timeout.
    pub(crate) fn finish(self) {
        self.0.finish();
    }
}

/// Builds the stack of layers that listen to `tracing`.
///
/// Every layer is added here and brings its own filter, so that no layer changes what another one
/// sees. With the log alone, spans are disabled: one costs at most two atomic loads, and its fields
/// are not evaluated. This requires filters that depend on metadata only. If a filter decides for
/// each span anew, the registry creates every span.
fn build_subscriber(
    lines: LogWriter,
    format: LogFormat,
    verbosity: Verbosity,
) -> impl Subscriber + for<'span> LookupSpan<'span> {
    Registry::default().with(LogLayer::new(lines, format).with_filter(log_filter(verbosity)))
}

#[cfg(test)]
mod tests;
