//! Everything below this process.

use std::io;

/// From now on orphans below this process become its children, where the system can do that.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> io::Result<()> {
    // Any process id means "yes".
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Elsewhere only the server's group can be reached.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> io::Result<()> {
    Ok(())
}

/// Kills the children of this process, orphans that it adopted among them.
#[cfg(target_os = "linux")]
pub(super) fn kill_children() {
    use rustix::process::{Pid, Signal, getpid, kill_process};
    let own = getpid().as_raw_nonzero().get();
    let Ok(entries) = std::fs::read_dir("/proc") else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        if parent(pid) == Some(own)
            && let Some(pid) = Pid::from_raw(pid)
        {
            // A child that has just ended needs no killing.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Elsewhere the group's end is all there is.
#[cfg(not(target_os = "linux"))]
pub(super) fn kill_children() {}

/// The parent of a process, unless it has ended.
#[cfg(target_os = "linux")]
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The program's name stands in parentheses and may hold anything, parentheses too.
    let at = memchr::memrchr(b')', &stat)?;
    let rest = String::from_utf8_lossy(stat.get(at + 1..)?);
    rest.split_whitespace().nth(1)?.parse().ok()
}
