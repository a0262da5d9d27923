use proptest::prelude::*;

use super::plain_json;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(String::from_utf8(plain_json(text.as_bytes())).unwrap(), expected);
}

#[test]
fn replaces_comments_with_spaces_and_keeps_lines() {
    check("{} // end", "{}       ");
    check("// a\n{}", "    \n{}");
    check("[1, /* two\n three */ 4]", "[1,       \n          4]");
    // Columns count characters, so each character becomes one space.
    check("/* é */1", "       1");
    check("[1/**/,2/***/]", "[1    ,2     ]");
}

#[test]
fn keeps_strings_unchanged() {
    check(
        r#"{"url": "http://x/*y*/", "a": "\\"} // "b""#,
        r#"{"url": "http://x/*y*/", "a": "\\"}       "#,
    );
    check(r#"["say \"// no\"", "[1,]"]"#, r#"["say \"// no\"", "[1,]"]"#);
}

#[test]
fn removes_trailing_commas() {
    check("[1, 2,]", "[1, 2 ]");
    check("{\"a\": {\"b\": 1, }, // c\n}", "{\"a\": {\"b\": 1  }      \n}");
    check("[\"a\",\n]", "[\"a\" \n]");
}

#[test]
fn keeps_other_errors_unchanged() {
    for wrong in ["[,]", "{,}", "[1,,]", "[1 /* open", "{\"a\":,}", "\"open", "[1/2]", "/"] {
        check(wrong, wrong);
    }
}

#[test]
fn removes_a_byte_order_mark() {
    check("\u{FEFF}{}", "{}");
}

proptest! {
    #[test]
    fn keeps_plain_json_unchanged(texts in prop::collection::vec(".*", 0..5)) {
        let json = serde_json::to_string_pretty(&texts).unwrap();
        prop_assert_eq!(plain_json(json.as_bytes()), json.as_bytes());
    }

    #[test]
    fn accepts_any_bytes(bytes: Vec<u8>) {
        prop_assert!(plain_json(&bytes).len() <= bytes.len());
    }
}
