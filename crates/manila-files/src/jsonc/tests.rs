use proptest::prelude::*;

use super::plain_json;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(String::from_utf8(plain_json(text.as_bytes())).unwrap(), expected);
}

#[test]
fn comments_become_blanks_and_lines_stay() {
    check("{} // end", "{}       ");
    check("// a\n{}", "    \n{}");
    check("[1, /* two\n three */ 4]", "[1,       \n          4]");
    // A column counts characters, and so do the blanks.
    check("/* é */1", "       1");
    check("[1/**/,2/***/]", "[1    ,2     ]");
}

#[test]
fn strings_are_left_alone() {
    check(
        r#"{"url": "http://x/*y*/", "a": "\\"} // "b""#,
        r#"{"url": "http://x/*y*/", "a": "\\"}       "#,
    );
    check(r#"["say \"// no\"", "[1,]"]"#, r#"["say \"// no\"", "[1,]"]"#);
}

#[test]
fn the_last_comma_goes() {
    check("[1, 2,]", "[1, 2 ]");
    check("{\"a\": {\"b\": 1, }, // c\n}", "{\"a\": {\"b\": 1  }      \n}");
    check("[\"a\",\n]", "[\"a\" \n]");
}

#[test]
fn what_is_wrong_stays_wrong() {
    for wrong in ["[,]", "{,}", "[1,,]", "[1 /* open", "{\"a\":,}", "\"open", "[1/2]", "/"] {
        check(wrong, wrong);
    }
}

#[test]
fn a_byte_order_mark_goes() {
    check("\u{FEFF}{}", "{}");
}

proptest! {
    #[test]
    fn plain_json_is_left_as_it_is(texts in prop::collection::vec(".*", 0..5)) {
        let json = serde_json::to_string_pretty(&texts).unwrap();
        prop_assert_eq!(plain_json(json.as_bytes()), json.as_bytes());
    }

    #[test]
    fn any_bytes_can_be_given(bytes: Vec<u8>) {
        prop_assert!(plain_json(&bytes).len() <= bytes.len());
    }
}
