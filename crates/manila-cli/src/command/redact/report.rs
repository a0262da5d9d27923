//! Lists findings by position and rule, never with the secret.

use manila_redact::LocatedFinding;
use serde::Serialize;

use crate::output::Output;

/// Format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportFormat {
    Text,
    Json,
}

/// A list of findings.
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

    /// Prints findings immediately as text, or collects them until `finish` for JSON.
    pub(super) fn add(
        &mut self,
        found: &[LocatedFinding],
        file: &str,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        for LocatedFinding { rule, line, column } in found {
            match self.format {
                ReportFormat::Text => {
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

    /// Prints the collected findings.
    pub(super) fn finish(self, out: &mut Output) -> anyhow::Result<()> {
        match self.format {
            ReportFormat::Text => Ok(()),
            ReportFormat::Json => out.line(&serde_json::to_vec_pretty(&self.rows)?),
        }
    }
}
