use super::{Position, offsets, position};
use crate::raw_json::RawJson;

#[test]
fn resolves_pointers_to_offsets() {
    let text = r#"{"a": [10, {"b/c": [], "~": 1}, 12], "a~": 2, "d": 3, "d": 4, "": {"": 5}}"#;
    let value = RawJson::parse(text).unwrap();
    let places = [
        ("", "{"),
        ("/a", "[10"),
        ("/a/0", "10,"),
        ("/a/1/b~1c", "[]"),
        ("/a/1/~0", "1}"),
        ("/a/2", "12]"),
        ("/a~0", "2,"),
        ("/d", "4,"),
        ("//", "5}"),
        // A missing value resolves to its nearest ancestor.
        ("/x", "{"),
        ("/x/y", "{"),
        ("/a/3", "[10"),
        ("/a/x", "[10"),
        ("/a/01", "[10"),
        ("/a/+2", "[10"),
        ("/a/1/b~1c/0/0", "[]"),
        ("/d/e", "4,"),
    ];
    let pointers: Vec<&str> = places.iter().map(|(pointer, _)| *pointer).collect();
    let found = offsets(&value, &pointers);
    for ((pointer, expected), offset) in places.iter().zip(found) {
        assert!(text[offset..].starts_with(expected), "{pointer} is at {offset}");
    }
    assert!(offsets(&value, &[]).is_empty());
}

#[test]
fn an_advancing_position_agrees_with_a_new_one() {
    let text = "a\u{e9}b\n\n\u{20ac}\u{1f600}x\n".as_bytes();
    let mut advancing = Position::start(text);
    for offset in 0..=text.len() + 1 {
        advancing.advance(offset);
        assert_eq!((advancing.line, advancing.column), position(text, offset), "{offset}");
    }
    assert_eq!(position(text, 0), (1, 1));
    assert_eq!(position(text, 3), (1, 3));
    assert_eq!(position(text, 5), (2, 1));
    assert_eq!(position(text, 6), (3, 1));
    assert_eq!(position(text, 13), (3, 3));
    assert_eq!(position(text, 99), (4, 1));
}
