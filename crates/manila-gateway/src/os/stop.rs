//! Being asked to stop.

/// Waits until somebody asks this process to stop: SIGTERM, SIGINT or SIGHUP.
#[cfg(unix)]
pub(crate) async fn asked() {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).ok();
    let mut terminate = listen(SignalKind::terminate());
    let mut interrupt = listen(SignalKind::interrupt());
    let mut hang_up = listen(SignalKind::hangup());
    tokio::select! {
        Some(()) = next(&mut terminate) => {}
        Some(()) = next(&mut interrupt) => {}
        Some(()) = next(&mut hang_up) => {}
        else => std::future::pending().await,
    }
}

#[cfg(unix)]
async fn next(signal: &mut Option<tokio::signal::unix::Signal>) -> Option<()> {
    match signal {
        Some(signal) => signal.recv().await,
        None => None,
    }
}

/// Waits until somebody asks this process to stop: Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn asked() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
