//! The lines about failures in the removed part of a program's output.

use std::sync::LazyLock;

use memchr::{memchr, memrchr};
use regex::bytes::Regex;

use super::context::secret_end_after;
use super::text::{TRUNCATED, to_plain_text};

/// Matches lines about failures, with or without colours, but not names such as `src/error.rs` or
/// `thiserror`.
const FAILURES: &str = r"(?x-u)
    (?: \b | \x1b\[[0-9;]*m )
    (?: (?:error|Error|ERROR) (?:\x1b\[[0-9;]*m)* [:\[\x20]
      | (?:[Ff]atal|FATAL) \b | panicked\x20at | FAILED \b | ERR! | Traceback | NU\d{4}: )
    | Exception \b";

static PATTERN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(FAILURES).expect("the pattern is valid"));

/// Number of lines to keep after a line about a failure, because they have its details.
const N_FOLLOWING: usize = 8;

/// Number of bytes before a line that can identify it as a secret. Few keys are longer.
const NEAR_BYTES: usize = 8 * 1024;

/// Maximum length of a line to keep. Longer lines are not meant for people.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// Collects the lines about failures from removed text, which arrives in pieces.
pub(super) struct FailureLines {
    bytes_max: usize,
    kept: Vec<u8>,
    /// A line whose end has not arrived yet.
    unfinished: Vec<u8>,
    is_inside_line: bool,
    /// Whether text was removed after the last kept line.
    is_gap: bool,
    n_following: usize,
    /// The end of the text scanned before, which may identify the next line as a secret.
    before: Vec<u8>,
}

/// The collected lines.
pub(super) struct KeptLines {
    /// Complete lines; a marker for removed text precedes each group.
    pub(super) lines: Vec<u8>,
    /// The start of a line that has not ended; `None` if the start is no longer known.
    pub(super) unfinished: Option<Vec<u8>>,
}

impl FailureLines {
    pub(super) fn new(bytes_max: usize) -> FailureLines {
        FailureLines {
            bytes_max,
            kept: Vec::new(),
            unfinished: Vec::new(),
            is_inside_line: false,
            is_gap: true,
            n_following: 0,
            before: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, piece: &[u8]) {
        if self.kept.len() >= self.bytes_max {
            self.skip_line();
            return;
        }
        self.unfinished.extend_from_slice(piece);
        let Some(end) = memrchr(b'\n', &self.unfinished) else {
            if self.unfinished.len() > LINE_BYTES_MAX {
                self.skip_line();
            }
            return;
        };
        let rest = self.unfinished.split_off(end + 1);
        let lines = std::mem::replace(&mut self.unfinished, rest);
        self.add_lines(&lines);
    }

    /// Skips the rest of the current line, whose start is unknown.
    pub(super) fn skip_line(&mut self) {
        self.unfinished.clear();
        (self.is_inside_line, self.is_gap, self.n_following) = (true, true, 0);
    }

    pub(super) fn finish(self) -> KeptLines {
        let FailureLines { kept, unfinished, is_inside_line, .. } = self;
        KeptLines { lines: kept, unfinished: (!is_inside_line).then_some(unfinished) }
    }

    fn add_lines(&mut self, lines: &[u8]) {
        self.scan(lines);
        let from = lines.len().saturating_sub(NEAR_BYTES);
        self.before.clear();
        self.before.extend_from_slice(lines.get(from..).unwrap_or_default());
    }

    fn scan(&mut self, lines: &[u8]) {
        let mut rest = lines;
        if std::mem::take(&mut self.is_inside_line) {
            rest = after_line(rest);
        }
        while !rest.is_empty() && self.kept.len() < self.bytes_max {
            if self.n_following > 0 {
                self.n_following -= 1;
            } else {
                let Some(found) = PATTERN.find(rest) else {
                    self.is_gap = true;
                    return;
                };
                let start = rest.get(..found.start()).and_then(|before| memrchr(b'\n', before));
                let start = start.map_or(0, |end| end + 1);
                self.is_gap |= start > 0;
                rest = rest.get(start..).unwrap_or_default();
            }
            let after = after_line(rest);
            let line = rest.get(..rest.len() - after.len()).unwrap_or_default();
            if PATTERN.is_match(line) {
                self.n_following = N_FOLLOWING;
            }
            let start = lines.len() - rest.len();
            self.keep(line, lines.get(..start).unwrap_or_default());
            rest = after;
        }
    }

    /// Keeps a line if there is room for it, and if the text before it does not make it a secret.
    fn keep(&mut self, line: &[u8], before: &[u8]) {
        let marker = if self.is_gap { TRUNCATED } else { "" };
        let n_bytes = marker.len() + line.len();
        let has_room = line.len() <= LINE_BYTES_MAX && self.kept.len() + n_bytes <= self.bytes_max;
        if !has_room || self.is_secret(line, before) {
            (self.is_gap, self.n_following) = (true, 0);
        } else {
            self.kept.extend_from_slice(marker.as_bytes());
            self.kept.extend_from_slice(line);
            self.is_gap = false;
        }
    }

    /// Returns whether a line is a secret that can be recognised only with the text before it.
    fn is_secret(&self, line: &[u8], before: &[u8]) -> bool {
        let earlier = if before.len() < NEAR_BYTES { self.before.as_slice() } else { &[] };
        let before = before.get(before.len().saturating_sub(NEAR_BYTES)..).unwrap_or_default();
        let before = [earlier, before].concat();
        // A colour sequence inside a secret would prevent the rules from matching.
        let [before, line] = [before, line.to_vec()].map(|bytes| to_plain_text(bytes).0);
        secret_end_after(&before, &line).is_some()
    }
}

/// Returns the text after the first line.
fn after_line(text: &[u8]) -> &[u8] {
    memchr(b'\n', text).and_then(|end| text.get(end + 1..)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
