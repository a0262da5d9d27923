//! The findings in a document, with their positions in the input, and their counts.

use bytes::Bytes;
use manila::DocumentKind;
use manila::check::{Checker, Grade, Verdict};

use crate::row::Row;

/// A checked document.
pub(super) struct Document {
    /// Line number, if each line is a document.
    pub(super) line: Option<u64>,
    /// Kind of document, if given or recognised.
    pub(super) kind: Option<DocumentKind>,
    pub(super) rows: Vec<Row>,
    /// Number of findings that are not in `rows`.
    pub(super) n_left_out: u64,
    pub(super) n_violations: u64,
    pub(super) n_advice: u64,
}

impl Document {
    /// Checks a document and keeps at most `rows_max` findings.
    pub(super) fn check(
        checker: &Checker,
        text: &Bytes,
        line: Option<u64>,
        rows_max: usize,
    ) -> Document {
        let Verdict { kind, findings, .. } = checker.check(text);
        let n_advice = findings.iter().filter(|it| it.grade == Grade::Advice).count() as u64;
        let n_violations = findings.len() as u64 - n_advice;
        let n_left_out = findings.len().saturating_sub(rows_max) as u64;
        let first = line.unwrap_or(1);
        let rows = findings.into_iter().take(rows_max).map(|it| Row::of(it, first)).collect();
        Document { line, kind, rows, n_left_out, n_violations, n_advice }
    }

    /// Returns the result for a line over the limit.
    pub(super) fn too_long(line: u64, bytes_max: u64) -> Document {
        let (kind, rows) = (None, Vec::new());
        let mut document =
            Document { line: Some(line), kind, rows, n_left_out: 0, n_violations: 0, n_advice: 0 };
        let message = format!("the line exceeds the limit of {bytes_max} bytes (--bytes-max)");
        document.add_violation(Row::violation(line, "bytes-max", message));
        document
    }

    fn add_violation(&mut self, row: Row) {
        self.n_violations += 1;
        self.rows.push(row);
    }

    /// Returns whether the document conforms to its contract.
    pub(super) fn is_valid(&self) -> bool {
        self.n_violations == 0
    }

    /// Returns whether there are no findings.
    pub(super) fn has_nothing_to_report(&self) -> bool {
        self.n_violations + self.n_advice == 0
    }

    /// Keeps at most `rows_max` rows.
    pub(super) fn truncate(&mut self, rows_max: usize) {
        self.n_left_out += self.rows.len().saturating_sub(rows_max) as u64;
        self.rows.truncate(rows_max);
    }
}

/// Counts of documents and findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) n_documents: u64,
    pub(super) n_broken: u64,
    pub(super) n_violations: u64,
    pub(super) n_advice: u64,
    /// Number of documents of each kind; `None` is not recognised.
    pub(super) kinds: Vec<(Option<DocumentKind>, u64)>,
}

impl Tally {
    pub(super) fn add(&mut self, document: &Document) {
        self.n_documents += 1;
        self.n_broken += u64::from(!document.is_valid());
        self.n_violations += document.n_violations;
        self.n_advice += document.n_advice;
        self.add_kind(document.kind, 1);
    }

    pub(super) fn merge(&mut self, other: &Tally) {
        let Tally { n_documents, n_broken, n_violations, n_advice, kinds } = other;
        self.n_documents += n_documents;
        self.n_broken += n_broken;
        self.n_violations += n_violations;
        self.n_advice += n_advice;
        for (kind, n) in kinds {
            self.add_kind(*kind, *n);
        }
    }

    fn add_kind(&mut self, kind: Option<DocumentKind>, n: u64) {
        match self.kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, n_known)) => *n_known += n,
            None => self.kinds.push((kind, n)),
        }
    }

    /// Returns the number of documents of each kind, in the order of the contracts.
    pub(super) fn by_kind(&self) -> impl Iterator<Item = (Option<DocumentKind>, u64)> {
        let known = DocumentKind::ALL.into_iter().map(Some).chain([None]);
        known.filter_map(|kind| {
            let (_, n) = self.kinds.iter().find(|(found, _)| *found == kind)?;
            Some((kind, *n))
        })
    }
}
