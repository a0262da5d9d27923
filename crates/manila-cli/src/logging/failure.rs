//! Errors and panics that end the program, as lines of the log.

use std::io::Write;

use tracing::Level;

use super::line::{Line, LogFormat, Value, strip_control, without_secrets};
use crate::clock;
use crate::refusal;

/// Reports the error that ends the program, and its hint.
pub(crate) fn report(error: &anyhow::Error, format: LogFormat) {
    match format {
        LogFormat::Text => refusal::report(error),
        LogFormat::Json => write_line(&failure_line(error)),
    }
}

pub(super) fn failure_line(error: &anyhow::Error) -> Line {
    Line {
        event: "failed",
        level: Level::ERROR,
        message: refusal::one_line(&without_secrets(&format!("{error:#}"))),
        members: vec![("hint", Value::Text(refusal::one_line(refusal::hint(error))))],
    }
}

/// Logs panics as JSON lines from now on.
pub(super) fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let place = panic.location().map(ToString::to_string);
        write_line(&panic_line(text.unwrap_or_default(), &place.unwrap_or_default()));
    }));
}

pub(super) fn panic_line(text: &str, place: &str) -> Line {
    // The message may contain anything.
    let text = strip_control(&without_secrets(text));
    Line {
        event: "panicked",
        level: Level::ERROR,
        message: format!("a bug in manila, please report it: {text}, at {place}"),
        members: vec![("place", Value::Text(place.to_owned()))],
    }
}

/// Writes a line at once, because the program may end before a queue is written.
fn write_line(line: &Line) {
    let line = line.encode(LogFormat::Json, clock::timestamp);
    // If stderr is closed, the line is discarded.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
