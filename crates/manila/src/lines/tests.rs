use super::lines_with;

#[track_caller]
fn check(needles: &[&str], text: &str, expected: &[&str]) {
    let found: Vec<&str> = lines_with(text, needles).map(|range| &text[range]).collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn finds_each_line_once() {
    check(&["x"], "", &[]);
    check(&[], "x", &[]);
    check(&["x"], "one\ntwo\n", &[]);
    check(&[""], "one\n\ntwo\n", &["one", "", "two"]);
    check(&["\no"], "one\none\n\no", &["one", ""]);
    check(&["x", "yy"], "a\nbxyyx\r\n\nyy", &["bxyyx\r", "yy"]);
    check(&["\u{e9}"], "\u{e9}\n-\nb\u{e9}", &["\u{e9}", "b\u{e9}"]);
}
