//! The layer that writes the log: one line for each event that passes its filter.
//!
//! It reads events only. Spans belong to the other layers, which do not change the log.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use manila::RawJson;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{FilterFn, filter_fn};
use tracing_subscriber::layer::Context;

use super::line::{Line, LogFormat, Value, strip_control};
use super::{LogWriter, Verbosity};
use crate::clock;

/// Writes events as lines of the log.
pub(super) struct LogLayer {
    lines: LogWriter,
    format: LogFormat,
    n_lost: AtomicU64,
}

impl LogLayer {
    pub(super) fn new(lines: LogWriter, format: LogFormat) -> LogLayer {
        LogLayer { lines, format, n_lost: AtomicU64::new(0) }
    }

    /// Writes a line, or counts it as lost if the queue is full.
    fn log(&self, line: &Line) {
        let n_lost = self.n_lost.load(Ordering::Relaxed);
        if n_lost > 0 && self.put(&lost_line(n_lost)) {
            self.n_lost.fetch_sub(n_lost, Ordering::Relaxed);
        }
        if !self.put(line) {
            self.n_lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn put(&self, line: &Line) -> bool {
        self.lines.put(line.encode(self.format, clock::timestamp))
    }
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        let mut fields =
            Fields { format: self.format, message: String::new(), members: Vec::new() };
        event.record(&mut fields);
        let Fields { message, members, .. } = fields;
        self.log(&Line { event: metadata.name(), level: *metadata.level(), message, members });
    }
}

/// Returns the filter of the log: Manila's events of the levels that `verbosity` includes.
///
/// The filter depends on metadata alone, so `tracing` evaluates it once for each callsite. Spans
/// and the events of libraries are disabled there, unless another layer enables them.
pub(super) fn log_filter(verbosity: Verbosity) -> FilterFn<impl Fn(&Metadata<'_>) -> bool> {
    let finest = match verbosity {
        Verbosity::Usual | Verbosity::OneCall => Level::INFO,
        Verbosity::Verbose => Level::DEBUG,
    };
    let is_logged = move |metadata: &Metadata<'_>| {
        metadata.is_event()
            && metadata.target() == "manila"
            && *metadata.level() <= finest
            // The command itself reports how its one call ended.
            && (verbosity != Verbosity::OneCall || metadata.name() != "ended")
    };
    filter_fn(is_logged).with_max_level_hint(finest)
}

/// Returns the line that reports lost lines.
pub(super) fn lost_line(n_lines: u64) -> Line {
    Line {
        event: "lines_lost",
        level: Level::WARN,
        message: format!("{n_lines} log lines were lost"),
        members: vec![("n_lines", Value::number(&n_lines))],
    }
}

/// The fields of an event: its message, and the members of its JSON line.
struct Fields {
    format: LogFormat,
    message: String,
    members: Vec<(&'static str, Value)>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl FnOnce() -> Value) {
        // In text, only the message is written.
        if self.format == LogFormat::Json {
            self.members.push((field.name(), value()));
        }
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, || Value::Text(strip_control(value)));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, || Value::number(&value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, || Value::number(&value));
    }

    /// Records the message, and objects as JSON, because `tracing` has no type for them.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = strip_control(&format!("{value:?}"));
            return;
        }
        self.put(field, || {
            let text = format!("{value:?}");
            let json = RawJson::parse(text.clone());
            json.map_or_else(|_| Value::Text(strip_control(&text)), Value::Json)
        });
    }
}
