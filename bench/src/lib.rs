//! Measuring: the time of the best round, and the memory at the highest point.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// An allocator that knows how much is in use, and how much was at most.
pub struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system's allocator unchanged; only sizes are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let in_use = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(in_use, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How many bytes `work` needed at its highest point, beyond what was in use before.
pub fn peak_bytes<T>(work: impl FnOnce() -> T) -> usize {
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    drop(std::hint::black_box(work()));
    PEAK.load(Ordering::Relaxed).saturating_sub(before)
}

/// The time of one `work` in the least disturbed of several rounds.
///
/// On a shared machine other work only ever adds time, so the best round says most about
/// the code.
pub fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    const ROUND: Duration = Duration::from_millis(10);
    const N_ROUNDS: usize = 25;
    let once = timed(1, &mut work).max(Duration::from_nanos(1));
    let n_repeats = u32::try_from(ROUND.as_nanos() / once.as_nanos()).unwrap_or(u32::MAX).max(1);
    let n_rounds = if n_repeats == 1 { N_ROUNDS / 5 } else { N_ROUNDS };
    let rounds = (0..n_rounds).map(|_| timed(n_repeats, &mut work) / n_repeats);
    rounds.min().unwrap_or_default()
}

#[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn timed<T>(n_repeats: u32, work: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..n_repeats {
        std::hint::black_box(work());
    }
    start.elapsed()
}
