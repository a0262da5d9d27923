//! Cutting a text before it is redacted.

use crate::Redactor;
use crate::stream::Stream;

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
    check("mysql -u root -ph|unter2x app", "mysql -u root ");
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
fn a_stream_reports_an_unfinished_line() {
    let mut stream = Stream::new(Redactor::standard());
    for (piece, expected) in [("a", true), ("\n", false), ("b\nc", true), ("\n", false)] {
        stream.push(piece.as_bytes());
        assert_eq!(stream.is_inside_line(), expected, "{piece}");
    }
}
