//! The human-readable report.

use std::fmt::Write as _;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use manila::DocumentKind;
use manila::check::Grade;

use super::document::Document;
use super::files::Source;
use super::report::{Report, Total};
use crate::output::Output;
use crate::plural::pluralize;
use crate::refusal::{print_note, visible};

/// Writes one line for each finding, and the summary to stderr.
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
            let text = row.describe(document.kind);
            out.line(format!("{place}{at}{place:#}{mark} {text}").as_bytes())?;
        }
        Ok(())
    }

    fn finish(&mut self, total: &Total, out: &mut Output) -> anyhow::Result<()> {
        // On a terminal, the summary must come after the findings.
        out.flush()?;
        if total.n_left_out > 0 {
            let what = pluralize(total.n_left_out, "more finding is", "more findings are");
            print_note(&format!("{what} not shown; raise the limit with --findings-max"));
        }
        if total.n_skipped > 0 {
            let what = pluralize(total.n_skipped, "other file was", "other files were");
            print_note(&format!("{what} skipped: not .json, .jsonl or .ndjson"));
        }
        // A failed write of the summary does not change the result.
        let _ = writeln!(anstream::stderr(), "{}", summary(total));
        Ok(())
    }
}

/// Returns the summary line.
fn summary(total: &Total) -> String {
    let tally = &total.tally;
    let n_valid = tally.n_documents - tally.n_broken;
    let violations = pluralize(tally.n_violations, "violation", "violations");
    let is_any_recognised = tally.kinds.iter().any(|(kind, _)| kind.is_some());
    let mut text = pluralize(tally.n_documents, "document", "documents");
    if is_any_recognised {
        let _ = write!(text, " ({})", kinds(total));
    }
    let outcome = match (n_valid, tally.n_broken) {
        (0, 1) if !is_any_recognised => format!(" was not recognised: {violations}"),
        (0, 2..) if !is_any_recognised => format!(" were not recognised: {violations}"),
        (0, 0) => ": nothing to check".to_owned(),
        (1, 0) => " conforms to its contract".to_owned(),
        (_, 0) => " conform to their contract".to_owned(),
        (0, 1) => format!(" does not conform to its contract: {violations}"),
        (0, _) => format!(" do not conform to their contract: {violations}"),
        (1, 1) => format!(": 1 conforms to its contract, 1 does not: {violations}"),
        (1, n) => format!(": 1 conforms to its contract, {n} do not: {violations}"),
        (n, 1) => format!(": {n} conform to their contract, 1 does not: {violations}"),
        (n, m) => format!(": {n} conform to their contract, {m} do not: {violations}"),
    };
    text.push_str(&outcome);
    if tally.n_advice > 0 {
        let _ = write!(text, ", {} advice", tally.n_advice);
    }
    if total.n_unreadable > 0 {
        let what = pluralize(total.n_unreadable, "input", "inputs");
        let _ = write!(text, "; {what} could not be read");
    }
    text
}

/// Lists the kinds of documents: `response-v2`, or `2 response-v2, 1 not recognised`.
fn kinds(total: &Total) -> String {
    let named = |kind: Option<DocumentKind>| kind.map_or("not recognised", DocumentKind::id);
    let all = total.tally.by_kind().map(|(kind, n)| (named(kind), n));
    let all: Vec<(&str, u64)> = all.collect();
    if let [(only, _)] = all.as_slice() {
        return (*only).to_owned();
    }
    let all: Vec<String> = all.iter().map(|(name, n)| format!("{n} {name}")).collect();
    all.join(", ")
}
