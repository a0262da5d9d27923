//! Faults with their lines, in the order of the document.

use bytes::Bytes;

use super::look::{Fault, Look};
use super::{Finding, Grade};
use crate::raw_json::{
    Doubt, DoubtKind, Position, RawJson, ReadError, offsets, pointers_at, position,
};
use crate::violation::without_secrets;

/// The finding about a document that is not JSON.
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

/// Faults with their lines, in the order of the document.
pub(crate) fn findings(
    document: &Bytes,
    value: &RawJson,
    doubts: &[Doubt],
    faults: Vec<Fault>,
) -> Vec<Finding> {
    let start = (value.as_bytes().as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
    let has_twice = doubts.iter().any(|doubt| matches!(doubt.kind, DoubtKind::Twice { .. }));
    let finding = |grade, pointer, rule, clause, message| {
        // Where it stands is known when all of them are in order.
        let pointer = without_secrets(pointer);
        Finding { grade, pointer, line: 1, column: 1, rule, clause, message, first: None }
    };
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let at: Vec<usize> = doubts.iter().map(|doubt| doubt.offset).collect();
    for (doubt, pointer) in doubts.iter().zip(pointers_at(value, &at)) {
        let (rule, message) = match doubt.kind {
            DoubtKind::Twice { .. } => ("unique", "is given twice".to_owned()),
            DoubtKind::LoneSurrogate => {
                ("surrogate", "has half of a surrogate pair, which is no character".to_owned())
            }
            DoubtKind::Huge => ("number", "is a number too large for a double".to_owned()),
        };
        let mut finding = finding(Grade::Violation, pointer, rule, None, message);
        if let DoubtKind::Twice { first } = doubt.kind {
            finding.first = Some(position(document, start + first));
        }
        found.push((doubt.offset, finding));
    }
    let is_told = |fault: &Fault| fault.rule == "unique" && has_twice;
    let faults: Vec<Fault> = faults.into_iter().filter(|fault| !is_told(fault)).collect();
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

/// The findings about an envelope that must be read as this contract.
pub(crate) fn findings_of(document: &Bytes, envelope: &RawJson, look: Look) -> Vec<Finding> {
    let mut faults = look.into_faults();
    faults.retain(|fault| fault.grade == Grade::Violation);
    findings(document, envelope, &[], faults)
}
