//! For tests: checks a valid document with changes, and compares the findings.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Checker, Grade, Verdict};
use crate::document_kind::DocumentKind;

/// A valid document and its checker.
pub(crate) struct Table {
    pub(crate) checker: Checker,
    pub(crate) good: Value,
}

impl Table {
    /// Checks the findings in the valid document with `value` at `pointer`, or without that member.
    #[track_caller]
    pub(crate) fn check(&self, pointer: &str, value: Option<Value>, expected: &str) {
        let mut document = self.good.clone();
        set(&mut document, pointer, value);
        assert_eq!(render_findings(&self.verdict(&document)), expected, "{document}");
    }

    pub(crate) fn verdict(&self, document: &Value) -> Verdict {
        self.checker.check(&document.to_string().into())
    }
}

/// Formats the pointer, rule and clause of every finding.
pub(crate) fn render_findings(verdict: &Verdict) -> String {
    let findings = verdict.findings.iter().map(|it| {
        let advice = if it.grade == Grade::Advice { " advice" } else { "" };
        format!("{} {} {}{advice}", it.pointer, it.rule, it.clause.unwrap_or("-"))
    });
    findings.collect::<Vec<_>>().join("; ")
}

fn set(document: &mut Value, pointer: &str, value: Option<Value>) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        *document = value.unwrap();
        return;
    };
    match (document.pointer_mut(parent).unwrap(), value) {
        (Value::Object(members), Some(value)) => drop(members.insert(name.to_owned(), value)),
        (Value::Object(members), None) => drop(members.remove(name).unwrap()),
        (Value::Array(items), Some(value)) if name == "-" => items.push(value),
        (Value::Array(items), Some(value)) => items[name.parse::<usize>().unwrap()] = value,
        (Value::Array(items), None) => drop(items.remove(name.parse().unwrap())),
        (other, _) => panic!("{other} has no members"),
    }
}

/// Collects the pointers to all values inside a document.
fn pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let mut add = |name: &str, value: &Value| {
        let at = format!("{pointer}/{name}");
        pointers(value, &at, found);
        found.push(at);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| add(name, value)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| add(&index.to_string(), item));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Generates documents with up to three changes.
pub(crate) fn mutations(good: &Value) -> impl Strategy<Value = Value> + use<> {
    let mut pool: Vec<Option<Value>> = vec![None, None, None];
    pool.extend([json!(null), json!(7), json!(7.0), json!(1.5), json!(-1), json!(true)].map(Some));
    pool.extend([json!([]), json!({}), json!([7]), json!({"x": "y"}), json!("")].map(Some));
    let lengths = [1, 15, 16, 50, 51, 100, 101, 200, 201, 400, 401, 1000, 1001, 2001, 5000, 5001];
    pool.extend(lengths.map(|n_chars| Some(json!("a".repeat(n_chars)))));
    pool.extend([15, 16, 200, 201].map(|n_chars| Some(json!("é".repeat(n_chars)))));
    pool.extend(["adapter.x-y", "a..b", "sha256", "00ff", "G"].map(|text| Some(json!(text))));
    let mut parts = Vec::new();
    pointers(good, "", &mut parts);
    pool.extend(parts.iter().map(|part| good.pointer(part).cloned()));
    let change = (any::<prop::sample::Index>(), prop::sample::select(pool), 0..10u8);
    let good = good.clone();
    prop::collection::vec(change, 1..4).prop_map(move |changes| {
        let mut document = good.clone();
        for (at, value, what) in changes {
            let mut found = Vec::new();
            pointers(&document, "", &mut found);
            let Some(place) = found.get(at.index(found.len().max(1))) else { continue };
            match (what, document.pointer_mut(place)) {
                (0, Some(Value::Object(members))) => {
                    members.insert("extra".to_owned(), value.unwrap_or_default());
                }
                (0, Some(Value::Array(items))) => items.push(value.unwrap_or_default()),
                _ => set(&mut document, place, value),
            }
        }
        document
    })
}

/// Compiles the schema of a document kind.
pub(crate) fn schema_of(kind: DocumentKind) -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(kind.schema()).unwrap()).unwrap()
}

/// The rules that a schema can express.
const SCHEMA_RULES: [&str; 10] = [
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "maxLength",
    "minLength",
    "minimum",
    "pattern",
    "required",
    "type",
];

/// Checks that the verdict agrees with the schema on the rules that a schema can express.
pub(crate) fn check_agreement(
    table: &Table,
    schema: &jsonschema::Validator,
    document: &Value,
) -> Result<(), TestCaseError> {
    let verdict = table.verdict(document);
    let mut findings = verdict.findings.iter().filter(|it| it.grade == Grade::Violation);
    let is_refused = findings.any(|finding| SCHEMA_RULES.contains(&finding.rule));
    prop_assert_eq!(
        !is_refused,
        schema.is_valid(document),
        "{}: {}",
        render_findings(&verdict),
        document
    );
    Ok(())
}
