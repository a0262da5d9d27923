//! How far a program has come, as far as its output tells.

use std::borrow::Cow;
use std::time::Duration;

use manila_redact::Redactor;
use regex::Regex;
use tokio::time::Instant;

use manila_process::run::Stream;

/// How far a program has come.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Progress {
    pub(super) done: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

/// Reads progress from what a program prints.
///
/// Secrets are hidden before lines are told apart: some have several lines.
pub(super) struct Report<'a> {
    pattern: Option<&'a Regex>,
    /// For each stream.
    hiding: [manila_redact::Stream<'a>; 2],
    /// The beginning of a line, for each stream.
    begun: [Vec<u8>; 2],
    /// Whether a line may have ended with the first half of its end, for each stream.
    ends_with_return: [bool; 2],
    n_lines: u32,
    latest: Option<Progress>,
    told_at: Option<Instant>,
    /// What was told last: progress never goes back.
    told: f64,
}

/// So often progress is told.
pub(super) const BETWEEN: Duration = Duration::from_millis(200);

impl<'a> Report<'a> {
    pub(super) fn new(pattern: Option<&'a Regex>) -> Report<'a> {
        let hiding = || manila_redact::Stream::new(Redactor::standard());
        Report {
            pattern,
            hiding: [hiding(), hiding()],
            begun: [Vec::new(), Vec::new()],
            ends_with_return: [false; 2],
            n_lines: 0,
            latest: None,
            told_at: None,
            told: 0.0,
        }
    }

    /// Hears a piece of output. Gives progress when it is time to tell some.
    pub(super) fn hear(&mut self, stream: Stream, piece: &[u8], now: Instant) -> Option<Progress> {
        let n = usize::from(stream == Stream::Stderr);
        let after_return = self.ends_with_return.get_mut(n)?;
        let lines = in_lines(piece, *after_return);
        *after_return = piece.last() == Some(&b'\r');
        let shown = self.hiding.get_mut(n).map(|hiding| hiding.push(&lines).text)?;
        let mut rest = shown.as_slice();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            let mut whole = self.begun.get_mut(n).map(std::mem::take)?;
            whole.extend_from_slice(line);
            self.line(&whole);
            rest = after.get(1..).unwrap_or_default();
        }
        if let Some(begun) = self.begun.get_mut(n)
            && begun.len() <= LINE_BYTES_MAX
        {
            begun.extend_from_slice(rest);
        }
        self.due(now)
    }

    fn line(&mut self, line: &[u8]) {
        /// So much of a line is told: more would have to be cut, and who knows through what.
        const LINE_CHARS_MAX: usize = 200;
        let text = String::from_utf8_lossy(line);
        let text = anstream::adapter::strip_str(&text).to_string();
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        self.n_lines = self.n_lines.saturating_add(1);
        let is_short = |text: &str| text.chars().count() <= LINE_CHARS_MAX;
        let shown = |text: &str| Some(text).filter(|text| is_short(text)).map(str::to_owned);
        let Some(pattern) = self.pattern else {
            let done = self.n_lines.into();
            self.latest = Some(Progress { done, total: None, message: shown(text) });
            return;
        };
        let Some(captures) = pattern.captures(text) else { return };
        let number = |name: &str| captures.name(name)?.as_str().parse::<f64>().ok();
        let message = captures.name("message").map_or(text, |it| it.as_str());
        self.latest = Some(Progress {
            done: number("done").unwrap_or_else(|| self.n_lines.into()),
            total: number("total"),
            message: shown(message),
        });
    }

    /// What is to be told now, if it is time, and there is news.
    pub(super) fn due(&mut self, now: Instant) -> Option<Progress> {
        if self.told_at.is_some_and(|at| now.saturating_duration_since(at) < BETWEEN) {
            return None;
        }
        let latest = self.latest.take().filter(|latest| latest.done > self.told)?;
        self.told_at = Some(now);
        self.told = latest.done;
        Some(latest)
    }
}

/// So much of a line is kept until it ends.
const LINE_BYTES_MAX: usize = 8 * 1024;

/// What is written over is a line of its own: whoever draws progress ends none. After a return, a
/// line's end is the rest of one.
fn in_lines(piece: &[u8], after_return: bool) -> Cow<'_, [u8]> {
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
mod tests {
    use regex::Regex;

    use super::{BETWEEN, Progress, Report};
    use manila_process::clock;
    use manila_process::run::Stream;

    #[test]
    fn lines_are_counted_and_patterns_read() {
        let now = clock::now();
        let mut report = Report::new(None);
        let one = report.hear(Stream::Stdout, b"\x1b[32mone\x1b[0m\n\ntw", now);
        assert_eq!(one, Some(progress(1.0, "one")));
        // It is not told again so soon, nor without news.
        assert_eq!(report.hear(Stream::Stdout, b"o\nthree\n", now), None);
        assert_eq!(report.due(now + BETWEEN), Some(progress(3.0, "three")));
        assert_eq!(report.due(now + 2 * BETWEEN), None);
        let pattern = Regex::new(r"^\[(?<done>\d+)/(?<total>\d+)\] (?<message>.*)").unwrap();
        let mut report = Report::new(Some(&pattern));
        assert_eq!(report.hear(Stream::Stderr, b"noise\n", now), None);
        let told = report.hear(Stream::Stderr, b"[3/7] link\n", now).unwrap();
        assert_eq!((told.done, told.total), (3.0, Some(7.0)));
        assert_eq!(told.message.as_deref(), Some("link"));
    }

    fn progress(done: f64, message: &str) -> Progress {
        Progress { done, total: None, message: Some(message.to_owned()) }
    }
}
