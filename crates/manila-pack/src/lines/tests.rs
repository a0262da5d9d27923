use regex::Regex;

use super::{FAR, IN_VAIN_MAX, NEAR, Search, Time, Words};

#[track_caller]
fn check(words: &[&str], pattern: &str, text: &str, expected: &[&str]) {
    let pattern = Regex::new(pattern).unwrap();
    let search = match words {
        [] => Search::everywhere(pattern),
        [_, ..] => Search::in_lines_with(Words::new(words.iter().copied()), pattern),
    };
    let places = search.places(text, &mut Time::for_one_output());
    let found: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
    assert_eq!(found, expected, "{text:?}");
    for place in &places {
        let captures = search.captures(text, place).unwrap();
        assert_eq!(&captures[0], &text[place.clone()]);
    }
}

#[test]
fn what_fits_is_found_once() {
    check(&[], "(?m)^x.*", "a\nx1\nbx\nx2", &["x1", "x2"]);
    check(&["x"], r"\Ax.*", "", &[]);
    check(&["x"], r"\Ax.*", "a\nx1\nbx\nx2", &["x1", "x2"]);
    check(&["x", "y"], r"\A.*\n.*", "a\nx1\nxy\nx2\nz", &["x1\nxy", "x2\nz"]);
    check(&["\u{e9}"], r"\A\S+", "\u{e9}\n-\u{e9} \u{e9}", &["\u{e9}", "-\u{e9}"]);
    check(&["x"], r"\A", "x\nx", &["", ""]);
}

#[test]
fn what_is_far_is_not_looked_for() {
    let far = format!("x\n{}end", "\u{e9}\n".repeat(FAR));
    check(&["x"], r"\Ax(?:\n.*)*?\nend", &far, &[]);
    check(&["x"], r"(?m)\Ax.*$", &"x".repeat(2 * FAR), &[&"x".repeat(FAR)]);
    let text = "x\n".to_owned() + &"z".repeat(NEAR) + "\ny\nx\nz\ny";
    check(&["x"], r"\Ax\nz+\ny", &text, &[&text[..NEAR + 4], "x\nz\ny"]);
    // After many lines were tried in vain only what is near.
    check(&["x"], r"\Ax\nz+\ny", &("x\n".repeat(2 * IN_VAIN_MAX) + &text), &["x\nz\ny"]);
}
