//! What was found in a document, at its place in the input, and how much of it in all.

use bytes::Bytes;
use manila::Subject;
use manila::check::{Checker, Grade, Verdict};

use crate::row::Row;

/// One document that was checked.
pub(super) struct Document {
    /// Its line, where each line is a document.
    pub(super) line: Option<u64>,
    /// What it is, if that was said or recognised.
    pub(super) subject: Option<Subject>,
    pub(super) rows: Vec<Row>,
    /// How many findings are not among the rows.
    pub(super) n_left_out: u64,
    pub(super) n_violations: u64,
    pub(super) n_advice: u64,
}

impl Document {
    /// Checks a document, and keeps at most `rows_max` of what was found.
    pub(super) fn check(
        checker: &Checker,
        text: &Bytes,
        line: Option<u64>,
        rows_max: usize,
    ) -> Document {
        let Verdict { subject, findings, .. } = checker.check(text);
        let n_advice = findings.iter().filter(|it| it.grade == Grade::Advice).count() as u64;
        let n_violations = findings.len() as u64 - n_advice;
        let n_left_out = findings.len().saturating_sub(rows_max) as u64;
        let first = line.unwrap_or(1);
        let rows = findings.into_iter().take(rows_max).map(|it| Row::of(it, first)).collect();
        Document { line, subject, rows, n_left_out, n_violations, n_advice }
    }

    /// A line that was not read.
    pub(super) fn too_long(line: u64, bytes_max: u64) -> Document {
        let (subject, rows) = (None, Vec::new());
        let mut document = Document {
            line: Some(line),
            subject,
            rows,
            n_left_out: 0,
            n_violations: 0,
            n_advice: 0,
        };
        let message = format!("the line has more than {bytes_max} bytes, the limit of --bytes-max");
        document.add_violation(Row::own(line, "bytes-max", message));
        document
    }

    fn add_violation(&mut self, row: Row) {
        self.n_violations += 1;
        self.rows.push(row);
    }

    /// Whether it keeps its contract.
    pub(super) fn is_kept(&self) -> bool {
        self.n_violations == 0
    }

    /// Whether there is nothing to say about it.
    pub(super) fn is_silent(&self) -> bool {
        self.n_violations + self.n_advice == 0
    }

    /// Keeps only so many rows.
    pub(super) fn truncate(&mut self, rows_max: usize) {
        self.n_left_out += self.rows.len().saturating_sub(rows_max) as u64;
        self.rows.truncate(rows_max);
    }
}

/// How much there was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) n_documents: u64,
    pub(super) n_broken: u64,
    pub(super) n_violations: u64,
    pub(super) n_advice: u64,
    /// What the documents were; `None` is not recognised.
    pub(super) subjects: Vec<(Option<Subject>, u64)>,
}

impl Tally {
    pub(super) fn add(&mut self, document: &Document) {
        self.n_documents += 1;
        self.n_broken += u64::from(!document.is_kept());
        self.n_violations += document.n_violations;
        self.n_advice += document.n_advice;
        self.add_subject(document.subject, 1);
    }

    pub(super) fn merge(&mut self, other: &Tally) {
        let Tally { n_documents, n_broken, n_violations, n_advice, subjects } = other;
        self.n_documents += n_documents;
        self.n_broken += n_broken;
        self.n_violations += n_violations;
        self.n_advice += n_advice;
        for (subject, n) in subjects {
            self.add_subject(*subject, *n);
        }
    }

    fn add_subject(&mut self, subject: Option<Subject>, n: u64) {
        match self.subjects.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, n_known)) => *n_known += n,
            None => self.subjects.push((subject, n)),
        }
    }

    /// What the documents were, in the order of the contracts.
    pub(super) fn by_subject(&self) -> impl Iterator<Item = (Option<Subject>, u64)> {
        let known = Subject::ALL.into_iter().map(Some).chain([None]);
        known.filter_map(|subject| {
            let (_, n) = self.subjects.iter().find(|(found, _)| *found == subject)?;
            Some((subject, *n))
        })
    }
}
