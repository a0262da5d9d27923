//! The progress bar for large inputs.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The size from which an input is large.
const LARGE_BYTES: u64 = 64 * 1024 * 1024;

/// The progress bar of a large input, on a terminal.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts the bar of a command that writes much to stdout. If stdout is a terminal, there is no
    /// bar.
    pub(crate) fn start(size: Option<u64>) -> Progress {
        if std::io::stdout().is_terminal() {
            Progress(None)
        } else {
            Progress::start_lazily(|| size)
        }
    }

    /// Starts the bar of a command that writes little. `size` is called only if a bar can be shown.
    pub(crate) fn start_lazily(size: impl FnOnce() -> Option<u64>) -> Progress {
        let is_shown = std::io::stderr().is_terminal();
        let size = is_shown.then(size).flatten().filter(|size| *size >= LARGE_BYTES);
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

    /// Advances the bar.
    pub(crate) fn advance(&mut self, n_bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(n_bytes as u64);
        }
    }

    /// Returns whether a bar is shown.
    pub(crate) fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Hides the bar while `print` writes to the same terminal.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
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
