//! Telling a person what was hidden.

use std::io::{IsTerminal, Write};

use manila_redact::Tally;

/// What was hidden, for a person.
pub(super) fn summary(tally: &Tally, is_report: bool) {
    if !std::io::stderr().is_terminal() || (tally.is_empty() && !is_report) {
        return;
    }
    let rules: Vec<String> = tally.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    let text = match tally.count() {
        0 => "no secrets found".to_owned(),
        n if is_report => format!("found {n}: {}", rules.join(", ")),
        n => format!("hid {n}: {}", rules.join(", ")),
    };
    // A note that cannot be told changes nothing about the result.
    let _ = writeln!(anstream::stderr(), "manila: {text}");
}

/// Lines that were no JSON.
pub(super) fn others(n_others: u64) {
    if n_others > 0 {
        // A note that cannot be told changes nothing about the result.
        let _ = writeln!(
            anstream::stderr(),
            "note: {n_others} lines are no JSON and were filtered as text"
        );
    }
}
