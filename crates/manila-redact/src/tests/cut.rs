//! Cutting a text before it is redacted.

use crate::stream::Stream;
use crate::{CustomRule, Options, Redactor};

/// Checks where `before|after` is cut, if the cut should be at `|`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let at = text.find('|').unwrap();
    let text = text.replacen('|', "", 1);
    let cut = Redactor::standard().cut_before(&text, at, "More4711");
    assert_eq!(&text[..cut], expected, "{text}");
}

#[test]
fn cuts_before_a_secret() {
    check("one two| three", "one two");
    check("one tw|o three", "one ");
    check("one two |three", "one two ");
    check("x password='correct |horse battery' y", "x ");
    // The password is a secret because of the host after it.
    check("postgres://me:hunter2x|@db/app", "");
    check("see postgres://me:hunter2x@db|/app now", "see ");
    check("mysql -u root -phunter|2x app", "mysql -u root ");
    // A name at the end would make a secret of the marker.
    check("the password: | and more", "the ");
    check("gr\u{fc}\u{df}|e", "gr\u{fc}\u{df}");
    check("a,b,c|", "a,b,");
    check("|", "");
}

#[test]
fn a_word_that_is_too_long_is_cut() {
    let text = "x".repeat(10_000);
    assert_eq!(Redactor::standard().cut_before(&text, 9_000, ""), 9_000);
    assert_eq!(Redactor::standard().start_of(&text, 9_000, "").len(), 9_000);
    assert_eq!(Redactor::standard().start_of("short", 9, "..."), "short");
}

#[test]
fn another_redactor_applies_to_what_a_stream_has_not_released() {
    let rule = CustomRule { name: "id".to_owned(), pattern: "INT-[0-9]{8}".to_owned() };
    let options = Options { extra: vec![rule], ..Options::default() };
    let other = Redactor::new(&options).unwrap();
    let mut stream = Stream::new(Redactor::standard());
    assert_eq!(stream.push(b"INT-11111111\nINT-2222").text, b"INT-11111111\n");
    let mut stream = stream.with_redactor(&other);
    assert_eq!(stream.push(b"2222\n").text, b"[REDACTED]\n");
    // A line that is too long to buffer, and never ends.
    let mut stream = Stream::with_line_max(Redactor::standard(), 4096);
    assert!(stream.push("x ".repeat(100_000).as_bytes()).text.len() > 100_000);
    let mut stream = stream.with_redactor(&other);
    assert_eq!(stream.push(b"INT-33333333").text, b"");
    let rest = stream.finish().text;
    assert!(rest.ends_with(b" x [REDACTED]"), "{}", String::from_utf8_lossy(&rest));
    // The rest of a secret that is too long to buffer is still skipped.
    let mut stream = Stream::with_line_max(Redactor::standard(), 4096);
    let secret = format!("x password={}", "aB3dE6".repeat(16_000));
    assert_eq!(stream.push(secret.as_bytes()).text, b"x password=[REDACTED]");
    assert_eq!(stream.with_redactor(&other).push(b"aB3dE6 after\n").text, b" after\n");
}
