//! E6: a message of one line, without source code or stack frames.

use crate::contract::code_lines::plain_lines;
use crate::outcome::Run;
use crate::truncate::cut;

/// E6: the maximum length of a message, in characters.
const CHARS_MAX: usize = 500;

/// Returns the text to take the message from: the stderr of a program that failed without a code of
/// its own, or the failure's message.
pub(super) fn choose_message<'a>(
    message: &'a str,
    origin_code: Option<&str>,
    run: Option<&'a Run>,
) -> &'a str {
    let stderr = run.filter(|run| run.exit.is_some()).map(|run| run.stderr.trim());
    match (origin_code, stderr) {
        (None, Some(stderr)) if !stderr.is_empty() => stderr,
        _ => message.trim(),
    }
}

/// Returns the first line of `text` that is not code, cut to 500 characters.
pub(super) fn first_line(text: &str) -> Option<String> {
    plain_lines(text).next().map(|line| cut(&line, CHARS_MAX).0.to_owned())
}

#[cfg(test)]
mod tests;
