//! The vectors in `conformance/refused/` and `conformance/given/` that `manila check` must judge.

use std::collections::{BTreeMap, BTreeSet};

use manila::check::RULES;
use manila::{RawJson, Subject};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::conformance::{check_head, name};
use crate::program::{Scratch, files, manila, read};

/// A document, and the rules that it breaks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judged {
    pub(crate) clauses: Vec<String>,
    pub(crate) about: String,
    pub(crate) contract: String,
    profile: Option<String>,
    /// The tool of tool I/O, as `tools/list` gives it.
    tool: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    document: Option<Box<RawValue>>,
    /// In the place of `document`, where that cannot be written as JSON once more.
    text: Option<String>,
    pub(crate) violations: Vec<Broken>,
}

#[derive(Deserialize, Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Broken {
    pub(crate) pointer: String,
    pub(crate) rule: String,
    pub(crate) clause: Option<String>,
}

/// A member that is there, `null` included.
fn given<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(value).map(Some)
}

impl Judged {
    /// The options of `manila check` for it.
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

/// All vectors below the folders of a folder, by name.
pub(crate) fn judged(folder: &str) -> Vec<(String, Judged)> {
    let folders = files(folder).into_iter().map(|path| format!("{folder}/{}", name(&path)));
    folders.flat_map(|folder| in_folder(&folder)).collect()
}

fn in_folder(folder: &str) -> Vec<(String, Judged)> {
    let vector = |path: std::path::PathBuf| {
        let vector: Judged = serde_json::from_str(&read(&path))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let label = format!("{folder}/{}", name(&path));
        check_head(&label, &vector.clauses, &vector.about);
        (label, vector)
    };
    files(folder).into_iter().map(vector).collect()
}

/// What the program finds in each line.
fn found(vectors: &[&(String, Judged)]) -> Vec<Vec<Broken>> {
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
            Broken { pointer, rule, clause: text("clause") }
        });
        found[usize::try_from(number).unwrap() - 1] = broken.collect();
    }
    found
}

/// Checks that the program finds in each vector what the vector says, and nothing else.
#[track_caller]
pub(crate) fn check_judged(vectors: &[(String, Judged)]) {
    let mut groups: BTreeMap<_, Vec<&(String, Judged)>> = BTreeMap::new();
    for vector in vectors {
        groups.entry(vector.1.options()).or_default().push(vector);
    }
    let mut wrong = Vec::new();
    for group in groups.values() {
        for ((label, vector), found) in group.iter().zip(found(group)) {
            if found != vector.violations {
                wrong.push(format!("{label}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_breaks_a_rule_is_refused_by_that_rule() {
    let vectors = judged("conformance/refused");
    assert!(vectors.iter().all(|(_, vector)| !vector.violations.is_empty()));
    check_judged(&vectors);
}

#[test]
fn what_the_documents_give_keeps_its_contract() {
    let folders = ["request_envelope", "tool_io", "prov_record_v0_1", "mcp_request_v0_1"];
    let vectors: Vec<_> = folders
        .iter()
        .flat_map(|folder| in_folder(&format!("conformance/given/{folder}")))
        .collect();
    assert!(vectors.iter().all(|(_, vector)| vector.violations.is_empty()));
    check_judged(&vectors);
}

#[test]
fn every_rule_that_refuses_has_a_vector() {
    let vectors = judged("conformance/refused");
    let broken = vectors.iter().flat_map(|(_, vector)| &vector.violations);
    let shown: BTreeSet<(&str, Option<&str>)> =
        broken.map(|it| (it.rule.as_str(), it.clause.as_deref())).collect();
    let mut missing = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.refuses()) {
        let clauses = rule.clauses.iter().map(|clause| Some(*clause));
        let own = rule.clauses.is_empty().then_some(None);
        let pairs = clauses.chain(own).map(|clause| (rule.name, clause));
        missing.extend(pairs.filter(|pair| !shown.contains(pair)));
    }
    assert!(missing.is_empty(), "no vector for {missing:?}");
}

#[test]
fn every_subject_has_vectors() {
    let vectors = judged("conformance/refused");
    for subject in Subject::ALL {
        let own = vectors.iter().filter(|(_, vector)| vector.contract == subject.id());
        assert!(own.count() >= 5, "{subject}");
    }
}
