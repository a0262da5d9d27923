//! Runs `manila check` on the vectors in `conformance/refused/` and `conformance/given/`.

use std::collections::{BTreeMap, BTreeSet};

use manila::check::RULES;
use manila::{DocumentKind, RawJson};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::conformance::{check_head, name};
use crate::program::{Scratch, files, manila, read};

/// A document, and the rules that it breaks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vector {
    pub(crate) clauses: Vec<String>,
    pub(crate) about: String,
    pub(crate) contract: String,
    profile: Option<String>,
    /// The tool for `tool-io`, as `tools/list` describes it.
    tool: Option<Value>,
    #[serde(default, deserialize_with = "deserialize_present")]
    document: Option<Box<RawValue>>,
    /// Replaces `document` if the text cannot be embedded as JSON.
    text: Option<String>,
    pub(crate) violations: Vec<Violation>,
}

#[derive(Deserialize, Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Violation {
    pub(crate) pointer: String,
    pub(crate) rule: String,
    pub(crate) clause: Option<String>,
}

/// Deserializes a member that is present, including `null`.
fn deserialize_present<'de, D: serde::Deserializer<'de>>(
    value: D,
) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(value).map(Some)
}

impl Vector {
    /// Returns the contract, profile and tool: the options of `manila check`.
    fn options(&self) -> (String, Option<String>, Option<String>) {
        (self.contract.clone(), self.profile.clone(), self.tool.as_ref().map(Value::to_string))
    }

    fn line(&self) -> String {
        match (&self.document, &self.text) {
            (Some(document), None) => {
                RawJson::parse(document.get().to_owned()).unwrap().to_string()
            }
            (None, Some(text)) => text.clone(),
            _ => panic!("one of `document` and `text` is needed"),
        }
    }
}

/// Reads all vectors in the subfolders of a folder, with their names.
pub(crate) fn read_vectors(folder: &str) -> Vec<(String, Vector)> {
    let folders = files(folder).into_iter().map(|path| format!("{folder}/{}", name(&path)));
    folders.flat_map(|folder| read_folder(&folder)).collect()
}

fn read_folder(folder: &str) -> Vec<(String, Vector)> {
    let vector = |path: std::path::PathBuf| {
        let vector: Vector = serde_json::from_str(&read(&path))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let label = format!("{folder}/{}", name(&path));
        check_head(&label, &vector.clauses, &vector.about);
        (label, vector)
    };
    files(folder).into_iter().map(vector).collect()
}

/// Returns the violations that the program reports for each vector.
fn find_violations(vectors: &[&(String, Vector)]) -> Vec<Vec<Violation>> {
    let (contract, profile, tool) = vectors[0].1.options();
    let lines: Vec<String> = vectors.iter().map(|(_, vector)| vector.line()).collect();
    let scratch = Scratch::new(&format!("judged-{contract}-{}", lines.join("").len()));
    let mut args = vec!["check", "--lines", "--format", "json", "--contract", &contract];
    if let Some(profile) = &profile {
        args.extend(["--profile", profile]);
    }
    let tool = tool.map(|tool| scratch.file("tool.json", tool));
    if let Some(tool) = &tool {
        args.extend(["--tool-schema", tool]);
    }
    let ran = manila(&args, (lines.join("\n") + "\n").as_bytes());
    let mut found = vec![Vec::new(); vectors.len()];
    for line in ran.stdout.lines() {
        let report: Value = serde_json::from_str(line).unwrap();
        let Some(number) = report["line"].as_u64() else { continue };
        let findings = report["findings"].as_array().unwrap().iter();
        let broken = findings.filter(|it| it["grade"] == "violation").map(|it| {
            let text = |name: &str| it[name].as_str().map(str::to_owned);
            let (pointer, rule) = (text("pointer").unwrap(), text("rule").unwrap());
            Violation { pointer, rule, clause: text("clause") }
        });
        found[usize::try_from(number).unwrap() - 1] = broken.collect();
    }
    found
}

/// Checks that the program reports exactly the violations that each vector lists.
#[track_caller]
pub(crate) fn check_vectors(vectors: &[(String, Vector)]) {
    let mut groups: BTreeMap<_, Vec<&(String, Vector)>> = BTreeMap::new();
    for vector in vectors {
        groups.entry(vector.1.options()).or_default().push(vector);
    }
    let mut wrong = Vec::new();
    for group in groups.values() {
        for ((label, vector), found) in group.iter().zip(find_violations(group)) {
            if found != vector.violations {
                wrong.push(format!("{label}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn refused_vectors_break_exactly_their_rules() {
    let vectors = read_vectors("conformance/refused");
    assert!(vectors.iter().all(|(_, vector)| !vector.violations.is_empty()));
    check_vectors(&vectors);
}

#[test]
fn given_examples_conform_to_their_contract() {
    let folders = ["request_envelope", "tool_io", "prov_record_v0_1", "mcp_request_v0_1"];
    let vectors: Vec<_> = folders
        .iter()
        .flat_map(|folder| read_folder(&format!("conformance/given/{folder}")))
        .collect();
    assert!(vectors.iter().all(|(_, vector)| vector.violations.is_empty()));
    check_vectors(&vectors);
}

#[test]
fn every_rule_that_refuses_has_a_vector() {
    let vectors = read_vectors("conformance/refused");
    let broken = vectors.iter().flat_map(|(_, vector)| &vector.violations);
    let covered: BTreeSet<(&str, Option<&str>)> =
        broken.map(|it| (it.rule.as_str(), it.clause.as_deref())).collect();
    let mut missing = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.refuses()) {
        let clauses = rule.clauses.iter().map(|clause| Some(*clause));
        let without_clause = rule.clauses.is_empty().then_some(None);
        let pairs = clauses.chain(without_clause).map(|clause| (rule.name, clause));
        missing.extend(pairs.filter(|pair| !covered.contains(pair)));
    }
    assert!(missing.is_empty(), "no vector for {missing:?}");
}

#[test]
fn every_subject_has_vectors() {
    let vectors = read_vectors("conformance/refused");
    for kind in DocumentKind::ALL {
        let of_kind = vectors.iter().filter(|(_, vector)| vector.contract == kind.id());
        assert!(of_kind.count() >= 5, "{kind}");
    }
}
