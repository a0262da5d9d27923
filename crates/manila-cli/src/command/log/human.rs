//! Formats journal lines for people.

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::entry::{Entry, Failure};
use crate::output::Output;
use crate::refusal::visible;

const OK: Style = AnsiColor::Green.on_default();
const FAILED: Style = AnsiColor::Red.on_default();

/// Whether to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colours {
    Some,
    None,
}

impl Colours {
    pub(super) fn of(out: &Output) -> Colours {
        if out.is_coloured() { Colours::Some } else { Colours::None }
    }
}

/// Formats one line: time, status, subject, duration, sizes and error.
pub(super) fn format_entry(entry: &Entry, colours: Colours) -> String {
    let status = format!("{:<20}", visible(&entry.status));
    let style = if entry.is_ok() { OK } else { FAILED };
    let status = match colours {
        Colours::Some => format!("{style}{status}{style:#}"),
        Colours::None => status,
    };
    let (at, what) = (entry.at, visible(entry.subject()));
    let duration = entry.duration_ms.map_or_else(|| "-".to_owned(), milliseconds);
    let size = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), bytes);
    let (input, output) = (size(entry.input_bytes), size(entry.output_bytes));
    let reason = entry.error.as_ref().map(reason).unwrap_or_default();
    let line = format!(
        "{at}  {status}  {what:<24}  {duration:>7}  {input:>7} in  {output:>7} out  {reason}"
    );
    line.trim_end().to_owned()
}

/// Returns the error message with its details.
fn reason(failure: &Failure) -> String {
    const CHARS_MAX: usize = 160;
    let message = visible(failure.message.as_deref().unwrap_or_default());
    if failure.details == Value::Null {
        return message;
    }
    let details = visible(&failure.details.to_string());
    let short: String = details.chars().take(CHARS_MAX).collect();
    let more = if short.len() < details.len() { "..." } else { "" };
    format!("{message} {short}{more}")
}

/// Formats a duration with three digits: `0.12ms`, `12.3ms`, `123ms`, `1.23s`.
pub(super) fn milliseconds(ms: f64) -> String {
    match ms {
        ms if ms < 1.0 => format!("{ms:.2}ms"),
        ms if ms < 100.0 => format!("{ms:.1}ms"),
        ms if ms < 1000.0 => format!("{ms:.0}ms"),
        ms if ms < 100_000.0 => format!("{:.2}s", ms / 1000.0),
        ms => format!("{:.0}s", ms / 1000.0),
    }
}

/// Formats a size: `999B`, `1.0kB`, `3.4MB`.
fn bytes(n: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.into_iter().find(|(unit, _)| n >= *unit) {
        None => format!("{n}B"),
        Some((unit, name)) => format!("{}.{}{name}", n / unit, n % unit * 10 / unit),
    }
}
