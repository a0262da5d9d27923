//! What differs between systems: processes, and the standard streams. All `cfg` is here.

#[cfg(unix)]
mod descendants;
#[cfg(unix)]
pub mod keeper;
#[cfg(not(unix))]
#[path = "os/keeper_elsewhere.rs"]
pub mod keeper;
pub mod private;
#[cfg(unix)]
mod process;
#[cfg(not(unix))]
#[path = "os/process_elsewhere.rs"]
mod process;
pub mod stdio;
pub mod stop;

pub use process::Lifeline;

use tokio::io::{AsyncRead, AsyncWrite};

/// A stream that is read.
pub type Source = Box<dyn AsyncRead + Send + Unpin>;

/// A stream that is written.
pub type Target = Box<dyn AsyncWrite + Send + Unpin>;

/// A server's process: its streams, and the line that keeps it alive.
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
    /// It never ran.
    NotStarted(String),
}

/// The name of a signal, e.g. `SIGKILL`.
#[must_use]
pub fn signal_name(signal: i32) -> Option<&'static str> {
    #[cfg(unix)]
    return signal_hook::low_level::signal_name(signal);
    #[cfg(not(unix))]
    return None;
}

/// Lets this process have as many files open as it may: each connection is one.
pub fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        // More would only make programs slow that close all files which they might have.
        const ENOUGH: u64 = 65_536;
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let wanted = maximum.unwrap_or(ENOUGH).min(ENOUGH);
        if current.is_some_and(|current| current < wanted) {
            // Where it cannot be raised, it stays.
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
        }
    }
}

/// An open file that can be closed where no other can be opened.
#[must_use]
pub fn spare_file() -> Option<std::fs::File> {
    std::fs::File::open(if cfg!(unix) { "/dev/null" } else { "NUL" }).ok()
}

/// Tells whoever started us as a service how we are, e.g. `READY=1`. `socket` is what
/// `NOTIFY_SOCKET` says.
#[cfg(unix)]
pub fn tell_service_manager(socket: &str, state: &str) -> std::io::Result<()> {
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

/// There are no such services here.
#[cfg(not(unix))]
pub fn tell_service_manager(_socket: &str, _state: &str) -> std::io::Result<()> {
    Ok(())
}

/// This program, even if its file has been replaced since.
pub fn this_program() -> std::io::Result<std::path::PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    std::env::current_exe()
}
