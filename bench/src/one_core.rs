//! CPU affinity. On a virtual machine, waking an idle core takes longer than most measured times.
//! Therefore the same calls take a different time if all processes share one core.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Runs `work` with this process and its children on one core. Returns whether that was possible.
pub fn on_one_core(work: impl FnOnce()) -> bool {
    let Ok(original) = sched_getaffinity(None) else { return false };
    let mut one = CpuSet::new();
    let Some(first) = (0..CpuSet::MAX_CPU).find(|cpu| original.is_set(*cpu)) else { return false };
    one.set(first);
    if sched_setaffinity(None, &one).is_err() {
        return false;
    }
    work();
    sched_setaffinity(None, &original).is_ok()
}
