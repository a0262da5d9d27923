//! Notes for people on what was redacted.

use std::io::{IsTerminal, Write};

use manila_redact::Tally;

use crate::plural::pluralize;

/// Prints the number of secrets by rule, if stderr is a terminal.
pub(super) fn print_summary(tally: &Tally, is_report: bool) {
    if !std::io::stderr().is_terminal() || (tally.is_empty() && !is_report) {
        return;
    }
    let secrets = |n| pluralize(n, "secret", "secrets");
    let rules: Vec<String> = tally.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    let text = match tally.count() {
        0 => "no secrets found".to_owned(),
        n if is_report => format!("found {}: {}", secrets(n), rules.join(", ")),
        n => format!("redacted {}: {}", secrets(n), rules.join(", ")),
    };
    let _ = writeln!(anstream::stderr(), "manila: {text}");
}

/// Prints that an input is not JSON.
pub(super) fn print_searched_as_text(input: &str) {
    let _ = writeln!(anstream::stderr(), "note: {input} is not JSON and was searched as text");
}

/// Prints the number of lines that are not JSON.
pub(super) fn print_not_json(n_lines: u64) {
    if n_lines > 0 {
        let lines = pluralize(n_lines, "line is not JSON and was", "lines are not JSON and were");
        let _ = writeln!(anstream::stderr(), "note: {lines} filtered as text");
    }
}
