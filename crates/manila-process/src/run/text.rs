//! Conversion of a program's output to text that people and agents can read.

use std::borrow::Cow;

use manila_redact::Redactor;

use super::Captured;
use super::context::secret_end_after;
use super::failure_lines::FailureLines;

/// Returns whether output is binary.
///
/// In text of any 8-bit encoding, zero bytes and control characters are rare; a log may contain a
/// few.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    const STRAY_MAX: usize = 8;
    let n_zero = memchr::memchr_iter(0, bytes).count();
    if n_zero > 0 && n_zero * 100 >= bytes.len() {
        return true;
    }
    let is_control = |it: &&u8| matches!(it, 1..=6 | 0x0E..=0x1A | 0x1C..=0x1F);
    let n_control = bytes.iter().filter(is_control).count();
    n_control > STRAY_MAX && n_control * 20 >= bytes.len()
}

/// Converts output to text without colours, control characters and overwritten parts of lines.
///
/// Also returns whether invalid bytes were replaced.
pub(super) fn to_plain_text(bytes: Vec<u8>) -> (String, bool) {
    let (text, is_lossy) = match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    };
    let (text, is_lossy) = match memchr::memchr(0, text.as_bytes()) {
        Some(_) => (text.replace('\0', "\u{fffd}"), true),
        None => (text, is_lossy),
    };
    let text = match without_colours(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    };
    let text = match without_overwritten(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    };
    let is_invisible = |it: char| it.is_control() && !matches!(it, '\n' | '\t');
    let text = if text.contains(is_invisible) { text.replace(is_invisible, "") } else { text };
    (text, is_lossy)
}

/// Removes the sequences that colour text and move the cursor.
fn without_colours(text: &str) -> Cow<'_, str> {
    const ESCAPE: u8 = 0x1b;
    // The rare one-character form of `ESC [`.
    const INTRODUCER: &str = "\u{9b}";
    let has_introducer = memchr::memmem::find(text.as_bytes(), INTRODUCER.as_bytes()).is_some();
    if has_introducer {
        let expanded = text.replace(INTRODUCER, "\x1b[");
        return anstream::adapter::strip_str(&expanded).to_string().into();
    }
    if memchr::memchr(ESCAPE, text.as_bytes()).is_none() {
        return text.into();
    }
    anstream::adapter::strip_str(text).to_string().into()
}

/// Removes the parts of lines that a carriage return overwrote, as progress displays do.
fn without_overwritten(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        let last = line.split('\r').rev().find(|part| !part.is_empty());
        plain.push_str(last.unwrap_or_default());
        plain.push_str(end);
    }
    plain.into()
}

/// Number of bytes to drop at a cut without a line end nearby.
const MARGIN_BYTES: usize = 4 * 1024;

/// The marker for removed output (M13).
pub(super) const TRUNCATED: &str = "[Output truncated]\n";

/// Truncates text to `chars_max` characters, of which the last `end_chars` are from its end.
///
/// Also returns whether text was removed.
pub(super) fn truncate(text: String, chars_max: usize, end_chars: usize) -> (String, bool) {
    if text.len() <= chars_max || text.char_indices().nth(chars_max).is_none() {
        return (text, false);
    }
    let (middle, end) = text.split_at(start_of_shown_end(&text, end_chars));
    (assemble([middle, "", "", end], chars_max, end_chars), true)
}

/// Joins the start, lines from the middle, and the end of an output to at most `chars_max`
/// characters.
///
/// Lines about failures in the removed parts are kept. `between` and `end` begin at the start of a
/// line.
pub(super) fn join(
    start: &str,
    between: &str,
    end: &str,
    chars_max: usize,
    end_chars: usize,
) -> String {
    let (before_end, end) = end.split_at(start_of_shown_end(end, end_chars));
    assemble([start, between, before_end, end], chars_max, end_chars)
}

/// Joins the parts of an output. The last part is the end to show.
fn assemble(parts: [&str; 4], chars_max: usize, end_chars: usize) -> String {
    let [start, between, before_end, end] = parts;
    let end =
        after_secret(if before_end.is_empty() { start } else { before_end }, after_block(end));
    let mut start_chars = chars_max.saturating_sub(end_chars);
    loop {
        let (start, after_start) = start.split_at(end_of_shown_start(start, start_chars));
        // An incomplete last line is dropped.
        let after_start = after_start.rfind('\n').and_then(|end| after_start.get(..=end));
        let mut failure_lines = FailureLines::new(end_chars);
        for piece in [after_start.unwrap_or_default(), between, before_end] {
            failure_lines.add(piece.as_bytes());
        }
        let failures = failure_lines.finish().lines;
        // Lines about failures take their room from the start.
        let reduced = chars_max.saturating_sub(2 * end_chars);
        if !failures.is_empty() && start_chars != reduced {
            start_chars = reduced;
            continue;
        }
        let failures = String::from_utf8_lossy(&failures);
        return [start, &failures, TRUNCATED, end].concat();
    }
}

/// Removes the last word of an interrupted output, and secrets that end with it.
pub(super) fn remove_last_word(captured: &mut Captured) {
    let text = &mut captured.text;
    let end = Redactor::standard().cut_before(text, text.len(), TRUNCATED);
    if end < text.len() {
        text.truncate(end);
        text.push_str(TRUNCATED);
        captured.changes.is_cut = true;
    }
}

/// Returns where the shown part of `start` ends: at the end of a line, or well before the cut, and
/// not inside a secret.
fn end_of_shown_start(start: &str, n_chars: usize) -> usize {
    let cut = start.split_at(start_of_rest(start, n_chars)).0;
    let mut safe = cut.len().saturating_sub(MARGIN_BYTES);
    while !cut.is_char_boundary(safe) {
        safe -= 1;
    }
    let line = cut.get(safe..).and_then(|near| near.rfind('\n'));
    let safe = line.map_or(safe, |line| safe + line + 1);
    Redactor::standard().cut_before(start, safe, TRUNCATED)
}

/// Returns where the shown part of `end` starts: at the start of a line, or well after the cut.
fn start_of_shown_end(end: &str, n_chars: usize) -> usize {
    let from = start_of_last(end, n_chars);
    // After a line end, the next line is complete.
    if from > 0 && end.as_bytes().get(from - 1) == Some(&b'\n') {
        return from;
    }
    let shown = end.get(from..).unwrap_or_default();
    let mut safe = MARGIN_BYTES.min(shown.len());
    while !shown.is_char_boundary(safe) {
        safe += 1;
    }
    let line = shown.get(..safe).and_then(|near| near.find('\n'));
    from + line.map_or(safe, |line| line + 1)
}

/// Returns the offset after the first `n_chars` characters.
fn start_of_rest(text: &str, n_chars: usize) -> usize {
    text.char_indices().nth(n_chars).map_or(text.len(), |(at, _)| at)
}

/// Returns the offset of the last `n_chars` characters.
fn start_of_last(text: &str, n_chars: usize) -> usize {
    match n_chars.checked_sub(1) {
        Some(n) => text.char_indices().rev().nth(n).map_or(0, |(at, _)| at),
        None => text.len(),
    }
}

/// Skips a key block whose start is missing, because redaction would not recognise its lines as a
/// secret.
fn after_block(text: &str) -> &str {
    let Some(end) = text.find("-----END ") else { return text };
    if text.get(..end).is_some_and(|before| before.contains("-----BEGIN ")) {
        return text;
    }
    let rest = text.get(end..).unwrap_or_default();
    rest.split_once('\n').map_or("", |(_, after)| after)
}

/// Skips secrets that can be recognised only with the text before the cut, such as the value of a
/// name, the lines of a key, or the rest of a token.
fn after_secret<'t>(before: &str, text: &'t str) -> &'t str {
    const SECRETS_MAX: usize = 32;
    let mut before = Cow::Borrowed(before);
    let mut rest = text;
    for _ in 0..SECRETS_MAX {
        let Some(end) = secret_end_after(&before, rest) else { return rest };
        let near = rest.get(end..).unwrap_or_default();
        let line = near.find('\n').filter(|line| *line <= MARGIN_BYTES);
        let (skipped, after) = rest.split_at(line.map_or(end, |line| end + line + 1));
        before.to_mut().push_str(skipped);
        rest = after;
    }
    ""
}

#[cfg(test)]
mod tests;
