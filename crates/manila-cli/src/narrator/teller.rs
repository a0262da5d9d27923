//! Who subscribes to what is traced, and puts it into lines.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use manila::RawJson;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

use super::line::{Line, LogFormat, Value, harmless};
use super::{Lines, Verbosity};
use crate::clock;

/// Puts what is traced into lines.
pub(super) struct Teller {
    lines: Lines,
    format: LogFormat,
    verbosity: Verbosity,
    n_lost: AtomicU64,
}

impl Teller {
    pub(super) fn new(lines: Lines, format: LogFormat, verbosity: Verbosity) -> Teller {
        Teller { lines, format, verbosity, n_lost: AtomicU64::new(0) }
    }

    /// Tells a line, or counts it where too much waits.
    fn tell(&self, line: &Line) {
        let n_before = self.n_lost.load(Ordering::Relaxed);
        if n_before > 0 && self.put(&lost(n_before)) {
            self.n_lost.fetch_sub(n_before, Ordering::Relaxed);
        }
        if !self.put(line) {
            self.n_lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn put(&self, line: &Line) -> bool {
        self.lines.put(line.written(self.format, clock::moment))
    }

    fn finest(&self) -> Level {
        match self.verbosity {
            Verbosity::Usual | Verbosity::OneCall => Level::INFO,
            Verbosity::Verbose => Level::DEBUG,
        }
    }
}

/// That lines were left out.
pub(super) fn lost(n_lines: u64) -> Line {
    Line {
        event: "lines_lost",
        level: Level::WARN,
        message: format!("{n_lines} lines were left out here"),
        members: vec![("n_lines", Value::of(&n_lines))],
    }
}

impl Subscriber for Teller {
    /// Libraries trace, too; that is nothing for our users.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let is_wanted = self.verbosity != Verbosity::OneCall || metadata.name() != "ended";
        is_wanted
            && metadata.is_event()
            && metadata.target() == "manila"
            && *metadata.level() <= self.finest()
    }

    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) { Interest::always() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.finest().into())
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut heard = Heard { format: self.format, message: String::new(), members: Vec::new() };
        event.record(&mut heard);
        let Heard { message, members, .. } = heard;
        self.tell(&Line { event: metadata.name(), level: *metadata.level(), message, members });
    }

    // There are no spans of ours, and those of others are not enabled.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// What an event says.
struct Heard {
    format: LogFormat,
    message: String,
    members: Vec<(&'static str, Value)>,
}

impl Heard {
    fn put(&mut self, field: &Field, value: impl FnOnce() -> Value) {
        // People read the sentence, which has it all.
        if self.format == LogFormat::Json {
            self.members.push((field.name(), value()));
        }
    }
}

impl Visit for Heard {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, || Value::Text(harmless(value)));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, || Value::of(&value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, || Value::of(&value));
    }

    /// Sentences come this way, and what `tracing` has no type for: objects, written as JSON.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = harmless(&format!("{value:?}"));
            return;
        }
        self.put(field, || {
            let text = format!("{value:?}");
            let json = RawJson::parse(text.clone());
            json.map_or_else(|_| Value::Text(harmless(&text)), Value::Json)
        });
    }
}
