use super::*;

#[track_caller]
fn check_compact(given: &str, expected: &str) {
    let value = RawJson::parse(given.to_owned()).unwrap();
    assert_eq!(value.to_string(), expected);
}

#[test]
fn keeps_order_numbers_and_escapes() {
    check_compact(
        " { \"b\" : 1.0 , \"a\" : [ 1e3 , -0 , 123456789012345678901234567890 ] } ",
        r#"{"b":1.0,"a":[1e3,-0,123456789012345678901234567890]}"#,
    );
    check_compact(
        r#"{"a\/b": "\u00e9 \ud800 é", "a\/b": 1e999}"#,
        r#"{"a\/b":"\u00e9 \ud800 é","a\/b":1e999}"#,
    );
    check_compact("\"a  b\"", "\"a  b\"");
    check_compact("[ ]", "[]");
}

#[track_caller]
fn check_refused(given: &[u8], expected: &str) {
    let error = RawJson::parse(given.to_vec()).unwrap_err();
    assert_eq!(error.to_string(), expected, "for {:?}", String::from_utf8_lossy(given));
}

#[test]
fn rejects_invalid_json_with_its_position() {
    check_refused(b"", "the input is empty, but a JSON value is required");
    check_refused(b" \n", "the input is empty, but a JSON value is required");
    check_refused(
        b"\xEF\xBB\xBF{}",
        "not JSON: the input starts with a byte-order mark, which JSON does not allow \
         (line 1, column 1)",
    );
    check_refused(b"{\"a\":\"\xFF\"}", "not JSON: the input is not valid UTF-8 (line 1, column 7)");
    check_refused(
        "{\"é\":\n  tru}".as_bytes(),
        "not JSON: expected a JSON value (line 2, column 3)",
    );
    check_refused("[\"é\" 1]".as_bytes(), "not JSON: expected `,` or `]` (line 1, column 6)");
    check_refused(b"{\"a\":1,}", "not JSON: expected a key in double quotes (line 1, column 8)");
    check_refused(b"{\"a\" 1}", "not JSON: expected `:` (line 1, column 6)");
    check_refused(
        b"[1,2",
        "not JSON: the input ends inside a value, where `,` or `]` is expected (line 1, column 5)",
    );
    check_refused(
        b"\"a\nb\"",
        "not JSON: a string holds an unescaped control character (line 1, column 3)",
    );
    check_refused(b"\"\\x\"", "not JSON: a string holds an invalid escape (line 1, column 2)");
    check_refused(b"\"\\u12g4\"", "not JSON: a string holds an invalid escape (line 1, column 2)");
    for number in ["01", "1.", "-", "1e", "1e+", "1.2.3", "0x1"] {
        let error = RawJson::parse(number).unwrap_err();
        assert_eq!(error.problem, Problem::Syntax(Syntax::Number), "{number}");
    }
    check_refused(b"{} {}", "not JSON: more text follows after the value (line 1, column 4)");
}

#[test]
fn accepts_at_most_128_levels() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(RawJson::parse(nested(128)).is_ok());
    let error = RawJson::parse(nested(129)).unwrap_err();
    assert_eq!((error.problem, error.column), (Problem::Syntax(Syntax::TooDeep), 129));
    let mixed = format!("{}1{}", "{\"a\":[".repeat(64), "]}".repeat(64));
    assert!(RawJson::parse(mixed).is_ok());
}

#[test]
fn finds_members_in_any_spelling() {
    let value = RawJson::parse(r#"{"a": {"b": "}"}, "s\u0075ccess": false, "": 0}"#).unwrap();
    assert_eq!(value.get("success").unwrap().as_bytes(), b"false");
    assert_eq!(value.get("a").unwrap().to_string(), r#"{"b":"}"}"#);
    assert_eq!(value.get("").unwrap().as_bytes(), b"0");
    assert!(value.get("b").is_none());
    let padding = "x".repeat(600);
    let large = format!(r#"{{"pad":"{padding}","a\/b":1,"q\"q":2,"twice":3,"twice":4}}"#);
    let large = RawJson::parse(large).unwrap();
    for (name, expected) in [("a/b", "1"), ("q\"q", "2"), ("twice", "4")] {
        assert_eq!(large.get(name).unwrap().to_string(), expected);
    }
    assert!(RawJson::parse("[1]").unwrap().get("a").is_none());
}

#[test]
fn decodes_strings() {
    let text =
        |json: &str| RawJson::parse(json.to_owned()).unwrap().as_text().unwrap().into_owned();
    assert_eq!(text(r#""a\n\t\"\\\/\b\f\r""#), "a\n\t\"\\/\u{8}\u{c}\r");
    assert_eq!(text(r#""\ud83d\ude00""#), "😀");
    assert_eq!(text(r#""\ud83dx""#), "\u{FFFD}x");
    assert!(RawJson::parse(r#""\ud83d""#).unwrap().as_exact_text().is_none());
    assert!(RawJson::parse("1").unwrap().as_text().is_none());
}

/// Every byte at every position, next to bytes that do and do not need an escape.
#[test]
fn writes_strings_as_serde_json_does() {
    for filler in ["a", "\"", "\n", "\u{1}", "é"] {
        for (n_before, n_after) in (0..10).flat_map(|n| (0..10).map(move |m| (n, m))) {
            for byte in 0..=0x7F_u8 {
                let mut text = filler.repeat(n_before);
                text.push(char::from(byte));
                text.push_str(&filler.repeat(n_after));
                let written = RawJson::of(&text).unwrap();
                assert_eq!(written.as_str(), serde_json::to_string(&text).unwrap());
            }
        }
    }
}

#[test]
fn pretty_keeps_every_token() {
    let value = RawJson::parse(r#"{"a":[1.0,{}, [ ]],"b":{"c":"x: [y]"}}"#).unwrap();
    let expected =
        "{\n  \"a\": [\n    1.0,\n    {},\n    []\n  ],\n  \"b\": {\n    \"c\": \"x: [y]\"\n  }\n}";
    assert_eq!(String::from_utf8(pretty(&value)).unwrap(), expected);
}

#[test]
fn sorts_keys_at_every_level() {
    let value = RawJson::parse(r#"{"b": [{"d": 1, "c": 2.0}], "a": null}"#).unwrap();
    assert_eq!(key_sorted(&value), br#"{"a":null,"b":[{"c":2.0,"d":1}]}"#);
}
