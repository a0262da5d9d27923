//! Where processes run. On a virtual machine, waking a core that sleeps takes longer than most of
//! what is measured, so the same calls have one time when all share a core, and another when they
//! do not.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Does `work` with this process and all that it starts on one core, where that can be done.
pub fn on_one_core(work: impl FnOnce()) -> bool {
    let Ok(usual) = sched_getaffinity(None) else { return false };
    let mut one = CpuSet::new();
    let Some(first) = (0..CpuSet::MAX_CPU).find(|cpu| usual.is_set(*cpu)) else { return false };
    one.set(first);
    if sched_setaffinity(None, &one).is_err() {
        return false;
    }
    work();
    sched_setaffinity(None, &usual).is_ok()
}
