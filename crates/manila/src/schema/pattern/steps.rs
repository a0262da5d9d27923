//! The number of steps that one check may take for all patterns and all texts together.

use std::cell::Cell;

/// The steps that are left.
#[derive(Debug)]
pub(in crate::schema) struct Steps(u64);

impl Steps {
    #[cfg(test)]
    pub(in crate::schema) fn new(n_steps: u64) -> Steps {
        Steps(n_steps)
    }

    /// Takes this many steps, or returns `None` if fewer are left.
    pub(super) fn take(&mut self, n_steps: u64) -> Option<()> {
        let left = self.0.checked_sub(n_steps);
        self.0 = left.unwrap_or(0);
        left.map(drop)
    }
}

// The validator calls keywords without a context, so the count is kept per thread. A check never
// changes threads.
thread_local! {
    /// The steps that the current check has left, `None` if they did not suffice.
    static LEFT: Cell<Option<u64>> = const { Cell::new(Some(0)) };
}

/// Runs a check that may take this many steps. Returns `None` if they did not suffice.
pub(in crate::schema) fn with_steps<T>(n_steps: u64, check: impl FnOnce() -> T) -> Option<T> {
    LEFT.set(Some(n_steps));
    let checked = check();
    LEFT.get().map(|_| checked)
}

/// Runs a part of the current check, which returns `None` if its steps do not suffice. The rest of
/// the check is then pointless, and every later part is skipped.
pub(super) fn take_steps<T>(part: impl FnOnce(&mut Steps) -> Option<T>) -> Option<T> {
    let mut steps = Steps(LEFT.get()?);
    let done = part(&mut steps);
    LEFT.set(done.is_some().then_some(steps.0));
    done
}
