//! Ends that nobody wanted, as the last line of what is told.

use std::io::Write;

use tracing::Level;

use super::line::{Line, LogFormat, Value, harmless, without_secrets};
use crate::clock;
use crate::refusal;

/// Tells why the program could not do what it was asked for, and the next step.
pub(crate) fn report(error: &anyhow::Error, format: LogFormat) {
    match format {
        LogFormat::Text => refusal::report(error),
        LogFormat::Json => tell(&failed(error)),
    }
}

pub(super) fn failed(error: &anyhow::Error) -> Line {
    Line {
        event: "failed",
        level: Level::ERROR,
        message: refusal::plain(&without_secrets(&format!("{error:#}"))),
        members: vec![("hint", Value::Text(refusal::plain(refusal::hint(error))))],
    }
}

/// From now on a panic is a line like every other.
pub(super) fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let place = panic.location().map(ToString::to_string);
        tell(&panicked(text.unwrap_or_default(), &place.unwrap_or_default()));
    }));
}

pub(super) fn panicked(text: &str, place: &str) -> Line {
    // Nobody knows what it was about.
    let text = harmless(&without_secrets(text));
    Line {
        event: "panicked",
        level: Level::ERROR,
        message: format!("a bug in manila, please report it: {text}, at {place}"),
        members: vec![("place", Value::Text(place.to_owned()))],
    }
}

/// Tells a line at once: there may be no later.
fn tell(line: &Line) {
    let line = line.written(LogFormat::Json, clock::moment);
    // Where standard error is gone, too, there is nobody left to tell.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
