//! Telling a person how far it is.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A file is large from here on.
const LARGE: u64 = 64 * 1024 * 1024;

/// How far a large file is, on a terminal that shows nothing else.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(crate) fn start(size: Option<u64>) -> Progress {
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

    pub(crate) fn pass(&mut self, n_bytes: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(n_bytes as u64);
        }
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
