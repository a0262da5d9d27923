//! Canonical JSON, compared with a second implementation on random texts.
#![allow(clippy::unwrap_used, reason = "a test must fail on an unexpected value")]

use std::collections::HashSet;
use std::fmt::Write;

use manila::{Canonical, NotCanonical, NotCanonicalReason, RawJson, canonical};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A value, with the choices that its text leaves open.
#[derive(Debug, Clone)]
enum Node {
    /// A scalar, as written.
    Token(String),
    Text(EscapedText),
    Array(Vec<Node>),
    /// Members in this order; duplicate names are omitted.
    Object(Vec<(EscapedText, Node)>),
}

/// A text, and the escapes of its characters, used in turn.
#[derive(Debug, Clone)]
struct EscapedText {
    text: String,
    escapes: Vec<Escape>,
}

#[derive(Debug, Clone, Copy)]
enum Escape {
    /// Escapes only where JSON requires it.
    Needed,
    LowerHex,
    UpperHex,
}

fn json(node: &Node) -> String {
    match node {
        Node::Token(token) => token.clone(),
        Node::Text(text) => string(text),
        Node::Array(items) => {
            format!("[ {}]", items.iter().map(json).collect::<Vec<_>>().join(" ,"))
        }
        Node::Object(members) => {
            let mut names = HashSet::new();
            let members = members.iter().filter(|(name, _)| names.insert(&name.text));
            let members =
                members.map(|(name, value)| format!("{}:\n{}", string(name), json(value)));
            format!("{{{} }}", members.collect::<Vec<_>>().join(",\t"))
        }
    }
}

fn string(escaped: &EscapedText) -> String {
    let mut out = String::from('"');
    for (letter, escape) in escaped.text.chars().zip(escaped.escapes.iter().cycle()) {
        let mut units = [0; 2];
        let units = letter.encode_utf16(&mut units).iter();
        match escape {
            Escape::Needed => {
                let quoted = serde_json::to_string(&letter).unwrap();
                out += quoted.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
            }
            Escape::LowerHex => units.for_each(|unit| write!(out, "\\u{unit:04x}").unwrap()),
            Escape::UpperHex => units.for_each(|unit| write!(out, "\\u{unit:04X}").unwrap()),
        }
    }
    out + "\""
}

fn escaped_text() -> impl Strategy<Value = EscapedText> {
    let letter = prop_oneof![
        4 => prop::char::range('\0', '\u{7f}'),
        2 => prop::sample::select(vec!['"', '\\', '/', '\n', '\u{8}', '\u{1f}', '\u{2028}']),
        // Characters whose order in UTF-16 differs from that in UTF-8.
        2 => prop::char::range('\u{d000}', '\u{d7ff}'),
        3 => prop::char::range('\u{e000}', '\u{ffff}'),
        3 => prop::char::range('\u{10000}', '\u{10ffff}'),
        1 => any::<char>(),
    ];
    let text = prop::collection::vec(letter, 0..6).prop_map(|text| text.into_iter().collect());
    (text, escapes()).prop_map(|(text, escapes)| EscapedText { text, escapes })
}

fn escapes() -> impl Strategy<Value = Vec<Escape>> {
    let escape = prop::sample::select(vec![Escape::Needed, Escape::LowerHex, Escape::UpperHex]);
    prop::collection::vec(escape, 1..4)
}

/// Any finite double: random bits, and values close to round numbers.
fn double() -> impl Strategy<Value = f64> {
    let any_bits = any::<u64>().prop_map(f64::from_bits);
    let decimal = (any::<i32>(), -330..310i32)
        .prop_map(|(digits, exponent)| format!("{digits}e{exponent}").parse().unwrap());
    let power = (0u64..2047, -2i64..3)
        .prop_map(|(exponent, off)| f64::from_bits((exponent << 52).saturating_add_signed(off)));
    let integer = any::<i64>().prop_map(|integer| integer.to_string().parse().unwrap());
    prop_oneof![3 => any_bits, 1 => decimal, 1 => power, 1 => integer]
        .prop_filter("JSON has no such number", |double| double.is_finite())
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        double().prop_map(|double| format!("{double:e}")),
        double().prop_map(|double| format!("{double:E}").replace("E-", "E-00")),
        double().prop_map(|double| format!("{double}")),
        double().prop_map(|double| format!("{double:.20}")),
        any::<i128>().prop_map(|integer| integer.to_string()),
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-2]?[0-9]{1,2})?",
    ]
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        2 => prop::sample::select(vec!["true", "false", "null", "-0", "[]", "{ }"])
            .prop_map(|token| Node::Token(token.to_owned())),
        6 => number().prop_map(Node::Token),
        // Surrogates, some in pairs.
        1 => r#""(\\u[dD][89a-fA-F][0-9a-f]{2}){0,2}""#.prop_map(Node::Token),
        6 => escaped_text().prop_map(Node::Text),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..6).prop_map(Node::Array),
            2 => prop::collection::vec((escaped_text(), inner), 0..8).prop_map(Node::Object),
        ]
    })
}

fn canonicalize(json: &str) -> Result<Canonical, NotCanonical> {
    canonical(&RawJson::parse(json.to_owned()).unwrap())
}

/// Formats a double as ECMAScript does, from the shortest digits that the standard library finds.
///
/// This is a third implementation, because the second one formats numbers with the same crate as
/// Manila.
fn ecmascript(double: f64) -> String {
    let scientific = shortest(double.abs());
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let digits = digits.replace('.', "");
    let sign = if double < 0.0 { "-" } else { "" };
    // The number of digits before the decimal point.
    let point = exponent.parse::<i32>().unwrap() + 1;
    let n_digits = i32::try_from(digits.len()).unwrap();
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap());
    let (before, after) = digits.split_at(usize::try_from(point.clamp(1, n_digits)).unwrap());
    match point {
        1..=21 if n_digits <= point => format!("{sign}{digits}{}", zeros(point - n_digits)),
        1..=21 => format!("{sign}{before}.{after}"),
        -5..=0 => format!("{sign}0.{}{digits}", zeros(-point)),
        _ => {
            let (first, others) = digits.split_at(1);
            let dot = if others.is_empty() { "" } else { "." };
            format!("{sign}{first}{dot}{others}e{:+}", point - 1)
        }
    }
}

/// Returns the shortest digits that parse as `double`. If two are equally close, the even ones are
/// used: formatting to a given number of digits does that, and shortest formatting does not.
fn shortest(double: f64) -> String {
    let shortest = format!("{double:e}");
    let n_digits = shortest.split('e').next().unwrap().replace('.', "").len();
    let even = format!("{double:.*e}", n_digits - 1);
    if even.parse() == Ok(double) { even } else { shortest }
}

/// Returns a configuration with the same cases in every run, so that only a change of the code can
/// cause a failure. `PROPTEST_RNG_SEED` and `PROPTEST_CASES` select other cases.
fn config() -> ProptestConfig {
    let given = ProptestConfig::default();
    let is_seeded = given.rng_seed != RngSeed::Random;
    let rng_seed = if is_seeded { given.rng_seed } else { RngSeed::Fixed(8785) };
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { given.cases } else { 1000 };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..given }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn agrees_with_a_second_implementation(node in node()) {
        let json = json(&node);
        let ours = canonicalize(&json);
        if let Ok(theirs) = serde_json_canonicalizer::pipe(&json) {
            prop_assert_eq!(String::from_utf8(ours.unwrap().bytes).unwrap(), theirs);
        } else {
            let reason = ours.unwrap_err().reason;
            prop_assert!(matches!(
                reason,
                NotCanonicalReason::NumberTooLarge | NotCanonicalReason::LoneSurrogate
            ));
        }
    }

    #[test]
    fn numbers_agree_with_a_third_implementation(double in double()) {
        let expected = if double == 0.0 { "0".to_owned() } else { ecmascript(double) };
        for spelling in [format!("{double}"), format!("{double:e}")] {
            let text = String::from_utf8(canonicalize(&spelling).unwrap().bytes).unwrap();
            prop_assert_eq!(&text, &expected);
            prop_assert_eq!(text.parse(), Ok(double));
        }
    }

    #[test]
    fn canonical_text_stays_the_same(node in node()) {
        let Ok(once) = canonicalize(&json(&node)) else { return Ok(()) };
        let text = String::from_utf8(once.bytes.clone()).unwrap();
        prop_assert_eq!(canonicalize(&text).unwrap().bytes, once.bytes);
    }

    /// With any escapes of the two keys, and any position among others.
    #[test]
    fn a_duplicate_key_is_refused(
        name in escaped_text(),
        escapes in escapes(),
        others in prop::collection::vec(escaped_text(), 0..6),
        place in any::<prop::sample::Index>(),
    ) {
        let again = EscapedText { text: name.text.clone(), escapes };
        let mut names: Vec<&EscapedText> = Vec::from_iter(&others);
        let mut seen = HashSet::from([&name.text]);
        names.retain(|other| seen.insert(&other.text));
        names.insert(place.index(names.len() + 1), &name);
        names.push(&again);
        let members: Vec<String> = names.iter().map(|name| format!("{}:0", string(name))).collect();
        let error = canonicalize(&format!("{{{}}}", members.join(","))).unwrap_err();
        prop_assert_eq!(error.reason, NotCanonicalReason::DuplicateKey);
        let pointer = format!("/{}", name.text.replace('~', "~0").replace('/', "~1"));
        prop_assert_eq!(error.pointer, pointer);
    }
}
