//! What a program wrote, as text that people and agents can read.

use std::borrow::Cow;

use super::context::secret_told_by;
use super::sift::Sift;

/// Whether it is no text: of a text, in whatever encoding, hardly any byte is zero or controls
/// something. A log may have a stray one.
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

/// As text without colours, control characters and what was overwritten, and whether some of it was
/// no text and is replaced.
pub(super) fn shown(bytes: Vec<u8>) -> (String, bool) {
    let (text, is_mended) = match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    };
    let (text, is_mended) = match memchr::memchr(0, text.as_bytes()) {
        Some(_) => (text.replace('\0', "\u{fffd}"), true),
        None => (text, is_mended),
    };
    let text = match without_colours(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    };
    let text = match without_overwritten(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    };
    let is_unseen = |it: char| it.is_control() && !matches!(it, '\n' | '\t');
    let text = if text.contains(is_unseen) { text.replace(is_unseen, "") } else { text };
    (text, is_mended)
}

/// Without the sequences that colour text and move the cursor.
fn without_colours(text: &str) -> Cow<'_, str> {
    const ESCAPE: u8 = 0x1b;
    // The same in one character, which hardly anybody writes.
    const INTRODUCER: &str = "\u{9b}";
    let has_introducer = memchr::memmem::find(text.as_bytes(), INTRODUCER.as_bytes()).is_some();
    if has_introducer {
        let spelled = text.replace(INTRODUCER, "\x1b[");
        return anstream::adapter::strip_str(&spelled).to_string().into();
    }
    if memchr::memchr(ESCAPE, text.as_bytes()).is_none() {
        return text.into();
    }
    anstream::adapter::strip_str(text).to_string().into()
}

/// Without what a line said before it was written anew, as progress is told.
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

/// How much is left out at a cut that has no line's end near.
const UNSURE_BYTES: usize = 4 * 1024;

/// What stands where something was cut (M13).
pub(super) const TRUNCATED: &str = "[Output truncated]\n";

/// At most so many characters, of which the last `end_chars` are the end of it, and whether that
/// has cut it.
pub(super) fn within(text: String, chars_max: usize, end_chars: usize) -> (String, bool) {
    if text.len() <= chars_max || text.char_indices().nth(chars_max).is_none() {
        return (text, false);
    }
    let (middle, end) = text.split_at(start_of_shown_end(&text, end_chars));
    (assembled([middle, "", "", end], chars_max, end_chars), true)
}

/// A beginning, some lines from the middle, and an end of something, of at most so many characters.
/// What is left out of them leaves its own lines about failures. Middle and end begin with a line.
pub(super) fn joined(
    start: &str,
    between: &str,
    end: &str,
    chars_max: usize,
    end_chars: usize,
) -> String {
    let (before_end, end) = end.split_at(start_of_shown_end(end, end_chars));
    assembled([start, between, before_end, end], chars_max, end_chars)
}

/// The same, where the end is one that can be shown.
fn assembled(parts: [&str; 4], chars_max: usize, end_chars: usize) -> String {
    let [start, between, before_end, end] = parts;
    let end =
        after_secret(if before_end.is_empty() { start } else { before_end }, after_block(end));
    let mut start_chars = chars_max.saturating_sub(end_chars);
    loop {
        let (start, after_start) = start.split_at(end_of_shown_start(start, start_chars));
        // A line that is cut off goes on nowhere.
        let after_start = after_start.rfind('\n').and_then(|end| after_start.get(..=end));
        let mut sift = Sift::new(end_chars);
        for piece in [after_start.unwrap_or_default(), between, before_end] {
            sift.add(piece.as_bytes());
        }
        let failures = sift.finish().lines;
        // Where there is something to say between, less of the beginning is shown.
        let less = chars_max.saturating_sub(2 * end_chars);
        if !failures.is_empty() && start_chars != less {
            start_chars = less;
            continue;
        }
        let failures = String::from_utf8_lossy(&failures);
        return [start, &failures, TRUNCATED, end].concat();
    }
}

/// Where what is shown of a beginning ends: with a line, or well before the cut, or half a secret
/// would be shown.
fn end_of_shown_start(start: &str, n_chars: usize) -> usize {
    let cut = start.split_at(start_of_rest(start, n_chars)).0;
    let mut sure = cut.len().saturating_sub(UNSURE_BYTES);
    while !cut.is_char_boundary(sure) {
        sure -= 1;
    }
    let line = cut.get(sure..).and_then(|near| near.rfind('\n'));
    line.map_or(sure, |line| sure + line + 1)
}

/// Where what is shown of an end begins: with a line, or well after the cut.
fn start_of_shown_end(end: &str, n_chars: usize) -> usize {
    let from = start_of_last(end, n_chars);
    // Where the cut is made at a line's end, that line is whole.
    if from > 0 && end.as_bytes().get(from - 1) == Some(&b'\n') {
        return from;
    }
    let shown = end.get(from..).unwrap_or_default();
    let mut sure = UNSURE_BYTES.min(shown.len());
    while !shown.is_char_boundary(sure) {
        sure += 1;
    }
    let line = shown.get(..sure).and_then(|near| near.find('\n'));
    from + line.map_or(sure, |line| line + 1)
}

/// Where what follows the first characters begins.
fn start_of_rest(text: &str, n_chars: usize) -> usize {
    text.char_indices().nth(n_chars).map_or(text.len(), |(at, _)| at)
}

/// Where the last characters begin.
fn start_of_last(text: &str, n_chars: usize) -> usize {
    match n_chars.checked_sub(1) {
        Some(n) => text.char_indices().rev().nth(n).map_or(0, |(at, _)| at),
        None => text.len(),
    }
}

/// What follows a block whose beginning is missing: without it, nobody would take its lines for a
/// secret.
fn after_block(text: &str) -> &str {
    let Some(end) = text.find("-----END ") else { return text };
    if text.get(..end).is_some_and(|before| before.contains("-----BEGIN ")) {
        return text;
    }
    let rest = text.get(end..).unwrap_or_default();
    rest.split_once('\n').map_or("", |(_, after)| after)
}

/// What follows a secret that is known for one only by what stood before the cut, such as the value
/// of a name, or the lines of a key.
fn after_secret<'t>(before: &str, text: &'t str) -> &'t str {
    let Some(end) = secret_told_by(before, text) else { return text };
    let rest = text.get(end..).unwrap_or_default();
    rest.find('\n').and_then(|line| rest.get(line + 1..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{is_binary, joined, shown, within};

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(shown(bytes.to_vec()).0, expected, "{bytes:?}");
    }

    #[test]
    fn text_is_as_a_terminal_would_leave_it() {
        check(b"plain\n", "plain\n");
        check(b"\x1b[1;31merror\x1b[0m: x\n", "error: x\n");
        check(b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n");
        check(b"working\r", "working");
        check(b"\r\n\r\n", "\n\n");
        check("gr\u{fc}n".as_bytes(), "gr\u{fc}n");
        check(b"a\xffb", "a\u{fffd}b");
        check(b"x\x07\x08y\x0e\x7f\xc2\x9b31mz\tw\n", "xyz\tw\n");
        check(b"log\0 line\n", "log\u{fffd} line\n");
        assert!(shown(b"a\xffb".to_vec()).1);
    }

    #[test]
    fn what_is_mostly_text_is_text() {
        assert!(!is_binary(b""));
        assert!(!is_binary("gr\u{fc}n ".repeat(9).as_bytes()));
        assert!(!is_binary(b"caf\xe9 cr\xe8me, s'il vous pla\xeet\n"));
        assert!(is_binary(b"a\0b"));
        assert!(!is_binary(&[&b"line\n".repeat(100)[..], b"\0"].concat()));
        assert!(!is_binary(&(192..=255).collect::<Vec<u8>>()), "Russian");
        assert!(is_binary(&(1..=255).collect::<Vec<u8>>()));
    }

    #[test]
    fn a_cut_leaves_no_half_line() {
        let lines: Vec<String> = (0..10).map(|n| format!("secret={n}\n")).collect();
        let lines = lines.concat();
        assert_eq!(within(lines.clone(), 1_000, 250), (lines.clone(), false));
        let (cut, is_cut) = within(lines.clone(), 40, 12);
        assert!(is_cut);
        assert_eq!(cut, "secret=0\nsecret=1\nsecret=2\n[Output truncated]\nsecret=9\n");
        assert_eq!(within(lines, 15, 0).0, "secret=0\n[Output truncated]\n");
        // Without a line's end near, what might be half a secret goes, too.
        let long = "x".repeat(20_000);
        let (cut, is_cut) = within(long, 18_000, 6_000);
        let (start, end) = ("x".repeat(12_000 - 4_096), "x".repeat(6_000 - 4_096));
        assert!(is_cut && cut == format!("{start}[Output truncated]\n{end}"));
        assert_eq!(joined("ab", "", "cd", 10, 5), "[Output truncated]\n");
        // What is cut out leaves what it says of failures.
        let lines = "line\n".repeat(100) + "error: x\n" + &"line\n".repeat(100);
        let (cut, _) = within(lines, 400, 100);
        let (start, end) = ("line\n".repeat(40), "line\n".repeat(20));
        let failures = "[Output truncated]\nerror: x\n".to_owned() + &"line\n".repeat(8);
        assert_eq!(cut, format!("{start}{failures}[Output truncated]\n{end}"));
        // A value is a secret by its name, which was cut off.
        let pair = "- name: DB_PASSWORD\n  value: Sup3rS3cret4711\n";
        for n_chars in 1..3 * pair.len() {
            let (cut, _) = within(pair.repeat(100), 2_000, n_chars);
            let (_, end) = cut.rsplit_once("[Output truncated]\n").unwrap();
            assert!(!end.starts_with("  value"), "{n_chars}: {end}");
        }
        let key = "MIIE\nMIIF\n-----END X-----\nrest\n";
        assert_eq!(joined("", "", key, 1_000, 500), "[Output truncated]\nrest\n");
    }
}
