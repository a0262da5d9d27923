use super::first_line;

#[test]
fn returns_one_line_of_at_most_500_characters() {
    assert_eq!(first_line("\n  broken \nmore").as_deref(), Some("broken"));
    assert_eq!(first_line(&"é".repeat(501)), Some("é".repeat(500)));
    assert_eq!(first_line("```\ncode\n```"), None);
}
