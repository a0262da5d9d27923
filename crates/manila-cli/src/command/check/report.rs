//! Reports on documents, in the requested format.

use super::document::{Document, Tally};
use super::files::Source;
use super::human::Human;
use super::json_lines::JsonLines;
use super::junit::Junit;
use super::sarif::Sarif;
use super::work::Checked;
use crate::output::Output;
use crate::progress::Progress;
use crate::refusal;

/// Format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// One line for each finding; the summary goes to stderr
    Human,
    /// JSON lines: one object for each document, then the summary
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML, with a test case for each file
    Junit,
}

/// Writes a report incrementally.
pub(super) trait Report {
    fn begin(&mut self, _out: &mut Output) -> anyhow::Result<()> {
        Ok(())
    }

    /// Reports a document: a file, or a line with findings.
    fn document(
        &mut self,
        source: &Source,
        document: &Document,
        out: &mut Output,
    ) -> anyhow::Result<()>;

    /// Marks the end of a file.
    fn end_of_file(
        &mut self,
        _source: &Source,
        _tally: &Tally,
        _out: &mut Output,
    ) -> anyhow::Result<()> {
        Ok(())
    }

    /// Reports a file that could not be read completely.
    fn unreadable(&mut self, _label: &str, _why: &str, _out: &mut Output) -> anyhow::Result<()> {
        Ok(())
    }

    fn finish(&mut self, total: &Total, out: &mut Output) -> anyhow::Result<()>;
}

/// Totals of a report.
#[derive(Debug, Default)]
pub(super) struct Total {
    pub(super) tally: Tally,
    /// Findings omitted because of the limit.
    pub(super) n_left_out: u64,
    pub(super) n_unreadable: u64,
    /// Files in directories that were skipped because of their extension.
    pub(super) n_skipped: u64,
}

/// Collects results in order and writes them as a report.
pub(super) struct Reporter<'a> {
    report: Box<dyn Report>,
    out: &'a mut Output,
    /// Number of findings that may still be reported.
    rows_left: usize,
    /// Counts for the current file.
    file: Tally,
    total: Total,
}

impl<'a> Reporter<'a> {
    pub(super) fn begin(
        format: Format,
        rows_max: usize,
        n_skipped: u64,
        out: &'a mut Output,
    ) -> anyhow::Result<Reporter<'a>> {
        let mut report: Box<dyn Report> = match format {
            Format::Human => Box::new(Human::new(out)),
            Format::Json => Box::new(JsonLines),
            Format::Sarif => Box::new(Sarif::default()),
            Format::Junit => Box::new(Junit::default()),
        };
        report.begin(out)?;
        let total = Total { n_skipped, ..Total::default() };
        Ok(Reporter { report, out, rows_left: rows_max, file: Tally::default(), total })
    }

    /// Writes the results of a job.
    pub(super) fn take(&mut self, checked: Checked, progress: &mut Progress) -> anyhow::Result<()> {
        let n_bytes = match &checked {
            Checked::Whole { n_bytes, .. } | Checked::Lines { n_bytes, .. } => *n_bytes,
            Checked::End(_) | Checked::Unreadable { .. } => 0,
        };
        let is_empty =
            matches!(&checked, Checked::Lines { lines, .. } if lines.reported.is_empty());
        if is_empty || !progress.is_shown() {
            self.write(checked)?;
        } else {
            // The progress bar and the report share the terminal.
            progress.suspend(|| self.write(checked).and_then(|()| self.flush()))?;
        }
        progress.advance(n_bytes);
        Ok(())
    }

    /// Flushes the output.
    pub(super) fn flush(&mut self) -> anyhow::Result<()> {
        self.out.flush()
    }

    fn write(&mut self, checked: Checked) -> anyhow::Result<()> {
        match checked {
            Checked::Whole { source, document, .. } => {
                self.file.add(&document);
                self.document(&source, document)?;
                self.end_of_file(&source)
            }
            Checked::Lines { source, lines, .. } => {
                self.file.merge(&lines.tally);
                self.total.n_left_out += lines.n_left_out;
                for document in lines.reported {
                    if self.rows_left == 0 {
                        self.total.n_left_out += document.n_violations + document.n_advice;
                    } else {
                        self.document(&source, document)?;
                    }
                }
                Ok(())
            }
            Checked::End(source) => self.end_of_file(&source),
            Checked::Unreadable { label, error } => {
                refusal::report(&error);
                self.total.n_unreadable += 1;
                self.total.tally.merge(&std::mem::take(&mut self.file));
                self.report.unreadable(&label, &error.to_string(), self.out)
            }
        }
    }

    fn document(&mut self, source: &Source, mut document: Document) -> anyhow::Result<()> {
        document.truncate(self.rows_left);
        self.rows_left -= document.rows.len();
        self.total.n_left_out += document.n_left_out;
        self.report.document(source, &document, self.out)
    }

    fn end_of_file(&mut self, source: &Source) -> anyhow::Result<()> {
        let file = std::mem::take(&mut self.file);
        self.total.tally.merge(&file);
        self.report.end_of_file(source, &file, self.out)
    }

    pub(super) fn finish(mut self) -> anyhow::Result<Total> {
        self.report.finish(&self.total, self.out)?;
        Ok(self.total)
    }
}
