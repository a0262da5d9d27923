//! What a server wrote to its standard error: passed on, and its end kept for the diagnosis.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anstream::adapter::StripBytes;
use manila_redact::Stream;
use tokio::io::AsyncReadExt;
use tokio::time::Instant;

use crate::rt::clock;
use crate::telemetry::event::{Event, Events};
use crate::telemetry::rules::Rules;
use manila_process::os::Source;

/// How many lines are kept.
const LINES_MAX: usize = 20;

/// A longer line is passed on in pieces.
const LINE_BYTES_MAX: usize = 4 * 1024;

/// So many lines are listened to at once. Who shouts on has to draw breath for each further lot.
const LINES_AT_ONCE: usize = 8_192;
const LINES_A_BREATH: usize = 512;
const BREATH: Duration = Duration::from_millis(100);

/// The last lines of a server's standard error.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    lines: Mutex<VecDeque<String>>,
}

/// How many more lines are listened to at once, and since when.
struct Breath {
    n_lines: usize,
    since: Instant,
}

impl Breath {
    /// Takes so many lines, and waits where that is too many.
    async fn take(&mut self, n_lines: usize) {
        let n_breaths = self.since.elapsed().as_millis() / BREATH.as_millis();
        if n_breaths > 0 {
            let drawn = usize::try_from(n_breaths).unwrap_or(usize::MAX);
            self.n_lines = self.n_lines.saturating_add(drawn.saturating_mul(LINES_A_BREATH));
            self.n_lines = self.n_lines.min(LINES_AT_ONCE);
            self.since = clock::now();
        }
        if let Some(left) = self.n_lines.checked_sub(n_lines) {
            self.n_lines = left;
            return;
        }
        tokio::time::sleep_until(self.since + BREATH).await;
        self.n_lines = LINES_A_BREATH;
        self.since = clock::now();
    }
}

impl LastWords {
    /// Reads until the end. Secrets are hidden before a line is kept, or cut, and colours are taken
    /// out before that: one in the middle of a secret would hide it from the rules.
    pub(super) async fn listen(&self, mut stderr: Source, events: &Events, rules: &Rules) {
        let mut piece = [0; 4096];
        let mut breath = Breath { n_lines: LINES_AT_ONCE, since: clock::now() };
        let mut stripping = StripBytes::new();
        let mut n_read = stderr.read(&mut piece).await.unwrap_or(0);
        while n_read > 0 {
            let redactor = rules.now();
            let mut redacting = Stream::new(&redactor);
            // As long as there are no other rules.
            while n_read > 0 && Arc::ptr_eq(&redactor, &rules.now()) {
                let read = piece.get(..n_read).unwrap_or_default();
                breath.take(1 + memchr::memchr_iter(b'\n', read).count()).await;
                for plain in stripping.strip_next(read) {
                    self.say_all(&redacting.push(plain).text, events);
                }
                n_read = stderr.read(&mut piece).await.unwrap_or(0);
            }
            self.say_all(&redacting.finish().text, events);
        }
    }

    /// Passes lines on.
    fn say_all(&self, text: &[u8], events: &Events) {
        if text.is_empty() {
            return;
        }
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        for line in text.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                self.say(line, events);
            }
            for piece in line.chunks(LINE_BYTES_MAX) {
                self.say(piece, events);
            }
        }
    }

    fn say(&self, line: &[u8], events: &Events) {
        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        if let Ok(mut lines) = self.lines.lock() {
            if lines.len() == LINES_MAX {
                lines.pop_front();
            }
            lines.push_back(line.clone());
        }
        events(Event::Stderr(line));
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().ok();
        let told = lines.iter().flat_map(|lines| lines.iter());
        told.filter(|line| !line.trim().is_empty()).cloned().collect()
    }
}
