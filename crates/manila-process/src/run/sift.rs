//! Of what is cut out of a program's output, the lines that say what failed.

use std::sync::LazyLock;

use memchr::{memchr, memrchr};
use regex::bytes::Regex;

use super::context::secret_told_by;
use super::text::{TRUNCATED, shown};

/// What lines say that speak of failures, coloured or not: not names such as `src/error.rs` or
/// `thiserror`.
const FAILURES: &str = r"(?x-u)
    (?: \b | \x1b\[[0-9;]*m )
    (?: (?:error|Error|ERROR) (?:\x1b\[[0-9;]*m)* [:\[\x20]
      | (?:[Ff]atal|FATAL) \b | panicked\x20at | FAILED \b | ERR! | Traceback | NU\d{4}: )
    | Exception \b";

static PATTERN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(FAILURES).expect("the pattern is good"));

/// How many lines are kept after such a line: what it is about, and where.
const N_FOLLOWING: usize = 8;

/// So far before a line it is told what it is: a key has not much more.
const NEAR_BYTES: usize = 8 * 1024;

/// A line that is longer is none that people read.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// Lines that say what failed, out of text that is otherwise left out. It comes in pieces.
pub(super) struct Sift {
    bytes_max: usize,
    kept: Vec<u8>,
    /// A line whose end has not come.
    begun: Vec<u8>,
    is_inside_line: bool,
    /// Whether something was left out since the last line that was kept.
    is_gap: bool,
    n_following: usize,
    /// The end of what was looked at before: it may tell that what follows is a secret.
    before: Vec<u8>,
}

/// What was sifted out.
pub(super) struct Sifted {
    /// Whole lines, each group after a mark that something is missing before it.
    pub(super) lines: Vec<u8>,
    /// The beginning of a line that has not ended; `None` if that is not known any more.
    pub(super) begun: Option<Vec<u8>>,
}

impl Sift {
    pub(super) fn new(bytes_max: usize) -> Sift {
        Sift {
            bytes_max,
            kept: Vec::new(),
            begun: Vec::new(),
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
        self.begun.extend_from_slice(piece);
        let Some(end) = memrchr(b'\n', &self.begun) else {
            if self.begun.len() > LINE_BYTES_MAX {
                self.skip_line();
            }
            return;
        };
        let rest = self.begun.split_off(end + 1);
        let lines = std::mem::replace(&mut self.begun, rest);
        self.lines(&lines);
    }

    /// What comes next is inside of a line whose beginning is not known.
    pub(super) fn skip_line(&mut self) {
        self.begun.clear();
        (self.is_inside_line, self.is_gap, self.n_following) = (true, true, 0);
    }

    pub(super) fn finish(self) -> Sifted {
        let Sift { kept, begun, is_inside_line, .. } = self;
        Sifted { lines: kept, begun: (!is_inside_line).then_some(begun) }
    }

    fn lines(&mut self, lines: &[u8]) {
        self.sift(lines);
        let from = lines.len().saturating_sub(NEAR_BYTES);
        self.before.clear();
        self.before.extend_from_slice(lines.get(from..).unwrap_or_default());
    }

    fn sift(&mut self, lines: &[u8]) {
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

    /// Keeps a line if there is room for it, and if it is no secret by what stands before it.
    fn keep(&mut self, line: &[u8], before: &[u8]) {
        let mark = if self.is_gap { TRUNCATED } else { "" };
        let n_bytes = mark.len() + line.len();
        let has_room = line.len() <= LINE_BYTES_MAX && self.kept.len() + n_bytes <= self.bytes_max;
        if !has_room || self.is_secret(line, before) {
            (self.is_gap, self.n_following) = (true, 0);
        } else {
            self.kept.extend_from_slice(mark.as_bytes());
            self.kept.extend_from_slice(line);
            self.is_gap = false;
        }
    }

    /// Whether only what stands before a line tells that it is a secret.
    fn is_secret(&self, line: &[u8], before: &[u8]) -> bool {
        let earlier = if before.len() < NEAR_BYTES { self.before.as_slice() } else { &[] };
        let before = before.get(before.len().saturating_sub(NEAR_BYTES)..).unwrap_or_default();
        let before = [earlier, before].concat();
        // A colour in the middle would hide it from the rules.
        let [before, line] = [before, line.to_vec()].map(|bytes| shown(bytes).0);
        secret_told_by(&before, &line).is_some()
    }
}

/// What follows the first line.
fn after_line(text: &[u8]) -> &[u8] {
    memchr(b'\n', text).and_then(|end| text.get(end + 1..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Sift;

    #[track_caller]
    fn check(pieces: &[&str], bytes_max: usize, expected: &str) {
        let mut sift = Sift::new(bytes_max);
        for piece in pieces {
            sift.add(piece.as_bytes());
        }
        assert_eq!(String::from_utf8(sift.finish().lines).unwrap(), expected, "{pieces:?}");
    }

    #[test]
    fn lines_that_speak_of_failures_are_kept_with_what_follows() {
        check(&[], 100, "");
        check(&["src/error.rs\nthiserror v2\ntest error_a ... ok\n0 failed\n"], 100, "");
        check(&["noise\nerr", "or: x\n --> a\n"], 100, "[Output truncated]\nerror: x\n --> a\n");
        let coloured = "\x1b[1m\x1b[38;5;9merror\x1b[0m\x1b[1m: x\n";
        check(&["noise\n", coloured], 100, &format!("[Output truncated]\n{coloured}"));
        let noise = "noise\n".repeat(100);
        let text = format!("{noise}Error 1\n{noise}test a ... FAILED\nunfinished");
        let following = "noise\n".repeat(8);
        let expected = format!(
            "[Output truncated]\nError 1\n{following}[Output truncated]\ntest a ... FAILED\n"
        );
        check(&[&text], 1000, &expected);
        let (one, other) = text.split_at(300);
        check(&[one, other], 1000, &expected);
        // A line that speaks of an error may be a secret by its name.
        let pair = "- name: DB_PASSWORD\n  value: \"Sup3r error: x\"\nerror: y\n";
        let expected = "[Output truncated]\nerror: y\n";
        check(&[pair], 100, expected);
        let (one, other) = pair.split_at(20);
        check(&[one, other], 100, expected);
        // As much as there is room for, in whole lines.
        check(&[&text], 40, "[Output truncated]\nError 1\nnoise\nnoise\n");
        // Where there is no room, nobody knows where lines begin.
        let mut full = Sift::new(0);
        full.add(b"half a line");
        assert_eq!(full.finish().begun, None);
        // What is too long is no reason to give up.
        let long = format!("error: {}\n", "x".repeat(100_000));
        check(&[&long, "error: y\n"], 1000, "[Output truncated]\nerror: y\n");
        let (one, other) = long.split_at(90_000);
        check(&[one, other, "error: y\n"], 1000, "[Output truncated]\nerror: y\n");
    }
}
