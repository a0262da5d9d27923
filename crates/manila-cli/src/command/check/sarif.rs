//! The report as SARIF 2.1.0: one run, written result by result.
//!
//! Results come before the rules, because all rules are known only at the end.

use std::fmt::Write;
use std::path::{Component, Path};

use manila::check::{Grade, RULES};
use serde::Serialize;
use serde_json::{Value, json};

use super::document::Document;
use super::files::Source;
use super::report::{Report, Total};
use crate::output::Output;
use crate::plural::pluralize;
use crate::row::Row;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes results, and collects what follows them.
#[derive(Default)]
pub(super) struct Sarif {
    rules: Vec<Rule>,
    /// Inputs that could not be read, with the reason.
    unreadable: Vec<String>,
    n_results: u64,
}

#[derive(Serialize)]
struct Rule {
    id: &'static str,
    #[serde(rename = "shortDescription")]
    short_description: Value,
}

impl Report for Sarif {
    fn begin(&mut self, out: &mut Output) -> anyhow::Result<()> {
        out.line(format!(r#"{{"$schema":"{SCHEMA}","version":"2.1.0","runs":[{{"#).as_bytes())?;
        // Columns count characters.
        out.raw(br#""columnKind":"unicodeCodePoints","results":["#)
    }

    fn document(
        &mut self,
        source: &Source,
        document: &Document,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        for row in &document.rows {
            if !self.rules.iter().any(|rule| rule.id == row.rule) {
                self.rules.push(Rule::of(row));
            }
            out.line(if self.n_results > 0 { b"," } else { b"" })?;
            self.n_results += 1;
            out.raw(&serde_json::to_vec(&result(source, row))?)?;
        }
        Ok(())
    }

    fn unreadable(&mut self, label: &str, why: &str, _out: &mut Output) -> anyhow::Result<()> {
        const UNREADABLE_MAX: usize = 1000;
        if self.unreadable.len() < UNREADABLE_MAX {
            self.unreadable.push(format!("{label}: {why}"));
        }
        Ok(())
    }

    fn finish(&mut self, total: &Total, out: &mut Output) -> anyhow::Result<()> {
        let mut notifications: Vec<Value> =
            self.unreadable.iter().map(|why| notification("error", why)).collect();
        if total.n_left_out > 0 {
            let n = pluralize(total.n_left_out, "more finding is", "more findings are");
            let what = format!("{n} not listed; raise the limit with --findings-max");
            notifications.push(notification("note", &what));
        }
        let invocation = json!({
            "executionSuccessful": total.n_unreadable == 0,
            "toolExecutionNotifications": notifications,
        });
        let version = env!("CARGO_PKG_VERSION");
        let driver = json!({"name": "manila", "semanticVersion": version, "rules": self.rules});
        let tool = json!({"driver": driver});
        out.line(format!("\n],\"tool\":{tool},\"invocations\":[{invocation}]}}]}}").as_bytes())
    }
}

impl Rule {
    fn of(row: &Row) -> Rule {
        let listed = RULES.iter().find(|rule| rule.name == row.rule && rule.grade == row.grade);
        let text = listed.map_or(row.rule, |rule| rule.requirement);
        Rule { id: row.rule, short_description: json!({ "text": text }) }
    }
}

fn result(source: &Source, row: &Row) -> Value {
    let level = match row.grade {
        Grade::Violation => "error",
        Grade::Advice => "note",
    };
    let parts = [row.clause.unwrap_or_default(), &row.pointer, &row.message];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let mut location = json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(source)},
        "region": {"startLine": row.line, "startColumn": row.column},
    }});
    if let (false, Some(location)) = (row.pointer.is_empty(), location.as_object_mut()) {
        let logical = json!([{"fullyQualifiedName": row.pointer, "kind": "value"}]);
        location.insert("logicalLocations".to_owned(), logical);
    }
    json!({
        "ruleId": row.rule,
        "level": level,
        "message": {"text": parts.join(" ")},
        "locations": [location],
    })
}

fn notification(level: &str, text: &str) -> Value {
    json!({"level": level, "message": {"text": text}})
}

/// Returns a file's URI, relative if the path is.
fn uri(source: &Source) -> String {
    let Some(path) = &source.path else { return "stdin".to_owned() };
    let mut uri = if path.is_absolute() { "file://".to_owned() } else { String::new() };
    for (at, part) in relevant(path).enumerate() {
        if at > 0 || path.is_absolute() {
            uri.push('/');
        }
        part.as_os_str().as_encoded_bytes().iter().for_each(|byte| push_encoded(&mut uri, *byte));
    }
    uri
}

/// Returns the path's components without the root and `.`.
fn relevant(path: &Path) -> impl Iterator<Item = Component<'_>> {
    path.components().filter(|part| !matches!(part, Component::RootDir | Component::CurDir))
}

fn push_encoded(uri: &mut String, byte: u8) {
    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        uri.push(char::from(byte));
    } else {
        let _ = write!(uri, "%{byte:02X}");
    }
}
