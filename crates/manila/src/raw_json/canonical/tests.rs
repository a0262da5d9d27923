use super::*;
use crate::{DEPTH_MAX, NotCanonicalReason::*};

fn canonical_of(given: &str) -> Result<Canonical, NotCanonical> {
    canonical(&RawJson::parse(given.to_owned()).unwrap())
}

#[track_caller]
fn check(given: &str, expected: &str) {
    let text = String::from_utf8(canonical_of(given).unwrap().bytes).unwrap();
    assert_eq!(text, expected, "for {given}");
    assert_eq!(canonical_of(&text).unwrap().bytes, text.as_bytes(), "again, for {given}");
}

#[test]
fn the_example_of_section_3_2_2() {
    check(
        r#"{
            "numbers": [333333333.33333329, 1E30, 4.50,
                        2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#,
        concat!(
            r#"{"literals":[null,true,false],"#,
            r#""numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
            r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        ),
    );
}

#[test]
fn the_order_of_section_3_2_3() {
    check(
        r#"{
            "\u20ac": "Euro Sign",
            "\r": "Carriage Return",
            "\ufb33": "Hebrew Letter Dalet With Dagesh",
            "1": "One",
            "\ud83d\ude00": "Emoji: Grinning Face",
            "\u0080": "Control",
            "\u00f6": "Latin Small Letter O With Diaeresis"
        }"#,
        concat!(
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",",
            "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",",
            "\"😀\":\"Emoji: Grinning Face\",",
            "\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
        ),
    );
}

/// The table of appendix B of RFC 8785: the bits of a double, and its text.
#[test]
fn the_numbers_of_appendix_b() {
    for (bits, expected) in [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        let double = f64::from_bits(bits);
        for spelling in [format!("{double}"), format!("{double:e}"), format!("{double:.800}")] {
            check(&spelling, expected);
        }
    }
}

#[test]
fn numbers_are_formatted_as_doubles() {
    for zero in ["-0", "0.000", "-0e99", "0E-5", "1e-400", "0e99999999999999999999"] {
        check(zero, "0");
    }
    check("[1.0,10e-1,1E+0,0.1e1]", "[1,1,1,1]");
    check("[1e20,1e21,-1e21]", "[100000000000000000000,1e+21,-1e+21]");
    check("0.1000000000000000055511151231257827", "0.1");
    // Rounds to the largest double.
    check("1.7976931348623158e308", "1.7976931348623157e+308");
}

#[test]
fn strings_have_as_few_escapes_as_possible() {
    check(
        r#""\u0000\u0007\u0008\u0009\u000A\u000b\u000C\u000D\u001F\u007f\/\u0022\u005C""#,
        "\"\\u0000\\u0007\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}/\\\"\\\\\"",
    );
    check(r#""\u00E9\uD83D\ude00\u2028\uFEFF\uFFFF""#, "\"é😀\u{2028}\u{feff}\u{ffff}\"");
    // No Unicode normalization.
    check(r#"["e\u0301", "\u00e9"]"#, "[\"e\u{301}\",\"é\"]");
    check(r#"{"\u002f\n": 1}"#, r#"{"/\n":1}"#);
}

#[test]
fn keys_are_sorted_by_utf_16_at_every_depth() {
    check(r#"{"": 1, "b": {"d": 1, "c": [{"f": 1, "e": 2}]}, "a": 2}"#, {
        r#"{"":1,"a":2,"b":{"c":[{"e":2,"f":1}],"d":1}}"#
    });
    check(r#"{"ab": 1, "a": 2, "B": 3, "a\u0000": 4}"#, r#"{"B":3,"a":2,"a\u0000":4,"ab":1}"#);
    check(
        r#"{"\uffff": 1, "\ue000": 2, "\udbff\udfff": 3, "\ud800\udc00": 4, "\ud7ff": 5}"#,
        "{\"\u{d7ff}\":5,\"\u{10000}\":4,\"\u{10ffff}\":3,\"\u{e000}\":2,\"\u{ffff}\":1}",
    );
    check(" [ ] ", "[]");
    check(" { \"a\" : { } , \"b\" : [ 1 , 2 ] } ", r#"{"a":{},"b":[1,2]}"#);
}

#[test]
fn utf16_order_agrees_with_code_units() {
    let edges = ['\0', 'a', '\u{7f}', '\u{80}', '\u{7ff}', '\u{800}', '\u{d7ff}', '\u{e000}'];
    let edges = edges.into_iter().chain(['\u{efff}', '\u{f000}', '\u{ffff}', '\u{10000}']);
    let edges: Vec<char> = edges.chain(['\u{1f600}', '\u{3ffff}', '\u{10ffff}']).collect();
    let texts: Vec<String> = std::iter::once(String::new())
        .chain(edges.iter().map(char::to_string))
        .chain(edges.iter().flat_map(|a| edges.iter().map(move |b| format!("{a}{b}"))))
        .collect();
    for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
        assert_eq!(utf16_order(a, b), a.encode_utf16().cmp(b.encode_utf16()), "{a:?} {b:?}");
    }
}

#[track_caller]
fn check_refused(given: &str, pointer: &str, reason: NotCanonicalReason) {
    let expected = NotCanonical { pointer: pointer.to_owned(), reason };
    assert_eq!(canonical_of(given).unwrap_err(), expected, "for {given}");
}

#[test]
fn refuses_values_that_readers_interpret_differently() {
    check_refused(r#"{"a": 1, "a": 1}"#, "/a", DuplicateKey);
    check_refused(r#"{"a": 1, "\u0061": 2}"#, "/a", DuplicateKey);
    check_refused(r#"[{"x": {"b": 1, "a~/": 2, "c": 3, "a~\/": 4}}]"#, "/0/x/a~0~1", DuplicateKey);
    check_refused(r#"{"": 1, "": 2}"#, "/", DuplicateKey);
    check_refused(r#"{"\ud83d\ude00": 1, "😀": 2}"#, "/😀", DuplicateKey);
    check_refused(r#""\ud800""#, "", LoneSurrogate);
    check_refused(r#"[0, {"k": "\udc00\ud800"}]"#, "/1/k", LoneSurrogate);
    check_refused(r#"{"k": {"a\uDFFF": 1}}"#, "/k/a\u{fffd}", LoneSurrogateInKey);
    check_refused("1e999", "", NumberTooLarge);
    check_refused("1.7976931348623159e308", "", NumberTooLarge);
    check_refused("[[1, -1e309]]", "/0/1", NumberTooLarge);
    check_refused(&format!("{{\"n\": {}}}", "9".repeat(400)), "/n", NumberTooLarge);
    // U+FFFD in a key is an ordinary character.
    check(r#"{"\ufffd": 1}"#, "{\"\u{fffd}\":1}");
    // The same name in two objects is allowed.
    check(r#"[{"a": {"a": 1}}, {"a": 2}]"#, r#"[{"a":{"a":1}},{"a":2}]"#);
}

#[test]
fn an_error_contains_the_pointer_and_never_a_value() {
    let message = |given| canonical_of(given).unwrap_err().to_string();
    assert_eq!(message(r#"{"a": "s", "a": "t"}"#), "/a: the key is repeated in its object");
    assert_eq!(message("1e999"), "the number is larger than any double");
    assert_eq!(
        message(r#"{"k\u001b": "\ud800"}"#),
        r"/k\u{1b}: the string holds a lone surrogate, which is not a character"
    );
}

#[track_caller]
fn check_rounded(given: &str, expected: &[&str]) {
    assert_eq!(canonical_of(given).unwrap().rounded, expected, "for {given}");
}

#[test]
fn reports_integers_that_doubles_cannot_hold() {
    check_rounded("[9007199254740992, -9007199254740992, 1.5, -0]", &[]);
    check_rounded("9007199254740993", &[""]);
    check_rounded(
        r#"{"b/": [0, -9007199254740993], "a": 12345678901234567890123}"#,
        &["/b~1/1", "/a"],
    );
    // A fraction or an exponent means that a double was intended.
    check_rounded("[1e300, 9007199254740993.0, 9007199254740993E0]", &[]);
    let many = canonical_of(&format!("[{}0]", "18446744073709551615,".repeat(1000))).unwrap();
    assert_eq!(many.rounded.len(), ROUNDED_MAX);
    assert_eq!(many.rounded.last().unwrap(), "/19");
    let key = "k".repeat(ROUNDED_BYTES_MAX);
    let long = canonical_of(&format!(r#"{{"{key}": [{0}, {0}]}}"#, "9".repeat(20))).unwrap();
    assert_eq!(long.rounded, [format!("/{key}/0")]);
}

#[test]
fn large_and_deep_values_take_linear_time() {
    let members: Vec<String> = (0..100_000).rev().map(|n| format!("\"k{n:06}\":{n}")).collect();
    let mut sorted = members.clone();
    sorted.sort();
    check(&format!("{{{}}}", members.join(", ")), &format!("{{{}}}", sorted.join(",")));

    let items = format!("[{}0]", "0,".repeat(1_000_000));
    check(&items, &items);

    // Keys are out of order at every level, and most of the text is at the bottom.
    let deep = |depth: usize, inner: &str, before: &str, after: &str| {
        format!("{}{inner}{}", before.repeat(depth), after.repeat(depth))
    };
    let bottom = format!("[{}0]", "12345,".repeat(50_000));
    check(
        &deep(DEPTH_MAX - 1, &bottom, r#"{"b": "#, r#", "a": 1}"#),
        &deep(DEPTH_MAX - 1, &bottom, r#"{"a":1,"b":"#, "}"),
    );
}
