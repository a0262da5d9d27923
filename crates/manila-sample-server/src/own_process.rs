//! Operations of a process on itself: discard its stdout, leave its session, wait for a signal.

use std::io;

/// Replaces stdout with `/dev/null`, so that its reader sees the end.
#[cfg(unix)]
pub(super) fn discard_stdout() -> io::Result<()> {
    rustix::stdio::dup2_stdout(std::fs::File::options().write(true).open("/dev/null")?)?;
    Ok(())
}

/// Leaves the session and its terminal, and ignores the termination signals.
#[cfg(unix)]
pub(super) fn detach() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // The handler only sets a flag that is never read, which is equivalent to ignoring the signal.
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    match rustix::process::setsid() {
        // The leader of a process group may not do this, but it has already left its parent's
        // group.
        Ok(_) | Err(rustix::io::Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Installs handlers for the termination signals, and returns a function that waits for one.
#[cfg(unix)]
pub fn listen_for_stop() -> io::Result<impl FnOnce() -> io::Result<()>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    let (mut receiver, sender) = UnixStream::pair()?;
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        signal_hook::low_level::pipe::register(signal, sender.try_clone()?)?;
    }
    Ok(move || receiver.read_exact(&mut [0]))
}

/// Returns a function that waits forever, because this platform ends processes without a signal.
#[cfg(not(unix))]
pub fn listen_for_stop() -> io::Result<impl FnOnce() -> io::Result<()>> {
    Ok(|| {
        loop {
            std::thread::park();
        }
    })
}

/// Fails, because this is not supported on this platform.
#[cfg(not(unix))]
pub(super) fn discard_stdout() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Fails, because this is not supported on this platform.
#[cfg(not(unix))]
pub(super) fn detach() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
