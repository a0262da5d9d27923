use proptest::prelude::*;

use super::*;

const MANY: u64 = 1_000_000_000;

fn compile(pattern: &str) -> Result<Arc<Pattern>, UnusablePattern> {
    Patterns::default().get(pattern)
}

#[track_caller]
fn check(pattern: &str, matching: &[&str], others: &[&str]) {
    let compiled = compile(pattern).unwrap();
    let is_match = |text: &str| compiled.is_match(text, &mut Steps::new(MANY)).unwrap();
    for text in matching {
        assert!(is_match(text), "{pattern} should match {text:?}");
    }
    for text in others {
        assert!(!is_match(text), "{pattern} should not match {text:?}");
    }
}

#[test]
fn lookaround_has_the_meaning_of_ecmascript() {
    check("^(?!.*--)[a-z0-9-]+$", &["a-b", "-"], &["a--b", "--", "", "a_b"]);
    check(
        r"^(?=.*\d)(?=.*[a-z]).{8,}$",
        &["abcdefg1", "1234567z"],
        &["abcdefgh", "12345678", "a1"],
    );
    check("a(?!b)", &["a", "aba", "ac"], &["ab", "b"]);
    check("(?<=a)b", &["ab", "cab"], &["b", "bb"]);
    check("(?<!a)b", &["b", "abb", "cb"], &["ab", ""]);
    check("^(?:(?!foo|bar).)*$", &["", "fobar"[..4].into(), "f"], &["foo", "xbarx"]);
    check("(?=a(?=b(?!c)))", &["ab", "abx", "abcab"], &["abc", "a"]);
    check(r"\b(?=[\w-])é", &[], &["é", "aé"]);
    check(r"^(?=\d)[^\s]\W?$", &["1", "1\u{e9}"], &["\u{661}", "11"]);
    check(r"(?=\bcat\b)", &["a cat.", "cat"], &["concat", "cats"]);
    check("(?!)", &[], &["", "a"]);
    check("(?:)", &["", "a"], &[]);
    check("^(?!.*[\u{e9}-\u{ea}]).+$", &["e", "日本"], &["x\u{e9}", ""]);
}

#[test]
fn a_pattern_that_needs_no_lookaround_is_a_dfa() {
    let patterns = [
        "^[a-z0-9-]+$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^[\w.%+-]+@[\w.-]+\.[A-Za-z]{2,}$",
        "^.{1,200}$",
        r"^P(?:\d+Y)?(?:\d+M)?(?:T(?:\d+H)?)?$",
        "^(a+)+$",
    ];
    for pattern in patterns {
        assert!(matches!(compile(pattern).unwrap().0, Engine::Dfa(_)), "{pattern}");
    }
}

#[test]
fn the_number_of_steps_is_bounded() {
    let text = "a".repeat(100_000);
    let texts = [text.clone(), format!("{text}--"), format!("--{text}"), "-a".repeat(50_000)];
    for pattern in [
        "(?!.*--)[a-z0-9-]+$",
        r"(?=.*\d)(?=.*[a-z]).{8,}",
        "^(?=(a+)+$)(?=(a|a)*b)",
        "(?:(?=a)|a)*b",
        "(?<=(a|aa)+)b",
        "((a{50}){50}){5}",
        r"^\p{L}[\p{L}\p{N}_ -]{0,49}$",
    ] {
        let compiled = compile(pattern).unwrap();
        for text in &texts {
            let steps_max = (compiled.steps_per_character() + 65) * (text.len() as u64 + 2);
            let mut steps = Steps::new(steps_max);
            assert!(compiled.is_match(text, &mut steps).is_some(), "{pattern}");
            assert_eq!(compiled.is_match(text, &mut Steps::new(10)), None, "{pattern}");
        }
    }
}

#[test]
fn unusable_patterns_are_refused() {
    for pattern in [
        r"(a)\1",
        "(",
        "(?:a{1000}){1000}(?=b)",
        r"(?:\p{L}{100}){200}",
        &"(?=a)".repeat(1000),
        &format!("{}a{}", "(?=".repeat(500), ")".repeat(500)),
    ] {
        assert_eq!(compile(pattern).err(), Some(UnusablePattern), "{pattern}");
    }
}

#[test]
fn compiling_all_patterns_of_a_schema_takes_bounded_memory() {
    let mut patterns = Patterns::default();
    let is_usable = |n: usize| patterns.get(&format!("[a-q][^u-z]{{13}}x{n}")).is_ok();
    // Each is too large for a DFA.
    let n_usable = (0..100_000).take_while({
        let mut is_usable = is_usable;
        move |n| is_usable(*n)
    });
    let n_usable = n_usable.count();
    assert!((100..10_000).contains(&n_usable), "{n_usable}");
    assert!(patterns.get("[a-q][^u-z]{13}x0").is_ok(), "equal patterns are compiled once");
}

/// Random patterns with every kind of expression that a program knows.
fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "[ab]",
        "[^a]",
        ".",
        "^",
        "$",
        r"\b",
        r"\B",
        r"\d",
        r"[\w!]",
        "\u{e9}",
        "",
        "[^\u{e9}]",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let repeat = prop::sample::select(vec!["*", "+", "?", "{2}", "{1,3}", "{0}", "*?", "{2,}"]);
        let look = prop::sample::select(vec!["?=", "?!", "?:", "?<=", "?<!"]);
        prop_oneof![
            (inner.clone(), repeat).prop_map(|(inner, repeat)| format!("(?:{inner}){repeat}")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("{left}{right}")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("(?:{left}|{right})")),
            (look, inner).prop_map(|(look, inner)| format!("({look}{inner})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_simulation_agrees_with_backtracking(
        pattern in pattern(),
        text in "[ab1 \n\u{e9}]{0,8}",
    ) {
        let translated = jsonschema_regex::to_rust_regex(&pattern).unwrap();
        let Ok(program) = Program::compile(&translated) else {
            // Only the oracle knows how to refuse what remains.
            return Err(TestCaseError::reject("unusable"));
        };
        // Words and digits are ASCII, as in ECMAScript.
        let oracle = translated.replace(r"[\w!]", "[0-9A-Za-z_!]").replace(r"\d", "[0-9]");
        let oracle = oracle.replace(r"\b", "(?-u:\\b)").replace(r"\B", "(?-u:\\B)");
        let Ok(oracle) = fancy_regex::Regex::new(&oracle) else {
            return Err(TestCaseError::reject("lookbehind of variable length"));
        };
        let expected = oracle.is_match(&text).unwrap();
        prop_assert_eq!(program.is_match(&text, &mut Steps::new(MANY)), Some(expected));
        let compiled = compile(&pattern).unwrap();
        prop_assert_eq!(compiled.is_match(&text, &mut Steps::new(MANY)), Some(expected));
    }
}
