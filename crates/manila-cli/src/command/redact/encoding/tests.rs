use super::{WideEncoding, WideTextDetector};

/// Encodes ASCII text with zero bytes before and after each character.
fn wide(text: &str, n_before: usize, n_after: usize) -> Vec<u8> {
    let zeros = |n: usize| std::iter::repeat_n(0, n);
    text.bytes().flat_map(|byte| zeros(n_before).chain([byte]).chain(zeros(n_after))).collect()
}

#[track_caller]
fn check(text: &[u8], expected: Option<WideEncoding>) {
    for len in [1, 2, 3, 7, 64, text.len().max(1)] {
        let mut detector = WideTextDetector::default();
        let found = text.chunks(len).find_map(|piece| detector.read(piece));
        assert_eq!(found, expected, "{len}: {text:?}");
    }
}

#[test]
fn finds_wide_text_without_a_mark() {
    let (utf16, utf32) = (Some(WideEncoding::Utf16), Some(WideEncoding::Utf32));
    check(&wide("password=x", 0, 1), utf16);
    check(&wide("password=x", 1, 0), utf16);
    check(&wide("password=x", 0, 3), utf32);
    check(&wide("password=x", 3, 0), utf32);
    // After other text, and between other letters.
    let russian: Vec<u8> =
        "\u{43f}\u{430}\u{440}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let token = wide("ghp_16C7e4", 0, 1);
    check(&[&russian, &token[..], &russian].concat(), utf16);
    check(&[b"plain text\n".as_slice(), &token].concat(), utf16);
    check(b"", None);
    check(b"plain text\n", None);
    check("gr\u{fc}n \u{20ac}\n".repeat(9).as_bytes(), None);
    // A log that was truncated while a program wrote it begins with zero bytes.
    check(&[vec![0; 4096], b"a line\n".to_vec()].concat(), None);
    // Names that end with a zero byte, as `find -print0` writes them.
    check(b"a\0b\0c\0file\0d\0", None);
    check(&wide("short", 0, 1), None);
}

#[test]
fn finds_marks() {
    for (mark, expected) in [
        (b"\xFF\xFEa\0".as_slice(), WideEncoding::Utf16),
        (b"\xFE\xFF\0a", WideEncoding::Utf16),
        (b"\xFF\xFE\0\0", WideEncoding::Utf32),
        (b"\0\0\xFE\xFF", WideEncoding::Utf32),
    ] {
        assert_eq!(WideTextDetector::default().read(mark), Some(expected));
    }
}

#[test]
fn holds_back_only_what_may_be_wide() {
    #[track_caller]
    fn check(text: &[u8], n_undecided: usize) {
        let mut detector = WideTextDetector::default();
        assert_eq!(detector.read(text), None);
        assert_eq!(detector.n_undecided(), n_undecided, "{text:?}");
    }
    check(b"plain text\n", 0);
    check("gr\u{fc}n\n".as_bytes(), 0);
    check(&[vec![0; 4096], b"a line\n".to_vec()].concat(), 0);
    check(&[0; 4096], 0);
    check(&wide("hunter2", 0, 1), 14);
    check(&wide("hunter2", 0, 3), 4 * 7 + 3);
    check(&[&wide("hunter2", 0, 3)[..], b"x\n"].concat(), 0);
}
