//! Telling a person how far it is, and what was hidden.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use manila_redact::Tally;

/// A file is large from here on.
const LARGE: u64 = 64 * 1024 * 1024;

/// How far a large file is, on a terminal that shows nothing else.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(super) fn start(size: Option<u64>) -> Progress {
        let is_shown = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
        let size = size.filter(|size| is_shown && *size >= LARGE);
        Progress(size.map(|size| {
            let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::stderr());
            let template = "{bar:30} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        }))
    }

    pub(super) fn pass(&mut self, n_bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(n_bytes as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

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
