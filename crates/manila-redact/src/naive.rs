//! The naive engine, which tries every rule at every position. Tests compare the fast engine with
//! it.

use crate::edit::Findings;
use crate::find::{Scan, literals};
use crate::rules::{Finds, RULES};
use crate::selection::Selection;

/// Finds all matches of all rules, including the operator's own.
pub(crate) fn scan(text: &[u8], selection: &Selection) -> Findings {
    let mut findings = scan_builtin(text, selection).findings;
    selection.add_extra(text, &mut findings);
    findings
}

/// Finds all matches of the built-in rules.
pub(crate) fn scan_builtin<'a>(text: &'a [u8], selection: &'a Selection) -> Scan<'a> {
    let mut scan = Scan::new(text, selection);
    for (n, rule) in RULES.iter().enumerate() {
        if let Finds::Token(token) = rule.finds() {
            for start in 0..text.len() {
                scan.probe_token(n, token, start);
            }
            continue;
        }
        for_each_literal(text, n, |at, len| scan.probe(n, at, len));
    }
    scan
}

/// Calls `visit` with the position and length of every literal of rule `n` in a text.
pub(crate) fn for_each_literal(text: &[u8], n: usize, mut visit: impl FnMut(usize, usize)) {
    let Some(rule) = RULES.get(n) else { return };
    for literal in literals(rule) {
        let len = literal.len();
        for (at, window) in text.windows(len).enumerate() {
            if window.eq_ignore_ascii_case(&literal) {
                visit(at, len);
            }
        }
    }
}
