//! Reading progress from a program's output.

use std::borrow::Cow;
use std::time::Duration;

use manila_redact::Redactor;
use regex::Regex;
use tokio::time::Instant;

use manila_process::run::Stream;

/// Progress of a running program.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Progress {
    pub(super) done: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

/// Reads progress from a program's output.
///
/// Redaction precedes splitting into lines, because some secrets span several lines.
pub(super) struct ProgressReader<'a> {
    pattern: Option<&'a Regex>,
    /// One per stream.
    redactors: [manila_redact::Stream<'a>; 2],
    /// The start of an unfinished line, per stream.
    unfinished: [Vec<u8>; 2],
    /// Whether the last piece ended with a carriage return, per stream.
    ends_with_return: [bool; 2],
    n_lines: u32,
    latest: Option<Progress>,
    reported_at: Option<Instant>,
    /// The last reported value: progress never decreases.
    reported: f64,
}

/// The shortest time between two reports.
pub(super) const REPORT_INTERVAL: Duration = Duration::from_millis(200);

impl<'a> ProgressReader<'a> {
    pub(super) fn new(pattern: Option<&'a Regex>) -> ProgressReader<'a> {
        let redactor = || manila_redact::Stream::new(Redactor::standard());
        ProgressReader {
            pattern,
            redactors: [redactor(), redactor()],
            unfinished: [Vec::new(), Vec::new()],
            ends_with_return: [false; 2],
            n_lines: 0,
            latest: None,
            reported_at: None,
            reported: 0.0,
        }
    }

    /// Reads a piece of output. Returns progress if a report is due.
    pub(super) fn on_output(
        &mut self,
        stream: Stream,
        piece: &[u8],
        now: Instant,
    ) -> Option<Progress> {
        let n = usize::from(stream == Stream::Stderr);
        let after_return = self.ends_with_return.get_mut(n)?;
        let lines = returns_to_newlines(piece, *after_return);
        *after_return = piece.last() == Some(&b'\r');
        let redacted = self.redactors.get_mut(n).map(|redactor| redactor.push(&lines).text)?;
        let mut rest = redacted.as_slice();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            let mut complete = self.unfinished.get_mut(n).map(std::mem::take)?;
            complete.extend_from_slice(line);
            self.read_line(&complete);
            rest = after.get(1..).unwrap_or_default();
        }
        if let Some(unfinished) = self.unfinished.get_mut(n)
            && unfinished.len() <= LINE_BYTES_MAX
        {
            unfinished.extend_from_slice(rest);
        }
        self.take_due(now)
    }

    /// Reads progress from a line.
    fn read_line(&mut self, line: &[u8]) {
        /// Longer messages are omitted, because a cut could leave a partial secret.
        const LINE_CHARS_MAX: usize = 200;
        let text = String::from_utf8_lossy(line);
        let text = anstream::adapter::strip_str(&text).to_string();
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        self.n_lines = self.n_lines.saturating_add(1);
        let is_short = |text: &str| text.chars().count() <= LINE_CHARS_MAX;
        let short_message =
            |text: &str| Some(text).filter(|text| is_short(text)).map(str::to_owned);
        let Some(pattern) = self.pattern else {
            let done = self.n_lines.into();
            self.latest = Some(Progress { done, total: None, message: short_message(text) });
            return;
        };
        let Some(captures) = pattern.captures(text) else { return };
        let number = |name: &str| captures.name(name)?.as_str().parse::<f64>().ok();
        let message = captures.name("message").map_or(text, |it| it.as_str());
        self.latest = Some(Progress {
            done: number("done").unwrap_or_else(|| self.n_lines.into()),
            total: number("total"),
            message: short_message(message),
        });
    }

    /// Returns the progress to report, if there is any and a report is due.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<Progress> {
        if self.reported_at.is_some_and(|at| now.saturating_duration_since(at) < REPORT_INTERVAL) {
            return None;
        }
        let latest = self.latest.take().filter(|latest| latest.done > self.reported)?;
        self.reported_at = Some(now);
        self.reported = latest.done;
        Some(latest)
    }
}

/// Maximum number of bytes to keep of an unfinished line.
const LINE_BYTES_MAX: usize = 8 * 1024;

/// Turns carriage returns into newlines, because programs that redraw progress do not end lines.
///
/// A newline right after a carriage return is part of the same line end.
fn returns_to_newlines(piece: &[u8], after_return: bool) -> Cow<'_, [u8]> {
    let piece = if after_return { piece.strip_prefix(b"\n").unwrap_or(piece) } else { piece };
    if memchr::memchr(b'\r', piece).is_none() {
        return piece.into();
    }
    let mut lines = Vec::with_capacity(piece.len());
    let mut before = 0;
    for &byte in piece {
        match byte {
            b'\n' if before == b'\r' => {}
            b'\r' => lines.push(b'\n'),
            other => lines.push(other),
        }
        before = byte;
    }
    lines.into()
}

#[cfg(test)]
mod tests;
