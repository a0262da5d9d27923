//! What a server wrote to its standard error: passed on, and its end kept for the diagnosis.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use manila_redact::{Redactor, Stream};
use tokio::io::AsyncReadExt;

use crate::clock;
use crate::event::{Event, Events};
use crate::os::Source;

/// How many lines are kept.
const LINES_MAX: usize = 20;

/// A longer line is passed on in pieces.
const LINE_BYTES_MAX: usize = 4 * 1024;

/// So much is listened to in one breath.
const LINES_AT_ONCE: usize = 512;
const BREATH: Duration = Duration::from_millis(100);

/// The last lines of a server's standard error.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    lines: Mutex<VecDeque<String>>,
}

impl LastWords {
    /// Reads until the end. Secrets are hidden before a line is kept, or cut.
    pub(super) async fn listen(&self, mut stderr: Source, events: &Events, redactor: &Redactor) {
        let mut redacting = Stream::new(redactor);
        let mut piece = [0; 4096];
        let (mut n_lines, mut since) = (0, clock::now());
        while let Ok(n_read @ 1..) = stderr.read(&mut piece).await {
            let read = piece.get(..n_read).unwrap_or_default();
            n_lines += 1 + memchr::memchr_iter(b'\n', read).count();
            if n_lines > LINES_AT_ONCE {
                // Who shouts has to wait between two breaths.
                tokio::time::sleep_until(since + BREATH).await;
                (n_lines, since) = (0, clock::now());
            }
            let ready = redacting.push(piece.get(..n_read).unwrap_or_default());
            self.say_all(&ready.text, events);
        }
        self.say_all(&redacting.finish().text, events);
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
