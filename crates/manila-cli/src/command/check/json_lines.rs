//! The report as JSON lines, for scripts.

use manila::DocumentKind;
use serde::Serialize;

use super::document::Document;
use super::files::Source;
use super::report::{Report, Total};
use crate::output::Output;
use crate::row::Row;

/// Writes one object for each document, then the summary.
pub(super) struct JsonLines;

#[derive(Serialize)]
struct DocumentLine<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    subject: Option<&'static str>,
    kept: bool,
    findings: &'a [Row],
}

#[derive(Serialize)]
struct SummaryLine {
    summary: Summary,
}

#[derive(Serialize)]
struct Summary {
    documents: u64,
    kept: u64,
    broken: u64,
    violations: u64,
    advice: u64,
    subjects: serde_json::Map<String, serde_json::Value>,
    findings_left_out: u64,
    unreadable: u64,
    skipped: u64,
}

impl Report for JsonLines {
    fn document(
        &mut self,
        source: &Source,
        document: &Document,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        let line = DocumentLine {
            file: &source.label,
            line: document.line,
            subject: document.kind.map(DocumentKind::id),
            kept: document.is_valid(),
            findings: &document.rows,
        };
        out.line(&serde_json::to_vec(&line)?)
    }

    fn finish(&mut self, total: &Total, out: &mut Output) -> anyhow::Result<()> {
        let tally = &total.tally;
        let named = |kind: Option<DocumentKind>| kind.map_or("unrecognised", DocumentKind::id);
        let subjects = tally.by_kind().map(|(kind, n)| (named(kind).to_owned(), n.into()));
        let summary = Summary {
            documents: tally.n_documents,
            kept: tally.n_documents - tally.n_broken,
            broken: tally.n_broken,
            violations: tally.n_violations,
            advice: tally.n_advice,
            subjects: subjects.collect(),
            findings_left_out: total.n_left_out,
            unreadable: total.n_unreadable,
            skipped: total.n_skipped,
        };
        out.line(&serde_json::to_vec(&SummaryLine { summary })?)
    }
}
