//! Telling a person how far it is.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A file is large from here on.
const LARGE: u64 = 64 * 1024 * 1024;

/// How far a large input is, on a terminal.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// For a command that fills standard output: shown only where that is no terminal.
    pub(crate) fn start(size: Option<u64>) -> Progress {
        if std::io::stdout().is_terminal() { Progress(None) } else { Progress::beside(|| size) }
    }

    /// For a command that says little, and that aside. The size is asked for only if it matters.
    pub(crate) fn beside(size: impl FnOnce() -> Option<u64>) -> Progress {
        let is_shown = std::io::stderr().is_terminal();
        let size = is_shown.then(size).flatten().filter(|size| *size >= LARGE);
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

    pub(crate) fn pass(&mut self, n_bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(n_bytes as u64);
        }
    }

    /// Whether there is a bar.
    pub(crate) fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Tells something else on the same terminal, with the bar out of the way.
    pub(crate) fn aside<T>(&self, tell: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(tell),
            None => tell(),
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
