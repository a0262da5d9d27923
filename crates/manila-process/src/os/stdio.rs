//! The standard input and output of this process, without blocking.

use super::{Source, Target};

/// Returns standard input: directly if it is a pipe or a socket, otherwise through a thread.
#[must_use]
pub fn input() -> Source {
    #[cfg(unix)]
    if let Some(source) = unix::input() {
        return source;
    }
    Box::new(tokio::io::stdin())
}

/// Returns standard output: directly if it is a pipe or a socket, otherwise through a thread.
#[must_use]
pub fn output() -> Target {
    #[cfg(unix)]
    if let Some(target) = unix::output() {
        return target;
    }
    through_thread().unwrap_or_else(|| Box::new(tokio::io::stdout()))
}

/// Returns standard output through a thread, for a file or a terminal. Writes bypass the lock of
/// `std::io::stdout`, which other code may hold.
fn through_thread() -> Option<Target> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let stdout = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
        Some(Box::new(tokio::fs::File::from_std(stdout.into())))
    }
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    use std::os::unix::net::UnixStream as BlockingStream;

    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    use super::{Source, Target};

    pub(super) fn input() -> Option<Source> {
        match kind(&io::stdin())? {
            Kind::Pipe => {
                let pipe = open(OpenOptions::new().read(true), "/proc/self/fd/0").ok()?;
                Some(Box::new(pipe::Receiver::from_file(pipe).ok()?))
            }
            Kind::Socket => Some(Box::new(socket(&io::stdin())?)),
        }
    }

    pub(super) fn output() -> Option<Target> {
        match kind(&io::stdout())? {
            Kind::Pipe => {
                let pipe = open(OpenOptions::new().write(true), "/proc/self/fd/1").ok()?;
                super::super::process::enlarge(&pipe);
                Some(Box::new(pipe::Sender::from_file(pipe).ok()?))
            }
            Kind::Socket => Some(Box::new(socket(&io::stdout())?)),
        }
    }

    /// Opens a pipe without waiting for the other end, which may be closed.
    fn open(options: &mut OpenOptions, path: &str) -> io::Result<File> {
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(i32::try_from(nonblocking).unwrap_or_default()).open(path)
    }

    enum Kind {
        /// A pipe, which is opened again: non-blocking mode belongs to the open file description,
        /// and other processes share ours.
        Pipe,
        /// A socket, whose two ends have separate modes.
        Socket,
    }

    fn kind(stream: &impl AsFd) -> Option<Kind> {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        let file_type = file.metadata().ok()?.file_type();
        if file_type.is_fifo() && cfg!(target_os = "linux") {
            Some(Kind::Pipe)
        } else if file_type.is_socket() {
            Some(Kind::Socket)
        } else {
            None
        }
    }

    fn socket(stream: &impl AsFd) -> Option<UnixStream> {
        let socket: OwnedFd = stream.as_fd().try_clone_to_owned().ok()?;
        let socket = BlockingStream::from(socket);
        // Any other kind of socket has no such address, and is read through a thread.
        socket.local_addr().ok()?;
        socket.set_nonblocking(true).ok()?;
        UnixStream::from_std(socket).ok()
    }
}
