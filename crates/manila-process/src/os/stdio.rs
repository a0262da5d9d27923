//! Our own standard input and output, read and written without waiting.

use super::{Source, Target};

/// Standard input: directly where it is a pipe or a socket, else through a thread.
#[must_use]
pub fn input() -> Source {
    #[cfg(unix)]
    if let Some(source) = unix::input() {
        return source;
    }
    Box::new(tokio::io::stdin())
}

/// Standard output: directly where it is a pipe or a socket, else through a thread.
#[must_use]
pub fn output() -> Target {
    #[cfg(unix)]
    if let Some(target) = unix::output() {
        return target;
    }
    through_thread().unwrap_or_else(|| Box::new(tokio::io::stdout()))
}

/// A file or a terminal is written by a thread, past the lock that somebody may hold.
fn through_thread() -> Option<Target> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let own = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
        Some(Box::new(tokio::fs::File::from_std(own.into())))
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
                let own = open(OpenOptions::new().read(true), "/proc/self/fd/0").ok()?;
                Some(Box::new(pipe::Receiver::from_file(own).ok()?))
            }
            Kind::Socket => Some(Box::new(socket(&io::stdin())?)),
        }
    }

    pub(super) fn output() -> Option<Target> {
        match kind(&io::stdout())? {
            Kind::Pipe => {
                let own = open(OpenOptions::new().write(true), "/proc/self/fd/1").ok()?;
                super::super::process::widen(&own);
                Some(Box::new(pipe::Sender::from_file(own).ok()?))
            }
            Kind::Socket => Some(Box::new(socket(&io::stdout())?)),
        }
    }

    /// Opens without waiting for the other side, which may be gone.
    fn open(options: &mut OpenOptions, path: &str) -> io::Result<File> {
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(i32::try_from(nonblocking).unwrap_or_default()).open(path)
    }

    enum Kind {
        /// It is opened anew: not to wait is a property of the opening, and others share ours.
        Pipe,
        /// The other side has an end of its own.
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
        let own: OwnedFd = stream.as_fd().try_clone_to_owned().ok()?;
        let own = BlockingStream::from(own);
        // Any other kind of socket has no such address, and is read through a thread.
        own.local_addr().ok()?;
        own.set_nonblocking(true).ok()?;
        UnixStream::from_std(own).ok()
    }
}
