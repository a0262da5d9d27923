//! The consistency of the table of rules.

use std::collections::BTreeSet;

use regex::bytes::RegexBuilder;

use crate::rules::{Finds, RULES};
use crate::{Redactor, Rule, rules};

fn without_gap(example: &str) -> String {
    example.replace(Rule::GAP, "")
}

fn matching_rules(text: &str) -> Vec<String> {
    let edits = Redactor::standard().text(text.as_bytes());
    edits.into_iter().map(|edit| edit.rule.into_owned()).collect()
}

#[test]
fn every_rule_finds_its_example_but_not_its_counterexample() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let (example, counterexample) = (rule.example(), rule.counterexample());
        assert!(example.contains(Rule::GAP), "{}: its example has no gap", rule.name());
        let found = matching_rules(&without_gap(example));
        if !found.iter().any(|name| name == rule.name()) {
            wrong.push(format!("{} does not find {example}, but {found:?}", rule.name()));
        }
        let found = matching_rules(&without_gap(counterexample));
        if !found.is_empty() {
            wrong.push(format!("{}: {found:?} finds {counterexample}", rule.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_are_unique_and_valid() {
    let names: BTreeSet<&str> = rules().iter().map(Rule::name).collect();
    assert_eq!(names.len(), rules().len());
    for rule in rules() {
        let is_valid = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        assert!(rule.name().chars().all(is_valid), "{}", rule.name());
        assert!(!rule.protects().ends_with('.'), "{}", rule.name());
    }
    let n_tokens = rules().iter().filter(|rule| rule.is_token()).count();
    assert!(n_tokens >= 150, "{n_tokens}");
}

/// A pattern that does not compile would silently find nothing.
#[test]
fn every_pattern_compiles_and_is_bounded() {
    let outside_of_classes = regex::Regex::new(r"\[[^\]]*\]|\\.").unwrap();
    for rule in &RULES {
        if let Finds::Token(token) = rule.finds() {
            let pattern = RegexBuilder::new(token.pattern).unicode(false).build();
            assert!(pattern.is_ok(), "{}: {pattern:?}", rule.name());
            let bare = outside_of_classes.replace_all(token.pattern, "");
            assert!(!bare.contains(['+', '*']), "{}: {}", rule.name(), token.pattern);
            assert!(!token.starts.is_empty() && token.literal_offset.1 <= 64, "{}", rule.name());
        }
    }
}
