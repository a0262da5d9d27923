//! Runs the vectors in `conformance/` through the real program.

use std::collections::BTreeSet;

use manila::{Code, Contract, RawJson, pretty};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::program::{check_generated, files, manila, read, root};

/// A vector of `given/`: an example from a contract's own document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    clauses: Vec<String>,
    about: String,
    contract: String,
    observation: Box<RawValue>,
    envelope: Value,
    #[serde(default)]
    ignore: Vec<String>,
}

/// A vector of `observations/`: its envelopes are in `recorded/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Observed {
    clauses: Vec<String>,
    about: String,
    observation: Box<RawValue>,
}

/// Observations for one run of the program.
struct Batch {
    names: Vec<String>,
    input: String,
}

impl Batch {
    fn new() -> Batch {
        Batch { names: Vec::new(), input: String::new() }
    }

    fn add(&mut self, name: String, observation: &RawValue) {
        let line = RawJson::parse(observation.get().to_owned()).unwrap();
        self.names.push(name);
        self.input.push_str(&line.to_string());
        self.input.push('\n');
    }

    /// Seals all observations. Returns the envelopes with their names.
    fn seal(&self, contract: Contract) -> Vec<(&str, RawJson)> {
        let ran = manila(&["seal", "--lines", "--contract", contract.id()], self.input.as_bytes());
        assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{contract}");
        let envelopes = ran.stdout.lines().map(|line| RawJson::parse(line.to_owned()).unwrap());
        let all: Vec<_> = self.names.iter().map(String::as_str).zip(envelopes).collect();
        assert_eq!(all.len(), self.names.len(), "one line per vector");
        all
    }
}

pub(crate) fn name(path: &std::path::Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Checks that a vector names existing clauses and has a description.
#[track_caller]
pub(crate) fn check_head(name: &str, clauses: &[String], about: &str) {
    assert!(!clauses.is_empty() && about.len() > 10, "{name} has no clause or no description");
    for clause in clauses {
        let (letter, number) = clause.split_at(1);
        let limit = match letter {
            "E" | "P" => 9,
            "R" | "M" => 14,
            "Q" => 8,
            _ => 0,
        };
        let number: u32 = number.parse().unwrap_or(0);
        assert!((1..=limit).contains(&number), "{name}: there is no clause {clause}");
    }
}

#[test]
fn sealing_reproduces_the_given_examples() {
    let mut n_vectors = 0;
    for contract in Contract::ALL {
        let mut batch = Batch::new();
        let mut vectors = Vec::new();
        for path in files(&format!("conformance/given/{}", contract.info().stem)) {
            let given: Given = serde_json::from_str(&read(&path))
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            check_head(&name(&path), &given.clauses, &given.about);
            assert_eq!(given.contract, contract.id(), "{}", path.display());
            batch.add(name(&path), &given.observation);
            vectors.push(given);
        }
        for ((name, envelope), given) in batch.seal(contract).iter().zip(&vectors) {
            let mut found: Value = serde_json::from_str(&envelope.to_string()).unwrap();
            let mut expected = given.envelope.clone();
            for pointer in &given.ignore {
                remove(&mut found, pointer);
                remove(&mut expected, pointer);
            }
            assert_eq!(
                serde_json::to_string_pretty(&found).unwrap(),
                serde_json::to_string_pretty(&expected).unwrap(),
                "{contract}: {name}"
            );
            n_vectors += 1;
        }
    }
    assert!(n_vectors >= 40, "only {n_vectors} vectors were found");
}

fn remove(value: &mut Value, pointer: &str) {
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    if let Some(Value::Object(object)) = value.pointer_mut(parent) {
        object.remove(member);
    }
}

/// Parses a value into a tree, and replaces the numbers and strings that a tree cannot hold.
fn tree(value: &RawJson) -> Value {
    let text = value.to_string().replace("1e999", "1").replace("\\ud800", "\\u0041");
    serde_json::from_str(&text).unwrap()
}

fn observations() -> (Batch, Vec<Observed>) {
    let mut batch = Batch::new();
    let mut vectors = Vec::new();
    for path in files("conformance/observations") {
        let vector: Observed = serde_json::from_str(&read(&path))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        check_head(&name(&path), &vector.clauses, &vector.about);
        batch.add(name(&path), &vector.observation);
        vectors.push(vector);
    }
    (batch, vectors)
}

#[test]
fn recorded_envelopes_have_not_changed() {
    let (batch, _) = observations();
    for contract in Contract::ALL {
        let folder = root().join("conformance/recorded").join(contract.info().stem);
        for (name, envelope) in batch.seal(contract) {
            let text = String::from_utf8(pretty(&envelope)).unwrap() + "\n";
            check_generated(&folder.join(name).with_extension("json"), &text);
        }
        let known: BTreeSet<&str> = batch.names.iter().map(String::as_str).collect();
        for path in files(&format!("conformance/recorded/{}", contract.info().stem)) {
            assert!(known.contains(name(&path).as_str()), "{} has no vector", path.display());
        }
    }
}

#[test]
fn every_recorded_envelope_conforms_to_its_schema() {
    let (batch, _) = observations();
    for contract in Contract::ALL {
        let schema = manila(&["schema", contract.id()], b"").stdout;
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for (name, envelope) in batch.seal(contract) {
            let instance = tree(&envelope);
            let errors: Vec<String> = validator
                .iter_errors(&instance)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(errors.is_empty(), "{contract}: {name}: {errors:?}");
        }
    }
}

#[test]
fn every_code_and_every_kind_has_a_vector() {
    let (_, vectors) = observations();
    let mut codes = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    for vector in &vectors {
        let observed = RawJson::parse(vector.observation.get().to_owned()).unwrap();
        let observed = tree(&observed.get("observed").unwrap());
        kinds.extend(observed.as_object().unwrap().keys().cloned());
        let code = observed.pointer("/failed/code").and_then(Value::as_str);
        codes.extend(code.map(str::to_owned));
    }
    let missing: Vec<&str> =
        Code::ALL.iter().map(|code| code.name()).filter(|name| !codes.contains(*name)).collect();
    assert!(missing.is_empty(), "no vector for {missing:?}");
    assert_eq!(kinds.len(), 13, "an observation kind has no vector: {kinds:?}");
}

#[test]
fn members_are_in_the_order_of_the_contract() {
    let (batch, _) = observations();
    for (contract, expected) in [
        (
            Contract::EnvelopeV1,
            "tier tool_version tool_id request_id capabilities duration_ms error \
             upgrade_hints data",
        ),
        (Contract::ResponseV2, "success data error meta"),
        (Contract::MachineReadableV1, "success command output errors exitCode metadata"),
        (Contract::McpEnvelopeV01, "schema_version result errors warnings meta provenance"),
    ] {
        let expected: Vec<&str> = expected.split(' ').collect();
        for (name, envelope) in batch.seal(contract) {
            let text = String::from_utf8(pretty(&envelope)).unwrap();
            let top = text.lines().filter(|line| line.starts_with("  \""));
            let keys: Vec<&str> = top.filter_map(|line| line.split('"').nth(1)).collect();
            let positions: Vec<usize> = keys
                .iter()
                .map(|key| expected.iter().position(|known| known == key).expect("a known key"))
                .collect();
            assert!(positions.is_sorted(), "{contract}: {name}: {keys:?}");
        }
    }
}
