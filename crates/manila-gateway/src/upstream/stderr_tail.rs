//! A server's stderr: each line is logged, and the last ones are kept for diagnosis.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anstream::adapter::StripBytes;
use manila_redact::{Redactor, Stream};
use tokio::io::AsyncReadExt;
use tokio::time::Instant;

use crate::rt::clock;
use crate::telemetry::event::{Event, Events};
use crate::telemetry::live_redactor::LiveRedactor;
use manila_process::os::Source;

/// The number of lines that are kept.
const LINES_MAX: usize = 20;

/// Longer lines are split.
const LINE_BYTES_MAX: usize = 4 * 1024;

/// stderr is rate-limited: a burst of this many lines, then a smaller batch per interval.
const LINES_BURST: usize = 8_192;
const LINES_PER_INTERVAL: usize = 512;
const INTERVAL: Duration = Duration::from_millis(100);

/// The last lines of a server's stderr.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    lines: Mutex<VecDeque<String>>,
}

/// The number of lines that may still be read at once, and the time of the last refill.
struct LineBudget {
    n_lines: usize,
    since: Instant,
}

impl LineBudget {
    /// Takes this many lines from the budget, and waits if it is exceeded.
    async fn take(&mut self, n_lines: usize) {
        let n_intervals = self.since.elapsed().as_millis() / INTERVAL.as_millis();
        if n_intervals > 0 {
            let n_intervals = usize::try_from(n_intervals).unwrap_or(usize::MAX);
            let n_added = n_intervals.saturating_mul(LINES_PER_INTERVAL);
            self.n_lines = self.n_lines.saturating_add(n_added);
            self.n_lines = self.n_lines.min(LINES_BURST);
            self.since = clock::now();
        }
        if let Some(left) = self.n_lines.checked_sub(n_lines) {
            self.n_lines = left;
            return;
        }
        tokio::time::sleep_until(self.since + INTERVAL).await;
        self.n_lines = LINES_PER_INTERVAL;
        self.since = clock::now();
    }
}

impl StderrTail {
    /// Reads until the end. Each line is redacted before it is kept or cut. Colours are removed
    /// before that, because an escape sequence inside a secret would hide it from the rules.
    pub(super) async fn read(&self, mut stderr: Source, events: &Events, live: &LiveRedactor) {
        let mut piece = [0; 4096];
        let mut budget = LineBudget { n_lines: LINES_BURST, since: clock::now() };
        let mut stripper = StripBytes::new();
        let mut n_read = stderr.read(&mut piece).await.unwrap_or(0);
        // Keeps what is not released while no current redactor is borrowed.
        let mut rest = Stream::new(Redactor::standard());
        while n_read > 0 {
            let redactor = live.current();
            let mut stream = rest.with_redactor(&redactor);
            // A reload replaces the redactor, also for a line that has not ended.
            while n_read > 0 && Arc::ptr_eq(&redactor, &live.current()) {
                let read = piece.get(..n_read).unwrap_or_default();
                budget.take(1 + memchr::memchr_iter(b'\n', read).count()).await;
                for plain in stripper.strip_next(read) {
                    self.report_all(&stream.push(plain).text, events);
                }
                n_read = stderr.read(&mut piece).await.unwrap_or(0);
            }
            rest = stream.with_redactor(Redactor::standard());
        }
        let last = rest.with_redactor(&live.current()).finish();
        self.report_all(&last.text, events);
    }

    /// Logs these lines.
    fn report_all(&self, text: &[u8], events: &Events) {
        if text.is_empty() {
            return;
        }
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        for line in text.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                self.report_line(line, events);
            }
            for piece in line.chunks(LINE_BYTES_MAX) {
                self.report_line(piece, events);
            }
        }
    }

    fn report_line(&self, line: &[u8], events: &Events) {
        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        if let Ok(mut lines) = self.lines.lock() {
            if lines.len() == LINES_MAX {
                lines.pop_front();
            }
            lines.push_back(line.clone());
        }
        events(Event::Stderr(line));
    }

    /// Returns the last lines, without blank ones.
    pub(super) fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().ok();
        let all = lines.iter().flat_map(|lines| lines.iter());
        all.filter(|line| !line.trim().is_empty()).cloned().collect()
    }
}
