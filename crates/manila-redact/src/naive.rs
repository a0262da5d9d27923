//! The naive engine: every rule at every place. It is what the fast one is held to.

use crate::edit::Findings;
use crate::find::{Probed, literals};
use crate::rules::{Finds, RULES};
use crate::selection::Selection;

/// Finds what the rules find in a text, the operator's own included.
pub(crate) fn scan(text: &[u8], selection: &Selection) -> Findings {
    let mut findings = self::text(text, selection).findings;
    selection.add_extra(text, &mut findings);
    findings
}

/// Finds what the rules find in a text.
pub(crate) fn text<'a>(text: &'a [u8], selection: &'a Selection) -> Probed<'a> {
    let mut probed = Probed::new(text, selection);
    for (n, rule) in RULES.iter().enumerate() {
        if let Finds::Token(token) = rule.finds() {
            for start in 0..text.len() {
                probed.token(n, token, start);
            }
            continue;
        }
        places(text, n, |at, len| probed.probe(n, at, len));
    }
    probed
}

/// Tells every place where a literal of rule `n` stands.
pub(crate) fn places(text: &[u8], n: usize, mut tell: impl FnMut(usize, usize)) {
    let Some(rule) = RULES.get(n) else { return };
    for literal in literals(rule) {
        let len = literal.len();
        for (at, window) in text.windows(len).enumerate() {
            if window.eq_ignore_ascii_case(&literal) {
                tell(at, len);
            }
        }
    }
}
