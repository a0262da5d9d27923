//! Everything that differs between operating systems: processes, signals, standard streams and
//! private files. All `cfg` attributes are here.

#[cfg(unix)]
mod descendants;
#[cfg(unix)]
pub mod keeper;
#[cfg(not(unix))]
#[path = "os/keeper_unsupported.rs"]
pub mod keeper;
pub mod private;
#[cfg(unix)]
mod process;
#[cfg(not(unix))]
#[path = "os/process_unsupported.rs"]
mod process;
pub mod stdio;
pub mod stop;

pub use process::Lifeline;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite};

/// A readable stream.
pub type Source = Box<dyn AsyncRead + Send + Unpin>;

/// A writable stream.
pub type Target = Box<dyn AsyncWrite + Send + Unpin>;

/// A server's process: its streams, and the lifeline that keeps it alive.
pub struct Process {
    /// Its standard input.
    pub stdin: Target,
    /// Its standard output.
    pub stdout: Source,
    /// Its standard error.
    pub stderr: Source,
    /// Ends the process when it is dropped.
    pub lifeline: Lifeline,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It did not start, for this reason.
    NotStarted(String),
}

/// Returns the path with these bytes. On systems where paths are not bytes, invalid UTF-8 is
/// replaced.
#[must_use]
pub fn path_from_bytes(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    return <OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into();
    #[cfg(not(unix))]
    return String::from_utf8_lossy(&bytes).into_owned().into();
}

/// Splits `NAME=VALUE`, of which only the name must be UTF-8.
#[must_use]
pub fn split_assignment(text: &OsStr) -> Option<(&str, OsString)> {
    let bytes = text.as_encoded_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    let name = std::str::from_utf8(bytes.get(..at)?).ok()?;
    Some((name, path_from_bytes(bytes.get(at + 1..)?.to_vec()).into()))
}

/// Returns the name of a signal, e.g. `SIGKILL`.
#[must_use]
pub fn signal_name(signal: i32) -> Option<&'static str> {
    #[cfg(unix)]
    return signal_hook::low_level::signal_name(signal);
    #[cfg(not(unix))]
    return None;
}

/// Raises the limit of open files as far as permitted, because each connection is a file.
pub fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        // A higher limit slows down programs that close every possible file descriptor.
        const FILES_MAX: u64 = 65_536;
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let raised = maximum.unwrap_or(FILES_MAX).min(FILES_MAX);
        if current.is_some_and(|current| current < raised) {
            // If the limit cannot be raised, the old one stays in force.
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum });
        }
    }
}

/// Lets the other threads of this process run first. Does nothing where a thread has no priority of
/// its own.
pub fn lower_thread_priority() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpriority_process, setpriority_process};
        const LOWER_BY: i32 = 10;
        // The priorities that are named after processes are those of threads. At the lowest one,
        // there is nothing to do.
        if let Ok(priority) = getpriority_process(None) {
            let _ = setpriority_process(None, priority + LOWER_BY);
        }
    }
}

/// Returns an open file that can be closed later, when the limit of open files is reached.
#[must_use]
pub fn spare_file() -> Option<std::fs::File> {
    std::fs::File::open(if cfg!(unix) { "/dev/null" } else { "NUL" }).ok()
}

/// Reports the state of this process to the service manager, e.g. `READY=1`. `socket` is the value
/// of `NOTIFY_SOCKET`.
#[cfg(unix)]
pub fn notify_service_manager(socket: &str, state: &str) -> std::io::Result<()> {
    use std::os::unix::net::UnixDatagram;
    let datagram = UnixDatagram::unbound()?;
    #[cfg(target_os = "linux")]
    if let Some(name) = socket.strip_prefix('@') {
        use std::os::linux::net::SocketAddrExt;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
        return datagram.send_to_addr(state.as_bytes(), &address).map(drop);
    }
    datagram.send_to(state.as_bytes(), socket).map(drop)
}

/// Does nothing: this system has no such service manager.
#[cfg(not(unix))]
pub fn notify_service_manager(_socket: &str, _state: &str) -> std::io::Result<()> {
    Ok(())
}

/// Returns the path of this program. On Linux, it works even if the file was replaced.
pub fn this_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    std::env::current_exe()
}
