//! The report for people.

use std::fmt::Write as _;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use manila::Subject;
use manila::check::Grade;

use super::document::Document;
use super::files::Source;
use super::report::{Report, Total};
use crate::output::Output;
use crate::refusal::{note, visible};
use crate::words::counted;

pub(super) struct Human {
    place: Style,
    advice: Style,
}

impl Human {
    pub(super) fn new(out: &Output) -> Human {
        if out.is_coloured() {
            let advice = AnsiColor::Yellow.on_default().bold();
            Human { place: Style::new().bold(), advice }
        } else {
            Human { place: Style::new(), advice: Style::new() }
        }
    }
}

impl Report for Human {
    fn document(
        &mut self,
        source: &Source,
        document: &Document,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        for row in &document.rows {
            let Human { place, advice } = self;
            let (line, column) = (row.line, row.column);
            let at = format!("{}:{line}:{column}:", visible(&source.label));
            let mark = match row.grade {
                Grade::Violation => String::new(),
                Grade::Advice => format!(" {advice}advice:{advice:#}"),
            };
            let text = row.told(document.subject);
            out.line(format!("{place}{at}{place:#}{mark} {text}").as_bytes())?;
        }
        Ok(())
    }

    fn finish(&mut self, total: &Total, out: &mut Output) -> anyhow::Result<()> {
        // On a terminal the sum stands below the findings.
        out.flush()?;
        if total.n_left_out > 0 {
            let n = total.n_left_out;
            note(&format!("{n} more findings are not shown; raise the limit with --findings-max"));
        }
        if total.n_skipped > 0 {
            let what = counted(total.n_skipped, "other file was", "other files were");
            note(&format!("{what} skipped: not .json, .jsonl or .ndjson"));
        }
        // A sum that cannot be told changes nothing about the result.
        let _ = writeln!(anstream::stderr(), "{}", summary(total));
        Ok(())
    }
}

/// What it comes to, in a line.
fn summary(total: &Total) -> String {
    let tally = &total.tally;
    let n_kept = tally.n_documents - tally.n_broken;
    let violations = counted(tally.n_violations, "violation", "violations");
    let mut text = counted(tally.n_documents, "document", "documents");
    let kinds = kinds(total);
    if !kinds.is_empty() {
        let _ = write!(text, " ({kinds})");
    }
    let outcome = match (n_kept, tally.n_broken) {
        (0, 0) => ": nothing was checked".to_owned(),
        (1, 0) => " keeps its contract".to_owned(),
        (_, 0) => " keep their contract".to_owned(),
        (0, 1) => format!(" does not keep its contract: {violations}"),
        (0, _) => format!(" do not keep their contract: {violations}"),
        (1, 1) => format!(": 1 keeps its contract, 1 does not: {violations}"),
        (1, n) => format!(": 1 keeps its contract, {n} do not: {violations}"),
        (n, 1) => format!(": {n} keep their contract, 1 does not: {violations}"),
        (n, m) => format!(": {n} keep their contract, {m} do not: {violations}"),
    };
    text.push_str(&outcome);
    if tally.n_advice > 0 {
        let _ = write!(text, ", {} advice", tally.n_advice);
    }
    if total.n_unreadable > 0 {
        let what = counted(total.n_unreadable, "input", "inputs");
        let _ = write!(text, "; {what} could not be read");
    }
    text
}

/// What the documents were: `response-v2`, or `2 response-v2, 1 not recognised`.
fn kinds(total: &Total) -> String {
    let named = |subject: Option<Subject>| subject.map_or("not recognised", Subject::id);
    let all = total.tally.by_subject().map(|(subject, n)| (named(subject), n));
    let all: Vec<(&str, u64)> = all.collect();
    if let [(only, _)] = all.as_slice() {
        return (*only).to_owned();
    }
    let all: Vec<String> = all.iter().map(|(name, n)| format!("{n} {name}")).collect();
    all.join(", ")
}
