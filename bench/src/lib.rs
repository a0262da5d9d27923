//! Support for the benchmarks; here, the time of the best round and the peak memory.

pub mod answer;
pub mod clients;
pub mod endpoint;
pub mod http;
pub mod load;
pub mod observations;
pub mod one_core;
pub mod program;
pub mod relay;
pub mod round;
pub mod server;
pub mod tools;
pub mod usage;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::time::{Duration, Instant};

/// An allocator that measures the peak memory while counting is enabled.
pub struct Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

fn count(change: isize) {
    // While counting is disabled, this costs only one load.
    if IS_COUNTING.load(Ordering::Relaxed) {
        let in_use = IN_USE.fetch_add(change, Ordering::Relaxed) + change;
        PEAK.fetch_max(in_use, Ordering::Relaxed);
    }
}

// SAFETY: every call is forwarded to the system's allocator unchanged; only sizes are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size.cast_signed() - layout.size().cast_signed());
        // SAFETY: the caller upholds the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Returns the peak memory of `work`, in bytes.
pub fn peak_bytes<T>(work: impl FnOnce() -> T) -> usize {
    IN_USE.store(0, Ordering::Relaxed);
    PEAK.store(0, Ordering::Relaxed);
    IS_COUNTING.store(true, Ordering::Relaxed);
    let result = std::hint::black_box(work());
    IS_COUNTING.store(false, Ordering::Relaxed);
    drop(result);
    PEAK.load(Ordering::Relaxed).unsigned_abs()
}

/// Returns the time of one `work` in the fastest of several rounds.
///
/// On a shared machine, other work only adds time, so the fastest round is the best estimate.
pub fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    const ROUND: Duration = Duration::from_millis(10);
    const N_ROUNDS: usize = 5;
    let once = time(1, &mut work).max(Duration::from_nanos(1));
    let n_repeats = u32::try_from(ROUND.as_nanos() / once.as_nanos()).unwrap_or(u32::MAX).max(1);
    let n_rounds = if n_repeats == 1 { 1 } else { N_ROUNDS };
    let rounds = (0..n_rounds).map(|_| time(n_repeats, &mut work) / n_repeats);
    rounds.min().unwrap_or_default()
}

#[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn time<T>(n_repeats: u32, work: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..n_repeats {
        std::hint::black_box(work());
    }
    start.elapsed()
}
