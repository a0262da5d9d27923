//! The resource usage of a process.

use std::time::Duration;

/// The resource usage of a process.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Processor time, in user and system mode.
    pub cpu: Duration,
    /// Current resident memory.
    pub resident_kb: u64,
    /// The number of open files, pipes and sockets.
    pub n_files: u64,
}

impl Usage {
    /// Returns the usage of a process, with all its threads and without its children.
    #[must_use]
    pub fn of(pid: u32) -> Usage {
        const TICK: Duration = Duration::from_millis(10);
        let read =
            |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let stat = read("stat");
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let numbers = after_name.split_whitespace().skip(11).take(2);
        let n_ticks: u32 = numbers.filter_map(|number| number.parse::<u32>().ok()).sum();
        let status = read("status");
        let resident = status.lines().find(|line| line.starts_with("VmRSS"));
        let resident = resident.and_then(|line| line.split_whitespace().nth(1));
        let files = std::fs::read_dir(format!("/proc/{pid}/fd"));
        Usage {
            n_files: files.map_or(0, |files| files.count() as u64),
            cpu: TICK * n_ticks,
            resident_kb: resident.and_then(|number| number.parse().ok()).unwrap_or(0),
        }
    }
}
