//! What a server wrote to its standard error: passed on, and its end kept for the diagnosis.

use std::collections::VecDeque;
use std::sync::Mutex;

use tokio::io::AsyncReadExt;

use crate::event::{Event, Events};
use crate::os::Source;

/// How many lines are kept.
const LINES_MAX: usize = 20;

/// A longer line is passed on in pieces.
const LINE_BYTES_MAX: usize = 4 * 1024;

/// The last lines of a server's standard error.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    lines: Mutex<VecDeque<String>>,
}

impl LastWords {
    /// Reads until the end.
    pub(super) async fn listen(&self, mut stderr: Source, events: &Events) {
        let mut line = Vec::new();
        let mut piece = [0; 4096];
        while let Ok(n_read @ 1..) = stderr.read(&mut piece).await {
            for &byte in piece.get(..n_read).unwrap_or_default() {
                if byte != b'\n' {
                    line.push(byte);
                }
                if byte == b'\n' || line.len() >= LINE_BYTES_MAX {
                    self.say(&std::mem::take(&mut line), events);
                }
            }
        }
        if !line.is_empty() {
            self.say(&line, events);
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
