//! What a program wrote, as text that people and agents can read.

use std::borrow::Cow;

/// Whether it is no text: programs that print text print no zero bytes.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

/// As text without colours and without what was overwritten, and whether some of it was no UTF-8.
pub(super) fn shown(bytes: Vec<u8>) -> (String, bool) {
    let (text, is_mended) = match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    };
    let text = match without_colours(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    };
    let text = match without_overwritten(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    };
    (text, is_mended)
}

/// Without the sequences that colour text and move the cursor.
fn without_colours(text: &str) -> Cow<'_, str> {
    const ESCAPE: u8 = 0x1b;
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

/// How much is left out before a cut that has no line's end near.
const UNSURE_BYTES: usize = 4 * 1024;

/// At most so many characters, and whether that, or something before, has cut it. What was cut ends with
/// a line, or well before the cut, or half a secret would be shown.
pub(super) fn within(mut text: String, chars_max: usize, is_cut: bool) -> (String, bool) {
    let over = text.char_indices().nth(chars_max).map(|(at, _)| at);
    if let Some(at) = over {
        text.truncate(at);
    }
    if over.is_none() && !is_cut {
        return (text, false);
    }
    let mut sure = text.len().saturating_sub(UNSURE_BYTES);
    while !text.is_char_boundary(sure) {
        sure -= 1;
    }
    let end = text.get(sure..).and_then(|near| near.rfind('\n'));
    text.truncate(end.map_or(sure, |end| sure + end + 1));
    text.push_str("[Output truncated]\n");
    (text, true)
}

#[cfg(test)]
mod tests {
    use super::{shown, within};

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
        assert!(shown(b"a\xffb".to_vec()).1);
    }

    #[test]
    fn a_cut_leaves_no_half_line() {
        let lines = "secret=abc\n".repeat(10);
        assert_eq!(within(lines.clone(), 1_000, false), (lines.clone(), false));
        assert_eq!(within(lines, 15, false), ("secret=abc\n[Output truncated]\n".to_owned(), true));
        // Without a line's end near, what might be half a secret goes, too.
        let long = "x".repeat(10_000);
        let (cut, is_cut) = within(long, 9_000, false);
        assert!(is_cut && cut == format!("{}[Output truncated]\n", "x".repeat(9_000 - 4_096)));
        assert_eq!(within("ab".to_owned(), 10, true).0, "[Output truncated]\n");
    }
}
