//! The memory of the compiled patterns of several schemas, within a common limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum memory of the compiled patterns of all schemas of a registry.
pub(super) const PATTERN_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The memory that compiled patterns use.
#[derive(Debug, Default)]
pub(super) struct PatternMemory(Arc<AtomicUsize>);

impl PatternMemory {
    /// Reserves memory until the returned value is dropped, or returns `None` at the limit.
    pub(super) fn reserve(&self, n_bytes: usize) -> Option<ReservedMemory> {
        let add = |used: usize| used.checked_add(n_bytes).filter(|sum| *sum <= PATTERN_BYTES_MAX);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(ReservedMemory { used: Arc::clone(&self.0), n_bytes })
    }
}

/// The memory of the compiled patterns of one schema.
#[derive(Debug)]
pub(super) struct ReservedMemory {
    used: Arc<AtomicUsize>,
    n_bytes: usize,
}

impl Drop for ReservedMemory {
    fn drop(&mut self) {
        self.used.fetch_sub(self.n_bytes, Ordering::Relaxed);
    }
}
