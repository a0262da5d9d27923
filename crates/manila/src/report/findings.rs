//! Faults with their lines, in document order.

use bytes::Bytes;

use super::collect::{Fault, Findings};
use super::{Finding, Grade};
use crate::raw_json::{
    InteropIssue, InteropIssueKind, Position, RawJson, ReadError, offsets, pointers_at, position,
};
use crate::violation::without_secrets;

/// Returns the finding for a document that is not JSON.
pub(crate) fn not_json(error: &ReadError) -> Finding {
    Finding {
        grade: Grade::Violation,
        pointer: without_secrets(error.pointer.clone()),
        line: error.line,
        column: error.column,
        rule: "json",
        clause: None,
        message: error.reason(),
        first: None,
    }
}

/// Returns the faults with their lines, in document order.
pub(crate) fn findings(
    document: &Bytes,
    value: &RawJson,
    issues: &[InteropIssue],
    faults: Vec<Fault>,
) -> Vec<Finding> {
    let start = (value.as_bytes().as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
    let has_duplicates =
        issues.iter().any(|issue| matches!(issue.kind, InteropIssueKind::DuplicateKey { .. }));
    let finding = |grade, pointer, rule, clause, message| {
        // The line is looked up after all findings are sorted.
        let pointer = without_secrets(pointer);
        Finding { grade, pointer, line: 1, column: 1, rule, clause, message, first: None }
    };
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let at: Vec<usize> = issues.iter().map(|issue| issue.offset).collect();
    for (issue, pointer) in issues.iter().zip(pointers_at(value, &at)) {
        let (rule, message) = match issue.kind {
            InteropIssueKind::DuplicateKey { .. } => ("unique", "is given twice".to_owned()),
            InteropIssueKind::LoneSurrogate => {
                ("surrogate", "has a lone surrogate, which is not a character".to_owned())
            }
            InteropIssueKind::Huge => ("number", "is a number too large for a double".to_owned()),
        };
        let mut finding = finding(Grade::Violation, pointer, rule, None, message);
        if let InteropIssueKind::DuplicateKey { first } = issue.kind {
            finding.first = Some(position(document, start + first));
        }
        found.push((issue.offset, finding));
    }
    let is_reported = |fault: &Fault| fault.rule == "unique" && has_duplicates;
    let faults: Vec<Fault> = faults.into_iter().filter(|fault| !is_reported(fault)).collect();
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    for (offset, fault) in offsets(value, &pointers).into_iter().zip(faults) {
        let Fault { grade, pointer, rule, clause, message } = fault;
        found.push((offset, finding(grade, pointer, rule, clause, message)));
    }
    found.sort_by_key(|(offset, _)| *offset);
    let mut place = Position::start(document);
    for (offset, finding) in &mut found {
        place.advance(start + *offset);
        (finding.line, finding.column) = (place.line, place.column);
    }
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// Returns the findings about an envelope of a given contract.
pub(crate) fn findings_of(
    document: &Bytes,
    envelope: &RawJson,
    collected: Findings,
) -> Vec<Finding> {
    let mut faults = collected.into_faults();
    faults.retain(|fault| fault.grade == Grade::Violation);
    findings(document, envelope, &[], faults)
}
