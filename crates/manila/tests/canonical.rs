//! Canonical JSON is what a second implementation makes of the same text, whatever the text.
#![allow(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects must fail"
)]

use std::collections::HashSet;
use std::fmt::Write;

use manila::{Canonical, NotCanonical, NotCanonicalReason, RawJson, canonical};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A value, with the choices that its text leaves open.
#[derive(Debug, Clone)]
enum Node {
    /// A scalar as it is spelled.
    Token(String),
    Text(Spelled),
    Array(Vec<Node>),
    /// In this order; a name that has stood already is left out.
    Object(Vec<(Spelled, Node)>),
}

/// A text, and how each of its characters is escaped, in turn.
#[derive(Debug, Clone)]
struct Spelled {
    text: String,
    escapes: Vec<Escape>,
}

#[derive(Debug, Clone, Copy)]
enum Escape {
    /// Only what must be.
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

fn string(spelled: &Spelled) -> String {
    let mut out = String::from('"');
    for (letter, escape) in spelled.text.chars().zip(spelled.escapes.iter().cycle()) {
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

fn spelled() -> impl Strategy<Value = Spelled> {
    let letter = prop_oneof![
        4 => prop::char::range('\0', '\u{7f}'),
        2 => prop::sample::select(vec!['"', '\\', '/', '\n', '\u{8}', '\u{1f}', '\u{2028}']),
        // Where the order of UTF-16 is not that of UTF-8.
        2 => prop::char::range('\u{d000}', '\u{d7ff}'),
        3 => prop::char::range('\u{e000}', '\u{ffff}'),
        3 => prop::char::range('\u{10000}', '\u{10ffff}'),
        1 => any::<char>(),
    ];
    let text = prop::collection::vec(letter, 0..6).prop_map(|text| text.into_iter().collect());
    (text, escapes()).prop_map(|(text, escapes)| Spelled { text, escapes })
}

fn escapes() -> impl Strategy<Value = Vec<Escape>> {
    let escape = prop::sample::select(vec![Escape::Needed, Escape::LowerHex, Escape::UpperHex]);
    prop::collection::vec(escape, 1..4)
}

/// Any double that JSON has a number for: all bits, and those near to round numbers.
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
        // Surrogates, some of them in pairs.
        1 => r#""(\\u[dD][89a-fA-F][0-9a-f]{2}){0,2}""#.prop_map(Node::Token),
        6 => spelled().prop_map(Node::Text),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..6).prop_map(Node::Array),
            2 => prop::collection::vec((spelled(), inner), 0..8).prop_map(Node::Object),
        ]
    })
}

fn ours(json: &str) -> Result<Canonical, NotCanonical> {
    canonical(&RawJson::parse(json.to_owned()).unwrap())
}

/// How ECMAScript prints a double, from the shortest digits that the standard library finds: a
/// third opinion, because the second implementation prints numbers with the same crate as ours.
fn ecmascript(double: f64) -> String {
    let scientific = shortest(double.abs());
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let digits = digits.replace('.', "");
    let sign = if double < 0.0 { "-" } else { "" };
    // The decimal point stands after this many digits.
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

/// The shortest digits that are read as `double`. Of two that are as near to it the even ones
/// are taken, which is what asking for their number does; asking for the shortest does not.
fn shortest(double: f64) -> String {
    let shortest = format!("{double:e}");
    let n_digits = shortest.split('e').next().unwrap().replace('.', "").len();
    let even = format!("{double:.*e}", n_digits - 1);
    if even.parse() == Ok(double) { even } else { shortest }
}

/// The same cases in every run, so that a change is what a failure comes from. Other ones are
/// tried with `PROPTEST_RNG_SEED` and `PROPTEST_CASES`.
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
    fn as_a_second_implementation(node in node()) {
        let json = json(&node);
        let ours = ours(&json);
        if let Ok(theirs) = serde_json_canonicalizer::pipe(&json) {
            prop_assert_eq!(String::from_utf8(ours.unwrap().bytes).unwrap(), theirs);
        } else {
            let reason = ours.unwrap_err().reason;
            prop_assert!(matches!(
                reason,
                NotCanonicalReason::NumberTooLarge | NotCanonicalReason::HalfCharacter
            ));
        }
    }

    #[test]
    fn numbers_as_a_third_opinion(double in double()) {
        let expected = if double == 0.0 { "0".to_owned() } else { ecmascript(double) };
        for spelling in [format!("{double}"), format!("{double:e}")] {
            let text = String::from_utf8(ours(&spelling).unwrap().bytes).unwrap();
            prop_assert_eq!(&text, &expected);
            prop_assert_eq!(text.parse(), Ok(double));
        }
    }

    #[test]
    fn again_it_is_the_same(node in node()) {
        let Ok(once) = ours(&json(&node)) else { return Ok(()) };
        let text = String::from_utf8(once.bytes.clone()).unwrap();
        prop_assert_eq!(ours(&text).unwrap().bytes, once.bytes);
    }

    /// However the two are escaped, and wherever they stand among others.
    #[test]
    fn a_key_that_stands_twice_is_refused(
        name in spelled(),
        escapes in escapes(),
        others in prop::collection::vec(spelled(), 0..6),
        place in any::<prop::sample::Index>(),
    ) {
        let again = Spelled { text: name.text.clone(), escapes };
        let mut names: Vec<&Spelled> = Vec::from_iter(&others);
        let mut seen = HashSet::from([&name.text]);
        names.retain(|other| seen.insert(&other.text));
        names.insert(place.index(names.len() + 1), &name);
        names.push(&again);
        let members: Vec<String> = names.iter().map(|name| format!("{}:0", string(name))).collect();
        let error = ours(&format!("{{{}}}", members.join(","))).unwrap_err();
        prop_assert_eq!(error.reason, NotCanonicalReason::KeyTwice);
        let pointer = format!("/{}", name.text.replace('~', "~0").replace('/', "~1"));
        prop_assert_eq!(error.pointer, pointer);
    }
}
