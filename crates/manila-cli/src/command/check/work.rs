//! The jobs of a check: files and blocks of lines, on all cores.

use std::sync::Arc;

use manila::check::Checker;

use super::document::{Document, Tally};
use super::files::{Reading, Source, Target};
use crate::blocks::{Block, Line};
use crate::parallel::Job;
use crate::refusal::Refusal;

/// The input of one job.
pub(super) enum Part {
    /// A file that is one document.
    Whole(Arc<Source>),
    /// A block of lines of a file.
    Lines(Arc<Source>, Block),
    /// The end of a file in which each line is a document.
    End(Arc<Source>),
    /// An input that cannot be read.
    Unreadable(String, anyhow::Error),
}

/// The result of one job.
pub(super) enum Checked {
    Whole { source: Arc<Source>, document: Document, n_bytes: usize },
    Lines { source: Arc<Source>, lines: Lines, n_bytes: usize },
    End(Arc<Source>),
    Unreadable { label: String, error: anyhow::Error },
}

/// Results of a block: the lines with findings, and the counts.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) reported: Vec<Document>,
    pub(super) tally: Tally,
    /// Number of findings in documents that are not reported.
    pub(super) n_left_out: u64,
}

/// Returns the jobs for all targets, in order.
pub(super) fn parts(found: Vec<Target>) -> impl Iterator<Item = Job<Part>> + Send {
    found.into_iter().flat_map(|found| -> Box<dyn Iterator<Item = Job<Part>> + Send> {
        let source = match found {
            Target::Source(source) => Arc::new(source),
            Target::Nothing { label, refusal } => return single_job(unreadable(label, refusal)),
        };
        match source.reading {
            Reading::Whole => {
                let n_bytes = source.n_bytes().unwrap_or(0);
                Box::new(std::iter::once(Job { what: Part::Whole(source), n_bytes }))
            }
            Reading::ByLine => line_jobs(source),
        }
    })
}

fn line_jobs(source: Arc<Source>) -> Box<dyn Iterator<Item = Job<Part>> + Send> {
    let blocks = match source.input.blocks() {
        Ok((blocks, _)) => blocks,
        Err(error) => return single_job(Part::Unreadable(source.label.clone(), error)),
    };
    let mut open = Some(blocks);
    Box::new(std::iter::from_fn(move || {
        let (what, n_bytes) = match open.as_mut()?.next() {
            Some(Ok(block)) => {
                let n_bytes = block.n_bytes() as u64;
                (Part::Lines(Arc::clone(&source), block), n_bytes)
            }
            Some(Err(refusal)) => {
                open = None;
                (unreadable(source.label.clone(), refusal), 0)
            }
            None => {
                open = None;
                (Part::End(Arc::clone(&source)), 0)
            }
        };
        Some(Job { what, n_bytes })
    }))
}

fn unreadable(label: String, refusal: Refusal) -> Part {
    Part::Unreadable(label, refusal.into())
}

fn single_job(what: Part) -> Box<dyn Iterator<Item = Job<Part>> + Send> {
    Box::new(std::iter::once(Job { what, n_bytes: 0 }))
}

impl Part {
    /// Runs the job and keeps at most `rows_max` findings.
    pub(super) fn check(self, checker: &Checker, rows_max: usize) -> Checked {
        match self {
            Part::Whole(source) => match source.input.read() {
                Ok(text) => {
                    let document = Document::check(checker, &text, None, rows_max);
                    Checked::Whole { source, document, n_bytes: text.len() }
                }
                Err(error) => Checked::Unreadable { label: source.label.clone(), error },
            },
            Part::Lines(source, block) => {
                let n_bytes = block.n_bytes();
                let bytes_max = source.input.bytes_max();
                let lines = Lines::check(checker, block, bytes_max, rows_max);
                Checked::Lines { source, lines, n_bytes }
            }
            Part::End(source) => Checked::End(source),
            Part::Unreadable(label, error) => Checked::Unreadable { label, error },
        }
    }
}

impl Lines {
    fn check(checker: &Checker, block: Block, bytes_max: u64, rows_max: usize) -> Lines {
        let mut lines = Lines::default();
        let mut n_rows = 0;
        for Line { number, text } in block {
            let left = rows_max.saturating_sub(n_rows);
            let document = match text {
                Some(text) if text.trim_ascii().is_empty() => continue,
                Some(text) => Document::check(checker, &text, Some(number), left),
                None => Document::too_long(number, bytes_max),
            };
            lines.tally.add(&document);
            if document.has_nothing_to_report() {
                continue;
            }
            if left == 0 {
                lines.n_left_out += document.n_violations + document.n_advice;
                continue;
            }
            n_rows += document.rows.len();
            lines.reported.push(document);
        }
        lines
    }
}
