//! Findings as a list: where, and by which rule. Never what.

use manila_redact::Found;
use serde::Serialize;

use crate::output::Output;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportFormat {
    Human,
    Json,
}

pub(super) struct Report {
    format: ReportFormat,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    file: String,
    line: u64,
    column: u64,
    rule: String,
}

impl Report {
    pub(super) fn new(format: ReportFormat) -> Report {
        Report { format, rows: Vec::new() }
    }

    /// Tells findings at once to people, and keeps them for JSON.
    pub(super) fn add(
        &mut self,
        found: &[Found],
        file: &str,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        for Found { rule, line, column } in found {
            match self.format {
                ReportFormat::Human => {
                    out.line(format!("{file}:{line}:{column}: {rule}").as_bytes())?;
                }
                ReportFormat::Json => self.rows.push(Row {
                    file: file.to_owned(),
                    line: *line,
                    column: *column,
                    rule: rule.clone(),
                }),
            }
        }
        Ok(())
    }

    pub(super) fn finish(self, out: &mut Output) -> anyhow::Result<()> {
        match self.format {
            ReportFormat::Human => Ok(()),
            ReportFormat::Json => out.line(&serde_json::to_vec_pretty(&self.rows)?),
        }
    }
}
