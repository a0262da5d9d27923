//! The descendants of this process.

use std::io;

/// Makes this process adopt its orphaned descendants as children.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> io::Result<()> {
    // Any process id enables it.
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Does nothing: on this system, only the server's process group can be reached.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> io::Result<()> {
    Ok(())
}

/// Kills the children of this process, including adopted orphans.
#[cfg(target_os = "linux")]
pub(super) fn kill_children() {
    use rustix::process::{Pid, Signal, getpid, kill_process};
    let this_pid = getpid().as_raw_nonzero().get();
    let Ok(entries) = std::fs::read_dir("/proc") else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        if parent(pid) == Some(this_pid)
            && let Some(pid) = Pid::from_raw(pid)
        {
            // The child may have ended meanwhile.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Does nothing: on this system, only the process group can be killed.
#[cfg(not(target_os = "linux"))]
pub(super) fn kill_children() {}

/// Returns the parent of a process, unless the process has ended.
#[cfg(target_os = "linux")]
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The program's name is in parentheses and may itself contain parentheses.
    let at = memchr::memrchr(b')', &stat)?;
    let rest = String::from_utf8_lossy(stat.get(at + 1..)?);
    rest.split_whitespace().nth(1)?.parse().ok()
}
