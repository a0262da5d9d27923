//! What a process can do to itself: lose its stdout, leave its session, or wait for a signal.

use std::io;

/// Puts `/dev/null` in the place of stdout, so that its reader sees the end.
#[cfg(unix)]
pub(super) fn discard_stdout() -> io::Result<()> {
    rustix::stdio::dup2_stdout(std::fs::File::options().write(true).open("/dev/null")?)?;
    Ok(())
}

/// Leaves the session and its terminal, and outlives the polite signals.
#[cfg(unix)]
pub(super) fn detach() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // The handler only sets a flag that nobody reads, which is as good as ignoring the signal.
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    match rustix::process::setsid() {
        // Refused to the leader of a process group, which has left its parent's group already.
        Ok(_) | Err(rustix::io::Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Listens from now on for being asked to stop; what it gives back waits for that.
#[cfg(unix)]
pub fn asked_to_stop() -> io::Result<impl FnOnce() -> io::Result<()>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    let (mut asked, asks) = UnixStream::pair()?;
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        signal_hook::low_level::pipe::register(signal, asks.try_clone()?)?;
    }
    Ok(move || asked.read_exact(&mut [0]))
}

/// Whoever stops the process here does not ask.
#[cfg(not(unix))]
pub fn asked_to_stop() -> io::Result<impl FnOnce() -> io::Result<()>> {
    Ok(|| {
        loop {
            std::thread::park();
        }
    })
}

/// Not possible here.
#[cfg(not(unix))]
pub(super) fn discard_stdout() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not possible here.
#[cfg(not(unix))]
pub(super) fn detach() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
