use regex::Regex;

use super::{FAILED_TRIES_MAX, Keywords, SHORT_WINDOW_BYTES, Search, TimeBudget, WINDOW_BYTES};

#[track_caller]
fn check(keywords: &[&str], pattern: &str, text: &str, expected: &[&str]) {
    let pattern = Regex::new(pattern).unwrap();
    let search = match keywords {
        [] => Search::everywhere(pattern),
        [_, ..] => Search::in_lines_with(Keywords::new(keywords.iter().copied()), pattern),
    };
    let ranges = search.find_ranges(text, &mut TimeBudget::for_one_output());
    let found: Vec<&str> = ranges.iter().map(|range| &text[range.clone()]).collect();
    assert_eq!(found, expected, "{text:?}");
    for range in &ranges {
        let captures = search.captures(text, range).unwrap();
        assert_eq!(&captures[0], &text[range.clone()]);
    }
}

#[test]
fn finds_non_overlapping_matches() {
    check(&[], "(?m)^x.*", "a\nx1\nbx\nx2", &["x1", "x2"]);
    check(&["x"], r"\Ax.*", "", &[]);
    check(&["x"], r"\Ax.*", "a\nx1\nbx\nx2", &["x1", "x2"]);
    check(&["x", "y"], r"\A.*\n.*", "a\nx1\nxy\nx2\nz", &["x1\nxy", "x2\nz"]);
    check(&["\u{e9}"], r"\A\S+", "\u{e9}\n-\u{e9} \u{e9}", &["\u{e9}", "-\u{e9}"]);
    check(&["x"], r"\A", "x\nx", &["", ""]);
}

#[test]
fn searches_only_within_the_window() {
    let far = format!("x\n{}end", "\u{e9}\n".repeat(WINDOW_BYTES));
    check(&["x"], r"\Ax(?:\n.*)*?\nend", &far, &[]);
    check(&["x"], r"(?m)\Ax.*$", &"x".repeat(2 * WINDOW_BYTES), &[&"x".repeat(WINDOW_BYTES)]);
    let text = "x\n".to_owned() + &"z".repeat(SHORT_WINDOW_BYTES) + "\ny\nx\nz\ny";
    check(&["x"], r"\Ax\nz+\ny", &text, &[&text[..SHORT_WINDOW_BYTES + 4], "x\nz\ny"]);
    // After many failed attempts, the pattern sees only the short window.
    check(&["x"], r"\Ax\nz+\ny", &("x\n".repeat(2 * FAILED_TRIES_MAX) + &text), &["x\nz\ny"]);
}
