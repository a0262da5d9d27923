//! Splits `rawOutput` into the two streams of a command. It contains stdout and then stderr; the
//! members beside it show where stderr begins.

use super::read::Fault;
use super::{MESSAGE_CHARS_MAX, STDERR_CHARS_MAX, short_stderr, stderr_message};

/// The two output streams of a command.
#[derive(Clone)]
pub(super) struct Streams {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Returns both streams, if `rawOutput` is `stdout + "\n" + stderr`. They must result in the same
/// message and short stderr; otherwise `rawOutput` was composed in another way.
pub(super) fn split_streams(fault: &Fault, is_plain_exit: bool) -> Option<Streams> {
    let raw = fault.raw_output.as_str();
    let short = fault.stderr.as_deref().unwrap_or_default();
    let split_at = |at: usize| {
        let stderr = raw.get(at + 1..)?;
        // A command without stderr may have another message.
        let has_message = || stderr.trim().is_empty() || stderr_message(stderr) == fault.message;
        let is_match = short_stderr(stderr) == short && (!is_plain_exit || has_message());
        is_match.then(|| Streams {
            stdout: raw.get(..at).unwrap_or_default().to_owned(),
            stderr: stderr.to_owned(),
        })
    };
    // In most cases, stderr was not truncated.
    let stdout = raw.strip_suffix(short).and_then(|before| before.strip_suffix('\n'));
    if let Some(streams) = stdout.and_then(|stdout| split_at(stdout.len())) {
        return Some(streams);
    }
    // Otherwise the short stderr is its beginning, so search for that.
    let start = super::cut(short, MESSAGE_CHARS_MAX).0;
    let beginning = format!("\n{start}");
    let places = memchr::memmem::find_iter(raw.as_bytes(), beginning.as_bytes());
    let is_cut = short.chars().count() == STDERR_CHARS_MAX;
    places.take(if is_cut { PLACES_MAX } else { 0 }).find_map(split_at)
}

/// The maximum number of places to try, because output may be repetitive.
const PLACES_MAX: usize = 64;
