//! Both streams of a command, taken apart again: `rawOutput` has them one after the other, and
//! what stands beside it shows where the second begins.

use super::read::Fault;
use super::{MESSAGE_CHARS_MAX, STDERR_CHARS_MAX, said_on_stderr, short_stderr};

#[derive(Clone)]
pub(super) struct Streams {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Where `rawOutput` is `stdout + "\n" + stderr`, the two of them. They must give the message
/// and the short stderr again, or it was put together in another way.
pub(super) fn split_streams(fault: &Fault, is_plain_exit: bool) -> Option<Streams> {
    let raw = fault.raw_output.as_str();
    let shown = fault.stderr.as_deref().unwrap_or_default();
    let fits = |at: usize| {
        let stderr = raw.get(at + 1..)?;
        // A command that printed nothing may have a message of its own.
        let says_so = || stderr.trim().is_empty() || said_on_stderr(stderr) == fault.message;
        let is_it = short_stderr(stderr) == shown && (!is_plain_exit || says_so());
        is_it.then(|| Streams {
            stdout: raw.get(..at).unwrap_or_default().to_owned(),
            stderr: stderr.to_owned(),
        })
    };
    // Nearly always nothing was cut.
    let whole = raw.strip_suffix(shown).and_then(|before| before.strip_suffix('\n'));
    if let Some(streams) = whole.and_then(|stdout| fits(stdout.len())) {
        return Some(streams);
    }
    // Else what is shown is the beginning, and where it stands is looked for.
    let start = super::cut(shown, MESSAGE_CHARS_MAX).0;
    let beginning = format!("\n{start}");
    let places = memchr::memmem::find_iter(raw.as_bytes(), beginning.as_bytes());
    let is_cut = shown.chars().count() == STDERR_CHARS_MAX;
    places.take(if is_cut { PLACES_MAX } else { 0 }).find_map(fits)
}

/// How many places are tried: output may repeat itself as often as it likes.
const PLACES_MAX: usize = 64;
